"""Files reached without following links, so that a link that takes a folder's place meanwhile leads nowhere.

A path is resolved and compared with the chat's folders first. Between that and the use an agent may swap a
folder for a link that leads out. So each folder on the way is opened from the one before, links refused, and
the file is used from the last: what was checked is what is used. Where the system has no calls for that
(Windows), the path is resolved once more right before.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from acp_notebook._agent.protocol import INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STEPS = os.open in os.supports_dir_fd and os.mkdir in os.supports_dir_fd
# O_PATH: a folder on the way need only be passed through, not listed. Not where the system lacks them.
_THROUGH = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Folder:
    """An opened folder, and its entries by name.

    Parameters
    ----------
    path : Path
        Where it was opened.
    descriptor : int or None
        Of the folder; None where the system works with paths only.
    """

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    def _of(self, name: str) -> str:
        return name if self._descriptor is not None else str(self._path / name)

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open an entry; a link is refused. Gives a descriptor."""
        return os.open(self._of(name), flags | _NOFOLLOW | _BINARY, mode, dir_fd=self._descriptor)

    def mode(self, name: str) -> int | None:
        """The type and mode bits of an entry itself; None if there is none."""
        try:
            return os.stat(self._of(name), dir_fd=self._descriptor, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None

    def may_write(self, name: str) -> bool:
        """Whether this process may write an entry."""
        return os.access(self._of(name), os.W_OK, dir_fd=self._descriptor)

    def rename(self, old: str, new: str) -> None:
        """Give an entry the place of another."""
        own = self._descriptor
        os.replace(self._of(old), self._of(new), src_dir_fd=own, dst_dir_fd=own)

    def remove(self, name: str) -> None:
        """Remove an entry."""
        os.unlink(self._of(name), dir_fd=self._descriptor)


@contextmanager
def folder_of(path: Path, *, make: bool = False) -> Iterator[Folder]:
    """Open the folder that a file is in.

    Parameters
    ----------
    path : Path
        Of the file: absolute, resolved.
    make : bool
        Whether to make folders that are missing.

    Raises
    ------
    RpcError
        -32602: there is a link on the way by now.
    OSError
        There is no such folder, or the system refuses.
    """
    if not _STEPS:
        if make:
            path.parent.mkdir(parents=True, exist_ok=True)
        if os.path.realpath(path.parent) != str(path.parent):
            raise _link(path)
        yield Folder(path.parent, None)
        return
    here = os.open(path.anchor, _THROUGH)
    try:
        for name in path.parent.parts[1:]:
            below = _step(here, name, path, make=make)
            os.close(here)
            here = below
        yield Folder(path.parent, here)
    finally:
        os.close(here)


def _step(here: int, name: str, path: Path, *, make: bool) -> int:
    try:
        return os.open(name, _THROUGH, dir_fd=here)
    except FileNotFoundError:
        if not make:
            raise
        with suppress(FileExistsError):  # somebody was faster
            os.mkdir(name, dir_fd=here)
        return os.open(name, _THROUGH, dir_fd=here)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK) and _is_link(here, name):
            raise _link(path) from error
        raise


def _is_link(here: int, name: str) -> bool:
    with suppress(OSError):
        return stat.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode)
    return False


def _link(path: Path) -> RpcError:
    text = f"a folder on the way to {path} was replaced by a link while this was served"
    return RpcError(INVALID_PARAMS, text, {"path": str(path)})
