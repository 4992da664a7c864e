"""Lines of bytes to and from an agent, whatever carries them; here: the pipes of a process.

Three words for three ends: we *close*, the agent *finishes* (exit code 0 after the end of its input), the
agent *dies*. All three arrive as one `Exit`; the connection knows which of them it was.
"""

from __future__ import annotations

import asyncio
import errno
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from acp_notebook._agent import loop, process
from acp_notebook._agent.command import environment, find, not_found
from acp_notebook._errors import ChatClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from acp_notebook._agent.command import Agent

_T = TypeVar("_T")

#: How much of the end of an agent's stderr is kept, in bytes.
STDERR_KEPT = 64 * 1024
#: A line longer than this is given up, in bytes; only its beginning is handed on (as noise).
LINE_LIMIT = 256 * 1024 * 1024

# Seconds. The protocol's page "transports": close the input, then terminate.
_EOF_PATIENCE = 1.0
_TERM_PATIENCE = 1.0
_KILL_PATIENCE = 3.0
# After the process has ended: how long the rest of its output is waited for (another process may hold
# the pipe open), and how long an agent that closed a pipe may take to end by itself.
_DRAIN_PATIENCE = 1.0
_DEAF_PATIENCE = 2.0
# What the launcher grants after our own death, in which the agent saw the end of its input.
_ORPHAN_PATIENCE = 0.3


@dataclass(frozen=True)
class Exit:
    """How an agent ended.

    Attributes
    ----------
    code : int or None
        The exit code.
    signal : str or None
        The name of the signal that killed it, for example ``"SIGKILL"``.
    stderr : str
        The end of what it wrote to stderr.
    """

    code: int | None
    signal: str | None
    stderr: str


class Transport(Protocol):
    """Carries lines to an agent and back. All methods belong to the loop's thread.

    Attributes
    ----------
    exited : asyncio.Future[Exit]
        Done after the last line was handed on, whoever ended it.
    command : tuple of str
        What errors call the agent by.
    """

    exited: asyncio.Future[Exit]
    command: tuple[str, ...]

    async def start(self, on_line: Callable[[bytes], None]) -> None:
        """Begin; each line is handed to `on_line` on the loop, without its line end, in order."""

    def write(self, line: bytes) -> bool:
        """Queue one message; its line end is added here. False if the agent takes nothing any more."""

    def stderr_tail(self) -> str:
        """Return the end of what the agent wrote to stderr."""

    async def close(self) -> Exit:
        """End the agent and everything it started, in bounded time. May be called again."""


class Lines:
    """Cuts pieces of bytes into lines; the cost is linear, however long a line is."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._limit = limit

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give the lines that `data` completes."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._keep(data[start:end])
            yield self._take()
            start = end + 1
        self._keep(data[start:])

    def rest(self) -> Iterator[bytes]:
        """Give the last line if the stream ended within it."""
        if self._size:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        if part:
            self._size += len(part)
            if self._size <= self._limit:
                self._parts.append(part)

    def _take(self) -> bytes:
        parts, size = self._parts, self._size
        self._parts, self._size = [], 0
        if size > self._limit:
            return b"".join(parts)[:1024]
        return parts[0] if len(parts) == 1 else b"".join(parts)


class Tail:
    """Keeps the end of a stream of bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()

    def add(self, data: bytes) -> None:
        """Append; what is too old is forgotten (in big steps, so that a byte costs the same always)."""
        self._data += data
        if len(self._data) > 2 * self._limit:
            del self._data[: -self._limit]

    def text(self) -> str:
        """Return the kept end as text; a character that was cut at the beginning is left out."""
        data = bytes(self._data[-self._limit :])
        if len(data) < len(self._data) or len(data) == self._limit:
            start = 0
            while start < min(4, len(data)) and data[start] & 0xC0 == 0x80:
                start += 1
            data = data[start:]
        return data.decode("utf-8", "replace")


class StdioTransport:
    """An agent as a child process that speaks on its standard input and output.

    Parameters
    ----------
    agent : Agent
        What to start.
    cwd : str or path
        Where it starts, unless the agent names a folder of its own.
    """

    exited: asyncio.Future[Exit]
    command: tuple[str, ...]

    def __init__(self, agent: Agent, cwd: str | Path) -> None:
        self.agent = agent
        self.command = (agent.command, *agent.args)
        self.cwd = str(agent.cwd if agent.cwd is not None else cwd)
        self.exited = asyncio.get_running_loop().create_future()
        self._on_line: Callable[[bytes], None] = lambda _: None
        self._lines = Lines()
        self._stderr = Tail(STDERR_KEPT)
        self._process: process.Process | None = None
        self._watching: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[Exit] | None = None
        self._deaf: asyncio.TimerHandle | None = None
        self._forget: Callable[[], None] = lambda: None

    @property
    def pid(self) -> int | None:
        """The number of the agent's process and of its group."""
        return self._process.pid if self._process else None

    async def start(self, on_line: Callable[[bytes], None]) -> None:
        """Start the process.

        Raises
        ------
        AgentNotFoundError
            If there is no such program, or it cannot be executed.
        ChatClosedError
            If it was closed meanwhile.
        NotADirectoryError
            If the folder to start in is none.
        """
        if not Path(self.cwd).is_dir():  # noqa: ASYNC240 — a look, not I/O worth a thread
            raise NotADirectoryError(
                errno.ENOTDIR, "the folder to start the agent in does not exist", self.cwd
            )
        program = find(self.agent, self.cwd)
        self._on_line = on_line
        try:
            running = await process.start(
                [program, *self.agent.args],
                cwd=self.cwd,
                env=environment(self.agent),
                on_stdout=self._on_stdout,
                on_stderr=self._stderr.add,
                on_lost=self._on_pipe_lost,
                soft=_ORPHAN_PATIENCE,
                hard=_TERM_PATIENCE,
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL character in a word or a variable
            why = error.strerror if isinstance(error, OSError) else None
            raise not_found(self.agent, f"the system says {why or error!s}") from error
        if self._closing is not None:  # closed while it started
            running.end()
            await running.gone
            running.release()
            raise ChatClosedError
        self._process = running
        if loop.on_loop_thread():  # on another loop it is for the one who runs that
            self._forget = loop.at_exit(self.close)
        self._watching = asyncio.create_task(self._watch(running), name="acp-notebook agent watch")

    def write(self, line: bytes) -> bool:
        """Queue one message; False if the agent takes nothing any more."""
        running = self._process
        return running is not None and not self.exited.done() and running.write(line + b"\n")

    def stderr_tail(self) -> str:
        """Return the last 64 KB that the agent wrote to stderr."""
        return self._stderr.text()

    async def close(self) -> Exit:
        """Close the agent's input, wait, terminate its group, wait, kill it: about 3 s at most."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name="acp-notebook agent close")
        # A caller who is cancelled must not leave the agent half closed.
        return await asyncio.shield(self._closing)

    async def _close(self) -> Exit:
        running = self._process
        if running is None:  # never started; if it is just starting, the start ends it
            self._report(Exit(None, None, ""))
            return self.exited.result()
        running.close_stdin()
        await _within(running.ended, _EOF_PATIENCE)
        running.end()
        await _within(running.gone, _ORPHAN_PATIENCE + _TERM_PATIENCE + _KILL_PATIENCE)
        if not running.gone.done():
            running.kill()
            await _within(running.gone, _KILL_PATIENCE)
        await _within(self.exited, _DRAIN_PATIENCE * 2)
        running.release()
        self._forget()
        if not self.exited.done():
            self._report(Exit(None, None, self.stderr_tail()))
        if self._watching is not None:
            self._watching.cancel()
        return self.exited.result()

    async def _watch(self, running: process.Process) -> None:
        """Report the end once, after everything the agent still said."""
        ended = await asyncio.shield(running.ended)
        if self._deaf is not None:
            self._deaf.cancel()
        await _within(running.drained, _DRAIN_PATIENCE)
        for line in self._lines.rest():
            self._on_line(line)
        self._report(Exit(ended.code, ended.signal, self.stderr_tail()))
        await asyncio.shield(running.gone)
        running.release()
        self._forget()

    def _report(self, how: Exit) -> None:
        if not self.exited.done():
            self.exited.set_result(how)

    def _on_stdout(self, data: bytes) -> None:
        if self.exited.done():
            return  # some grandchild that outlived the agent: it does not speak for it
        for line in self._lines.feed(data):
            self._on_line(line)

    def _on_pipe_lost(self) -> None:
        # An agent that closed its input or output can never be asked anything again. Most are about to
        # end; one that stays is ended, so that whoever waits for an answer learns of it.
        running = self._process
        if running is not None and not (self._closing or self._deaf or running.ended.done()):
            self._deaf = asyncio.get_running_loop().call_later(_DEAF_PATIENCE, running.end)


async def _within(future: asyncio.Future[_T], seconds: float) -> None:
    """Wait for a future that stays as it is when the time is over."""
    await asyncio.wait([future], timeout=seconds)
