"""The state at any moment, and the records behind each item."""

from __future__ import annotations

import pytest

from acp_notebook import Record, Session, fold
from acp_notebook._explore import trail as module
from acp_notebook._explore.places import CHILD
from acp_notebook._explore.trail import HEAD, NOWHERE, Ref, Trail
from tests.fold.captures import ALL, records


def places(session):
    """Every turn with its place, but for those that are told again."""
    for number, one in enumerate((session, *session.children.values())):
        preamble = [(-1, one.preamble)] if one.preamble is not None else []
        for index, turn in [*preamble, *enumerate(one.turns)]:
            if not turn.told:
                yield number * CHILD + index, turn


def refs(session):
    """Every place of a session that records may stand behind."""
    for place, turn in places(session):
        yield Ref(place)
        yield from (Ref(place, index) for index in range(len(turn.items)))
        yield from (Ref(place, index, after=True) for index in range(len(turn.after)))


def update(index, **fields):
    params = {"sessionId": "s", "update": fields}
    return Record(index, "in", {"jsonrpc": "2.0", "method": "session/update", "params": params})


def chunk(index, text):
    return update(index, sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def prompt(index, text="go", ident=1):
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": text}]}
    return Record(index, "out", {"jsonrpc": "2.0", "id": ident, "method": "session/prompt", "params": params})


def end(index, ident=1):
    return Record(index, "in", {"jsonrpc": "2.0", "id": ident, "result": {"stopReason": "end_turn"}})


@pytest.mark.parametrize("name", ALL)
def test_a_moment_is_the_fold_of_its_prefix(name, monkeypatch):
    """Whatever was kept on the way, each prefix gives the state that folding it alone gives."""
    monkeypatch.setattr(module, "STEP", 7)
    trail = Trail(records(name))
    session = Session()
    for index, record in enumerate(records(name)):
        assert trail.at(index) == session
        session = fold(session, record)
    assert trail.at(len(records(name))) == session == trail.session


@pytest.mark.parametrize("name", ALL)
def test_every_item_has_its_records(name):
    """Each item names the record that made it, and no record is claimed by two items of a turn."""
    trail = Trail(records(name))
    queued = {index for index, turn in enumerate(trail.session.turns) if turn.status == "queued"}
    claimed: dict[int, set[Ref]] = {}
    for ref in refs(trail.session):
        ranges = trail.behind(ref)
        assert ranges or ref.turn in queued, ref
        for first, stop in ranges:
            for index in range(first, stop):
                claimed.setdefault(index, set()).add(ref)
    for index, found in claimed.items():
        assert trail.turn_of[index] in {ref.turn for ref in found}
        # The end of a turn may add a notice, a replayed prompt a child's turn: never two items of one turn.
        assert len({ref for ref in found if ref.item != HEAD}) <= 1, (index, found)


def test_the_chunks_of_a_message_are_one_range():
    """A streamed message is the run of its chunks; the prompt and the answer belong to the turn."""
    trail = Trail([prompt(0), chunk(1, "a"), chunk(2, "b"), chunk(3, "c"), end(4)])
    assert trail.behind(Ref(0, 0)) == [(1, 4)]
    assert trail.behind(Ref(0)) == [(0, 1), (4, 5)]
    assert list(trail.turn_of) == [0, 0, 0, 0, 0]


def test_a_call_gathers_its_updates_and_its_permission():
    """Start, request, answer and end of a call stand behind it, the text in between does not."""
    ask = {"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": []}
    trail = Trail(
        [
            prompt(0),
            update(1, sessionUpdate="tool_call", toolCallId="c", title="Edit"),
            chunk(2, "meanwhile"),
            Record(
                3, "in", {"jsonrpc": "2.0", "id": 9, "method": "session/request_permission", "params": ask}
            ),
            Record(4, "out", {"jsonrpc": "2.0", "id": 9, "result": {"outcome": {"outcome": "cancelled"}}}),
            update(5, sessionUpdate="tool_call_update", toolCallId="c", status="completed"),
            end(6),
        ]
    )
    assert trail.behind(Ref(0, 0)) == [(1, 2), (3, 6)]
    assert trail.behind(Ref(0, 1)) == [(2, 3)]


def test_terminal_output_stands_behind_the_call_that_shows_it():
    """A note about a terminal changes the turn's terminals, and so the call."""
    content = [{"type": "terminal", "terminalId": "t1"}]
    create = {
        "jsonrpc": "2.0",
        "id": 5,
        "method": "terminal/create",
        "params": {"sessionId": "s", "command": "ls"},
    }
    trail = Trail(
        [
            prompt(0),
            Record(1, "in", create),
            Record(2, "out", {"jsonrpc": "2.0", "id": 5, "result": {"terminalId": "t1"}}),
            update(3, sessionUpdate="tool_call", toolCallId="c", title="ls", content=content),
            Record(4, "note", {"kind": "terminal", "terminal_id": "t1", "data": "file\n"}),
            end(5),
        ]
    )
    assert trail.behind(Ref(0, 0)) == [(3, 5)]


def test_a_removed_plan_takes_its_records_with_it():
    """What stands after a removed item keeps its own records."""
    plan = {"type": "markdown", "planId": "p", "content": "# Plan"}
    trail = Trail(
        [
            prompt(0),
            update(1, sessionUpdate="plan_update", plan=plan),
            chunk(2, "text"),
            update(3, sessionUpdate="plan_removed", planId="p"),
            chunk(4, " more"),
        ]
    )
    assert [item.kind for item in trail.session.turns[0].items] == ["message"]
    assert trail.behind(Ref(0, 0)) == [(2, 3), (4, 5)]


def test_records_that_change_nothing_belong_nowhere():
    """Housekeeping is counted, not shown behind any item."""
    trail = Trail([Record(0, "out", {"jsonrpc": "2.0", "method": "x"}), prompt(1)])
    assert trail.turn_of[0] == NOWHERE
    assert trail.begins(0) == 1


def test_reading_bit_by_bit_is_reading_at_once():
    """A trail that reads on gives the same as one that read everything."""
    all_records = records("claude22-allow")
    slow, fast = Trail(all_records, read=0), Trail(all_records)
    while slow.read(5):
        assert slow.session == fast.at(slow.done)
    assert slow.session == fast.session
    assert list(slow.turn_of) == list(fast.turn_of)
    for ref in refs(fast.session):
        assert slow.behind(ref) == fast.behind(ref)


def test_times_never_go_back():
    """Records out of order, and a transcript without times, still have an order."""
    assert list(Trail([Record(2, "note", {}), Record(1, "note", {})]).times) == [0, 1]
    assert list(Trail([Record(1, "note", {}), Record(5, "note", {}), Record(3, "note", {})]).times) == [
        1,
        5,
        5,
    ]
