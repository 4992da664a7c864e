"""Serves ``fs/read_text_file`` and ``fs/write_text_file`` (protocol page "file system")."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import stat
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from acp_notebook._agent.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    JsonObject,
    RpcError,
)
from acp_notebook._client.nofollow import folder_of
from acp_notebook._client.notebooks import check_notebook

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._client.roots import Roots

T = TypeVar("T")

#: The longest text handed out at once, in bytes; more than any model reads.
READ_LIMIT = 64 * 1024 * 1024

#: The longest file, in bytes, whose text before a write is looked at.
REMEMBERED = 4 * 1024 * 1024

# Not where the system lacks it (Windows).
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class Written:
    """A write that was carried out: the text before (None: there was no file) and after.

    `known` is False where the text before was none, or too long.
    """

    before: str | None
    after: str
    known: bool = True


class Files:
    """Reads and writes text files inside the roots, off the loop and one after another.

    Parameters
    ----------
    roots : Roots
        What may be touched.
    """

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        #: Whether a missing file is served as an empty one, for agents that cannot take the other answer.
        self.missing_reads_empty = False
        # In the order of the wire: an agent may read right after a write that it did not wait for.
        self._turn = asyncio.Lock()

    async def read(self, params: JsonObject) -> JsonObject:
        """Serve ``fs/read_text_file``.

        Parameters
        ----------
        params : dict
            ``path`` (absolute), ``line`` (first line, counted from 1) and ``limit`` (number of lines).

        Returns
        -------
        dict
            ``{"content": text}`` with the file's own line ends.

        Raises
        ------
        RpcError
            -32002 if there is no such file; -32602 for a folder, a file that is not UTF-8 text, a path that
            is relative or outside, wrong numbers; -32603 if the system refuses.
        """
        path = self._roots.resolve(params.get("path"))
        line = _count(params, "line", 1)
        limit = _count(params, "limit", None)
        try:
            return {"content": await self._serve(lambda: read_text(path, line or 1, limit), path)}
        except RpcError as error:
            if error.code != RESOURCE_NOT_FOUND or not self.missing_reads_empty:
                raise
            return {"content": ""}

    async def write(self, params: JsonObject) -> JsonObject:
        """Serve ``fs/write_text_file``: `put`, answered by an empty object."""
        await self.put(params)
        return {}

    async def put(self, params: JsonObject) -> Written:
        """Carry out ``fs/write_text_file``.

        Missing folders are made. The text is written byte for byte, into a new file that then takes the old
        one's place and mode: a reader sees the old or the new text, never a part.

        Parameters
        ----------
        params : dict
            ``path`` (absolute) and ``content``.

        Returns
        -------
        Written

        Raises
        ------
        RpcError
            -32602 for a folder, a path that is relative or outside, a text that is none, a notebook file
            (``.ipynb``) that would be no notebook; -32603 if the system refuses.
        """
        path = self._roots.resolve(params.get("path"))
        content = params.get("content")
        if not isinstance(content, str):
            raise RpcError(INVALID_PARAMS, f"the content must be a string, not {type(content).__name__}")
        try:
            data = content.encode()
        except UnicodeEncodeError as error:
            raise RpcError(INVALID_PARAMS, f"the content is not valid Unicode: {error.reason}") from error

        def job() -> Written:
            check_notebook(path, content)
            before = _before(path)
            write_bytes(path, data)
            return Written(None, content, known=False) if before is None else Written(before[0], content)

        return await self._serve(job, path)

    async def replace(self, path: Path, before: str | None, after: str | None) -> None:
        """Write a text if the file still holds another one; None stands for "there is no file".

        Raises
        ------
        RpcError
            It has changed, or cannot be written.
        """

        def job() -> None:
            try:
                now: str | None = read_text(path)
            except (FileNotFoundError, NotADirectoryError):
                now = None
            if now != before:
                raise RpcError(INVALID_PARAMS, "The file has changed meanwhile, so nothing was written")
            if after is None:
                with folder_of(path) as folder:
                    folder.remove(path.name)
            else:
                check_notebook(path, after)
                write_bytes(path, after.encode())

        await self._serve(job, path)

    async def _serve(self, job: Callable[[], T], path: Path) -> T:
        async with self._turn:
            try:
                return await asyncio.to_thread(job)
            except OSError as error:
                _refuse(error, path)


def _before(path: Path) -> tuple[str | None] | None:
    """The text that a write is about to replace; None if it is not known."""
    try:
        return (read_text(path, most=REMEMBERED),)
    except (FileNotFoundError, NotADirectoryError):
        return (None,)
    except (OSError, RpcError):
        return None


def _count(params: JsonObject, name: str, default: int | None) -> int | None:
    value = params.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RpcError(INVALID_PARAMS, f"`{name}` must be a whole number from 1, not {value!r}")
    return value


def _refuse(error: OSError, path: Path) -> NoReturn:
    data = {"path": str(path)}
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        raise RpcError(RESOURCE_NOT_FOUND, f"there is no file {path}", data) from error
    if isinstance(error, IsADirectoryError):
        raise RpcError(INVALID_PARAMS, f"{path} is a folder", data) from error
    raise RpcError(INTERNAL_ERROR, f"{path}: {error.strerror or error}", data) from error


def read_text(path: Path, line: int = 1, limit: int | None = None, *, most: int | None = None) -> str:
    """Read lines of a regular UTF-8 file.

    Parameters
    ----------
    path : Path
        Resolved: a link that took its place, or that of a folder on the way, is not followed.
    line : int
        The first line, counted from 1 (0 counts as 1); past the end there is nothing.
    limit : int, optional
        How many lines.
    most : int, optional
        Bytes of a whole file; else `READ_LIMIT`.
    """
    most = READ_LIMIT if most is None else most
    with folder_of(path) as folder:
        # Without O_NONBLOCK the opening of a named pipe would wait for its writer.
        descriptor = folder.open(path.name or ".", os.O_RDONLY | _NONBLOCK)
    with open(descriptor, "rb") as file:  # noqa: PTH123 — a descriptor
        _check_regular(os.fstat(descriptor).st_mode, path)
        first = max(line, 1) - 1
        if first == 0 and limit is None:
            data = file.read(most + 1)
        else:
            data = _some_lines(islice(file, first, None if limit is None else first + limit))
    if len(data) > most:
        raise RpcError(
            INVALID_PARAMS, f"{path} is longer than {most} bytes; ask for fewer lines with `limit`"
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise RpcError(INVALID_PARAMS, f"{path} is not UTF-8 text", {"path": str(path)})
    return text


def _some_lines(lines: islice[bytes]) -> bytes:
    kept = bytearray()
    for line in lines:
        kept += line
        if len(kept) > READ_LIMIT:
            break
    return bytes(kept)


def _check_regular(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    if not stat.S_ISREG(mode):
        raise RpcError(INVALID_PARAMS, f"{path} is not a regular file", {"path": str(path)})


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file so that it is either the old or the new one at every moment."""
    with folder_of(path, make=True) as folder:
        mode = folder.mode(path.name)
        if mode is not None:
            _check_regular(mode, path)
            if not folder.may_write(path.name):
                raise PermissionError(13, "the file is read-only")
        # Beside its place: only within one file system is a rename atomic. The name tells whose it is.
        draft = f".{path.name[:60]}.{secrets.token_hex(6)}.acp-notebook"
        descriptor = folder.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL)  # the umask decides
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 — a descriptor
                file.write(data)
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(descriptor, stat.S_IMODE(mode))
            folder.rename(draft, path.name)
        except BaseException:
            with contextlib.suppress(OSError):
                folder.remove(draft)
            raise
