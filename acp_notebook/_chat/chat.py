"""The chat: one agent, one conversation, from any thread, in a notebook or a script."""

from __future__ import annotations

import os
import uuid
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_notebook._agent import loop
from acp_notebook._agent.command import Agent, resolve
from acp_notebook._chat import registry, wait
from acp_notebook._chat.engine import Engine, Prompt
from acp_notebook._chat.link import Settings
from acp_notebook._chat.live_turn import LiveTurn
from acp_notebook._chat.log import Log
from acp_notebook._chat.prompt import to_blocks
from acp_notebook._chat.recording import Recording
from acp_notebook._client.policy import Policy
from acp_notebook._errors import ChatClosedError
from acp_notebook._front import host, pump

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from acp_notebook._chat.view import ChatView, Static
    from acp_notebook._fold.state import Permission, PermissionOption, Session, Turn
    from acp_notebook._fold.transcript import Transcript

    PathLike = str | os.PathLike[str]


class MadeBy(NamedTuple):
    """The cell that made a chat, and the run of it."""

    cell: str
    run: str


class Chat:
    """A conversation with an agent that speaks the Agent Client Protocol.

    Making one starts nothing; the first display, `send`, `ask` or `start` does. In a notebook the
    chat displays as a widget, in a plain script it works without one. The agent runs in its own
    process and is ended by `close`, with the kernel, or when its cell runs again.

    Parameters
    ----------
    agent
        A preset's name, a command line, a list of words, or an `Agent`. None: the demo agent that
        comes with the package, in a scratch copy of a small sample project.
    cwd
        The folder that the agent works in; None: the current one.
    additional_directories
        Further folders in which files are served, where the agent takes them.
    policy
        Decides permission requests before a person is asked; ``Policy.ask()`` if not given.
    mcp_servers
        MCP servers for the session, in the form of ``session/new``.
    record
        True: keep a transcript file in the user's data folder. A path: keep it there. False: none.
    fs, terminal
        Whether files in the folders and terminals are served to the agent.
    height
        The greatest height of the widget, a CSS length such as ``"600px"``; None: 70 % of the window.
    static
        What the static copy in the notebook holds: ``"text"``, ``"full"`` (images too), or False.
    keep
        True: running the cell again leaves this chat alone.

    Raises
    ------
    ValueError
        An empty or unreadable command, or a folder that does not exist.
    """

    def __init__(  # noqa: PLR0913 - all but the first by name, each with a default
        self,
        agent: str | Sequence[str] | Agent | None = None,
        *,
        cwd: PathLike | None = None,
        additional_directories: Sequence[PathLike] = (),
        policy: Policy | None = None,
        mcp_servers: Sequence[dict[str, Any]] = (),
        record: bool | PathLike = True,
        fs: bool = True,
        terminal: bool = True,
        height: str | None = None,
        static: Static = "text",
        keep: bool = False,
    ) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.keep = keep
        self.made_by = _made_by()
        self._demo = agent is None
        self._agent = resolve(agent)
        self.cwd = _demo_folder() if self._demo and cwd is None else _folder(cwd or ".")
        self.policy = policy or Policy.ask()
        self._height = height
        self._static: Static = static
        settings = Settings(
            agent=self._agent,
            cwd=self.cwd,
            additional_directories=tuple(_folder(folder) for folder in additional_directories),
            policy=self.policy,
            mcp_servers=tuple(mcp_servers),
            fs=fs,
            terminal=terminal,
        )
        self._recording = Recording(record, self._agent, self.cwd)
        self._log = Log(self._recording.redact, self._recording.write)
        # Posted, not called: the warning is a record itself, and this is told while one is written.
        self._recording.warn = lambda text: loop.post(self._log.note, {"kind": "warning", "text": text})
        self._engine = Engine(settings, self._log)
        self._view: ChatView | None = None
        self._last: LiveTurn | None = None
        self._shown: set[str] = set()
        self._is_displayed = False
        self._warned = 0
        self._closed = False
        self._waiting = 0
        self._forget_exit = loop.at_exit(self._engine.close)
        for stale in registry.add(self):
            stale.close()

    # what there is

    @staticmethod
    def all() -> list[Chat]:
        """Every chat of this process that was not closed, oldest first."""
        return registry.living()

    @property
    def session(self) -> Session:
        """The newest state, a frozen value."""
        return self._log.session

    @property
    def turns(self) -> Sequence[Turn]:
        """The turns so far, frozen values."""
        return self.session.turns

    @property
    def last(self) -> LiveTurn | None:
        """The turn of the newest prompt."""
        return self._last

    @property
    def status(self) -> str:
        """idle, starting, ready, working, waiting, stopping or ended."""
        return self.session.status

    @property
    def session_id(self) -> str | None:
        """The agent's id of the session."""
        return self.session.session_id

    @property
    def pending(self) -> tuple[Permission, ...]:
        """The permission requests that wait for a person."""
        return self.session.pending

    @property
    def transcript(self) -> Transcript:
        """The records so far, as a transcript."""
        return self._recording.transcript(self._log.records)

    @property
    def widget(self) -> Any:
        """The chat's anywidget, for layouts such as ``VBox([chat.widget])``."""
        return self._make_view().widget

    # what one can do

    def start(self) -> None:
        """Start the agent and make a session, and wait for it.

        Raises
        ------
        AgentNotFoundError, AgentExitedError, ProtocolError, AuthRequiredError, AgentError
            What went wrong; the message says what to do.
        ChatClosedError
            The chat was closed.
        """
        pump.wait(loop.submit(self._engine.start()), fallback=True)

    async def astart(self) -> None:
        """As `start`, without blocking."""
        await pump.wait_async(loop.submit(self._engine.start()))

    def send(self, *parts: object) -> LiveTurn:
        """Send a prompt and return at once; the answer streams into the widget.

        During a turn the prompt is queued (``turn.status == "queued"``).

        Parameters
        ----------
        *parts
            Text, paths, figures, data frames …: see the README's table of what is sent how.

        Returns
        -------
        LiveTurn
            Awaitable; its attributes read the newest state.

        Raises
        ------
        ChatClosedError
            The chat was closed.
        ValueError
            There is nothing to send, or a path does not exist.
        """
        return self._enqueue(parts, attended=not host.is_headless())

    def ask(self, *parts: object, timeout: float | None = None) -> LiveTurn:
        """Send a prompt and block the cell until its turn has ended. Buttons work meanwhile.

        Interrupting the kernel cancels the turn and raises KeyboardInterrupt.

        Parameters
        ----------
        timeout
            Seconds to wait at most; None: without limit.

        Returns
        -------
        LiveTurn
            The ended turn; one that was cancelled or refused says so in ``stop_reason``.

        Raises
        ------
        AcpNotebookError
            The turn ended in an error (``.turn`` is on it), or buttons could not work here: then
            nothing was sent, and the message names ``send``.
        TimeoutError
            The turn still runs.
        """
        headless = host.is_headless()
        problem = None if headless or not self.policy.may_ask else pump.can_pump()
        if problem is not None:
            raise pump.PumpUnavailableError(problem)
        turn = self._enqueue(parts, attended=not headless)
        wait.block(self, turn, timeout)
        return turn

    async def aask(self, *parts: object) -> LiveTurn:
        """As ``await chat.send(…)``."""
        return await self.send(*parts)

    def cancel(self) -> None:
        """Stop the running turn: ``session/cancel``, and `cancelled` for what waits."""
        loop.call(self._engine.cancel)

    async def acancel(self) -> None:
        """As `cancel`."""
        self.cancel()

    def answer(self, permission: Permission | str, option: PermissionOption | str) -> None:
        """Answer a permission request, for front ends where clicks do not work.

        Parameters
        ----------
        permission
            One of `pending`, or its key.
        option
            One of its options, or its id.

        Raises
        ------
        ValueError
            The request was answered already, or the option was not offered.
        """
        key = permission if isinstance(permission, str) else permission.key
        option_id = option if isinstance(option, str) else option.id
        problem = loop.call(lambda: self._engine.answer(key, option_id))
        if problem is not None:
            raise ValueError(problem)

    async def aanswer(self, permission: Permission | str, option: PermissionOption | str) -> None:
        """As `answer`."""
        self.answer(permission, option)

    def restart(self) -> None:
        """End the agent and start it again with a new session; the conversation stays visible."""
        pump.wait(loop.submit(self._engine.restart()), fallback=True)

    async def arestart(self) -> None:
        """As `restart`, without blocking."""
        await pump.wait_async(loop.submit(self._engine.restart()))

    def close(self) -> None:
        """End the agent and all that runs for it; the conversation stays readable. Idempotent."""
        pump.wait(loop.submit(self.aclose()), fallback=True)

    async def aclose(self) -> None:
        """As `close`, without blocking."""
        if self._closed:
            return
        self._closed = True
        registry.remove(self)
        self._forget_exit()
        if loop.on_loop_thread():
            await self._engine.close()
        else:
            await pump.wait_async(loop.submit(self._engine.close()))
        self._recording.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        count = len(self.turns)
        return f"<Chat with {self._agent.name}: {self.status}, {count} turn{'' if count == 1 else 's'}>"

    # display

    def _ipython_display_(self) -> None:
        if not self._closed:
            loop.post(self._engine.start_quietly)
        self._is_displayed = True
        self._make_view().show()

    def _make_view(self) -> ChatView:
        if self._view is None:
            from acp_notebook._chat.view import ChatView

            self._view = ChatView(self, self._info(), self._static)
        return self._view

    def _display_turn(self, turn: LiveTurn) -> None:
        """Show a turn in the cell that waits for it; a chat never displayed shows itself there."""
        if host.kernel() is None or turn.handle.id in self._shown:
            return
        self._shown.add(turn.handle.id)
        if not self._is_displayed:
            self._ipython_display_()
        else:
            index = loop.call(lambda: self._engine.index(turn.handle))
            if index is not None:
                self._make_view().show_turn(index)

    def _info(self) -> dict[str, Any]:
        served = [f"Work in {self.cwd}"]
        settings = self._engine.settings
        served.append("Read and write files there" if settings.fs else "Files are not served")
        served.append("Run commands in terminals" if settings.terminal else "Terminals are not served")
        served.append(
            {
                "ask": "You are asked before it acts",
                "allow": "What it asks is allowed",
                "refuse": "What it asks is refused",
            }[self.policy.default]
        )
        return {
            "chat_id": self.id,
            "height": self._height,
            "demo": self._demo,
            "allowed": served,
            "suggestions": list(DEMO_SUGGESTIONS if self._demo else SUGGESTIONS),
        }

    # the two halves of a turn

    def _enqueue(self, parts: tuple[object, ...], *, attended: bool) -> LiveTurn:
        if self._closed:
            raise ChatClosedError
        prompt = Prompt(to_blocks(parts, self.cwd), attended)
        loop.call(lambda: self._engine.prompt(prompt))
        self._last = LiveTurn(self, prompt)
        return self._last

    def _find(self, prompt: Prompt) -> Turn | None:
        if prompt.index is not None:  # it stays there, so any thread may look
            return self.session.turns[prompt.index]
        return loop.call(lambda: self._engine.find(prompt))

    def _cancel_prompt(self, prompt: Prompt) -> None:
        loop.call(lambda: self._engine.cancel_prompt(prompt))

    def _subscribe(self, listener: Callable[[object], None]) -> Callable[[], None]:
        return loop.call(lambda: self._log.subscribe(listener))

    async def _wait_async(self, turn: LiveTurn) -> LiveTurn:
        self._display_turn(turn)
        await wait.wait_async(self, turn)
        return turn

    def _finish_cell(self) -> None:
        """Before a waiting call returns: the final state and twin, and what has to be said."""
        if self._view is not None:
            self._view.finish()
        for text in self.session.warnings[self._warned :]:
            warnings.warn(text, stacklevel=4)
        self._warned = len(self.session.warnings)


ASKED = {
    "ask": "You are asked before it acts",
    "allow": "What it asks is allowed",
    "refuse": "What it asks is refused",
}
SUGGESTIONS = (
    "What is in this folder? Give me a short tour.",
    "Find a small bug or unclear spot and propose a fix.",
    "Run the tests and explain what fails.",
)
DEMO_SUGGESTIONS = (
    "Why does the test fail? Please fix it.",
    "Ask me a question before you start.",
    "Draw me an image of this week's temperatures.",
)


def _made_by() -> MadeBy | None:
    cell, request = host.cell_id(), host.request() or {}
    return None if cell is None else MadeBy(cell, str(request.get("header", {}).get("msg_id")))


def _demo_folder() -> Path:
    from acp_notebook._demo.scratch import scratch_copy

    return scratch_copy()


def _folder(path: PathLike) -> Path:
    folder = Path(path).expanduser().resolve()
    if not folder.is_dir():
        msg = f"There is no folder {os.fspath(path)!r} (looked at {folder})."
        raise ValueError(msg)
    return folder
