"""Serves ``fs/read_text_file`` and ``fs/write_text_file`` (protocol page "file system")."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import stat
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from acp_notebook._agent.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    JsonObject,
    RpcError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._client.roots import Roots

#: The longest text handed out at once, in bytes; more than any model reads.
READ_LIMIT = 64 * 1024 * 1024

# Not where the system lacks them (Windows).
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


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
        """Serve ``fs/write_text_file``.

        Missing folders are made. The text is written byte for byte, into a new file that then takes the old
        one's place and mode: a reader sees the old or the new text, never a part.

        Parameters
        ----------
        params : dict
            ``path`` (absolute) and ``content``.

        Returns
        -------
        dict
            Empty.

        Raises
        ------
        RpcError
            -32602 for a folder, a path that is relative or outside, a text that is none; -32603 if the system
            refuses.
        """
        path = self._roots.resolve(params.get("path"))
        content = params.get("content")
        if not isinstance(content, str):
            raise RpcError(INVALID_PARAMS, f"the content must be a string, not {type(content).__name__}")
        try:
            data = content.encode()
        except UnicodeEncodeError as error:
            raise RpcError(INVALID_PARAMS, f"the content is not valid Unicode: {error.reason}") from error
        await self._serve(lambda: write_bytes(path, data), path)
        return {}

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
                path.unlink()
            else:
                write_bytes(path, after.encode())

        await self._serve(job, path)

    async def _serve(self, job: Callable[[], str | None], path: Path) -> str | None:
        async with self._turn:
            try:
                return await asyncio.to_thread(job)
            except OSError as error:
                _refuse(error, path)


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


def read_text(path: Path, line: int = 1, limit: int | None = None) -> str:
    """Read lines of a regular UTF-8 file.

    Parameters
    ----------
    path : Path
        Resolved: a link that took its place meanwhile is not followed.
    line : int
        The first line, counted from 1 (0 counts as 1); past the end there is nothing.
    limit : int, optional
        How many lines.
    """
    # Without O_NONBLOCK the opening of a named pipe would wait for its writer.
    descriptor = os.open(path, os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _BINARY)
    with open(descriptor, "rb") as file:  # noqa: PTH123 — a descriptor
        _check_regular(os.fstat(descriptor).st_mode, path)
        first = max(line, 1) - 1
        if first == 0 and limit is None:
            data = file.read(READ_LIMIT + 1)
        else:
            data = _some_lines(islice(file, first, None if limit is None else first + limit))
    if len(data) > READ_LIMIT:
        raise RpcError(
            INVALID_PARAMS, f"{path} is longer than {READ_LIMIT} bytes; ask for fewer lines with `limit`"
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
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        mode: int | None = path.lstat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None:
        _check_regular(mode, path)
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "the file is read-only")
    # Beside its place: only within one file system is a rename atomic. The name tells whose it is.
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.acp-notebook")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY
    descriptor = os.open(draft, flags, 0o666)  # the umask decides, as for any new file
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 — a descriptor
            file.write(data)
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, stat.S_IMODE(mode))
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
