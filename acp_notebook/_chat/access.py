"""The part of a chat for signing in, and for what went over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._agent import loop
from acp_notebook._chat.core import ChatCore
from acp_notebook._chat.wire_log import WireLog
from acp_notebook._front import pump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from acp_notebook._fold.auth import Auth


class Access(ChatCore):
    """Methods of `Chat`."""

    @property
    def auth(self) -> Auth | None:
        """How to sign in with the agent and whether that is due; None if it neither offers nor asks it."""
        return self.session.auth

    def sign_in(
        self,
        method: str | None = None,
        *,
        env: Mapping[str, str] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        """Sign in with the agent; prompts that were refused for that then go out.

        Parameters
        ----------
        method
            The ``id`` of one of ``chat.auth.methods``; it may be left out if there is one only. A method of
            the kind agent lets the agent do it (often in the browser). For the kind terminal, run its
            ``command`` in a terminal first: this looks whether it has helped. For the kind env_var the
            agent is started again with its variables.
        env
            Values of variables, for the kind env_var; those set in this process need not be given. They
            are kept out of every record.
        meta
            ``_meta`` for ``authenticate``, for agents that take a key there; all its texts are kept out of
            every record.

        Raises
        ------
        ValueError
            There is no such method, variables are missing, or a turn is running.
        AuthRequiredError
            The agent still asks for a sign-in.
        AgentError
            The agent could not sign in.
        """
        work = loop.submit(self._engine.signing.sign_in(method, env, meta))
        try:
            pump.wait(work, fallback=True)
        except KeyboardInterrupt:
            work.cancel()
            raise

    async def asign_in(
        self,
        method: str | None = None,
        *,
        env: Mapping[str, str] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        """As `sign_in`, without blocking."""
        await pump.wait_async(loop.submit(self._engine.signing.sign_in(method, env, meta)), fallback=True)

    def sign_out(self) -> None:
        """Sign out with the agent, where ``chat.auth.logout`` says that it lets a person.

        Raises
        ------
        ValueError
            It does not, or a turn is running.
        AgentError
            It refuses.
        """
        pump.wait(loop.submit(self._engine.signing.sign_out()), fallback=True)

    async def asign_out(self) -> None:
        """As `sign_out`, without blocking."""
        await pump.wait_async(loop.submit(self._engine.signing.sign_out()), fallback=True)

    def log(self, text: str | None = None, *, direction: str | None = None, last: int = 1_000) -> WireLog:
        """What went over the wire, as it was: JSON-RPC messages without the secrets.

        Parameters
        ----------
        text
            Only messages whose method or JSON holds this, in any case.
        direction
            Only ``"in"`` (from the agent), ``"out"`` (to it) or ``"note"`` (what did not cross the wire).
        last
            At most that many, the newest.

        Returns
        -------
        WireLog
            A sequence of `Record`; printed it is one line a message. ``chat.transcript`` has all of them.
        """
        return WireLog.of(self._log.records, text=text, direction=direction, last=last)
