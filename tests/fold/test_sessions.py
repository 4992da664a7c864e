"""Rule 11 and what is known about a session: sessions by id, settings, the process, notes."""

from __future__ import annotations

from typing import Any

import pytest

from acp_notebook import Session, fold
from acp_notebook._fold.reopened import lineage
from acp_notebook._fold.state import AgentInfo, Context, Cost, Exit, Named
from tests.fold.wire import MAIN, Wire, diff

# ------------------------------------------------------------------------------------------- which session


def test_updates_before_the_answer_wait():
    """Until the session that they belong to is named; then they come in order."""
    wire = Wire(opened=False, prompt=None).initialize().ask(1, "session/new", {"cwd": "/p"})
    wire.message("a").update("current_mode_update", currentModeId="ask").message("b")
    assert (wire.session.preamble, wire.session.mode) == (None, None)
    wire.told(1, {"sessionId": MAIN, "modes": {"currentModeId": "plan", "availableModes": []}})
    assert wire.session.preamble.text == "ab"
    assert wire.session.mode == "ask"
    assert wire.session.children == {}
    assert [i.started for i in wire.session.preamble.items] == [wire.records[3].t]


def test_updates_of_a_known_session_never_wait():
    """Only those of a session that we do not know."""
    wire = Wire(prompt=None).prompt().ask(5, "session/fork", {"sessionId": MAIN}).message("now")
    assert wire.turn.text == "now"


def test_a_held_update_of_another_session_is_a_childs():
    """The answer named a session, and it was not that one."""
    wire = Wire(opened=False, prompt=None).ask(1, "session/new", {"cwd": "/p"}).message("x", session="other")
    wire.told(1, {"sessionId": MAIN})
    assert list(wire.session.children) == ["other"]
    assert wire.session.preamble is None


@pytest.mark.parametrize("end", [lambda w: w.failed(1, "no"), lambda w: w.ask(0, "initialize", {})])
def test_a_request_that_names_nothing_lets_go(end):
    """After an error, or when a new process begins, the first seen is the main session."""
    wire = Wire(opened=False, prompt=None).ask(1, "session/new", {"cwd": "/p"}).message("x")
    end(wire)
    assert wire.session.preamble.text == "x"
    assert wire.session.session_id == MAIN


def test_two_open_requests():
    """What waits waits for both."""
    wire = (
        Wire(opened=False, prompt=None)
        .ask(1, "session/new", {})
        .ask(2, "session/new", {})
        .message("x", session="b")
    )
    wire.told(1, {"sessionId": "a"})
    assert wire.session.to_json()["preamble"] is None
    wire.told(2, {"sessionId": "b"})
    assert wire.session.preamble.text == "x"
    assert wire.session.session_id == "b"


def test_without_any_name_the_first_seen_is_the_main_one():
    """A transcript may have lost its beginning."""
    wire = Wire(opened=False, prompt=None).message("a", session="x").message("b", session="y")
    assert wire.session.session_id == "x"
    assert wire.session.preamble.text == "a"
    assert list(wire.session.children) == ["y"]
    asked = Wire(opened=False, prompt=None).permission(session="x").session
    assert (asked.session_id, [c.state for c in asked.preamble.tool_calls]) == ("x", ["approval-requested"])


def test_a_prompt_names_its_session():
    """So do load and resume."""
    assert Wire(opened=False).session.session_id == MAIN
    assert Wire(opened=False).message("x").turn.text == "x"
    wire = Wire(opened=False, prompt=None).ask(1, "session/resume", {"sessionId": MAIN}).message("x")
    assert wire.session.preamble.text == "x"
    assert wire.told(1, {}).session.session_id == MAIN


def test_an_update_without_a_session_is_the_main_ones():
    """Some agents leave the id out."""
    assert Wire().message("x", session=None).turn.text == "x"
    assert Wire(opened=False, prompt=None).message("x", session=5).session.preamble.text == "x"


def test_sessions_of_ours_have_turns_of_their_own():
    """An update goes to the last turn of its session, or of all if it has none."""
    wire = Wire().message("a").end().new("second", 5).prompt("b", 101, "second")
    wire.message("late").message("here", session="second")
    first, second = wire.session.turns
    assert ([i.text for i in first.after], [i.text for i in second.items]) == (["late"], ["here"])
    wire.end(ident=101).new("third", 6).message("early", session="third")
    assert [i.text for i in wire.session.turns[1].after] == ["early"]


def test_settings_are_those_of_the_session_that_the_chat_is_in():
    """News of an earlier one change neither mode nor title; while one is loaded, its own count already."""
    wire = Wire().update("session_info_update", title="First").end().new("second", 5)
    wire.update("current_mode_update", "second", currentModeId="plan")
    wire.update("current_mode_update", currentModeId="wild").update("session_info_update", title="Late")
    assert (wire.session.mode, wire.session.title) == ("plan", None)
    wire.update("current_mode_update", None, currentModeId="nameless")
    assert wire.session.mode == "nameless"
    wire.ask(6, "session/load", {"sessionId": MAIN, "cwd": "/"})
    wire.update("current_mode_update", currentModeId="loaded")
    assert wire.session.mode == "loaded"
    wire.failed(6, {"code": -32002}).update("current_mode_update", currentModeId="no")
    assert wire.session.mode == "loaded"


def test_a_new_session_counts_its_usage_anew():
    """Late usage of the one before is its turn's; the context is that of the session the chat is in."""
    cost = {"amount": 2.0, "currency": "USD"}
    wire = Wire().update("usage_update", used=5, size=10, cost=cost).end().new("second", 5)
    assert wire.session.context is None
    wire.prompt("b", 101, "second")
    wire.update("usage_update", "second", used=1, size=10, cost={**cost, "amount": 3.0})
    wire.update("usage_update", used=9, size=10, cost={**cost, "amount": 2.5})
    first, second = wire.session.turns
    assert (first.cost.amount, second.cost.amount) == (2.5, 3.0)
    assert wire.session.context is not None
    assert wire.session.context.used == 1


def test_each_session_has_its_own_title_and_count():
    """A new one has none; one that is opened again has what it had, unless its history brings others."""
    wire = Wire().update("session_info_update", title="First").update("usage_update", used=5, size=10).end()
    wire.new("second", 5)
    assert (wire.session.title, wire.session.context) == (None, None)
    wire.update("session_info_update", "second", title="Second")
    wire.ask(6, "session/load", {"sessionId": MAIN, "cwd": "/"})
    assert (wire.session.title, wire.session.context) == ("First", Context(5, 10))
    wire.update("usage_update", used=6, size=10).told(6, {})
    assert (wire.session.title, wire.session.context) == ("First", Context(6, 10))
    wire.ask(7, "session/resume", {"sessionId": "second", "cwd": "/"}).told(7, {})
    assert (wire.session.title, wire.session.context) == ("Second", None)


def test_a_session_that_cannot_be_opened_changes_no_title():
    """The chat stays in the one where it was; what that one has told meanwhile stands."""
    wire = Wire().update("session_info_update", title="First").end()
    wire.ask(5, "session/load", {"sessionId": "gone", "cwd": "/"})
    wire.update("session_info_update", "gone", title="Gone").failed(5, {"code": -32002, "message": "no"})
    assert wire.session.title == "First"
    wire.ask(6, "session/new", {"cwd": "/"}).update("session_info_update", title="Renamed")
    wire.failed(6, {"code": -32603, "message": "no"})
    assert wire.session.title == "Renamed"


def test_the_history_of_a_copy_is_known_already():
    """What a copy replays is what its first session holds here, also where it came by our own record."""
    note = {"kind": "session", "how": "fork", "session": "copy", "of": MAIN}
    earlier = Wire().end().note("session", **{k: v for k, v in note.items() if k != "kind"})
    taken = Wire(prompt=None).note("history", records=[r.to_line() for r in earlier.records])
    for wire in (earlier, taken):
        wire.ask(9, "session/load", {"sessionId": "copy", "cwd": "/"})
        wire.update("user_message_chunk", "copy", content={"type": "text", "text": "hello"}).told(9, {})
        assert [(turn.replayed, turn.told) for turn in wire.session.turns] == [(False, False), (True, True)]
    for ring in ({"a": "b", "b": "a"}, {"a": "a"}):
        wire = Wire()
        for session, of in ring.items():
            wire.note("session", how="fork", session=session, of=of)
        assert lineage(wire.session, "a") == set(ring)


def test_two_turns_at_once():
    """In two sessions; each ends with its own answer."""
    wire = (
        Wire().new("second", 5).prompt("b", 101, "second").message("a").message("b", session="second").end()
    )
    first, second = wire.session.turns
    assert (first.status, first.text, second.status, second.text) == ("ready", "a", "streaming", "b")
    wire = Wire().new("second", 5).prompt("b", 101, "second").cancel(MAIN).note("exit", code=1)
    assert [t.status for t in wire.session.turns] == ["error", "error"]
    assert [t.cancel_requested for t in wire.session.turns] == [True, False]
    wire = Wire().new("second", 5).prompt("b", 101, "second").message("to the newer one", session=None)
    assert [t.text for t in wire.session.turns] == ["", "to the newer one"]


# ---------------------------------------------------------------------------------------------- children


def test_a_subagent_has_a_state_of_its_own():
    """Its turn runs while ours does; nothing of it is in our items."""
    wire = (
        Wire()
        .message("a")
        .message("sub", session="kid")
        .call("k", session="kid", content=[diff()])
        .message("b")
    )
    child = wire.session.children["kid"]
    assert child.session_id == "kid"
    (turn,) = child.turns
    assert (turn.text, turn.status, turn.session_id, turn.started) == (
        "sub",
        "streaming",
        "kid",
        wire.records[6].t,
    )
    assert [c.state for c in turn.tool_calls] == ["input-available"]
    assert child.status == "working"
    assert wire.turn.text == "ab"
    assert wire.turn.diffs == ()


def test_a_subagents_turn_ends_with_ours():
    """What comes later is after it; the next turn of ours is a new one of its own."""
    wire = (
        Wire()
        .message("sub", session="kid")
        .call("k", session="kid")
        .message("x")
        .end()
        .message("late", session="kid")
    )
    (turn,) = wire.session.children["kid"].turns
    assert (turn.status, [c.state for c in turn.tool_calls], [i.text for i in turn.after]) == (
        "ready",
        ["stopped"],
        ["late"],
    )
    wire.prompt("b", 101).message("new", session="kid")
    assert [t.text for t in wire.session.children["kid"].turns] == ["sub", "new"]
    failed = Wire().message("sub", session="kid").note("exit", code=1)
    assert [t.status for t in failed.session.children["kid"].turns] == ["error"]


def test_an_unchanged_child_is_the_same_object():
    """Also when our turn ends after its own has."""
    wire = Wire().message("sub", session="kid").end().prompt("b", 101).message("x")
    before = wire.session
    after = fold(before, wire.end(ident=101).records[-1])
    assert after.children is before.children


def test_a_subagents_settings_begin_no_turn():
    """Its title is its own."""
    wire = Wire().update("session_info_update", "kid", title="Search")
    child = wire.session.children["kid"]
    assert (child.title, child.turns, wire.session.title) == ("Search", (), None)
    assert Wire().update(["x"], "kid").session.children["kid"].turns[0].items[0].kind == "unknown"


def test_outside_of_our_turns():
    """A subagent that nobody waits for has a preamble."""
    wire = Wire(prompt=None).message("sub", session="kid")
    assert wire.session.children["kid"].preamble.text == "sub"


def test_a_subagents_permission_shows_on_our_turn():
    """It names its session and makes no call of ours."""
    wire = Wire().call("mine").call("k", session="kid").permission(0, "k", session="kid", title="T")
    (permission,) = wire.turn.permissions
    assert (permission.session_id, permission.tool_call_id, permission.title) == ("kid", "k", "T")
    assert [c.id for c in wire.turn.tool_calls] == ["mine"]
    assert wire.session.status == "waiting"
    assert wire.choose("yes").turn.permissions[0].outcome == "selected"
    assert wire.end().turn.status == "ready"


# ----------------------------------------------------------------------------------------------- settings


MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask", "description": "d"}, {"id": "plan"}, {"name": "x"}, 5],
}
MODELS = {
    "currentModelId": "m1",
    "availableModels": [{"modelId": "m1", "name": "One"}, {"modelId": "m2"}, {}],
}


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume", "session/fork"])
def test_the_answer_that_opens_a_session(method):
    """Offers modes, options and models."""
    wire = Wire(opened=False, prompt=None).ask(1, method, {"cwd": "/p", "sessionId": "old"})
    assert (wire.session.status, wire.session.cwd) == ("starting", "/p")
    session = wire.told(
        1,
        {
            "sessionId": "new",
            "modes": MODES,
            "models": MODELS,
            "configOptions": [{"id": "o", "type": "boolean", "currentValue": True}],
        },
    ).session
    assert session.session_id == ("new" if method in ("session/new", "session/fork") else "old")
    assert session.modes == (Named("ask", "Ask", "d"), Named("plan", "plan"))
    assert (session.mode, session.models.current) == ("ask", "m1")
    assert session.models.available == (Named("m1", "One"), Named("m2", "m2"))
    assert [(o.id, o.value) for o in session.options] == [("o", True)]
    assert session.unread == {"modes": 2, "models": 1}
    assert session.status == "ready"


def test_options():
    """Selects with flat or grouped choices, booleans, and kinds that we do not know."""
    options = [
        {
            "id": "mode",
            "name": "Mode",
            "description": "d",
            "category": "mode",
            "type": "select",
            "currentValue": "a",
            "options": [{"value": "a", "name": "A", "description": "x"}, {"value": "b"}, {}, 5],
        },
        {
            "id": "model",
            "type": "select",
            "currentValue": "x",
            "options": [
                {
                    "group": "g",
                    "name": "Group",
                    "options": [{"value": "x", "name": "X"}, {"group": "no", "options": [{"value": "deep"}]}],
                },
                {"group": "h", "options": [{"value": "y"}]},
            ],
        },
        {"id": "odd", "type": "slider", "currentValue": 5, "options": 5},
        {"id": "none"},
        {"name": "no id"},
    ]
    session = Wire().update("config_option_update", configOptions=options).session
    mode, model, odd, none = session.options
    assert (mode.id, mode.name, mode.description, mode.category, mode.type, mode.value) == (
        "mode",
        "Mode",
        "d",
        "mode",
        "select",
        "a",
    )
    assert [(c.value, c.name, c.description, c.group) for c in mode.choices] == [
        ("a", "A", "x", None),
        ("b", "b", None, None),
    ]
    assert [(c.value, c.name, c.group) for c in model.choices] == [("x", "X", "Group"), ("y", "y", "h")]
    assert (odd.type, odd.value, odd.choices) == ("slider", None, ())
    assert (none.name, none.type, none.value) == ("none", "unknown", None)
    assert session.unread == {"config_option": 1}
    assert Wire().update("config_option_update", configOptions=5).session.options == ()


def test_commands():
    """The list is replaced as a whole."""
    wire = Wire().update(
        "available_commands_update",
        availableCommands=[
            {"name": "a", "description": "A", "input": {"hint": "x"}},
            {"name": "b"},
            {"description": "?"},
            5,
        ],
    )
    assert [(c.name, c.description, c.hint) for c in wire.session.commands] == [
        ("a", "A", "x"),
        ("b", "", None),
    ]
    assert wire.session.unread == {"available_commands_update": 2}
    assert wire.update("available_commands_update", availableCommands=[]).session.commands == ()
    assert Wire().update("available_commands_update", availableCommands=5).session.unread == {
        "available_commands_update": 1
    }


def test_modes_change_from_either_side():
    """By an update, or by our request once it is answered."""
    assert Wire().update("current_mode_update", currentModeId="plan").session.mode == "plan"
    wire = Wire().ask(5, "session/set_mode", {"sessionId": MAIN, "modeId": "plan"})
    assert wire.session.mode is None
    assert wire.told(5, {}).session.mode == "plan"
    assert Wire().ask(5, "session/set_mode", {"modeId": "plan"}).failed(5, "no").session.mode is None
    assert (
        Wire()
        .update("current_mode_update", currentModeId="plan")
        .update("current_mode_update", currentModeId=5)
        .session.mode
        == "plan"
    )


def test_models_of_the_older_field():
    """Set by our request once it is answered."""
    wire = (
        Wire(prompt=None)
        .new("s", 3, models=MODELS)
        .ask(5, "session/set_model", {"modelId": "m2"})
        .told(5, {})
    )
    assert wire.session.models.current == "m2"
    assert Wire().ask(5, "session/set_model", {"modelId": "m2"}).told(5, {}).session.models is None
    again = (
        Wire(prompt=None).new("s", 3, models=MODELS).ask(5, "session/set_model", {"modelId": 5}).told(5, {})
    )
    assert again.session.models.current == "m1"


def test_options_come_with_the_answer():
    """The answer to set_config_option is the complete list."""
    wire = Wire().ask(5, "session/set_config_option", {}).told(5, {"configOptions": [{"id": "x"}]})
    assert [o.id for o in wire.session.options] == ["x"]


def test_titles():
    """Absent keeps, null clears."""
    wire = Wire().update("session_info_update", title="T").update("session_info_update", updatedAt="now")
    assert wire.session.title == "T"
    assert wire.update("session_info_update", title=5).session.title == "T"
    assert wire.update("session_info_update", title=None).session.title is None


def test_context():
    """What is absent or null keeps."""
    wire = Wire().update("usage_update", used=5, size=100, cost={"amount": 1, "currency": "USD"})
    assert (wire.session.context.used, wire.session.context.size, wire.session.context.cost) == (
        5,
        100,
        Cost(1, "USD"),
    )
    wire.update("usage_update", used=None, size="x", cost={"amount": True, "currency": "USD"}).update(
        "usage_update", cost={"amount": 1}
    ).update("usage_update", cost=5)
    assert (wire.session.context.used, wire.session.context.size, wire.session.context.cost) == (
        5,
        100,
        Cost(1, "USD"),
    )


def test_news_that_is_none_changes_nothing():
    """The same settings again leave the same object."""
    fields: list[tuple[str, dict[str, Any]]] = [
        ("available_commands_update", {"availableCommands": [{"name": "a", "description": "A"}]}),
        ("current_mode_update", {"currentModeId": "ask"}),
        ("config_option_update", {"configOptions": [{"id": "o"}]}),
        ("session_info_update", {"title": "T"}),
        ("usage_update", {"used": 1, "size": 2}),
    ]
    wire = Wire()
    for kind, more in fields:
        wire.update(kind, **more)
    before = wire.session
    for kind, more in fields:
        assert fold(before, wire.update(kind, **more).records[-1]) is before


# ---------------------------------------------------------------------------------------- the agent, notes


def test_the_agent():
    """What it says about itself in its answer to initialize, and the command from the note."""
    wire = Wire(opened=False, prompt=None).note("spawn", command=["agent", "--acp", 5], cwd="/p")
    assert (wire.session.status, wire.session.agent.command, wire.session.cwd) == (
        "starting",
        ("agent", "--acp"),
        "/p",
    )
    wire.initialize(
        agentInfo={"name": "a", "title": "A", "version": "1"},
        agentCapabilities={"loadSession": True},
        authMethods=[{"id": "x"}],
    )
    assert wire.session.agent == AgentInfo(
        "a", "A", "1", ("agent", "--acp"), 1, {"loadSession": True}, ({"id": "x"},)
    )
    assert Wire(opened=False, prompt=None).initialize(agentInfo=5, authMethods=5).session.agent == AgentInfo(
        protocol_version=1
    )
    assert Wire(opened=False, prompt=None).ask(0, "initialize", {}).failed(0, "x").session.agent is None
    assert Wire(opened=False, prompt=None).note("spawn", command="agent").session.agent.command == ("agent",)
    assert Wire(opened=False, prompt=None).note("spawn").session.agent.command == ()


def test_exit():
    """The process is gone; a new one begins anew."""
    wire = Wire().end().note("exit", code=1, signal=None, stderr="boom", reason="crash")
    assert wire.session.status == "ended"
    assert wire.session.exit == Exit(1, None, "boom", "crash")
    assert wire.note("spawn", command=["a"]).session.exit is None
    assert wire.session.status == "starting"
    assert Wire().note("exit", code=1).ask(0, "initialize", {}).session.exit is None


def test_closed():
    """We closed the chat; there is no exit to tell."""
    session = Wire().end().note("closed").session
    assert (session.status, session.exit) == ("ended", None)
    assert Wire().note("exit", code=0).note("closed").session.exit == Exit(0)


def test_the_status_of_a_session():
    """From nothing started to ready."""
    wire = Wire(opened=False, prompt=None)
    assert wire.session.status == "idle"
    assert wire.ask(0, "initialize", {}).session.status == "starting"
    assert wire.told(0, {}).session.status == "starting"
    assert wire.ask(1, "session/new", {"cwd": "/p"}).session.status == "starting"
    assert wire.told(1, {"sessionId": MAIN}).session.status == "ready"
    assert wire.prompt().session.status == "working"
    assert wire.end().session.status == "ready"
    assert Wire(opened=False).end().session.status == "ready"


def test_warnings():
    """Each is told, in order."""
    assert Wire().note("warning", text="a").note("warning", text="").note("warning").note(
        "warning", text="b"
    ).session.warnings == ("a", "b")


def test_noise():
    """Lines that were no messages are counted, one by one or together."""
    assert Wire().note("noise").note("noise", count=4).note("noise", count=-1).note(
        "noise", count="x"
    ).session.unread == {"noise": 6}
    assert Wire().note("noise", count=0).session.unread == {}
    assert Wire().note("noise", count=10**12).session.unread == {"noise": 10**12}


def test_a_note_of_hunks_in_another_form():
    """Is an item, wherever the conversation is."""
    wire = Wire().call("c").note("hunks", call="c", accepted=[0, 2])
    item = wire.turn.items[-1]
    assert (item.kind, item.name, item.raw) == (
        "unknown",
        "hunks",
        {"kind": "hunks", "call": "c", "accepted": [0, 2]},
    )
    assert [i.kind for i in Wire(prompt=None).note("hunks").session.preamble.items] == ["unknown"]


def test_redactions_leave_no_trace():
    """The message itself shows where."""
    wire = Wire()
    before = wire.session
    assert fold(before, wire.note("redacted", path="params.env").records[-1]) is before


def test_unknown_notes_are_counted():
    """They stay in the file."""
    wire = Wire().note("bookmark").add("note", {}).add("note", {"kind": 5})
    assert wire.session.unread == {"note bookmark": 1, "note": 2}


# ------------------------------------------------------------------------------------------------ unknown


def test_unknown_methods_are_counted():
    """Requests and notifications that we do not know, by name."""
    wire = (
        Wire()
        .tells("_auth/status_update", {})
        .tells("qwen/notify", {})
        .tells("qwen/notify", {})
        .asks(4, "craft/drain", {})
    )
    assert wire.session.unread == {"_auth/status_update": 1, "qwen/notify": 2, "craft/drain": 1}


def test_requests_that_leave_no_trace():
    """Files and kills: what they do comes with the call that made them."""
    wire = Wire()
    before = wire.session
    for method in ("fs/read_text_file", "fs/write_text_file", "terminal/kill"):
        wire.asks(4, method, {"path": "/a"}).answer(4, {"content": "x"})
    wire.add("out", {"method": "$/cancel_request", "params": {"requestId": 100}}).answer(77, {})
    assert fold(before, wire.records[5:]) is before


def test_messages_of_any_shape():
    """What is no message is counted; nothing raises."""
    none: list[Any] = [{}, {"id": 1}, {"method": 5}, {"method": None, "params": []}, {"jsonrpc": "2.0"}]
    for msg in none:
        assert Wire().add("in", msg).session.unread == {"message": 1}
    params: Any
    for params in (None, 5, [], {}, {"update": 5}, {"update": [], "sessionId": MAIN}):
        assert Wire().tells("session/update", params).session.unread == {"session/update": 1}
    for direction, msg in (("in", 5), ("out", None), ("note", []), ("up", {}), (None, {})):
        assert Wire().add(direction, msg).session.unread == {"record": 1}
    for msg in ({}, {"id": None}, {"id": [1], "result": 5}, {"method": 5}, {"method": ["x"], "id": 1}):
        wire = Wire()
        before = wire.session
        assert fold(before, wire.add("out", msg).records[-1]) is before


def test_reprs_are_short():
    """One line each."""
    wire = Wire(prompt=None).initialize(agentInfo={"name": "a"}).prompt("a long prompt " * 9).message("x")
    assert repr(wire.session) == "<Session working: 1 turns, agent 'a'>"
    assert repr(wire.turn) == "<Turn streaming: 'a long prompt a long prompt a long prom…', 1 items>"
    assert repr(Session()) == "<Session idle: 0 turns, agent None>"
    assert repr(Wire().turn) == "<Turn submitted: 'hello', 0 items>"


def test_requests_without_ids():
    """Nobody can answer them, so that nothing waits for that."""
    wire = (
        Wire(opened=False, prompt=None)
        .add("out", {"id": None, "method": "session/new", "params": {"cwd": "/p"}})
        .message("x")
    )
    assert wire.session.preamble.text == "x"
    wire = Wire(opened=False, prompt=None).ask(1, "session/load", {}).told(1, {}).message("x")
    assert (wire.session.preamble.text, wire.session.session_id, dict(wire.session.children)) == (
        "x",
        MAIN,
        {},
    )


def test_the_current_session_is_the_last_one_opened():
    """A prompt in an older one does not change that; nor does a request without a folder change the folder."""
    wire = Wire(prompt=None).new("second", 5).prompt("x", session=MAIN)
    assert wire.session.session_id == "second"
    assert wire.ask(6, "session/new", {}).session.cwd == "/home/user/project"


def test_a_child_without_a_turn():
    """Has nothing that could end with ours."""
    wire = Wire().update("session_info_update", "kid", title="T").message("x").end()
    assert wire.session.children["kid"].turns == ()
    before = wire.session
    assert fold(before, wire.update("session_info_update", "kid", title="T").records[-1]) is before


def test_a_process_started_again():
    """Keeps what is known until it says otherwise."""
    wire = (
        Wire(opened=False, prompt=None)
        .note("spawn", command="a", cwd="/p")
        .initialize(agentInfo={"name": "n"})
        .note("spawn", command="b")
    )
    assert (wire.session.agent.name, wire.session.agent.command, wire.session.cwd) == ("n", ("b",), "/p")


def test_an_exit_after_we_closed_is_no_news():
    """The process did not die, it was ended; two exits are two, though."""
    assert Wire().note("closed").note("exit", code=-15).session.exit is None
    assert Wire().note("exit", code=1).note("exit", code=2).session.exit == Exit(2)
    assert Wire(opened=False, prompt=None).note("exit", code=1).session.exit == Exit(1)


def test_a_note_whose_kind_is_no_word():
    """Is counted like one without any."""
    assert Wire().add("note", {"kind": ["x"]}).session.unread == {"note": 1}
