"""What the tests of this folder share: a connection to a scripted agent, with everything it saw."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import psutil

from acp_notebook._agent.command import Agent
from acp_notebook._agent.connection import Connection, Incoming
from acp_notebook._agent.transport import StdioTransport

RAW_AGENT = str(Path(__file__).parents[1] / "agents" / "raw_agent.py")
T = TypeVar("T")


def raw_agent(*steps: list[Any], **options: Any) -> Agent:
    return Agent(sys.executable, RAW_AGENT, json.dumps(steps), **options)


def run(main: Callable[[], Awaitable[T]]) -> T:
    """Run a test's coroutine function on a loop of its own; a hanging one fails after 40 s."""

    async def bounded() -> T:
        return await asyncio.wait_for(main(), 40)

    return asyncio.run(bounded())


class Peer:
    """A connection, and lists of what came by."""

    def __init__(self, agent: Agent, cwd: str | Path = ".") -> None:
        self.tapped: list[tuple[str, dict[str, Any]]] = []
        self.requests: list[Incoming] = []
        self.notifications: list[tuple[str, dict[str, Any]]] = []
        self.noise: list[str] = []
        self.changed = asyncio.Event()
        self.transport = StdioTransport(agent, cwd)
        self.connection = Connection(
            self.transport,
            tap=lambda direction, message: self.tapped.append((direction, message)),
            on_request=lambda incoming: self.saw(self.requests, incoming),
            on_notification=lambda method, params: self.saw(self.notifications, (method, params)),
            on_noise=lambda sample: self.saw(self.noise, sample),
        )

    def saw(self, where: list[Any], what: object) -> None:
        where.append(what)
        self.changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until what came by fulfils a condition."""
        while not condition():
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 20)

    async def notified(self, method: str) -> dict[str, Any]:
        """The params of the first notification of that name, once it is there."""
        await self.until(lambda: any(name == method for name, _ in self.notifications))
        return next(params for name, params in self.notifications if name == method)


@asynccontextmanager
async def peer(*steps: list[Any], **options: Any):
    """A started connection to a raw agent that does these steps."""
    made = Peer(raw_agent(*steps, **options))
    await made.connection.start()
    try:
        yield made
    finally:
        await made.connection.close()


def lives(pid: int) -> bool:
    """Whether a process still runs (one that nobody has reaped yet does not)."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def all_gone(pids: list[int], within: float) -> bool:
    """Whether all these processes end within so many seconds."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not any(map(lives, pids)):
            return True
        time.sleep(0.01)  # a look every now and then: they are not our children
    return False


def end(pids: list[int]) -> None:
    """Kill what a failed test would leave behind."""
    for pid in pids:
        if lives(pid):
            psutil.Process(pid).kill()
