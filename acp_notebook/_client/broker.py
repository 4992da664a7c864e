"""The permission requests that wait for an answer, each answered exactly once.

The broker decides nothing and draws nothing: it holds the open requests of the running agent
process and writes the answer on the wire, with a ``decision`` note before it that says who decided.
Requests are keyed by their permission's `key`: an agent may use a JSON-RPC id again, and what was
decided about one request must never answer another. Two may wait for one tool call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from acp_notebook._agent.protocol import permission_cancelled, permission_selected
from acp_notebook._client.policy import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from acp_notebook._fold.state import Permission

RequestId = int | str | float


class Answerable(Protocol):
    """The side of an incoming request that the broker needs."""

    @property
    def id(self) -> RequestId: ...

    def respond(self, result: Any) -> bool: ...


class Broker:
    """Open permission requests of one agent process. Lives on the agent's loop; never awaits.

    Parameters
    ----------
    note
        Records a note in the transcript.
    """

    def __init__(self, note: Callable[[dict[str, Any]], None]) -> None:
        self._note = note
        self._open: dict[str, tuple[Answerable, Permission]] = {}

    @property
    def waiting(self) -> tuple[Permission, ...]:
        """The requests that wait for a person, oldest first."""
        return tuple(permission for _, permission in self._open.values())

    def holds(self, key: str) -> bool:
        """Whether this request still waits."""
        return key in self._open

    def wait(self, request: Answerable, permission: Permission) -> None:
        """Keep a request open until somebody answers it.

        One of the same id that still waits gives its place up: an answer could mean either of them.
        """
        for key, (held, _) in list(self._open.items()):
            if held is not request and type(held.id) is type(request.id) and held.id == request.id:
                del self._open[key]
        self._open[permission.key] = (request, permission)

    def answer(self, key: str, decision: Decision) -> str | None:
        """Answer an open request.

        Returns
        -------
        str or None
            None if this was the answer, else a sentence that says why it was not: somebody was
            faster, or the option was not offered. The request then stays as it is.
        """
        entry = self._open.get(key)
        if entry is None:
            return "This request has already been answered."
        request, permission = entry
        offered = {option.id for option in permission.options}
        if decision.option_id is not None and decision.option_id not in offered:
            return f"The agent did not offer the option {decision.option_id!r} for this request."
        del self._open[key]
        self.settle(request, decision)
        return None

    def settle(self, request: Answerable, decision: Decision) -> None:
        """Write an answer on the wire, after the note that says who decided."""
        note: dict[str, Any] = {"kind": "decision", "request_id": request.id, "by": decision.by}
        if decision.rule is not None:
            note["rule"] = decision.rule
        self._note(note)
        option = decision.option_id
        request.respond(permission_cancelled() if option is None else permission_selected(option))

    def withdraw(self, key: str) -> None:
        """Nobody wants an answer any more (`$/cancel_request`); the owed `cancelled` is sent."""
        entry = self._open.pop(key, None)
        if entry is not None:
            self.settle(entry[0], Decision(None, "cancel"))

    def cancel(self, session_ids: Iterable[str | None] | None = None) -> None:
        """Answer every waiting request with `cancelled`, of all sessions or only of those named.

        A client that cancels a turn must do so (protocol page "Prompt Turn", Cancellation).
        """
        wanted = None if session_ids is None else set(session_ids)
        for key, (_, permission) in list(self._open.items()):
            if wanted is None or permission.session_id in wanted:
                self.withdraw(key)
