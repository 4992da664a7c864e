"""One request of the agent, and its one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._agent.protocol import JsonObject

#: JSON-RPC ids keep their type: 1 and "1" are two requests.
RequestId = int | str | float


class Incoming:
    """A request of the agent, to be answered once.

    Attributes
    ----------
    id : int or str
        The agent's id, of the type it came in.
    method : str
    params : dict
        Empty if the agent sent none, or something that is no object.
    cancelled : bool
        Whether the agent has withdrawn it by ``$/cancel_request``. An answer is owed all the same: a
        valid result or error -32800 (protocol page "cancellation").
    answered : bool
    on_cancel : callable or None
        Called once when the agent withdraws it; at once if it already has.
    """

    def __init__(
        self,
        request_id: RequestId,
        method: str,
        params: JsonObject,
        reply: Callable[[Incoming, JsonObject], bool],
    ) -> None:
        self.id = request_id
        self.method = method
        self.params = params
        self.cancelled = False
        self.answered = False
        self._reply = reply
        self._on_cancel: Callable[[], None] | None = None

    def __repr__(self) -> str:
        return f"<Incoming {self.id!r} {self.method}>"

    def respond(self, result: object) -> bool:
        """Answer with a result. False if it was answered before, or the agent is gone."""
        return self._answer({"result": result})

    def error(self, code: int, message: str, data: object = None) -> bool:
        """Answer with an error. False if it was answered before, or the agent is gone."""
        error: JsonObject = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        return self._answer({"error": error})

    def _answer(self, body: JsonObject) -> bool:
        if self.answered:
            return False
        self.answered = True
        return self._reply(self, {"jsonrpc": "2.0", "id": self.id, **body})

    @property
    def on_cancel(self) -> Callable[[], None] | None:
        """What to call when the agent withdraws the request."""
        return self._on_cancel

    @on_cancel.setter
    def on_cancel(self, callback: Callable[[], None] | None) -> None:
        self._on_cancel = callback
        if self.cancelled and not self.answered and callback is not None:
            callback()

    def withdraw(self) -> None:
        """Note that the agent has withdrawn it; for the connection."""
        if not self.cancelled:
            self.cancelled = True
            if self._on_cancel is not None:
                self._on_cancel()
