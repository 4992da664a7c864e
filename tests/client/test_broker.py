"""Open permission requests end exactly once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acp_notebook._client.broker import Broker
from acp_notebook._client.policy import Decision
from acp_notebook._fold.state import Permission

from .test_policy import USUAL


class Wire:
    """Both sinks of a broker in one list, so that the order shows."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.broker = Broker(self.seen.append)
        self.count = 0

    def ask(self, request_id: int | str, permission: Permission = USUAL) -> Request:
        """A request; the first has the key p1."""
        request = Request(request_id, self.seen)
        self.count += 1
        self.broker.wait(request, replace(permission, key=f"p{self.count}", request_id=request_id))
        return request


class Request:
    """An incoming request as the connection hands it out: the second answer does not count."""

    def __init__(self, request_id: int | str, seen: list[Any]) -> None:
        self.id = request_id
        self._seen = seen
        self._answered = False

    def respond(self, result: Any) -> bool:
        if self._answered:
            return False
        self._answered = True
        self._seen.append((self.id, result))
        return True


def selected(option_id: str) -> dict[str, Any]:
    """The wire form of a chosen option."""
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


CANCELLED = {"outcome": {"outcome": "cancelled"}}


def test_note_before_answer() -> None:
    """Who decided is recorded before the answer goes out; request id 0 is an id like any other."""
    wire = Wire()
    wire.ask(0)

    assert wire.broker.answer("p1", Decision("yes", "person")) is None
    assert wire.seen == [{"kind": "decision", "request_id": 0, "by": "person"}, (0, selected("yes"))]


def test_first_answer_wins() -> None:
    """Two clicks, one answer; the second is told so."""
    wire = Wire()
    wire.ask(7)
    wire.broker.answer("p1", Decision("yes", "person"))

    assert "already" in (wire.broker.answer("p1", Decision("no", "person")) or "")
    assert [(7, selected("yes"))] == [entry for entry in wire.seen if isinstance(entry, tuple)]


def test_option_must_be_offered() -> None:
    """An option that the agent did not offer is no answer, and the request keeps waiting."""
    wire = Wire()
    wire.ask(1)

    assert "did not offer" in (wire.broker.answer("p1", Decision("allow", "person")) or "")
    assert wire.seen == []
    assert [permission.request_id for permission in wire.broker.waiting] == [1]


def test_int_and_str_ids_differ() -> None:
    """JSON-RPC ids 1 and "1" are two requests."""
    wire = Wire()
    wire.ask(1)
    wire.ask("1")
    wire.broker.answer("p2", Decision("no", "person"))

    assert [("1", selected("no"))] == [entry for entry in wire.seen if isinstance(entry, tuple)]
    assert [permission.request_id for permission in wire.broker.waiting] == [1]


def test_two_requests_for_one_call() -> None:
    """Requests are keyed by their id, not by the tool call: both wait, both are answered."""
    wire = Wire()
    wire.ask(1)
    wire.ask(2)
    wire.broker.answer("p2", Decision("yes", "person"))
    wire.broker.answer("p1", Decision("no", "person"))

    assert [(2, selected("yes")), (1, selected("no"))] == [e for e in wire.seen if isinstance(e, tuple)]


def test_cancel_answers_everything_that_waits() -> None:
    """Every open request gets `cancelled`, once, and a late click changes nothing."""
    wire = Wire()
    wire.ask(1)
    wire.ask(2)
    wire.broker.cancel()
    wire.broker.cancel()

    assert [e for e in wire.seen if isinstance(e, tuple)] == [(1, CANCELLED), (2, CANCELLED)]
    assert "already" in (wire.broker.answer("p1", Decision("yes", "person")) or "")


def test_withdrawn_by_the_agent() -> None:
    """`$/cancel_request` takes the card away; the owed `cancelled` is sent."""
    wire = Wire()
    wire.ask(3)
    wire.broker.withdraw("p1")
    wire.broker.withdraw("p2")

    assert [e for e in wire.seen if isinstance(e, tuple)] == [(3, CANCELLED)]
    assert wire.broker.waiting == ()


def test_an_id_used_again_is_another_request() -> None:
    """What was decided about the first, however late, answers the first alone."""
    wire = Wire()
    wire.ask(1)
    wire.broker.withdraw("p1")
    wire.ask(1)

    assert "already" in (wire.broker.answer("p1", Decision("yes", "policy")) or "")
    assert [e for e in wire.seen if isinstance(e, tuple)] == [(1, CANCELLED)]
    assert [permission.key for permission in wire.broker.waiting] == ["p2"]


def test_an_id_used_twice_at_once() -> None:
    """One answer goes out, for the newer one: the agent could not tell two apart."""
    wire = Wire()
    wire.ask(1)
    wire.ask(1)
    wire.ask("1")
    wire.broker.answer("p2", Decision("no", "person"))
    wire.broker.cancel()

    assert [e for e in wire.seen if isinstance(e, tuple)] == [(1, selected("no")), ("1", CANCELLED)]
    assert "already" in (wire.broker.answer("p1", Decision("yes", "person")) or "")
