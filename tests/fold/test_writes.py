"""Writes through the client that no diff of the agent shows."""

from __future__ import annotations

from typing import Any

from acp_notebook._fold.state import ToolCall

from .wire import Wire


def wrote(wire: Wire, call: str = "call", path: str = "/p/a", old: str | None = "1", new: str = "2") -> Wire:
    return wire.note("wrote", call_id=call, path=path, old=old, new=new)


def told(path: str, old: str, new: str) -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def diffs(call: ToolCall) -> list[tuple[str, str | None, str]]:
    return [(diff.path, diff.old_text, diff.new_text) for diff in call.diffs]


def test_a_write_is_a_diff_of_its_call():
    """Also in the JSON form; a later write of the file takes its place."""
    wire = wrote(Wire().call(status="in_progress"))
    assert diffs(wire.the_call) == [("/p/a", "1", "2")]
    wrote(wire, new="3")
    assert diffs(wire.the_call) == [("/p/a", "1", "3")]
    wrote(wire, path="/p/b", old=None).call(start=False, status="completed")
    assert diffs(wire.the_call) == [("/p/a", "1", "3"), ("/p/b", None, "2")]
    assert (wire.the_call.status, wire.the_call.kind) == ("completed", None)
    said = wire.session.to_json()["turns"][0]["items"][0]["call"]["diffs"]
    assert said == [
        {"path": "/p/a", "old_text": "1", "new_text": "3"},
        {"path": "/p/b", "old_text": None, "new_text": "2"},
    ]


def test_what_the_call_shows_itself_stands():
    """Before the write or after it: no file stands there twice, other files stay."""
    wire = wrote(wrote(Wire().call(content=[told("a", "x", "y")])), path="/p/b")
    assert diffs(wire.the_call) == [("a", "x", "y"), ("/p/b", "1", "2")]
    wire = wrote(wrote(Wire().call()), path="/p/b").call(start=False, content=[told("/p/b", "x", "y")])
    assert diffs(wire.the_call) == [("/p/b", "x", "y"), ("/p/a", "1", "2")]


def test_what_its_permission_shows_stands():
    """Of that file, also if a later one shows nothing; a write of another one joins it."""
    wire = Wire().call().permission(content=[told("/p/a", "x", "y")]).permission(1)
    wrote(wire)
    assert diffs(wire.the_call) == [("/p/a", "x", "y")]
    wrote(wire, path="/p/b")
    assert diffs(wire.the_call) == [("/p/a", "x", "y"), ("/p/b", "1", "2")]


def test_a_write_of_no_call_is_a_call():
    """A finished one, in its place in the turn, or after it."""
    wire = wrote(Wire().message("so"), "acp-notebook:write-1").message("then").end()
    call = wire.the_call
    assert (call.name, call.kind, call.status, call.title) == (
        "fs/write_text_file",
        "edit",
        "completed",
        "Write /p/a",
    )
    assert (call.state, diffs(call)) == ("output-available", [("/p/a", "1", "2")])
    assert wire.kinds() == ["message", "tool_call", "message"]
    wrote(wire, "acp-notebook:write-2")
    assert [item.kind for item in wire.turn.after] == ["tool_call"]


def test_notes_that_say_too_little_are_counted():
    """And change nothing."""
    wire = Wire().note("wrote", path="/p/a", new="x").note("wrote", call_id="c", new="x")
    wire.note("wrote", call_id="c", path="/p/a")
    assert wire.session.unread == {"note wrote": 3}
    assert wire.turn.items == ()
