"""A lock between processes, for files that are read, changed and replaced."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 2.0
"""Seconds to wait for others, who hold the lock for milliseconds."""

_PAUSE = 0.002
_BUSY = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Be the only one who changes a file; the lock is a file beside it, which stays.

    The system takes the lock back when a process ends, however it ends. Where there are no locks (some
    network drives), everybody goes on as if alone.

    Raises
    ------
    OSError
        The lock file cannot be made, or somebody holds it for longer than `PATIENCE`.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, path: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            _take(descriptor)
        except OSError as error:
            if error.errno not in _BUSY:
                return
            if time.monotonic() > end:
                msg = "another program holds its lock"
                raise TimeoutError(errno.ETIMEDOUT, msg, str(path)) from error
            time.sleep(_PAUSE)
        else:
            return


def _take(descriptor: int) -> None:
    """Take the lock or raise; closing the file gives it back."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
