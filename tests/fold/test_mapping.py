"""The pure functions between the protocol and chat components; each row of their tables is a test."""

from __future__ import annotations

import pytest

from acp_notebook import (
    approval_status,
    decisions_from_options,
    diffs_from_content,
    diffs_to_content,
    permission_response,
    to_ui_message,
    tool_name,
)
from acp_notebook._fold.state import Diff
from tests.fold.wire import OPTIONS, Wire, diff, text_content

ALL = [
    {"optionId": "b", "name": "Always", "kind": "allow_always"},
    {"optionId": "a", "name": "Once", "kind": "allow_once"},
    {"optionId": "a2", "name": "Once, differently", "kind": "allow_once"},
    {"optionId": "d", "name": "Never", "kind": "reject_always"},
    {"optionId": "c", "name": "No", "kind": "reject_once"},
]
CANCELLED = {"outcome": {"outcome": "cancelled"}}


# ------------------------------------------------------------------------------------------------ options


@pytest.mark.parametrize(
    ("decision", "option"),
    [
        ("allow-once", "a"),
        ("allow-session", "a"),
        ("allow-always", "b"),
        ("deny-once", "c"),
        ("deny-always", "d"),
    ],
)
def test_a_decision_selects_the_option_of_its_kind(decision, option):
    """The first one of it, whatever the ids and the order; from dicts or from the state's options."""
    expected = {"outcome": {"outcome": "selected", "optionId": option}}
    assert permission_response(decision, ALL) == expected
    assert (
        permission_response(decision, Wire().permission(options=ALL).turn.permissions[0].options) == expected
    )


def test_without_such_an_option_the_request_is_cancelled():
    """So is any word that is no decision."""
    assert permission_response("deny-always", OPTIONS) == CANCELLED
    assert permission_response("allow-once", []) == CANCELLED
    assert permission_response("perhaps", [{"optionId": "x", "name": "x"}]) == CANCELLED
    assert permission_response("allow-once", [{"name": "no id", "kind": "allow_once"}]) == CANCELLED


def test_which_decisions_are_possible():
    """Each once; the session is offered whenever once is."""
    assert decisions_from_options(ALL) == (
        "allow-once",
        "allow-session",
        "allow-always",
        "deny-once",
        "deny-always",
    )
    assert decisions_from_options(OPTIONS) == ("allow-once", "allow-session", "allow-always", "deny-once")
    assert decisions_from_options([{"optionId": "x", "kind": "shrug"}]) == ()
    assert decisions_from_options(Wire().permission(options=ALL[3:]).turn.permissions[0].options) == (
        "deny-once",
        "deny-always",
    )


# -------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ({"name": "Read", "kind": "read", "title": "T"}, "Read"),
        ({"kind": "read", "title": "T"}, "read"),
        ({"name": None, "kind": "", "title": "T"}, "T"),
        ({"name": 5}, "tool"),
    ],
)
def test_the_name_of_a_tool(call, expected):
    """The tool's name, else its kind, else its title."""
    assert tool_name(call) == expected
    assert tool_name(Wire().call(**call).the_call) == expected


# -------------------------------------------------------------------------------------------------- diffs


def test_diffs_out_of_content():
    """From the protocol's dicts or the state's content; paths relative to the root if they lie in it."""
    raw = [
        text_content("x"),
        diff("/p/src/a.py"),
        diff("/elsewhere/b.py", None),
        diff("c.py", ""),
        {"type": "diff"},
    ]
    expected = [("src/a.py", "a"), ("/elsewhere/b.py", None), ("c.py", None)]
    assert [(d.path, d.old_text) for d in diffs_from_content(raw, root="/p")] == expected
    content = Wire().call(content=raw).the_call.content
    assert [(d.path, d.old_text) for d in diffs_from_content(content, root="/p/")] == expected
    assert [d.path for d in diffs_from_content(raw)] == ["/p/src/a.py", "/elsewhere/b.py", "c.py"]


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/p/a.py", "/p", "a.py"),
        ("/p/./x/../a.py", "/p/", "a.py"),
        ("/p2/a.py", "/p", "/p2/a.py"),
        ("/p", "/p", "/p"),
        ("/p/../secret", "/p", "/p/../secret"),
        ("/a.py", "/", "a.py"),
        ("/a.py", "", "/a.py"),
        ("C:\\p\\x\\a.py", "C:\\p", "x/a.py"),
        ("D:\\p\\a.py", "C:\\p", "D:\\p\\a.py"),
        ("a.py", "/p", "a.py"),
    ],
)
def test_relative_paths(path, root, expected):
    """By the text alone; what lies outside keeps its path as it was sent."""
    assert Diff(path, None, "x").relative(root) == expected


def test_diffs_and_back():
    """A new file has null as its old text."""
    files = [Diff("/a", "x", "y"), Diff("/b", None, "z")]
    raw = [
        {"type": "diff", "path": "/a", "oldText": "x", "newText": "y"},
        {"type": "diff", "path": "/b", "oldText": None, "newText": "z"},
    ]
    assert diffs_to_content(files) == raw
    assert list(diffs_from_content(diffs_to_content(files))) == files


# ------------------------------------------------------------------------------------------------ messages


def parts(wire):
    return to_ui_message(wire.turn)["parts"]


def part(wire):
    (one,) = parts(wire)
    return one


def test_text_and_reasoning():
    """Chunks joined; the last of them streams until the turn ends."""
    wire = Wire().thought("h").thought("m").message("a").message("b")
    assert parts(wire) == [
        {"type": "reasoning", "text": "hm", "state": "done"},
        {"type": "text", "text": "ab", "state": "streaming"},
    ]
    assert [p["state"] for p in parts(wire.end())] == ["done", "done"]


def test_the_message():
    """From the assistant, with an id that is always the same."""
    wire = Wire().message("a")
    assert {k: v for k, v in to_ui_message(wire.turn).items() if k != "parts"} == {
        "id": "main-session-0.4",
        "role": "assistant",
    }
    assert to_ui_message(wire.turn, "m")["id"] == "m"


def test_pictures_are_files():
    """With their data in the address."""
    wire = Wire().chunk("agent_message_chunk", {"type": "image", "mimeType": "image/png", "data": "AA"})
    assert parts(wire) == [{"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA"}]
    assert (
        parts(
            Wire().chunk("agent_message_chunk", {"type": "image", "mimeType": "image/png", "uri": "http://x"})
        )
        == []
    )


@pytest.mark.parametrize("status", [None, "pending", "in_progress"])
def test_a_running_call(status):
    """Is one part, its updates merged."""
    wire = Wire().call("c", title="T", status=status).call("c", start=False, name="Read", rawInput={"a": 1})
    assert part(wire) == {
        "type": "dynamic-tool",
        "toolName": "Read",
        "toolCallId": "c",
        "state": "input-available",
        "input": {"a": 1},
        "title": "T",
    }


def test_a_completed_call():
    """Its output is the raw one, else the text of its content, a terminal's included."""
    assert part(Wire().call(status="completed", rawOutput={"x": 1}, content=[text_content("t")]))[
        "output"
    ] == {"x": 1}
    wire = Wire().call(status="completed", content=[text_content("t"), diff(), text_content("u")])
    assert (part(wire)["state"], part(wire)["output"]) == ("output-available", "t\nu")
    shown = (
        Wire()
        .note("terminal", terminal_id="t", data="out")
        .call(status="completed", content=[{"type": "terminal", "terminalId": "t"}])
    )
    assert part(shown)["output"] == "out"
    assert "title" not in part(wire)
    assert "approval" not in part(wire)


def test_a_failed_call():
    """Says why."""
    wire = Wire().call(status="failed", content=[text_content("no such file")])
    assert (part(wire)["state"], part(wire)["errorText"]) == ("output-error", "no such file")
    assert part(Wire().call(status="failed", rawOutput="bad"))["errorText"] == "bad"
    assert part(Wire().call(status="failed", rawOutput={"a": 1}))["errorText"] == ""


def test_a_waiting_call():
    """The approval's id is the call's."""
    waiting = part(Wire().call("c").permission(0, "c"))
    assert (waiting["state"], waiting["approval"]) == ("approval-requested", {"id": "c"})
    assert approval_status(waiting) == "pending"


def test_an_allowed_call():
    """Keeps the approval when its output comes."""
    wire = Wire().call("c").permission(0, "c").choose("yes")
    assert (part(wire)["state"], part(wire)["approval"]) == (
        "approval-responded",
        {"id": "c", "approved": True},
    )
    assert approval_status(part(wire)) == "approved"
    wire.call("c", start=False, status="completed")
    assert (part(wire)["state"], part(wire)["approval"]) == (
        "output-available",
        {"id": "c", "approved": True},
    )
    assert approval_status(part(wire)) == "approved"


@pytest.mark.parametrize(
    "end", [lambda w: w.choose("no"), lambda w: w.withdraw(), lambda w: w.end("cancelled")]
)
def test_a_refused_call(end):
    """Also when the request was cancelled."""
    wire = Wire().call("c").permission(0, "c")
    end(wire)
    assert (part(wire)["state"], part(wire)["approval"]) == ("output-denied", {"id": "c", "approved": False})
    assert approval_status(part(wire)) == "denied"


def test_several_requests_for_one_call():
    """The newest that waits is shown, else the one answered last."""
    wire = Wire().call("c").permission(0, "c").permission(1, "c").choose("no", 1)
    assert part(wire)["approval"] == {"id": "c"}
    wire.choose("yes", 0)
    assert part(wire)["approval"] == {"id": "c", "approved": True}


def test_a_stopped_call():
    """Reads as waiting for its output, in a message that is no longer active."""
    wire = Wire().call().end()
    assert part(wire)["state"] == "input-available"
    assert not wire.turn.active


def test_what_is_no_part():
    """User messages, plans, notices, settings, unknown things and what came afterwards are left out."""
    wire = (
        Wire()
        .user("other")
        .update("plan", entries=[{"content": "a"}])
        .update("notice", title="N")
        .update("brand_new")
    )
    wire.update("usage_update", used=1, size=2).update("current_mode_update", currentModeId="x").message(
        "a"
    ).end().message("late")
    assert [p["type"] for p in parts(wire)] == ["text"]


def test_the_status_of_an_approval():
    """None if nobody was ever asked."""
    assert approval_status({"state": "output-available"}) is None
    assert approval_status({"state": "output-available", "approval": {"id": "c"}}) is None
    assert approval_status({"state": "output-available", "approval": 5}) is None
