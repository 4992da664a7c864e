"""Records to state: the one way a session comes to be.

A pure function of the records: no clock, no randomness, no I/O. Nothing that an agent may write makes it
fail; what it does not understand is kept raw in the turn or counted in `Session.unread`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from .frozen import evolve, with_key, without_key
from .notes import fold_note
from .permissions import (
    ELICITATION,
    PERMISSION,
    elicitation_answered,
    elicitation_asked,
    elicitation_completed,
    end_request,
    permission_answered,
    permission_asked,
)
from .places import begin_turn, count, place_for
from .read import mapping, request_id, string
from .record import Record
from .requests import OPENS, agent_answered, asked_agent, cancelled, named
from .settings import STATE_UPDATES
from .state import Session, Turn
from .terminals import change_terminal, created, ended, output_answered
from .updates import fold_update

Json: TypeAlias = Mapping[str, Any]


def fold(session: Session, records: Record | Iterable[Record]) -> Session:
    """Fold records into a session.

    Parameters
    ----------
    session : Session
        The state so far; begin with ``Session()``.
    records : Record or iterable of Record
        What happened next, in order.

    Returns
    -------
    Session
        The state after it. Parts that did not change are the same objects; if nothing did, the session is.
    """
    if isinstance(records, Record):
        return _fold_one(session, records)
    for record in records:
        session = _fold_one(session, record)
    return session


def _fold_one(session: Session, record: Record) -> Session:
    msg = record.msg
    rule = _DIRECTIONS.get(record.dir)
    if rule is None or not isinstance(msg, dict):
        return count(session, ("record",))
    return rule(session, record)


def _incoming(session: Session, record: Record) -> Session:
    msg = record.msg
    method = msg.get("method")
    if method == "session/update":
        return _session_update(session, record)
    if isinstance(method, str):
        if "id" in msg:
            return _agent_asks(session, method, msg, record.t)
        return _agent_tells(session, method, msg, record.t)
    if method is None and ("result" in msg or "error" in msg):
        if "result" in msg and msg.get("error") is None:  # null beside the result, as JSON-RPC 1 had it
            msg = {key: value for key, value in msg.items() if key != "error"}
        session = agent_answered(session, msg.get("id"), msg, record.t)
        return session if _is_opening(session) else _let_go(session)
    return count(session, ("message",))


def _outgoing(session: Session, record: Record) -> Session:
    msg = record.msg
    method = msg.get("method")
    if isinstance(method, str):
        if method == "session/cancel":
            return cancelled(session, mapping(msg.get("params")))
        if "id" not in msg:
            return session
        if method == "initialize":
            session = _let_go(session)
        return asked_agent(session, method, request_id(msg["id"]), mapping(msg.get("params")), record.t)
    ident = request_id(msg.get("id"))
    if ident is None or ident not in session.asked:
        return session
    kind, info = session.asked[ident]
    if kind == PERMISSION:
        return permission_answered(session, ident, msg, record.t)
    if kind == ELICITATION:
        return elicitation_answered(session, ident, msg, record.t)
    session = evolve(session, asked=without_key(session.asked, ident))
    return _SERVED[kind](session, info, mapping(msg.get("result")))


def _note(session: Session, record: Record) -> Session:
    return fold_note(session, record.msg, record.t)


_DIRECTIONS: dict[str, Callable[[Session, Record], Session]] = {
    "in": _incoming,
    "out": _outgoing,
    "note": _note,
}

# ----------------------------------------------------------------------------------------------- updates


def _session_update(session: Session, record: Record, *, hold: bool = True) -> Session:
    params = mapping(record.msg.get("params"))
    update, session_id = params.get("update"), params.get("sessionId")
    if not isinstance(update, dict):
        return count(session, ("session/update",))
    if not isinstance(session_id, str):
        session_id = None
    elif session_id not in session.own_ids:
        if hold and _is_opening(session):
            return evolve(session, held=(*session.held, record))
        if session.own_ids:
            return _child_update(session, session_id, update, record.t)
        session = _adopted(session, session_id)
    return fold_update(session, session_id, update, record.t)


def _is_opening(session: Session) -> bool:
    """Whether an answer is due that may name the session of an update that we do not know."""
    return any(method in OPENS for method, _ in session.sent.values())


def _let_go(session: Session) -> Session:
    """Fold what was held until a session was named."""
    held, session = session.held, evolve(session, held=())
    for record in held:
        session = _session_update(session, record, hold=False)
    return session


def _adopted(session: Session, session_id: str) -> Session:
    """The first session seen is the main one if no request of ours names any."""
    return evolve(named(session, session_id), session_id=session_id)


def _child_update(session: Session, session_id: str, update: Json, t: float) -> Session:
    """A subagent's session: a state of its own, whose turn runs while ours does."""
    old = session.children.get(session_id)
    child = old or Session(session_id=session_id, own_ids=frozenset({session_id}), phase="ready")
    running = session.current is not None and session.current.active
    idle = child.current is None or not child.current.active
    kind = update.get("sessionUpdate")
    if running and idle and not (isinstance(kind, str) and kind in STATE_UPDATES):
        child = begin_turn(child, Turn(session_id=session_id, status="submitted", started=t))
    child = fold_update(child, session_id, update, t)
    return (
        session if child is old else evolve(session, children=with_key(session.children, session_id, child))
    )


# ------------------------------------------------------------------------------- the agent's own requests


def _agent_asks(session: Session, method: str, msg: Json, t: float) -> Session:
    ident, params = request_id(msg.get("id")), mapping(msg.get("params"))
    if method in _IGNORED:
        return session
    if ident is None or (method not in _PEOPLE and method not in _SERVED):
        return count(session, (method,))
    if method in _PEOPLE:
        session_id = string(params.get("sessionId"))
        if session_id is not None and not session.own_ids and not _is_opening(session):
            session = _adopted(session, session_id)
        return _PEOPLE[method](session, ident, params, t)
    session = end_request(session, ident, t)
    place = place_for(session, string(params.get("sessionId")))
    return evolve(session, asked=with_key(session.asked, ident, (method, (place, params))))


def _agent_tells(session: Session, method: str, msg: Json, t: float) -> Session:
    """A notification; `$/cancel_request` takes a request back."""
    if method == "elicitation/complete":
        name = string(mapping(msg.get("params")).get("elicitationId"))
        return session if name is None else elicitation_completed(session, name)
    if method != "$/cancel_request":
        return count(session, (method,))
    ident = request_id(mapping(msg.get("params")).get("requestId"))
    return session if ident is None else end_request(session, ident, t)


_PEOPLE: dict[str, Callable[[Session, int | str, Json, float], Session]] = {
    PERMISSION: permission_asked,
    ELICITATION: elicitation_asked,
}

Info: TypeAlias = tuple[int, Json]


def _create_served(session: Session, info: Info, result: Json) -> Session:
    place, params = info
    return created(session, params, result, place)


def _output_served(session: Session, info: Info, result: Json) -> Session:
    terminal_id = string(info[1].get("terminalId"))
    return session if terminal_id is None else output_answered(session, terminal_id, result)


def _wait_served(session: Session, info: Info, result: Json) -> Session:
    terminal_id = string(info[1].get("terminalId"))
    if terminal_id is None or not {"exitCode", "signal"} & result.keys():
        return session
    return ended(session, terminal_id, dict(result))


def _release_served(session: Session, info: Info, result: Json) -> Session:
    del result
    terminal_id = string(info[1].get("terminalId")) or ""
    if terminal_id not in session.terminal_turns:
        return session
    return change_terminal(session, terminal_id, released=True)


_SERVED: dict[str, Callable[[Session, Info, Json], Session]] = {
    "terminal/create": _create_served,
    "terminal/output": _output_served,
    "terminal/wait_for_exit": _wait_served,
    "terminal/release": _release_served,
}

_IGNORED = frozenset({"fs/read_text_file", "fs/write_text_file", "terminal/kill"})
"""Requests that leave no trace in the state: their effect comes with the call that made them."""
