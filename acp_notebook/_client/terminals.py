"""Serves the five ``terminal/…`` methods on real processes (protocol page "terminals")."""

from __future__ import annotations

import asyncio
import codecs
import os
from pathlib import Path
from typing import TYPE_CHECKING

from acp_notebook._agent import loop, process
from acp_notebook._agent.protocol import INVALID_PARAMS, RESOURCE_NOT_FOUND, JsonObject, RpcError
from acp_notebook._client.environment import passed_on
from acp_notebook._client.terminal_notes import TerminalNotes

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._client.environment import PassedOn
    from acp_notebook._client.roots import Roots

#: Output kept of a command when the agent names no limit, and the most it may name, in bytes.
DEFAULT_LIMIT = 1024 * 1024
HIGHEST_LIMIT = 16 * 1024 * 1024
#: Terminals that one agent may have at a time.
MOST_TERMINALS = 64
#: Seconds that a command may run, and that an ended one is kept when its place is needed for another.
LONGEST_RUN = 24 * 3600.0
KEPT_ENDED = 600.0

_DRAIN_PATIENCE = 0.5  # seconds: something left behind may hold the output open
_GONE_PATIENCE = 5.0


class Kept:
    """The end of a text, cut to a number of UTF-8 bytes at a character's boundary."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()
        self.truncated = False

    def add(self, text: str) -> None:
        """Append; what is too old is forgotten in big steps."""
        self._data += text.encode("utf-8", "replace")
        if len(self._data) > self._limit:
            self.truncated = True
            if len(self._data) > 2 * self._limit + 65536:
                self._cut()

    def _cut(self) -> None:
        start = max(0, len(self._data) - self._limit)
        while start < len(self._data) and self._data[start] & 0xC0 == 0x80:
            start += 1
        del self._data[:start]

    def text(self) -> str:
        """Return what is kept."""
        self._cut()
        return self._data.decode()


class Terminal:
    """One command: its output as text, its end, and the notes about both."""

    def __init__(self, name: str, limit: int, note: Callable[[JsonObject], None]) -> None:
        self.id = name
        self.kept = Kept(limit)
        self.exit: asyncio.Future[process.Ended] = asyncio.get_running_loop().create_future()
        self.process: process.Process | None = None
        self.watch: asyncio.Task[None] | None = None
        self._note = note
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.notes = TerminalNotes(name, note)
        self._deadline: asyncio.TimerHandle | None = None
        self._too_long: asyncio.Task[None] | None = None
        self.ended_at: float | None = None

    def started(self, running: process.Process) -> None:
        """Watch a command that runs now, and end it when it has run too long."""
        self.process = running
        self.watch = asyncio.create_task(self._watching(running), name=f"acp-notebook {self.id} watch")
        self._deadline = asyncio.get_running_loop().call_later(LONGEST_RUN, self._end_it)

    def _end_it(self) -> None:
        self._add(f"\n[ended by the client: this has run for {LONGEST_RUN:g} s]\n")
        self._too_long = asyncio.create_task(self.end(), name=f"acp-notebook {self.id} too long")

    def on_output(self, data: bytes) -> None:
        """Take a piece of output; a character may be split over two of them."""
        self._add(self._decoder.decode(data))

    def _add(self, text: str) -> None:
        if not text:
            return
        self.kept.add(text)
        self.notes.add(text)

    async def _watching(self, running: process.Process) -> None:
        """Report the end of the command, after its output."""
        ended = await asyncio.shield(running.ended)
        await asyncio.wait([running.drained], timeout=_DRAIN_PATIENCE)
        self._add(self._decoder.decode(b"", final=True))
        self.notes.flush(last=True)
        self._note(
            {
                "kind": "terminal",
                "terminal_id": self.id,
                "exit": {"code": ended.code, "signal": ended.signal},
            }
        )
        self.ended_at = asyncio.get_running_loop().time()
        if self._deadline is not None:
            self._deadline.cancel()
        self.exit.set_result(ended)

    async def end(self) -> None:
        """End the command's whole group; returns once it is gone, in bounded time."""
        running = self.process
        if self._deadline is not None:
            self._deadline.cancel()
        if running is None:
            return
        running.end()
        await asyncio.wait([running.gone], timeout=_GONE_PATIENCE)
        if not running.gone.done():
            running.kill()
            await asyncio.wait([running.gone], timeout=_GONE_PATIENCE)
        if self.watch is not None:
            await asyncio.wait([self.watch], timeout=_GONE_PATIENCE)
        running.release()


class Terminals:
    """The terminals of one agent. All methods belong to the loop's thread and take a request's params.

    Parameters
    ----------
    roots : Roots
        Where commands may start; what they do then is theirs.
    note : callable
        Called with the notes of the transcript: ``{"kind": "terminal", "terminal_id": …}`` with ``data`` (a
        piece of output; ``skipped`` characters before it are left out, see `TerminalNotes`) or ``exit``
        (``code``, ``signal``).
    env : {"safe", "all"} or collection of str
        Which variables of this process commands get, see `environment.passed_on`.
    """

    def __init__(self, roots: Roots, note: Callable[[JsonObject], None], env: PassedOn = "safe") -> None:
        self._roots = roots
        self._note = note
        self._env = env
        self._count = 0
        self._open: dict[str, Terminal] = {}
        self._closed = False
        self._ending: set[asyncio.Task[None]] = set()
        self._forget: Callable[[], None] | None = None

    async def create(self, params: JsonObject) -> JsonObject:
        """Serve ``terminal/create``: start a command in a process group of its own; return at once.

        Parameters
        ----------
        params : dict
            ``command``, ``args``, ``env`` (list of name and value, over what commands get of this process's
            environment), ``cwd`` (absolute, inside the roots), ``outputByteLimit``.

        Returns
        -------
        dict
            ``{"terminalId": …}``.

        Raises
        ------
        RpcError
            -32602 for params of a wrong form, a folder that is missing or outside, a command that cannot be
            started.
        """
        command = [_text(params, "command"), *_texts(params, "args")]
        env = {**passed_on(os.environ, self._env), **_variables(params)}
        limit = _limit(params)
        cwd = self._cwd(params)
        self._make_room()
        if self._closed or len(self._open) >= MOST_TERMINALS:
            raise RpcError(INVALID_PARAMS, f"no more than {MOST_TERMINALS} terminals; release one first")
        if self._forget is None and loop.on_loop_thread():
            self._forget = loop.at_exit(self.close)
        self._count += 1
        terminal = Terminal(f"terminal-{self._count}", limit, self._note)
        self._open[terminal.id] = terminal
        try:
            running = await process.start(
                command, cwd=str(cwd), env=env, on_stdout=terminal.on_output, linger=True
            )
        except (OSError, ValueError) as error:
            del self._open[terminal.id]
            reason = error.strerror if isinstance(error, OSError) else error
            raise RpcError(INVALID_PARAMS, f"cannot start {command[0]!r}: {reason}") from error
        except BaseException:
            del self._open[terminal.id]
            raise
        terminal.started(running)
        if terminal.id not in self._open:  # closed meanwhile
            await terminal.end()
        return {"terminalId": terminal.id}

    async def output(self, params: JsonObject) -> JsonObject:
        """Serve ``terminal/output``: what is there now, and how the command ended if it has."""
        terminal = self._get(params)
        answer: JsonObject = {"output": terminal.kept.text(), "truncated": terminal.kept.truncated}
        if terminal.exit.done():
            answer["exitStatus"] = _status(terminal.exit.result())
        return answer

    async def wait_for_exit(self, params: JsonObject) -> JsonObject:
        """Serve ``terminal/wait_for_exit``: answered when the command has ended, however long it takes."""
        return _status(await asyncio.shield(self._get(params).exit))

    async def kill(self, params: JsonObject) -> JsonObject:
        """Serve ``terminal/kill``: end the command's group; output and exit stay there to be asked for."""
        await self._get(params).end()
        return {}

    async def release(self, params: JsonObject) -> JsonObject:
        """Serve ``terminal/release``: end the group, and forget the id."""
        terminal = self._get(params)
        del self._open[terminal.id]
        await terminal.end()
        return {}

    async def close(self) -> None:
        """End all commands and everything they left behind, at once and in bounded time."""
        self._closed = True
        terminals = list(self._open.values())
        self._open.clear()
        await asyncio.gather(*(terminal.end() for terminal in terminals), *self._ending)
        if self._forget is not None:
            self._forget()

    def _make_room(self) -> None:
        """Forget commands that ended long ago and were never released, if their place is needed."""
        if len(self._open) < MOST_TERMINALS:
            return
        before = asyncio.get_running_loop().time() - KEPT_ENDED
        for terminal in tuple(self._open.values()):
            if terminal.ended_at is not None and terminal.ended_at <= before:
                del self._open[terminal.id]
                ending = asyncio.create_task(terminal.end(), name=f"acp-notebook {terminal.id} forgotten")
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)

    def _get(self, params: JsonObject) -> Terminal:
        name = params.get("terminalId")
        terminal = self._open.get(name) if isinstance(name, str) else None
        if terminal is None:
            raise RpcError(RESOURCE_NOT_FOUND, f"there is no terminal {name!r}", {"terminalId": name})
        return terminal

    def _cwd(self, params: JsonObject) -> Path:
        if params.get("cwd") is None:
            return self._roots.cwd
        cwd = self._roots.resolve(params["cwd"])
        if not cwd.is_dir():
            raise RpcError(INVALID_PARAMS, f"{cwd} is not a folder", {"path": str(cwd)})
        return cwd


def _status(ended: process.Ended) -> JsonObject:
    return {"exitCode": ended.code, "signal": ended.signal}


def _text(params: JsonObject, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str) or not value or "\0" in value:
        raise RpcError(INVALID_PARAMS, f"`{name}` must be a non-empty string, not {value!r}")
    return value


def _texts(params: JsonObject, name: str) -> list[str]:
    value = params.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, str) and "\0" not in item for item in value):
        raise RpcError(INVALID_PARAMS, f"`{name}` must be a list of strings")
    return value


def _variables(params: JsonObject) -> dict[str, str]:
    value = params.get("env") or []
    if not isinstance(value, list):
        raise RpcError(INVALID_PARAMS, "`env` must be a list of objects with `name` and `value`")
    variables = {}
    for item in value:
        name, content = (item.get("name"), item.get("value")) if isinstance(item, dict) else (None, None)
        if (
            not isinstance(name, str)
            or not isinstance(content, str)
            or not name
            or "=" in name
            or "\0" in name + content
        ):
            raise RpcError(INVALID_PARAMS, "`env` must be a list of objects with `name` and `value`")
        variables[name] = content
    return variables


def _limit(params: JsonObject) -> int:
    value = params.get("outputByteLimit")
    if value is None:
        return DEFAULT_LIMIT
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RpcError(INVALID_PARAMS, f"`outputByteLimit` must be a whole number, not {value!r}")
    return min(value, HIGHEST_LIMIT)
