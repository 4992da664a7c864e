"""The inner half of a chat: how it is made, displayed and waited for. `Chat` adds what people call."""

from __future__ import annotations

import os
import uuid
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from acp_notebook._agent import loop
from acp_notebook._agent.command import Agent, resolve
from acp_notebook._chat import registry, wait
from acp_notebook._chat import replay as replaying
from acp_notebook._chat.engine import Engine
from acp_notebook._chat.handle import Prompt
from acp_notebook._chat.info import allowed, suggestions
from acp_notebook._chat.link import Settings
from acp_notebook._chat.live_turn import LiveTurn
from acp_notebook._chat.log import Log
from acp_notebook._chat.prompt import to_blocks
from acp_notebook._chat.recording import Recording
from acp_notebook._chat.replay import Replay
from acp_notebook._client.policy import Policy
from acp_notebook._errors import ChatClosedError
from acp_notebook._front import host, pump
from acp_notebook._front.blame import stacklevel
from acp_notebook._render.visible import visible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
    from concurrent.futures import Future

    from acp_notebook._chat.replay import Missing
    from acp_notebook._chat.view import ChatView, Static
    from acp_notebook._client.environment import PassedOn
    from acp_notebook._fold.state import Item, Session, Turn

    PathLike = str | os.PathLike[str]


T = TypeVar("T")


class MadeBy(NamedTuple):
    """The cell that made a chat, and the run of it."""

    cell: str
    run: str


class ChatCore:
    """State and plumbing of a chat; see `Chat` for the parameters."""

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
        terminal_env: PassedOn = "safe",
        review: bool = False,
        height: str | None = None,
        static: Static = "text",
        keep: bool = False,
        session: str | None = None,
        replay: PathLike | Literal[False] | None = None,
        replay_missing: Missing = "error",
    ) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.keep = keep
        self.made_by = _made_by()
        source = replaying.source(replay)
        if agent is None and source is not None:
            agent = replaying.agent_of(source, replay_missing)
        self._demo = agent is None
        self._agent = resolve(agent)
        self.cwd = _demo_folder() if self._demo and cwd is None else _folder(cwd or ".")
        self.policy = _policy(policy)
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
            terminal_env=terminal_env,
            review=review,
            session=session,
            replay=None if source is None else Replay(source, self.cwd, replay_missing),
        )
        self._recording = Recording(record, self._agent, self.cwd, settings.mcp_servers, settings.replay)
        self._log = Log(self._recording.redact, self._recording.write)
        # Posted, not called: the warning is a record itself, and this is told while one is written.
        self._recording.warn = lambda text: loop.post(self._log.note, {"kind": "warning", "text": text})
        self._engine = Engine(settings, self._log)
        self._engine.history.own = self._recording.path
        self._engine.signing.keep_secret = self._recording.keep_secret
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

    @property
    def session(self) -> Session:
        """The newest state, a frozen value."""
        return self._log.published

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
            await pump.wait_async(loop.submit(self._engine.close()), fallback=True)
        self._recording.close()

    def left_behind(self) -> None:
        """Be a forked child's copy: closed there, while the parent's chat goes on."""
        self._closed = True
        self._engine.left_behind()
        self._recording.path = None

    # display

    def _ipython_display_(self) -> None:
        # Before the first prompt too the agent may ask, for instance to sign in.
        self._engine.attended |= not host.is_headless()
        if not self._closed:
            loop.post(self._engine.start_quietly)
        self._is_displayed = True
        self._make_view().show()

    def _make_view(self) -> ChatView:
        if self._view is None:
            from acp_notebook._chat.view import ChatView

            info = {
                "chat_id": self.id,
                "height": self._height,
                "demo": self._demo,
                "allowed": allowed(self._engine.settings),
                "suggestions": suggestions(demo=self._demo),
            }
            self._view = ChatView(self, info, self._static)
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

    # the two halves of a turn

    def _enqueue(self, parts: tuple[object, ...], *, attended: bool, now: bool = False) -> LiveTurn:
        if self._closed:
            raise ChatClosedError
        prompt = Prompt(to_blocks(parts, self.cwd), attended)
        loop.call(lambda: self._engine.prompt(prompt, now=now))
        self._last = LiveTurn(self, prompt)
        return self._last

    def _begin(self, act: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Do something on the agent's loop, again after a sign-in if somebody sees that one is due."""
        attended = self._is_displayed and not host.is_headless()
        return loop.submit(self._engine.signing.refused.through(act, attended=attended))

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

    def _items(self, turn: LiveTurn) -> AsyncIterator[Item]:
        return wait.items(self, turn)

    def _finish_cell(self) -> None:
        """Before a waiting call returns: the final state and twin, and what has to be said."""
        if self._view is not None:
            self._view.finish()
        for text in self.session.warnings[self._warned :]:
            # Python prints it as it is, and titles in it are the agent's words.
            warnings.warn(visible(text, multiline=True), stacklevel=stacklevel())
        self._warned = len(self.session.warnings)


def _policy(policy: Policy | None) -> Policy:
    if policy is None:
        return Policy.ask()
    if not isinstance(policy, Policy):
        raise TypeError(
            "policy is a Policy, such as Policy.ask(), Policy.allow_all() or Policy.when(function),"
            f" not {policy!r}"
        )
    return policy


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
