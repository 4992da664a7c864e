"""A process under the launcher: its pipes as callbacks on the running loop, its end as futures."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LAUNCHER = str(Path(__file__).with_name("launcher.py"))

# Write ends of control pipes. A forked child of ours inherits them and would keep agents alive after
# our own death, so it closes them first.
_controls: set[int] = set()


def _after_fork() -> None:
    for descriptor in _controls:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _controls.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@dataclass(frozen=True)
class Ended:
    """How a process ended: an exit code, or the name of the signal that killed it.

    Both are None if the launcher was killed and nobody can know.
    """

    code: int | None
    signal: str | None


class Process:
    """A running command and its group. Made by `start`; all methods belong to the loop's thread.

    Attributes
    ----------
    pid : int
        Of the command itself; also the number of its process group.
    ended : asyncio.Future[Ended]
        Done as soon as the command itself has ended; others of its group may still run.
    gone : asyncio.Future[None]
        Done once the whole group is gone.
    drained : asyncio.Future[None]
        Done once all output pipes are at their end; a process outside the group may hold them open.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.pid = 0
        self.ended: asyncio.Future[Ended] = loop.create_future()
        self.gone: asyncio.Future[None] = loop.create_future()
        self.drained: asyncio.Future[None] = loop.create_future()
        self._started: asyncio.Future[int] = loop.create_future()
        self._popen: subprocess.Popen[bytes] | None = None
        self._control: int | None = None
        self._stdin: asyncio.WriteTransport | None = None
        self._readers: list[asyncio.ReadTransport] = []
        self._reading = 0
        self._status = b""

    async def _launch(
        self,
        command: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        on_stdout: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None] | None,
        on_lost: Callable[[], None] | None,
        linger: bool,
        soft: float,
        hard: float,
    ) -> None:
        control_read, control = os.pipe()
        status, status_write = os.pipe()
        self._control = control
        _controls.add(control)
        words = [str(control_read), str(status_write), "linger" if linger else "strict", str(soft), str(hard)]
        try:
            # Not asyncio's own subprocesses: those need a child watcher, which differs by version and host.
            self._popen = subprocess.Popen(  # noqa: ASYNC220 — a few milliseconds
                [sys.executable, "-I", "-S", _LAUNCHER, *words, "--", *command],
                stdin=subprocess.PIPE if on_lost else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if on_stderr else subprocess.STDOUT,
                bufsize=0,
                cwd=cwd,
                env=dict(env),
                pass_fds=(control_read, status_write),
                start_new_session=True,
            )
        except BaseException:
            os.close(status)
            self.end()
            raise
        finally:
            os.close(control_read)
            os.close(status_write)
        await self._connect(self._popen, status, on_stdout, on_stderr, on_lost)
        problem = await self._started
        if problem:
            await self.gone
            self.release()
            raise OSError(problem, os.strerror(problem), command[0])

    async def _connect(
        self,
        popen: subprocess.Popen[bytes],
        status: int,
        on_stdout: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None] | None,
        on_lost: Callable[[], None] | None,
    ) -> None:
        await self._read(os.fdopen(status, "rb", buffering=0), self._on_status, self._on_gone)
        for pipe, callback in ((popen.stdout, on_stdout), (popen.stderr, on_stderr)):
            if pipe is not None and callback is not None:
                self._reading += 1
                ended = self._on_drained
                if on_lost is not None and pipe is popen.stdout:
                    ended = partial(self._on_drained, on_lost)
                self._readers.append(await self._read(pipe, callback, ended))
        if popen.stdin is not None and on_lost is not None:
            loop = asyncio.get_running_loop()

            def lost() -> None:
                self._stdin = None
                on_lost()

            self._stdin, _ = await loop.connect_write_pipe(lambda: _Pipe(None, lost), popen.stdin)

    @staticmethod
    async def _read(
        pipe: IO[bytes], on_data: Callable[[bytes], None], on_end: Callable[[], None]
    ) -> asyncio.ReadTransport:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: _Pipe(on_data, on_end), pipe)
        return transport

    def write(self, data: bytes) -> bool:
        """Queue bytes for the command's input; False if it no longer takes any. Never blocks."""
        if self._stdin is None or self._stdin.is_closing():
            return False
        self._stdin.write(data)
        return True

    def close_stdin(self) -> None:
        """Close the command's input once everything queued is written."""
        if self._stdin is not None:
            self._stdin.close()

    def end(self) -> None:
        """Ask for the end of the whole group; `gone` tells when it came. May be called twice."""
        if self._control is not None:
            _controls.discard(self._control)
            os.close(self._control)
            self._control = None

    def kill(self) -> None:
        """Kill the group and its launcher, for when the launcher does not do its work."""
        if self._popen is not None and not self.gone.done():
            self._popen.kill()
            self._kill_group()

    def _kill_group(self) -> None:
        if self.pid and sys.platform != "win32":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    def release(self) -> None:
        """Let go of all pipes. Output that comes afterwards is lost."""
        self.end()
        # One that is closing with nothing left to write is about to be lost by itself.
        if self._stdin is not None and (not self._stdin.is_closing() or self._stdin.get_write_buffer_size()):
            self._stdin.abort()
        for reader in self._readers:
            reader.close()

    def _on_status(self, data: bytes) -> None:
        *lines, self._status = (self._status + data).split(b"\n")
        for line in lines:
            word, _, number = line.decode().partition(" ")
            if word == "pid":
                self.pid = int(number)
                self._started.set_result(0)
            elif word == "failed":
                self._started.set_result(int(number))
            elif not self.ended.done():
                code = int(number)
                self.ended.set_result(Ended(code, None) if word == "exit" else Ended(None, signal_name(code)))

    def _on_gone(self) -> None:
        if self._popen is not None:
            self._popen.wait()  # the launcher closes its pipe by exiting: this does not wait
        self.end()
        if not self.ended.done():
            # The launcher was killed. Its work is left to us.
            self._kill_group()
            self.ended.set_result(Ended(None, None))
        if not self._started.done():
            self._started.set_result(1)
        self.gone.set_result(None)

    def _on_drained(self, then: Callable[[], None] | None = None) -> None:
        self._reading -= 1
        if self._reading == 0:
            self.drained.set_result(None)
        if then is not None:
            then()


class _Pipe(asyncio.Protocol):
    """Hands on what a pipe gives, and its end."""

    def __init__(self, on_data: Callable[[bytes], None] | None, on_end: Callable[[], None]) -> None:
        self._on_data = on_data
        self._on_end = on_end

    def data_received(self, data: bytes) -> None:
        assert self._on_data is not None
        self._on_data(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 — asyncio's signature
        self._on_end()


def signal_name(number: int) -> str:
    """Return a signal's name, for example ``"SIGKILL"``."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def start(
    command: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    on_stdout: Callable[[bytes], None],
    on_stderr: Callable[[bytes], None] | None = None,
    on_lost: Callable[[], None] | None = None,
    linger: bool = False,
    soft: float = 0.0,
    hard: float = 1.0,
) -> Process:
    """Start a command in a session and process group of its own, under the launcher.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    cwd : str
        An existing folder.
    env : mapping
        The whole environment.
    on_stdout, on_stderr : callable
        Called on the loop with each piece of output. Without `on_stderr` both come together.
    on_lost : callable, optional
        Called when the command's input or its output is closed, from whichever side. Without it the command
        has no input.
    linger : bool
        Whether processes that the command leaves behind in its group may run until `Process.end`.
    soft, hard : float
        Seconds from `Process.end` to SIGTERM, and from there to SIGKILL.

    Raises
    ------
    OSError
        If the command cannot be started; `errno` says why.
    """
    if sys.platform == "win32":
        from acp_notebook._agent import windows

        return await windows.start(
            command,
            cwd=cwd,
            env=env,
            on_stdout=on_stdout,
            on_stderr=on_stderr,
            on_lost=on_lost,
            linger=linger,
            soft=soft,
            hard=hard,
        )
    process = Process()
    launching = asyncio.ensure_future(
        process._launch(  # noqa: SLF001 — `start` is the class's only constructor
            command,
            cwd=cwd,
            env=env,
            on_stdout=on_stdout,
            on_stderr=on_stderr,
            on_lost=on_lost,
            linger=linger,
            soft=soft,
            hard=hard,
        )
    )
    try:
        await asyncio.shield(launching)
    except asyncio.CancelledError:
        # Half a start would leave pipes and a process that nobody knows of.
        await asyncio.wait([launching])
        if launching.exception() is None:
            process.end()
            await process.gone
            process.release()
        raise
    return process
