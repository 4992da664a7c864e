"""Permission requests and elicitations: they begin with a request of the agent and end exactly once.

Open ones stand in `Session.asked` by request id: ``(method, (place of the value, its key, place of the turn
that was running))``. What is no longer there has ended, so a second answer finds nothing to change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from .calls import Permission, ToolCall
from .frozen import evolve, with_key, without_key
from .items import RawItem, ToolCallItem
from .places import count, place_for, takes_items, turn_at, turn_to_fill, with_turn
from .read import call_fields, many, mapping, option, string
from .state import ASKS_A_PERSON, Session, Turn
from .timeline import add_item, find, find_call, put
from .tool_calls import LACKING, call_place, merged, settle, with_call

PERMISSION = "session/request_permission"
ELICITATION = "elicitation/create"


def permission_asked(session: Session, request_id: int | str, params: Mapping[str, Any], t: float) -> Session:
    """Fold a permission request."""
    session = end_request(session, request_id, t)
    unread: list[str] = []
    said = mapping(params.get("toolCall"))
    fields = call_fields(said, unread)
    session_id, call_id = string(params.get("sessionId")), string(said.get("toolCallId"))
    asking = place_for(session, session_id)
    ours = session_id is None or session_id in session.own_ids
    place = call_place(session, asking, call_id) if ours and call_id is not None else asking
    session, key = _new_key(session, request_id, place)
    permission = Permission(
        key=key,
        request_id=request_id,
        session_id=session_id,
        tool_call_id=call_id,
        title=fields.get("title"),
        kind=fields.get("kind"),
        content=fields.get("content", ()),
        locations=fields.get("locations", ()),
        raw_input=fields.get("raw_input"),
        options=many(params.get("options"), option, unread, "permission.options"),
        asked=t,
    )
    turn = turn_to_fill(session, place)
    turn = evolve(turn, permissions=(*turn.permissions, permission))
    if ours and call_id is not None:
        turn = _attached(turn, call_id, permission, fields, t, inside=takes_items(session, place, turn))
    session = with_turn(session, place, turn)
    session = _has_begun(session, asking)
    open_requests = with_key(session.asked, request_id, (PERMISSION, (place, key, asking)))
    return count(evolve(session, asked=open_requests), unread)


def _attached(
    turn: Turn, call_id: str, permission: Permission, fields: Mapping[str, Any], t: float, *, inside: bool
) -> Turn:
    """The turn whose call, new if need be, has the permission and takes from it what it lacks."""
    found = find_call(turn, call_id)
    call = ToolCall(call_id) if found is None else found[1].call
    lacking = {n: v for n, v in fields.items() if n in LACKING and getattr(call, n) in (None, ())}
    call = evolve(merged(call, lacking), permissions=(*call.permissions, permission))
    return with_call(turn, call, t, inside=inside)


def _new_key(session: Session, request_id: int | str, place: int) -> tuple[Session, str]:
    base = permission_key(session.process, request_id)
    times = session.keys.get(base, (0, place))[0] + 1
    keys = with_key(session.keys, base, (times, place))
    return evolve(session, keys=keys), base if times == 1 else f"{base}#{times}"


def permission_key(process: int, request_id: int | str) -> str:
    """The key of the first permission with this request id in a process."""
    return f"{process}:{json.dumps(request_id)}"


def _has_begun(session: Session, place: int) -> Session:
    """The session whose turn at a place is no longer merely submitted."""
    turn = turn_to_fill(session, place)
    if turn.status != "submitted":
        return session
    return with_turn(session, place, evolve(turn, status="streaming"))


def elicitation_asked(
    session: Session, request_id: int | str, params: Mapping[str, Any], t: float
) -> Session:
    """Fold an elicitation: an item that keeps the request and, later, the response."""
    session = end_request(session, request_id, t)
    place = place_for(session, string(params.get("sessionId")))
    session, key = _new_key(session, request_id, place)
    turn = turn_to_fill(session, place)
    raw = {"key": key, "request_id": request_id, "request": dict(params), "response": None}
    item = RawItem("elicitation", ELICITATION, raw, t)
    session = with_turn(session, place, add_item(turn, item, t, inside=takes_items(session, place, turn)))
    asked = with_key(session.asked, request_id, (ELICITATION, (place, key, place)))
    return evolve(session, asked=asked)


# ------------------------------------------------------------------------------------------------- ends


def permission_answered(
    session: Session, request_id: int | str, answer: Mapping[str, Any], t: float
) -> Session:
    """Fold our answer to an open permission request."""
    place = session.asked[request_id][1][2]
    outcome = mapping(mapping(answer.get("result")).get("outcome"))
    option_id = string(outcome.get("optionId"))
    if outcome.get("outcome") == "selected" and option_id is not None:
        return _end_permission(session, request_id, t, "selected", option_id, None)
    by = "cancel" if turn_to_fill(session, place).cancel_requested else None
    return _end_permission(session, request_id, t, "cancelled", None, by)


def elicitation_answered(
    session: Session, request_id: int | str, answer: Mapping[str, Any], t: float
) -> Session:
    """Fold our answer to an open elicitation."""
    response = answer.get("result")
    if response is None:
        response = {"error": answer.get("error")}
    return _end_elicitation(session, request_id, t, response)


def end_request(session: Session, request_id: int | str, t: float) -> Session:
    """The session in which an open request to a person has ended cancelled, if there is one of that id."""
    method = session.asked[request_id][0] if request_id in session.asked else None
    if method == PERMISSION:
        return _end_permission(session, request_id, t, "cancelled", None, "cancel")
    if method == ELICITATION:
        return _end_elicitation(session, request_id, t, {"action": "cancel"})
    return session


def end_requests(session: Session, t: float, asking: int | None = None) -> Session:
    """The session in which all requests to a person, or those asked in one turn, have ended cancelled."""
    for request_id, (method, info) in session.asked.items():
        if method in ASKS_A_PERSON and asking in (None, info[2]):
            session = end_request(session, request_id, t)
    return session


def _end_permission(
    session: Session,
    request_id: int | str,
    t: float,
    outcome: Literal["selected", "cancelled"],
    option_id: str | None,
    by: str | None,
) -> Session:
    place, key, _ = session.asked[request_id][1]
    session = evolve(session, asked=without_key(session.asked, request_id))
    changes: dict[str, Any] = {"outcome": outcome, "option_id": option_id, "answered": t}
    if by is not None:
        changes["decided_by"] = by
    return change_permission(session, place, key, verdict=key, **changes)


def change_permission(
    session: Session, place: int, key: str, *, verdict: str | None = None, **changes: Any
) -> Session:
    """The session with changed fields of a permission, in its turn and in the call it asked for."""
    turn = turn_at(session, place)
    assert turn is not None
    old = next(p for p in turn.permissions if p.key == key)
    new = evolve(old, **changes)
    turn = evolve(turn, permissions=tuple(new if p is old else p for p in turn.permissions))
    found = find(turn, ToolCallItem, lambda item: any(p is old for p in item.call.permissions))
    if found is not None:
        ref, item = found
        permissions = tuple(new if p is old else p for p in item.call.permissions)
        call = evolve(item.call, permissions=permissions, verdict=verdict or item.call.verdict)
        item = settle(evolve(item, call=call), over=not turn.active)
        if item.ended is None and item.call.state == "output-denied":
            # Some agents never say a word about a refused call again.
            item = evolve(item, ended=new.answered)
        turn = put(turn, ref, item)
    return with_turn(session, place, turn)


def _end_elicitation(session: Session, request_id: int | str, t: float, response: Any) -> Session:
    place, key, _ = session.asked[request_id][1]
    session = evolve(session, asked=without_key(session.asked, request_id))
    return _change_elicitation(session, place, key, {"response": response}, t)


def _change_elicitation(
    session: Session, place: int, key: str, changes: Mapping[str, Any], ended: float | None = None
) -> Session:
    turn = turn_at(session, place)
    assert turn is not None
    found = find(turn, RawItem, lambda i: i.kind == "elicitation" and i.raw["key"] == key)
    assert found is not None
    ref, item = found
    item = evolve(item, raw={**item.raw, **changes}, ended=item.ended if ended is None else ended)
    return with_turn(session, place, put(turn, ref, item))


def elicitation_completed(session: Session, elicitation_id: str) -> Session:
    """Fold `elicitation/complete`: what the person was to do at the link is done. Unknown ids are ignored."""
    places = dict.fromkeys(place for _, place in session.keys.values())
    for place in reversed(tuple(places)):
        turn = turn_at(session, place)
        found = turn and find(turn, RawItem, lambda i: _at_link(i) == elicitation_id)
        if found:
            return _change_elicitation(session, place, found[1].raw["key"], {"complete": True})
    return session


def _at_link(item: RawItem) -> str | None:
    request = item.raw["request"] if item.kind == "elicitation" else {}
    return string(request.get("elicitationId")) if request.get("mode") == "url" else None


def decided(session: Session, note: Mapping[str, Any]) -> Session:
    """Fold a `decision` note: who or what answered. It may come before or after the answer itself."""
    by, rule = string(note.get("by")), string(note.get("rule"))
    return _noted(session, note, "decided_by", rule if by == "rule" and rule else by)


def offered(session: Session, note: Mapping[str, Any]) -> Session:
    """Fold an `offer` note: what a rule of ours would cover if the answer were remembered."""
    return _noted(session, note, "covers", string(note.get("covers")))


def remembered(session: Session, note: Mapping[str, Any]) -> Session:
    """Fold a `remembered` note: for how long (``chat`` or ``folder``) the answer is remembered."""
    return _noted(session, note, "remembered", string(note.get("scope")))


def _noted(session: Session, note: Mapping[str, Any], field: str, value: str | None) -> Session:
    """The session in which a note has set a field of the newest permission of its request id, once."""
    base = permission_key(session.process, note.get("request_id", ""))
    if value is None or base not in session.keys:
        return session
    times, place = session.keys[base]
    key = base if times == 1 else f"{base}#{times}"
    turn = turn_at(session, place)
    assert turn is not None
    permission = next((p for p in turn.permissions if p.key == key), None)
    if permission is None:
        # The key is that of a question; of it, only who answered is worth a note.
        return _change_elicitation(session, place, key, {field: value}) if field == "decided_by" else session
    if getattr(permission, field) is not None:
        return session
    return change_permission(session, place, key, **{field: value})
