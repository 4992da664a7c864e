"""The part of a chat that sets what the agent offers: modes, models, options, sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from acp_notebook._agent import loop
from acp_notebook._chat import session_acts as acts
from acp_notebook._chat.core import ChatCore
from acp_notebook._front import pump

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from acp_notebook._chat.listing import SessionInfo
    from acp_notebook._chat.opening import Way

_T = TypeVar("_T")


class Offers(ChatCore):
    """Methods of `Chat`.

    What the agent refuses until somebody signs in waits for that, if the chat is shown to somebody; else
    `AuthRequiredError` is raised.
    """

    def _done(self, act: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        work = self._begin(act)
        try:
            return pump.wait(work, fallback=True)
        except KeyboardInterrupt:
            work.cancel()
            raise

    async def _adone(self, act: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        return await pump.wait_async(self._begin(act), fallback=True)

    def set_option(self, option_id: str, value: str | bool) -> None:
        """Set one of ``chat.session.options``; the agent is started if it does not run.

        Parameters
        ----------
        option_id
            The option's ``id``.
        value
            One of its choices' ``value``; a bool for an option of type boolean.

        Raises
        ------
        ValueError
            The agent has no such option.
        AgentError
            The agent refuses the value (-32602), or what else goes wrong there.
        """
        self._done(lambda: acts.set_option(self._engine, option_id, value))

    async def aset_option(self, option_id: str, value: str | bool) -> None:
        """As `set_option`, without blocking."""
        await self._adone(lambda: acts.set_option(self._engine, option_id, value))

    def set_mode(self, mode: str) -> None:
        """Change the mode, by its config option where there is one, else by ``session/set_mode``.

        Raises
        ------
        ValueError
            The agent offers no modes.
        AgentError
            The agent refuses.
        """
        self._done(lambda: acts.set_mode(self._engine, mode))

    async def aset_mode(self, mode: str) -> None:
        """As `set_mode`, without blocking."""
        await self._adone(lambda: acts.set_mode(self._engine, mode))

    def set_model(self, model: str) -> None:
        """Change the model, by its config option where there is one, else by the older ``session/set_model``.

        Raises
        ------
        ValueError
            The agent offers no choice of models.
        AgentError
            The agent refuses.
        """
        self._done(lambda: acts.set_model(self._engine, model))

    async def aset_model(self, model: str) -> None:
        """As `set_model`, without blocking."""
        await self._adone(lambda: acts.set_model(self._engine, model))

    def resume_queue(self) -> None:
        """Let queued prompts go on that wait after a cancel, an error or a restart."""
        loop.call(self._engine.resume)

    async def aresume_queue(self) -> None:
        """As `resume_queue`."""
        self.resume_queue()

    # sessions

    def sessions(self) -> tuple[SessionInfo, ...]:
        """The sessions with this agent in this folder, the newest first.

        Those that the agent lists, if it does, and those that our own transcripts tell of.
        """
        return self._done(lambda: acts.sessions(self._engine))

    async def asessions(self) -> tuple[SessionInfo, ...]:
        """As `sessions`, without blocking."""
        return await self._adone(lambda: acts.sessions(self._engine))

    def new_session(self) -> None:
        """Begin a new session in the same agent process; the conversation so far stays visible.

        Raises
        ------
        ValueError
            A turn is running.
        """
        self._done(lambda: self._engine.switch(None))

    async def anew_session(self) -> None:
        """As `new_session`, without blocking."""
        await self._adone(lambda: self._engine.switch(None))

    def open_session(self, session_id: str, way: Way | None = None) -> None:
        """Go on with a session from before.

        Parameters
        ----------
        session_id
            The agent's id, as in `sessions`.
        way
            ``"load"`` (the agent replays it), ``"resume"`` or ``"fork"``; None: what the agent offers, and
            else a new session that is told a summary of our own record.

        Raises
        ------
        ValueError
            A turn is running, or the chat is in that session already.
        AcpNotebookError
            The agent cannot bring it back, and we have no record of it.
        """
        self._done(lambda: acts.open_session(self._engine, session_id, way))

    async def aopen_session(self, session_id: str, way: Way | None = None) -> None:
        """As `open_session`, without blocking."""
        await self._adone(lambda: acts.open_session(self._engine, session_id, way))

    def fork_session(self, session_id: str | None = None) -> None:
        """Go on with a copy of a session; by default of the current one, which stays as it is.

        Raises
        ------
        ValueError
            The agent cannot copy sessions, or a turn is running.
        """
        self._done(lambda: acts.fork_session(self._engine, session_id))

    async def afork_session(self, session_id: str | None = None) -> None:
        """As `fork_session`, without blocking."""
        await self._adone(lambda: acts.fork_session(self._engine, session_id))

    def close_session(self, session_id: str) -> None:
        """Let the agent free what it keeps of another session; it can be opened again.

        Raises
        ------
        ValueError
            The agent does not offer it, or the chat is in that session.
        """
        self._done(lambda: acts.end_session(self._engine, session_id, "close"))

    async def aclose_session(self, session_id: str) -> None:
        """As `close_session`, without blocking."""
        await self._adone(lambda: acts.end_session(self._engine, session_id, "close"))

    def delete_session(self, session_id: str) -> None:
        """Let the agent delete another session for good. Our own transcript of it stays.

        Raises
        ------
        ValueError
            The agent does not offer it, or the chat is in that session.
        """
        self._done(lambda: acts.end_session(self._engine, session_id, "delete"))

    async def adelete_session(self, session_id: str) -> None:
        """As `delete_session`, without blocking."""
        await self._adone(lambda: acts.end_session(self._engine, session_id, "delete"))
