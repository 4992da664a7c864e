"""Rules 2 and 5: which call a message means, how it merges, and what state the call is in."""

from __future__ import annotations

from typing import Any

import pytest

from acp_notebook import Session, fold
from tests.fold.wire import Wire, diff, text_content


def test_a_call_with_everything():
    """Each field of the protocol has its attribute."""
    wire = Wire().call(
        "c",
        name="Edit",
        title="Edit a.py",
        kind="edit",
        status="in_progress",
        content=[text_content("x"), diff("/p/a.py", "old", "new"), {"type": "terminal", "terminalId": "t"}],
        locations=[{"path": "/p/a.py", "line": 3}, {"path": "b.py", "line": None}],
        rawInput={"a": 1},
        rawOutput=["out"],
    )
    call = wire.the_call
    assert (call.id, call.name, call.title, call.kind, call.status) == (
        "c",
        "Edit",
        "Edit a.py",
        "edit",
        "in_progress",
    )
    assert [c.type for c in call.content] == ["content", "diff", "terminal"]
    assert call.content[0].block.text == "x"
    assert [(d.path, d.old_text, d.new_text, d.call_id, d.state) for d in call.diffs] == [
        ("/p/a.py", "old", "new", "c", "input-available")
    ]
    assert [(x.path, x.line) for x in call.locations] == [("/p/a.py", 3), ("b.py", None)]
    assert (call.raw_input, call.raw_output, call.terminals) == ({"a": 1}, ["out"], ("t",))
    assert wire.turn.diffs == call.diffs
    assert not call.finished


def test_absent_and_null_keep():
    """Only fields with a value change; null means unchanged, too."""
    full: dict[str, Any] = {
        "name": "n",
        "title": "t",
        "kind": "read",
        "status": "pending",
        "content": [text_content("x")],
        "locations": [{"path": "/a"}],
        "rawInput": {"a": 1},
        "rawOutput": "o",
    }
    wire = Wire().call("c", **full)
    before = wire.session
    wire.call("c", start=False).call("c", start=False, **dict.fromkeys(full)).call("c", **full)
    assert fold(before, wire.records[-3:]) is before


def test_present_fields_replace():
    """Each field is replaced by what came last; lists as a whole."""
    wire = Wire().call(
        title="a", content=[text_content("x"), text_content("y")], locations=[{"path": "/a"}, {"path": "/b"}]
    )
    wire.call(
        start=False,
        title="b",
        kind="edit",
        content=[text_content("z")],
        locations=[{"path": "/c"}],
        rawInput=0,
        rawOutput=False,
    )
    call = wire.the_call
    assert (call.title, call.kind, call.raw_input, call.raw_output) == ("b", "edit", 0, False)
    assert [c.block.text for c in call.content] == ["z"]
    assert [x.path for x in call.locations] == ["/c"]


def test_an_empty_list_clears():
    """`[]` is a value."""
    wire = (
        Wire()
        .call(content=[text_content("x")], locations=[{"path": "/a"}])
        .call(start=False, content=[], locations=[])
    )
    assert (wire.the_call.content, wire.the_call.locations) == ((), ())


def test_the_last_diff_stays_reachable():
    """Later content without a diff does not hide what was changed; a newer diff replaces it."""
    wire = Wire().call(content=[diff(new="1")]).call(start=False, content=[text_content("written")])
    assert [d.new_text for d in wire.the_call.diffs] == ["1"]
    assert [c.type for c in wire.the_call.content] == ["content"]
    wire.call(start=False, content=[diff(new="2"), diff("/p/b.py")])
    assert [d.new_text for d in wire.the_call.diffs] == ["2", "b"]
    wire.call(start=False, content=[])
    assert [d.new_text for d in wire.the_call.diffs] == ["2", "b"]


def test_a_new_file_has_no_old_text():
    """Null, absent and empty all mean it; agents send either."""
    absent = {"type": "diff", "path": "/n", "newText": "x"}
    wire = Wire().call(content=[diff("/n", None), diff("/n", ""), absent])
    assert [d.old_text for d in wire.the_call.diffs] == [None, None, None]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": "Read", "kind": "read", "title": "T"}, "Read"),
        ({"kind": "read", "title": "T"}, "read"),
        ({"title": "T"}, "T"),
        ({}, "tool"),
    ],
)
def test_the_name_of_a_tool(fields, expected):
    """The tool's name, else its kind, else its title."""
    assert Wire().call(**fields).the_call.tool_name == expected


def test_a_second_start_in_the_same_turn_merges():
    """Some agents announce a call twice."""
    wire = Wire().call(title="a", status="in_progress").call(kind="edit")
    call = wire.the_call
    assert (call.title, call.kind, call.status) == ("a", "edit", "in_progress")


def test_a_start_in_a_later_turn_is_a_new_call():
    """Agents use ids again: even an unfinished call of an earlier turn is another one."""
    wire = Wire().call(title="first").end().prompt("again", 101).call(title="second")
    first, second = wire.session.turns
    assert [c.title for c in first.tool_calls] == ["first"]
    assert [c.title for c in second.tool_calls] == ["second"]


def test_an_update_finds_an_unfinished_call_of_an_earlier_turn():
    """A late status belongs to the call it is about."""
    wire = Wire().call(title="first").end().prompt("again", 101).end(ident=101).prompt("and", 102)
    wire.call(start=False, status="completed")
    first, second, third = wire.session.turns
    assert [c.status for c in first.tool_calls] == ["completed"]
    assert second.tool_calls == third.tool_calls == ()


def test_the_latest_earlier_call_decides():
    """If that one is finished, the update begins a new call here, whatever is open further back."""
    wire = Wire().call().end().prompt("b", 101).call(status="completed").end(ident=101).prompt("c", 102)
    wire.call(start=False, title="new")
    assert [[(c.title, c.status) for c in t.tool_calls] for t in wire.session.turns] == [
        [(None, None)],
        [(None, "completed")],
        [("new", None)],
    ]


def test_an_update_of_an_unknown_call_creates_it():
    """Some agents never announce a call."""
    wire = Wire().call("x", start=False, title="T", status="completed")
    assert (wire.the_call.title, wire.the_call.state) == ("T", "output-available")


def test_calls_of_the_preamble_are_found():
    """A call that began before the first prompt goes on in it."""
    wire = Wire(prompt=None).call(title="early").prompt().call(start=False, status="completed")
    session = wire.session
    assert [c.status for c in session.preamble.tool_calls] == ["completed"]
    assert session.turns[0].tool_calls == ()


def test_calls_of_a_process_that_is_gone_are_not_meant():
    """Its calls can get no news any more; the same id is another call."""
    wire = Wire().call(title="old").initialize().prompt("b", 101).permission(title="new")
    assert [[c.title for c in t.tool_calls] for t in wire.session.turns] == [["old"], ["new"]]


def test_calls_of_another_session_are_not_meant():
    """The same id in another session of ours is another call."""
    wire = Wire().call(title="first").end().new("other", 5).prompt("b", 101, "other")
    wire.call(start=False, session="other", title="second")
    assert [[c.title for c in t.tool_calls] for t in wire.session.turns] == [["first"], ["second"]]


@pytest.mark.parametrize("name", ["name", "title", "kind", "status", "content", "locations"])
def test_a_field_of_the_wrong_type_counts_as_absent(name):
    """It keeps what was there and is counted."""
    wrong: dict[str, Any] = {name: 5}
    wire = Wire().call(title="T").call(start=False, **wrong)
    assert wire.the_call == Wire().call(title="T").the_call
    assert wire.session.unread == {f"tool_call.{name}": 1}


def test_malformed_entries_of_lists():
    """Content is kept raw; a location that has no path is skipped and counted."""
    bad = [
        {"type": "hologram"},
        {"type": "diff", "path": "/a"},
        {"type": "diff", "newText": "x"},
        {"type": "terminal"},
        {"type": "content"},
        {"type": 5},
        "x",
        None,
    ]
    wire = Wire().call(content=bad, locations=[{"line": 1}, "x", {"path": "/a", "line": "3"}])
    assert [c.raw for c in wire.the_call.content] == bad
    assert [c.type for c in wire.the_call.content] == [
        "hologram",
        "diff",
        "diff",
        "terminal",
        "content",
        "unknown",
        "unknown",
        "unknown",
    ]
    assert [(x.path, x.line) for x in wire.the_call.locations] == [("/a", None)]
    assert wire.session.unread == {"tool_call.locations": 2}


def test_unknown_words_are_kept():
    """Kinds and statuses that the protocol does not know stand as the agent said them."""
    wire = Wire().call(kind="teleport", status="paused")
    assert (wire.the_call.kind, wire.the_call.status, wire.the_call.state) == (
        "teleport",
        "paused",
        "input-available",
    )


# ------------------------------------------------------------------------------------------------ states


def test_a_waiting_permission_comes_first():
    """Whatever the status says."""
    for status in (None, "pending", "in_progress", "completed", "failed"):
        assert Wire().call(status=status).permission().the_call.state == "approval-requested"


@pytest.mark.parametrize("status", [None, "in_progress", "completed", "failed"])
def test_a_refused_call_stays_refused(status):
    """Agents report refused calls as failed, completed, or never again."""
    wire = Wire().call().permission().choose("no").call(start=False, status=status)
    assert wire.the_call.state == "output-denied"
    assert wire.end().the_call.state == "output-denied"


def test_a_refused_call_has_ended():
    """At the answer, because some agents never say a word about it again."""
    wire = Wire().call().permission().choose("no").message("well")
    item = wire.turn.items[0]
    assert item.ended == wire.records[7].t


def test_a_cancelled_request_denies():
    """Like a reject option."""
    assert Wire().call().permission().withdraw().the_call.state == "output-denied"


def test_the_last_answer_counts_not_the_last_request():
    """Of several permissions for one call, the one answered last decides."""
    wire = Wire().call().permission(0).permission(1)
    assert wire.choose("no", 1).the_call.state == "approval-requested"
    assert wire.choose("yes", 0).the_call.state == "approval-responded"
    again = Wire().call().permission(0).permission(1).choose("yes", 1).choose("no", 0)
    assert again.the_call.state == "output-denied"


def test_an_option_of_unknown_kind_is_no_refusal():
    """Nor is an option that was never offered."""
    options = [{"optionId": "q", "name": "Maybe", "kind": "shrug"}]
    assert Wire().call().permission(options=options).choose("q").the_call.state == "approval-responded"
    assert Wire().call().permission(options=options).choose("zzz").the_call.state == "approval-responded"


def test_final_statuses():
    """Completed and failed, after an allowed permission as well as without any."""
    assert Wire().call(status="completed").the_call.state == "output-available"
    assert Wire().call(status="failed").the_call.state == "output-error"
    allowed = Wire().call().permission().choose("yes")
    assert allowed.the_call.state == "approval-responded"
    assert allowed.call(start=False, status="failed").the_call.state == "output-error"
    assert allowed.call(start=False, status="completed").the_call.state == "output-available"


def test_open_calls_are_stopped_when_the_turn_is_over():
    """Allowed or not; a late final status still corrects it, and its end."""
    wire = Wire().call(status="in_progress").end()
    assert wire.the_call.state == "stopped"
    assert Wire().call().permission().choose("yes").end().the_call.state == "stopped"
    wire.call(start=False, status="completed")
    assert wire.the_call.state == "output-available"
    assert wire.turn.items[0].ended == wire.records[-1].t


def test_a_call_that_comes_after_the_turn_is_over():
    """Nobody waits for it; unless it brings its result, it is stopped."""
    assert Wire().end().call("x", status="in_progress").the_call.state == "stopped"
    assert Wire().end().call("x", status="completed").the_call.state == "output-available"


def test_an_unchanged_call_is_the_same_object():
    """Only what an update touches is new."""
    wire = Wire().call("a", title="A").call("b", title="B")
    before = fold(Session(), wire.records)
    after = fold(before, wire.call("b", start=False, status="completed").records[-1])
    assert after.turns[0].items[0] is before.turns[0].items[0]
    assert after.turns[0].items[1] is not before.turns[0].items[1]
    assert after.commands is before.commands


def test_the_verdict_is_that_of_its_own_request():
    """Not of the first."""
    assert (
        Wire().call().permission(0).permission(1).choose("yes", 0).choose("no", 1).the_call.state
        == "output-denied"
    )


def test_content_of_another_type_is_not_taken_for_one_we_know():
    """Fields alone do not make it so."""
    odd = [
        {"type": "hologram", "content": {"type": "text", "text": "x"}},
        {"type": "hologram", "path": "/a", "newText": "x"},
        {"type": "hologram", "terminalId": "t"},
    ]
    wire = Wire().call(content=odd)
    assert [c.raw for c in wire.the_call.content] == odd
    assert wire.turn.diffs == wire.the_call.terminals == ()


def test_calls_are_found_whatever_stands_between():
    """Many in one turn, some after its end, with a plan in front that is taken away later."""
    wire = Wire().update("plan_update", plan={"planId": "p", "entries": [{"content": "x"}]})
    ids = [f"c{number}" for number in range(200)]
    for call_id in ids[:150]:
        wire.call(call_id).message("x")
    wire.update("plan_removed", planId="p")
    wire.end()
    for call_id in ids[150:]:
        wire.call(call_id)
    for call_id in ids:
        wire.call(call_id, start=False, title=f"of {call_id}")
    calls = wire.turn.tool_calls
    assert [call.id for call in calls] == ids
    assert [call.title for call in calls] == [f"of {call_id}" for call_id in ids]


def test_the_thousandth_call_costs_what_the_first_does():
    """No look at every call before it: counted, not timed."""
    looks = 0

    class Counted(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal looks
            looks += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    wire = Wire()
    for number in range(1000):
        wire.call(Counted(f"c{number}"))
    assert len(wire.turn.tool_calls) == 1000
    assert looks < 10_000
