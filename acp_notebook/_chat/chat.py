"""The chat: one agent, one conversation, from any thread, in a notebook or a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._agent import loop
from acp_notebook._chat import registry, wait
from acp_notebook._chat.access import Access
from acp_notebook._chat.offers import Offers
from acp_notebook._chat.reach import Reach
from acp_notebook._fold.questions import open_questions
from acp_notebook._front import host, pump
from acp_notebook._render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

    from acp_notebook._chat.live_turn import LiveTurn
    from acp_notebook._chat.transcript import Transcript
    from acp_notebook._fold.questions import Question
    from acp_notebook._fold.state import Permission, PermissionOption, Turn


class Chat(Access, Offers, Reach):
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
        True: keep a transcript file in the user's data folder. A path: keep it there. False: none. A message
        is in the file before anything comes of it, so a slow network drive slows all chats of this process.
    fs, terminal
        Whether files in the folders and terminals are served to the agent.
    terminal_env
        Which variables of this process the commands in those terminals get: ``"safe"``, all but those whose
        names say that they are secrets (key, token, password, … and addresses of databases); ``"all"``; or
        the names of secrets to pass on as well. The agent itself has the whole environment either way.
    review
        True: what the agent writes through us waits until a person has accepted it, hunk by hunk, unless the
        policy decides, or it is just what was allowed a moment ago. By default such writes pass, since most
        agents ask before them.
    height
        The greatest height of the widget, a CSS length such as ``"600px"``; None: 70 % of the window.
    static
        What the static copy in the notebook holds: ``"text"``, ``"full"`` (images too), or False.
    keep
        True: running the cell again leaves this chat alone.
    session
        Go on with a session from before: the agent's id, or ``"last"`` for the last one with this agent in
        this folder. The agent loads or resumes it where it can, else our own record is shown and summed up.
    replay
        A transcript, or a folder of them: prompts equal to recorded ones are answered as they were then.
        The agent is not started, no file changes, nothing is asked. None: what the environment variable
        ``ACP_NOTEBOOK_REPLAY`` names, if it does; False: not even that. A replay is recorded only to a
        path of its own.
    replay_missing
        What to do about a prompt that is not recorded: ``"error"`` (`ReplayError`), or ``"live"``: from
        there on the agent itself is asked, and the chat is recorded. That agent has to be named: the command
        in a transcript is never run (but for the demo agent's own).

    Raises
    ------
    TypeError
        `policy` is no `Policy`.
    ValueError
        An empty or unreadable command, a folder that does not exist, or ``replay_missing="live"`` without
        an agent.
    TranscriptError
        There is nothing to replay.
    """

    # what there is

    @staticmethod
    def all() -> list[Chat]:
        """Every chat of this process that was not closed, oldest first."""
        return [chat for chat in registry.living() if isinstance(chat, Chat)]

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
        await pump.wait_async(loop.submit(self._engine.start()), fallback=True)

    def send(self, *parts: object, now: bool = False) -> LiveTurn:
        """Send a prompt and return at once; the answer streams into the widget.

        During a turn the prompt is queued (``turn.status == "queued"``).

        Parameters
        ----------
        *parts
            Text, paths, figures, data frames …: see the README's table of what is sent how.
        now
            During a turn: stop that, and send this before what is queued.

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
        return self._enqueue(parts, attended=not host.is_headless(), now=now)

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

    def answer(
        self,
        permission: Permission | str,
        option: PermissionOption | str = "",
        *,
        remember: Literal["chat", "folder"] | None = None,
    ) -> None:
        """Answer a permission request, for front ends where clicks do not work.

        Parameters
        ----------
        permission
            One of `pending`, or its key.
        option
            One of its options, or its id.
        remember
            Allow once, and allow what ``permission.covers`` says without asking from now on: for this
            chat, or for this folder (kept in your configuration). `option` is then left out.

        Raises
        ------
        ValueError
            The request was answered already, or the option was not offered.
        """
        key = permission if isinstance(permission, str) else permission.key
        option_id = option if isinstance(option, str) else option.id
        problem = loop.call(lambda: self._engine.answer(key, option_id, remember))
        if problem is not None:
            raise ValueError(problem)

    async def aanswer(
        self,
        permission: Permission | str,
        option: PermissionOption | str = "",
        *,
        remember: Literal["chat", "folder"] | None = None,
    ) -> None:
        """As `answer`."""
        self.answer(permission, option, remember=remember)

    @property
    def pending_questions(self) -> tuple[Question, ...]:
        """The agent's questions, in forms or by links, that wait for a person."""
        return open_questions(self.session)

    def answer_question(
        self,
        question: Question | str,
        content: Mapping[str, Any] | None = None,
        *,
        action: Literal["accept", "decline", "cancel"] = "accept",
    ) -> None:
        """Answer a question of the agent, for front ends where clicks do not work.

        Parameters
        ----------
        question
            One of `pending_questions`, or its key.
        content
            For a form that is accepted: answers by property name; they are checked against its schema.
        action
            accept (for a link: the person agrees to open it), decline (no), or cancel (neither).

        Raises
        ------
        ValueError
            The question was answered already, or the answers do not fit the form; it then still waits.
        """
        key = question if isinstance(question, str) else question.key
        problem = loop.call(lambda: self._engine.answer_question(key, action, content))
        if problem is not None:
            raise ValueError(problem)

    async def aanswer_question(
        self,
        question: Question | str,
        content: Mapping[str, Any] | None = None,
        *,
        action: Literal["accept", "decline", "cancel"] = "accept",
    ) -> None:
        """As `answer_question`."""
        self.answer_question(question, content, action=action)

    def restart(self) -> None:
        """End the agent and start it again in the same session.

        The agent brings the session back by ``session/resume`` or ``session/load``, whichever it offers;
        else a new one begins and the next prompt carries a summary from our own record. The conversation
        says which it was, and stays visible. What is queued waits for `resume_queue`.
        """
        pump.wait(loop.submit(self._engine.restart()), fallback=True)

    async def arestart(self) -> None:
        """As `restart`, without blocking."""
        await pump.wait_async(loop.submit(self._engine.restart()), fallback=True)

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
        name = visible(self._agent.name)  # a replay has it from a file
        return f"<Chat with {name}: {self.status}, {count} turn{'' if count == 1 else 's'}>"
