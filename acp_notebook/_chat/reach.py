"""The part of a chat for methods that the client does not know: handlers of the agent's, and sending ours."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from acp_notebook._agent import loop
from acp_notebook._chat.extensions import OURS, SERVED
from acp_notebook._chat.reviewing import Reviewing
from acp_notebook._front import pump

if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[dict[str, Any]], Any]


class Reach(Reviewing):
    """Extension methods of a chat; see `Chat` for the rest."""

    def on_request(self, name: str, handler: Handler | None) -> None:
        """Serve a method of the agent that the client itself does not serve.

        The handler stays when the agent is started anew. Without one the agent is answered -32601.

        Parameters
        ----------
        name
            The method as it stands on the wire; not all agents begin their own with an underscore.
        handler
            ``handler(params)``, a function or a coroutine function; its result, any JSON, is the answer. It
            runs on a thread of its own (a coroutine on a loop of its own), so that it may block and may call
            the chat. An `AgentError` that it raises is answered with its code, message and data, any other
            error with -32603. If the agent takes its request back, a coroutine is cancelled. None takes the
            handler away.

        Raises
        ------
        ValueError
            The client serves this method itself.
        """
        self._set(name, handler, notification=False)

    def on_notification(self, name: str, handler: Handler | None) -> None:
        """Hear a notification of the agent that the client itself does not know.

        Handlers of notifications run one after another, in the order of the wire. What one raises is shown
        as a warning. Without a handler a notification is ignored, and counted in ``chat.session.unread``.

        Parameters
        ----------
        name, handler
            As in `on_request`; what the handler returns is dropped.

        Raises
        ------
        ValueError
            The client handles this notification itself.
        """
        self._set(name, handler, notification=True)

    def _set(self, name: str, handler: Handler | None, *, notification: bool) -> None:
        settings = self._engine.settings
        served = (settings.fs and name.startswith("fs/")) or (
            settings.terminal and name.startswith("terminal/")
        )
        if served or name in SERVED:
            raise ValueError(f"the client handles {name} itself")
        self._engine.extensions.set(name, handler, notification=notification)

    def request(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Ask the agent something that this class has no method for, and wait for the answer.

        The agent is started if need be. Interrupting the kernel sends ``$/cancel_request``.

        Parameters
        ----------
        method
            As on the wire.
        params
            As on the wire; most methods want a ``sessionId`` (`session_id`).

        Returns
        -------
        object
            The ``result`` of the answer, JSON.

        Raises
        ------
        AgentError
            The agent answered with an error: -32601 if it does not know the method.
        AgentExitedError, ChatClosedError
            No answer will come.
        ValueError
            A chat sends this method itself.
        TypeError
            The params are no JSON.
        """
        answer = self._begin(lambda: self._request(method, params))
        try:
            return pump.wait(answer, fallback=True)
        except KeyboardInterrupt:
            answer.cancel()
            raise

    async def arequest(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """As `request`, without blocking; cancelling it sends ``$/cancel_request``."""
        answer = self._begin(lambda: self._request(method, params))
        try:
            return await pump.wait_async(answer, fallback=True)
        except asyncio.CancelledError:
            answer.cancel()
            raise

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Tell the agent something that this class has no method for; see `request`.

        Raises
        ------
        ValueError, TypeError, AgentExitedError, ChatClosedError
            As `request`.
        """
        pump.wait(loop.submit(self._notify(method, params)), fallback=True)

    async def anotify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """As `notify`, without blocking."""
        await pump.wait_async(loop.submit(self._notify(method, params)), fallback=True)

    async def _request(self, method: str, params: dict[str, Any] | None) -> Any:
        _check(method)
        return await self._engine.request(method, params or {})

    async def _notify(self, method: str, params: dict[str, Any] | None) -> None:
        _check(method)
        await self._engine.notify(method, params or {})


def _check(method: str) -> None:
    if method in OURS:
        raise ValueError(f"a chat sends {method} itself: use send, cancel, start, restart or fork_session")
