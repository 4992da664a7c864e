"""Patches say what changed, in the fewest words."""

from __future__ import annotations

from typing import Any

import pytest

from acp_notebook import Session, fold
from acp_notebook._fold.patches import apply, patch
from acp_notebook._fold.terminals import KEPT
from tests.fold.wire import Wire, diff, text_content


def step(wire, add):
    """The operations for what `add` does to a wire, after a look at whether they are right."""
    before = fold(Session(), wire.records)
    seen = len(wire.records)
    add(wire)
    after = fold(before, wire.records[seen:])
    ops = patch(before, after)
    assert apply(before.to_json(), ops) == after.to_json()
    return ops


def test_nothing():
    """The same state has no patch."""
    session = Wire().message("x").session
    assert patch(session, session) == []
    assert patch(session, Wire().message("x").session) == []


def test_streaming_text_is_one_append():
    """However many chunks there were."""
    ops = step(Wire().message("a"), lambda w: w.message("b").message("c"))
    assert ops == [["app", ["turns", 0, "items", 0, "blocks", 0, "text"], "bc"]]


def test_text_behind_many_turns():
    """Indices are absolute; earlier turns are not looked at."""
    wire = (
        Wire()
        .message("x")
        .end()
        .prompt("b", 101)
        .message("y")
        .end(ident=101)
        .prompt("c", 102)
        .thought("t")
        .message("z")
    )
    assert step(wire, lambda w: w.message("!")) == [
        ["app", ["turns", 2, "items", 1, "blocks", 0, "text"], "!"]
    ]


def test_a_new_item_is_pushed():
    """And the one before ends."""
    ops = step(Wire().message("a"), lambda w: w.call("c", title="T"))
    assert [op[:2] for op in ops] == [
        ["set", ["turns", 0, "items", 0, "ended"]],
        ["push", ["turns", 0, "items"]],
    ]


def test_a_new_block_is_pushed():
    """In the item that it joins."""
    ops = step(
        Wire().message("a"),
        lambda w: w.chunk("agent_message_chunk", {"type": "audio", "mimeType": "a/b", "data": "A"}),
    )
    assert ops == [
        ["push", ["turns", 0, "items", 0, "blocks"], [{"type": "audio", "mime_type": "a/b", "data": "A"}]]
    ]


def test_a_call_changes_field_by_field():
    """Only what differs is sent."""
    wire = Wire().call("c", title="T", content=[diff()], rawInput={"a": 1})
    call = ["turns", 0, "items", 0, "call"]
    ops = step(wire, lambda w: w.call("c", start=False, title="U", rawInput={"a": 1}))
    assert sorted(ops) == [["set", [*call, "title"], "U"], ["set", [*call, "tool_name"], "U"]]
    ops = step(
        wire, lambda w: w.call("c", start=False, content=[text_content("x")], locations=[{"path": "/a"}])
    )
    assert sorted(ops) == [
        ["set", [*call, "content"], [{"type": "content", "block": {"type": "text", "text": "x"}}]],
        ["set", [*call, "locations"], [{"path": "/a", "line": None}]],
    ]


def test_a_permission_is_answered():
    """Its fields, and the state of its call."""
    ops = step(Wire().call().permission(), lambda w: w.choose("yes"))
    assert {tuple(op[1]) for op in ops} == {
        ("status",),
        ("turns", 0, "items", 0, "call", "state"),
        ("turns", 0, "permissions", 0, "outcome"),
        ("turns", 0, "permissions", 0, "option_id"),
        ("turns", 0, "permissions", 0, "answered"),
    }


def test_terminal_output_is_appended_and_trimmed():
    """In UTF-16 units, as browsers count."""
    wire = Wire().note("terminal", terminal_id="t", data="\N{GRINNING FACE}" * 10 + "x" * (KEPT - 10))
    ops = step(wire, lambda w: w.note("terminal", terminal_id="t", data="y"))
    path = ["turns", 0, "terminals", "t", "output"]
    kept = KEPT * 3 // 4
    assert ops == [
        ["trim", path, KEPT + 1 - kept + 10],
        ["app", path, "y"],
        ["set", ["turns", 0, "terminals", "t", "truncated"], True],
    ]
    assert step(wire, lambda w: w.note("terminal", terminal_id="t", data="z")) == [["app", path, "z"]]
    replaced = step(
        Wire()
        .asks(0, "terminal/create", {})
        .answer(0, {"terminalId": "t"})
        .asks(1, "terminal/output", {"terminalId": "t"})
        .answer(1, {"output": "ab"}),
        lambda w: w.asks(1, "terminal/output", {"terminalId": "t"}).answer(1, {"output": "new"}),
    )
    assert replaced == [["set", path, "new"]]


def test_a_new_terminal_is_set():
    """By its id."""
    ops = step(Wire(), lambda w: w.note("terminal", terminal_id="t", data="x"))
    assert [op[:2] for op in ops] == [["set", ["turns", 0, "terminals", "t"]]]


def test_turns_come_and_go():
    """New ones are pushed, taken back ones are cut."""
    wire = Wire()
    prompt = [{"type": "text", "text": "later"}]
    assert [op[:2] for op in step(wire, lambda w: w.note("queued", id="a", prompt=prompt))] == [
        ["push", ["turns"]]
    ]
    assert step(wire, lambda w: w.note("unqueued", id="a")) == [["cut", ["turns"], 1]]
    wire.note("queued", id="a", prompt=prompt)
    ops = step(wire, lambda w: w.end().prompt("later", 101))
    assert ["set", ["turns", 1, "status"], "submitted"] in ops
    assert not any(op[0] in ("push", "cut") and op[1] == ["turns"] for op in ops)


def test_warnings_are_pushed():
    """Like everything that only grows."""
    wire = Wire().note("warning", text="a")
    assert step(wire, lambda w: w.note("warning", text="b")) == [["push", ["warnings"], ["b"]]]


def test_children():
    """A subagent is set once and then patched inside."""
    wire = Wire()
    assert [op[:2] for op in step(wire, lambda w: w.message("x", session="kid"))] == [
        ["set", ["children", "kid"]]
    ]
    assert step(wire, lambda w: w.message("y", session="kid")) == [
        ["app", ["children", "kid", "turns", 0, "items", 0, "blocks", 0, "text"], "y"]
    ]
    assert ["del", ["children", "kid"]] in patch(wire.session, Wire().session)


def test_the_preamble():
    """Set when it comes, patched afterwards."""
    wire = Wire(prompt=None)
    assert [op[:2] for op in step(wire, lambda w: w.message("x"))] == [["set", ["preamble"]]]
    ops = step(wire, lambda w: w.message("y"))
    assert ["app", ["preamble", "items", 0, "blocks", 0, "text"], "y"] in ops


def test_another_kind_of_item_in_its_place():
    """Is another item."""
    ops = patch(Wire().message("a").session, Wire().thought("a").session)
    assert [op[:2] for op in ops] == [["set", ["turns", 0, "items", 0]]]
    ops = patch(Wire().message("a").session, Wire().call().session)
    assert [op[:2] for op in ops] == [["set", ["turns", 0, "items", 0]]]


def test_types_that_are_equal_in_python():
    """1 is not true in JSON."""
    ops = patch(Wire().call(rawInput=1).session, Wire().call(rawInput=True).session)
    assert ops == [["set", ["turns", 0, "items", 0, "call", "raw_input"], True]]
    assert ops[0][2] is True


def test_apply_changes_nothing_it_was_given():
    """Neither the form nor the operations, now or later."""
    form = {"a": [{"b": "x"}]}
    value = {"c": []}
    ops: list[Any] = [["push", ["a"], [value]], ["push", ["a", 1, "c"], [1]], ["app", ["a", 0, "b"], "y"]]
    assert apply(form, ops) == {"a": [{"b": "xy"}, {"c": [1]}]}
    assert form == {"a": [{"b": "x"}]}
    assert value == {"c": []}
    assert apply(form, [["set", [], 5]]) == 5
    with pytest.raises(KeyError):
        apply(form, [["swap", ["a"], 1]])


def test_answered_output_is_appended():
    """An answer that continues what was there sends only the rest."""
    wire = Wire().asks(0, "terminal/create", {}).answer(0, {"terminalId": "t"})
    wire.asks(1, "terminal/output", {"terminalId": "t"}).answer(1, {"output": "ab"})
    more = lambda w: w.asks(1, "terminal/output", {"terminalId": "t"}).answer(1, {"output": "abc"})  # noqa: E731
    assert step(wire, more) == [["app", ["turns", 0, "terminals", "t", "output"], "c"]]
