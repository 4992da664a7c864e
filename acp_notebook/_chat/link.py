"""One run of an agent process, from spawn to exit: its connection and what the client serves to it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from acp_notebook._agent.connection import Connection, Incoming
from acp_notebook._agent.presets import quirks
from acp_notebook._agent.protocol import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    Initialized,
    RpcError,
    cancel_params,
    initialize_params,
    new_session_params,
    prompt_params,
    read_initialize,
)
from acp_notebook._chat.asking import Asking
from acp_notebook._chat.guarded_commands import GuardedCommands
from acp_notebook._chat.held_writes import HeldWrites
from acp_notebook._chat.permits import Permits
from acp_notebook._chat.prompt import fit
from acp_notebook._chat.replay_transport import transport
from acp_notebook._client.roots import Roots
from acp_notebook._client.terminals import Terminals
from acp_notebook._errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from acp_notebook._agent.command import Agent
    from acp_notebook._agent.connection import Direction
    from acp_notebook._agent.transport import Exit
    from acp_notebook._chat.extensions import Extensions
    from acp_notebook._chat.log import Log
    from acp_notebook._chat.replay import Replay
    from acp_notebook._chat.reviews import Reviews
    from acp_notebook._client.environment import PassedOn
    from acp_notebook._client.files import Files
    from acp_notebook._client.judge import Judge
    from acp_notebook._client.policy import Policy


@dataclass(frozen=True)
class Settings:
    """What a chat asks of every agent process it starts.

    Attributes
    ----------
    cwd, additional_directories
        Absolute folders: the session's, and the only ones in which files are served.
    policy
        Decides permission requests before a person is asked.
    mcp_servers
        MCP servers in the wire form of ``session/new``.
    fs, terminal
        Whether files and terminals are served and advertised.
    terminal_env
        Which variables of this process the commands in terminals get.
    review
        Whether writes of the agent wait until a person has chosen from their hunks.
    session
        The session to go on with: the agent's id, or "last"; None: a new one.
    replay
        Recorded turns that answer in the place of the agent; None: the agent itself.
    """

    agent: Agent
    cwd: Path
    additional_directories: tuple[Path, ...]
    policy: Policy
    mcp_servers: tuple[dict[str, Any], ...]
    fs: bool
    terminal: bool
    terminal_env: PassedOn
    session: str | None = None
    review: bool = False
    replay: Replay | None = None


class Link:
    """An agent process and its session. Lives on the agent's loop.

    Parameters
    ----------
    settings, log
        What to start, and where every message goes.
    judge
        The rules that decide permission requests.
    attended
        Whether a person can be asked right now.
    extensions
        The person's handlers of what the client does not serve.
    reviews
        Edits that a person accepts in parts.
    """

    def __init__(
        self,
        settings: Settings,
        log: Log,
        judge: Judge,
        attended: Callable[[], bool],
        extensions: Extensions,
        reviews: Reviews,
    ) -> None:
        self._settings = settings
        self._log = log
        self._extensions = extensions
        self._noise = 0
        self._tasks: set[asyncio.Task[None]] = set()
        roots = Roots(settings.cwd, settings.additional_directories)
        self._terminals = Terminals(roots, log.note, settings.terminal_env)
        self.permits = Permits(log, judge, attended)
        self._commands = GuardedCommands(self._terminals, self.permits, log, roots.cwd)
        self._reviews = reviews
        self._held = HeldWrites(reviews, judge, attended, every=settings.review)
        self.asking = Asking(log, attended)
        self._handlers = self._make_handlers(reviews.files)
        self._transport = transport(settings, log)
        self._connection = Connection(
            self._transport,
            tap=self._tap,
            on_request=self._on_request,
            on_notification=self._on_notification,
            on_noise=self._on_noise,
        )
        self.session_id: str | None = None
        self.offers = Initialized()

    def _make_handlers(self, files: Files) -> dict[str, Callable[[dict[str, Any]], Awaitable[Any]]]:
        handlers: dict[str, Callable[[dict[str, Any]], Awaitable[Any]]] = {}
        if self._settings.fs:
            handlers["fs/read_text_file"] = files.read
            handlers["fs/write_text_file"] = self._held.write
        if self._settings.terminal:
            terminals = self._terminals
            handlers["terminal/create"] = self._commands.create
            handlers["terminal/output"] = terminals.output
            handlers["terminal/wait_for_exit"] = terminals.wait_for_exit
            handlers["terminal/kill"] = terminals.kill
            handlers["terminal/release"] = terminals.release
        return handlers

    @property
    def exited(self) -> asyncio.Future[Exit]:
        """Done when the agent process is gone."""
        return self._transport.exited

    async def connect(self) -> None:
        """Start the process and initialize it.

        Raises
        ------
        AgentNotFoundError, AgentExitedError, ProtocolError, AgentError
            The process cannot be started, dies on the way, speaks another protocol version, or refuses.
        """
        settings = self._settings
        agent, cwd = settings.agent, str(settings.cwd)
        spawn: dict[str, Any] = {"kind": "spawn", "command": [agent.command, *agent.args], "cwd": cwd}
        # Secrets among them are taken out; a sign-in in a terminal needs the others.
        self._log.note({**spawn, "env": dict(agent.env)} if agent.env else spawn)
        await self._connection.start()
        hello = initialize_params(
            fs=settings.fs, terminal=settings.terminal, version=package_version(), elicitation=True
        )
        answer = await self._connection.request("initialize", hello)
        self.offers = read_initialize(answer, agent.command_line, self._transport.stderr_tail())
        known = quirks(self.offers.name)
        self._reviews.files.missing_reads_empty = any(quirk.missing_reads_empty for quirk in known)

    async def enter(self, method: str, session_id: str | None = None) -> None:
        """Have a session: by ``session/new``, or by load, resume or fork of one that there was.

        Raises
        ------
        AgentExitedError, AuthRequiredError, AgentError, ProtocolError
            The process dies, wants a sign-in first, refuses, or names no session.
        """
        params = self._session_params()
        if session_id is not None:
            params = {"sessionId": session_id, **params}
        result = await self._connection.request(method, params)
        if method in ("session/new", "session/fork"):
            session_id = result.get("sessionId") if isinstance(result, dict) else None
            if not isinstance(session_id, str):
                raise ProtocolError(
                    f"The agent answered {method} without a sessionId; without one it cannot be talked to."
                )
        self.session_id = session_id

    def _session_params(self) -> dict[str, Any]:
        settings = self._settings
        folders = [str(folder) for folder in settings.additional_directories]
        if folders and "additionalDirectories" not in self.offers.session:
            text = "This agent takes one folder only; the additional directories were not told to it."
            self._log.warn(text)
            folders = []
        return new_session_params(
            str(settings.cwd), mcp_servers=settings.mcp_servers, additional_directories=folders
        )

    def prompt(self, blocks: list[dict[str, Any]]) -> asyncio.Future[Any]:
        """Put a prompt on the wire; the future is done when the agent answers it."""
        assert self.session_id is not None, "open() comes first"
        params = prompt_params(self.session_id, fit(blocks, self.offers.prompt))
        return self._connection.request("session/prompt", params)

    def cancel(self) -> None:
        """Cancel the turn: the notification, then at once `cancelled` for every waiting request."""
        if self.session_id is not None:
            self._connection.notify("session/cancel", cancel_params(self.session_id))
        self.permits.broker.cancel()
        self.asking.questions.cancel()
        self._reviews.cancel()

    def settle(self) -> None:
        """After a turn: the answers that the agent is still owed for what the turn's end has ended."""
        self.permits.settle()
        self.asking.settle()
        self._reviews.cancel()
        self._held.settle()

    def request(self, method: str, params: dict[str, Any]) -> asyncio.Future[Any]:
        """Put a request of any method on the wire; the future is done when the agent answers it."""
        return self._connection.request(method, params)

    def notify(self, method: str, params: dict[str, Any]) -> bool:
        """Put a notification of any method on the wire; False if the agent takes nothing any more."""
        return self._connection.notify(method, params)

    async def close(self) -> Exit:
        """End the process and everything that runs for it."""
        self._held.plain.flush()
        self.permits.close()
        self.asking.questions.cancel()
        self._reviews.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await self._terminals.close()
        await self._connection.close()
        return await self._transport.exited

    def _tap(self, direction: Direction, message: dict[str, Any]) -> None:
        if direction == "in":
            self._held.plain.before(message)
        self._log.append(direction, message)

    # what the agent asks of us

    def _on_request(self, request: Incoming) -> None:
        if request.method == "session/request_permission":
            self.permits.ask(request)
            self._reviews.asked(request.id, request.params, self.permits.broker)
            return
        if request.method == "elicitation/create":
            self.asking.ask(request)
            return
        handler = self._handlers.get(request.method)
        if handler is None:
            self._extensions.serve(request)
            return
        task = asyncio.get_running_loop().create_task(
            self._serve(request, handler), name=f"serve {request.method}"
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        waits = (handler == self._held.write and self._held.may_hold(request.params)) or (
            handler == self._commands.create and self._commands.may_ask(request.params)
        )
        if waits:
            request.on_cancel = lambda: drop(request, task)

    async def _serve(self, request: Incoming, handler: Callable[[dict[str, Any]], Awaitable[Any]]) -> None:
        try:
            result = await handler(request.params)
        except RpcError as error:
            request.error(error.code, error.message, error.data)
        except asyncio.CancelledError:
            request.error(INTERNAL_ERROR, "The client is closing.")
            raise
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the agent gets an answer
            request.error(INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        else:
            request.respond(result)

    def _on_notification(self, method: str, params: dict[str, Any]) -> None:
        """What the protocol knows has been recorded and folded already; the rest may have a handler."""
        self._reviews.heard(method, params)
        self._held.heard(method, params)
        self._extensions.tell(method, params)

    def _on_noise(self, sample: str) -> None:
        """Keep the first lines of noise, then ever fewer: an agent may print without end."""
        self._noise += 1
        count = self._noise
        if count <= 20 or count & (count - 1) == 0:
            self._log.note({"kind": "noise", "text": sample[:500], "count": count})


def drop(request: Incoming, task: asyncio.Task[None]) -> None:
    """Stop serving a request that the agent took back."""
    request.error(REQUEST_CANCELLED, "Taken back by the agent.")
    task.cancel()


def package_version() -> str:
    """The version of this package as installed; "0" in a tree that is not."""
    try:
        return version("acp-notebook")
    except PackageNotFoundError:
        return "0"
