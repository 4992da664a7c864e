"""Versions of installed packages, and what programs say of theirs, in bounded time.

A program is run with ``--version`` and nothing to read; one that starts to serve instead is ended with all
that it has started.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from importlib import metadata
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PATIENCE = 20.0
"""Seconds for all programs together, which run side by side."""

_MOST = 4_000
_VERSION_RE = re.compile(r"(?<![\w.])v?(\d+\.\d+[\w.+-]*)")


def installed(package: str) -> str | None:
    """The version of an installed package; None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions(programs: Mapping[str, str], patience: float = PATIENCE) -> dict[str, str | None]:
    """Ask programs for their versions.

    Parameters
    ----------
    programs
        Paths of programs, by any name.
    patience
        Seconds for all together.

    Returns
    -------
    dict of str to str or None
        By the same names; None for a program that tells none.
    """
    deadline = time.monotonic() + patience
    with contextlib.ExitStack() as stack:
        running = {}
        for name, program in programs.items():
            said = stack.enter_context(tempfile.TemporaryFile())
            running[name] = said, _start(program, said)
        return {name: _told(process, said, deadline) for name, (said, process) in running.items()}


def _start(program: str, said: IO[bytes]) -> subprocess.Popen[bytes] | None:
    # A file and no pipe: what a program leaves behind would keep a pipe open.
    try:
        return subprocess.Popen(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None


def _told(process: subprocess.Popen[bytes] | None, said: IO[bytes], deadline: float) -> str | None:
    if process is None:
        return None
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        _end(process)
        return None
    said.seek(0)
    found = _VERSION_RE.search(said.read(_MOST).decode("utf-8", "replace"))
    return None if found is None or process.returncode != 0 else found[1]


def _end(process: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
