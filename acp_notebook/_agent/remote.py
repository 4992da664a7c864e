"""An agent that runs elsewhere and is reached by a WebSocket: one JSON-RPC message a frame.

The package ``websockets`` (extra ``remote``) does the handshake, TLS, proxies, pings and closing.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import TYPE_CHECKING, Any

from acp_notebook._agent import loop
from acp_notebook._agent.transport import LINE_LIMIT, Exit
from acp_notebook._errors import AgentUnreachableError, ChatClosedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from websockets.asyncio.client import ClientConnection

    from acp_notebook._agent.command import Agent

# Seconds.
_OPEN_PATIENCE = 30.0
_CLOSE_PATIENCE = 3.0
_PING_EVERY = 20.0
_PING_PATIENCE = 180.0  # a machine whose lid is closed for a minute goes on afterwards; a dead one is noticed

NORMAL = 1000
"""The other side has closed on purpose (RFC 6455 §7.4.1)."""


class WebSocketTransport:
    """Carries lines to an agent behind a url. All methods belong to the loop's thread.

    Parameters
    ----------
    agent : Agent
        With a `url`.
    """

    exited: asyncio.Future[Exit]
    command: tuple[str, ...]

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.command = (agent.command,)
        self.exited = asyncio.get_running_loop().create_future()
        self._on_line: Callable[[bytes], None] = lambda _: None
        self._socket: ClientConnection | None = None
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._closing: asyncio.Task[Exit] | None = None
        self._forget: Callable[[], None] = lambda: None

    async def start(self, on_line: Callable[[bytes], None]) -> None:
        """Connect.

        Raises
        ------
        AgentUnreachableError
            The package is missing, nobody listens there, TLS fails, or the server refuses.
        ChatClosedError
            It was closed meanwhile.
        """
        self._on_line = on_line
        socket = await self._connect()
        if self._closing is not None:
            await socket.close()
            raise ChatClosedError
        self._socket = socket
        if loop.on_loop_thread():
            self._forget = loop.at_exit(self.close)
        create = asyncio.get_running_loop().create_task
        self._tasks = (
            create(self._read(socket), name="acp-notebook remote read"),
            create(self._send(socket), name="acp-notebook remote send"),
        )

    async def _connect(self) -> ClientConnection:
        agent = self.agent
        try:
            from websockets.asyncio.client import connect
            from websockets.exceptions import InvalidHandshake, InvalidStatus
        except ImportError as error:
            why = 'the package `websockets` is missing. Run: pip install "acp-notebook[remote]"'
            raise AgentUnreachableError(agent.command, why) from error
        assert agent.url is not None, "made for agents with a url"
        options: dict[str, Any] = {}
        try:
            if agent.ca is not None:
                options["ssl"] = ssl.create_default_context(cafile=agent.ca)
            return await connect(
                agent.url,
                additional_headers=dict(agent.headers),
                max_size=LINE_LIMIT,
                open_timeout=_OPEN_PATIENCE,
                close_timeout=_CLOSE_PATIENCE,
                ping_interval=_PING_EVERY,
                ping_timeout=_PING_PATIENCE,
                **options,
            )
        except InvalidStatus as error:
            status = error.response.status_code
            advice = " Check the headers: Agent(url=…, headers={…})." if status in (401, 403) else ""
            why = f"the server answered HTTP {status}.{advice}"
            raise AgentUnreachableError(agent.command, why) from error
        except ssl.SSLError as error:
            why = f"TLS failed ({error.reason or error}). A certificate of your own goes into Agent(ca=…)."
            raise AgentUnreachableError(agent.command, why) from error
        except (OSError, InvalidHandshake, TimeoutError, asyncio.TimeoutError) as error:
            why = f"{error or type(error).__name__}. Does the agent run, and is the address right?"
            raise AgentUnreachableError(agent.command, why) from error

    def write(self, line: bytes) -> bool:
        """Queue one message; False if the agent takes nothing any more."""
        if self._socket is None or self.exited.done() or self._closing is not None:
            return False
        self._outgoing.put_nowait(line)
        return True

    def stderr_tail(self) -> str:
        """Nothing: what the agent writes there stays on its machine."""
        return ""

    async def close(self) -> Exit:
        """Send what is queued, close the connection, in bounded time. May be called again."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name="acp-notebook remote close")
        return await asyncio.shield(self._closing)

    async def _close(self) -> Exit:
        if self._socket is not None:
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                await asyncio.wait_for(self._outgoing.join(), _CLOSE_PATIENCE)
            await self._socket.close()
            await asyncio.wait(self._tasks, timeout=_CLOSE_PATIENCE)
        for task in self._tasks:
            task.cancel()
        self._report(Exit(None, None, ""))
        return self.exited.result()

    async def _read(self, socket: ClientConnection) -> None:
        """Hand on each message until the connection ends, then say how it ended."""
        from websockets.exceptions import ConnectionClosed

        try:
            async for frame in socket:
                data = frame.encode() if isinstance(frame, str) else frame
                for line in data.split(b"\n"):
                    if line:
                        self._on_line(line)
        except ConnectionClosed:
            pass  # told below
        code = socket.close_code
        reason = f": {socket.close_reason}" if socket.close_reason else ""
        word = f"The connection to {self.agent.command} was closed (code {code}{reason})."
        self._report(Exit(0 if code == NORMAL else None, None, word))

    async def _send(self, socket: ClientConnection) -> None:
        from websockets.exceptions import ConnectionClosed

        while True:
            line = await self._outgoing.get()
            try:
                await socket.send(line.decode())
            except ConnectionClosed:
                return  # the reader tells it
            finally:
                self._outgoing.task_done()

    def _report(self, how: Exit) -> None:
        if not self.exited.done():
            self.exited.set_result(how)
            self._forget()
            for task in self._tasks[1:]:
                task.cancel()
