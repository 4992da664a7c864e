"""Tool calls: which call a message means, how it merges, and what state the call is in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .blocks import Diff, DiffContent, TerminalContent, same_file
from .calls import CallState, ToolCall
from .frozen import evolve
from .items import ToolCallItem
from .places import PREAMBLE, count, takes_items, turn_at, turn_to_fill, with_turn
from .read import call_fields
from .state import Session, Turn
from .terminals import show_terminal, terminal_news
from .timeline import add_item, find_call, put

LACKING = ("name", "title", "kind", "raw_input", "locations")
"""What a call takes from a permission request if it lacks it; never the status, which is often wrong."""


def state_of(call: ToolCall, *, over: bool) -> CallState:
    """What a call comes to; the first rule that fits decides.

    Parameters
    ----------
    call : ToolCall
    over : bool
        Whether its turn has ended.
    """
    if any(p.outcome is None for p in call.permissions):
        return "approval-requested"
    verdict = next((p for p in call.permissions if p.key == call.verdict), None)
    if verdict is not None and verdict.refused:
        return "output-denied"
    if call.status == "completed":
        return "output-available"
    if call.status == "failed":
        return "output-error"
    if over:
        return "stopped"
    return "input-available" if verdict is None else "approval-responded"


def settle(item: ToolCallItem, *, over: bool) -> ToolCallItem:
    """The item with its call in the state that its parts make."""
    state = state_of(item.call, over=over)
    return item if state == item.call.state else evolve(item, call=evolve(item.call, state=state))


def merged(call: ToolCall, fields: Mapping[str, Any]) -> ToolCall:
    """The call with the given fields replaced; what is equal stays the same object.

    Diffs that later content drops stay in `own_diffs`, terminals in `terminals`.
    """
    changes = {name: value for name, value in fields.items() if getattr(call, name) != value}
    contents = changes.get("content", ())
    diffs = tuple(c.diff for c in contents if isinstance(c, DiffContent))
    if diffs:
        changes["own_diffs"] = beside(diffs, call.written)
    shown = tuple(c.terminal_id for c in contents if isinstance(c, TerminalContent))
    if new := tuple(i for i in dict.fromkeys(shown) if i not in call.terminals):
        changes["terminals"] = (*call.terminals, *new)
    return evolve(call, **changes)


def beside(told: Iterable[Diff], written: Iterable[Diff]) -> tuple[Diff, ...]:
    """The diffs that an agent shows, then what it wrote to other files: no file stands there twice."""
    told = tuple(told)
    return (*told, *(one for one in written if not any(same_file(one.path, two.path) for two in told)))


def call_place(session: Session, place: int, call_id: str) -> int:
    """The place of the turn that holds the call a message means, seen from a turn.

    A call of this turn; else the latest earlier one of that id in the same session and process, if it is not
    finished; else none yet, and it begins in this turn. Agents use ids again in later turns.
    """
    here = turn_at(session, place)
    if here is None or find_call(here, call_id) is not None:
        return place
    for earlier in range(place - 1, PREAMBLE - 1, -1):
        turn = turn_at(session, earlier)
        if turn is None or turn.process != here.process or turn.session_id not in (None, here.session_id):
            continue
        if (found := find_call(turn, call_id)) is not None:
            return place if found[1].call.finished else earlier
    return place


def with_call(turn: Turn, call: ToolCall, t: float, *, inside: bool) -> Turn:
    """The turn with a call added, or put in the place of the one with the same id."""
    found = find_call(turn, call.id)
    over = not turn.active
    if found is None:
        ended = t if call.finished else None
        return add_item(turn, settle(ToolCallItem(call, t, ended), over=over), t, inside=inside)
    ref, item = found
    ended = t if call.finished and not item.call.finished else item.ended
    return put(turn, ref, settle(evolve(item, call=call, ended=ended), over=over))


def tool_call_update(session: Session, place: int, update: Mapping[str, Any], t: float) -> Session:
    """Fold a `tool_call` or `tool_call_update` that has an id."""
    unread: list[str] = []
    call_id = update["toolCallId"]
    fields = call_fields(update, unread)
    session = count(session, unread)
    if update["sessionUpdate"] != "tool_call":
        place = call_place(session, place, call_id)
    turn = turn_to_fill(session, place)
    found = find_call(turn, call_id)
    call = merged(ToolCall(call_id) if found is None else found[1].call, fields)
    news = terminal_news(update.get("_meta"))
    if new := tuple(i for i in dict.fromkeys(i for i, _ in news) if i not in call.terminals):
        call = evolve(call, terminals=(*call.terminals, *new))
    turn = with_call(turn, call, t, inside=takes_items(session, place, turn))
    session = with_turn(session, place, turn)
    for terminal_id in call.terminals:
        session = show_terminal(session, place, terminal_id)
    for terminal_id, change in news:
        session = change(session, terminal_id)
    return session
