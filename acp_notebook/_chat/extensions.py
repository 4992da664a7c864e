"""Methods beyond the protocol: a person's own handlers, run on threads of their own.

A handler may block, wait for a person or call the chat; the agent's loop never waits for it. Requests run
side by side, notifications one after another in the order of the wire.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import queue
import threading
from typing import TYPE_CHECKING, Any

from acp_notebook._agent import loop
from acp_notebook._agent.protocol import INTERNAL_ERROR, METHOD_NOT_FOUND, REQUEST_CANCELLED
from acp_notebook._errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._agent.connection import Incoming

    Handler = Callable[[dict[str, Any]], Any]

_log = logging.getLogger("acp_notebook")

#: Requests of the agent that may be in handlers at a time, and notifications that may wait for theirs.
MOST_RUNNING = 64
MOST_WAITING = 10_000

SERVED = frozenset(
    {
        "session/update",
        "session/request_permission",
        "elicitation/create",
        "elicitation/complete",
        "$/cancel_request",
    }
)
"""What the client handles itself in every chat."""

OURS = frozenset(
    {
        "initialize",
        "session/new",
        "session/load",
        "session/resume",
        "session/fork",
        "session/prompt",
        "session/cancel",
    }
)
"""What a chat sends itself: a second one beside it would confuse the agent and the state."""


class Extensions:
    """The handlers of one chat; they stay when the agent is started anew.

    Handlers may be set from any thread; `serve` and `tell` belong to the agent's loop.

    Parameters
    ----------
    warn
        Called on the agent's loop with a sentence for the person.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._requests: dict[str, Handler] = {}
        self._notifications: dict[str, Handler] = {}
        self._running = 0
        self._told: queue.Queue[tuple[str, dict[str, Any]]] | None = None

    def set(self, name: str, handler: Handler | None, *, notification: bool) -> None:
        """Set or (with None) take away the handler of a method."""
        table = self._notifications if notification else self._requests
        if handler is None:
            table.pop(name, None)
        elif callable(handler):
            table[name] = handler
        else:
            raise TypeError(f"a handler is a function of the params, not {handler!r}")

    def serve(self, request: Incoming) -> None:
        """Answer a request that the client itself does not serve."""
        handler = self._requests.get(request.method)
        if handler is None:
            request.error(METHOD_NOT_FOUND, f"This client does not serve {request.method}.")
            return
        if self._running >= MOST_RUNNING:
            request.error(INTERNAL_ERROR, f"{MOST_RUNNING} requests are being handled already; try later.")
            return
        self._running += 1
        _Run(self, request, handler).start()

    def done(self) -> None:
        """A request's handler has ended."""
        self._running -= 1

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Hand a notification to its handler, if it has one."""
        if method not in self._notifications:
            return
        if self._told is None:
            self._told = queue.Queue(MOST_WAITING)
            threading.Thread(
                target=self._listen, args=(self._told,), name="acp-notebook notifications", daemon=True
            ).start()
        try:
            self._told.put_nowait((method, params))
        except queue.Full:
            _log.warning("a notification %s was dropped: its handler is too slow", method)

    def close(self) -> None:
        """Hear no further notifications."""
        self._notifications.clear()
        if self._told is not None:
            with contextlib.suppress(queue.Full):  # then it has enough to wake up for
                self._told.put_nowait(("", {}))
            self._told = None

    def _listen(self, told: queue.Queue[tuple[str, dict[str, Any]]]) -> None:
        while True:
            method, params = told.get()
            handler = self._notifications.get(method)
            if handler is None:
                if self._told is not told:
                    return
                continue
            try:
                asyncio.run(_finish(handler, params))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - the person's own function
                text = f"The handler of {method} failed: {type(error).__name__}: {error}"
                loop.post(self._warn, text)


class _Run:
    """One request in its handler, on a thread of its own."""

    def __init__(self, owner: Extensions, request: Incoming, handler: Handler) -> None:
        self._owner = owner
        self._request = request
        self._handler = handler
        self._own_loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def start(self) -> None:
        self._request.on_cancel = self._withdrawn
        name = f"acp-notebook {self._request.method}"
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def _withdrawn(self) -> None:
        """The agent wants no answer any more: it gets the error that is owed, a coroutine is cancelled."""
        self._request.error(REQUEST_CANCELLED, "The request was cancelled.")
        own, task = self._own_loop, self._task
        if own is not None and task is not None and not own.is_closed():
            own.call_soon_threadsafe(task.cancel)

    def _work(self) -> None:
        try:
            result = asyncio.run(self._finish())
        except AgentError as error:
            code = INTERNAL_ERROR if error.code is None else error.code
            self._answer(self._request.error, code, error.message, error.data)
        except asyncio.CancelledError:
            self._answer(self._request.error, REQUEST_CANCELLED, "The request was cancelled.")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it was, the agent gets an answer
            self._answer(self._request.error, INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        else:
            self._answer(self._request.respond, result)

    async def _finish(self) -> Any:
        self._own_loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        return await _finish(self._handler, self._request.params)

    def _answer(self, say: Callable[..., object], *what: object) -> None:
        def on_loop() -> None:
            self._owner.done()
            say(*what)

        loop.post(on_loop)


async def _finish(handler: Handler, params: dict[str, Any]) -> Any:
    result = handler(params)
    return await result if inspect.isawaitable(result) else result
