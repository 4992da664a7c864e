"""Rules 4 and 6: permission requests end exactly once, and what a call takes from them."""

from __future__ import annotations

import pytest

from acp_notebook import Session, fold
from acp_notebook._fold.questions import open_questions
from tests.fold.wire import MAIN, OPTIONS, Wire, diff, text_content


def only(wire):
    (permission,) = wire.turn.permissions
    return permission


def test_a_request_says_everything_itself():
    """What the request says is kept apart from the call, options in the agent's order."""
    wire = Wire().call(title="Editing", kind="edit", rawInput={"a": 1})
    wire.permission(
        title="Edit files",
        kind="other",
        rawInput={"b": 2},
        status="pending",
        content=[diff(), text_content("why")],
        locations=[{"path": "/a", "line": 2}],
    )
    permission = only(wire)
    assert (permission.key, permission.request_id, permission.session_id, permission.tool_call_id) == (
        "1:0",
        0,
        "main-session",
        "call",
    )
    assert (permission.title, permission.kind, permission.raw_input) == ("Edit files", "other", {"b": 2})
    assert [d.path for d in permission.diffs] == ["/p/a.py"]
    assert [c.type for c in permission.content] == ["diff", "content"]
    assert [(x.path, x.line) for x in permission.locations] == [("/a", 2)]
    assert [(o.id, o.name, o.kind) for o in permission.options] == [
        (o["optionId"], o["name"], o["kind"]) for o in OPTIONS
    ]
    assert permission.waiting
    assert (
        permission.outcome,
        permission.option_id,
        permission.option,
        permission.decided_by,
        permission.answered,
    ) == (None, None, None, None, None)
    assert permission.asked == wire.records[-1].t
    assert (wire.the_call.title, wire.the_call.kind, wire.the_call.raw_input, wire.the_call.status) == (
        "Editing",
        "edit",
        {"a": 1},
        None,
    )
    assert wire.the_call.permissions == (permission,)


def test_a_call_takes_what_it_lacks_but_never_the_status():
    """The title, kind, input and places of an unannounced call come from the request."""
    wire = Wire().permission(
        name="n",
        title="T",
        kind="edit",
        rawInput={"a": 1},
        status="completed",
        locations=[{"path": "/a"}],
        content=[diff()],
    )
    call = wire.the_call
    assert (call.name, call.title, call.kind, call.raw_input, call.status) == (
        "n",
        "T",
        "edit",
        {"a": 1},
        None,
    )
    assert [x.path for x in call.locations] == ["/a"]
    assert call.content == ()


def test_cleared_content_never_hides_the_requests_diff():
    """The diffs of a call are its own, else those of its newest permission that has some."""
    wire = Wire().permission(0, content=[diff("/asked.py")]).permission(1).call(start=False, content=[])
    assert [(d.path, d.call_id) for d in wire.the_call.diffs] == [("/asked.py", "call")]
    wire.call(start=False, content=[diff("/own.py")])
    assert [d.path for d in wire.the_call.diffs] == ["/own.py"]


def test_a_permission_finds_an_unfinished_call_of_an_earlier_turn():
    """As an update does; it ends with the turn in which it was asked."""
    wire = Wire().call(title="first").end().prompt("again", 101).permission(title="x")
    first, second = wire.session.turns
    assert [c.title for c in first.tool_calls] == ["first"]
    assert [p.waiting for p in first.permissions] == [True]
    assert second.permissions == ()
    assert second.status == "streaming"
    assert wire.session.status == "waiting"
    wire.end(ident=101)
    assert [p.outcome for p in wire.session.turns[0].permissions] == ["cancelled"]


def test_a_turn_is_no_longer_submitted_once_it_asks():
    """A permission counts as the first sign of life."""
    assert Wire().turn.status == "submitted"
    assert Wire().permission().turn.status == "streaming"
    assert Wire().permission(call=None).turn.status == "streaming"


def test_answered():
    """The chosen option is kept by id; when, too."""
    wire = Wire().call().permission().choose("ever")
    permission = only(wire)
    assert (permission.outcome, permission.option_id, permission.option.name) == (
        "selected",
        "ever",
        "Always allow",
    )
    assert permission.answered == wire.records[-1].t
    assert not permission.refused
    assert not permission.waiting
    assert permission.decided_by is None
    assert wire.the_call.permissions == (permission,)


@pytest.mark.parametrize(
    "result",
    [
        None,
        5,
        {},
        {"outcome": None},
        {"outcome": {"outcome": "cancelled"}},
        {"outcome": {"outcome": "selected"}},
        {"outcome": {"outcome": "selected", "optionId": 5}},
        {"outcome": {"optionId": "yes"}},
    ],
)
def test_any_other_answer_is_a_cancellation(result):
    """A request that was answered has ended, whatever the answer."""
    permission = only(Wire().permission().answer(0, result))
    assert (permission.outcome, permission.option_id, permission.refused) == ("cancelled", None, True)


def test_an_error_is_a_cancellation():
    """Our error answer ends the request as well."""
    wire = Wire().permission().add("out", {"id": 0, "error": {"code": -32603, "message": "x"}})
    assert only(wire).outcome == "cancelled"


def test_zero_is_an_id():
    """Agents begin to count at 0."""
    assert Wire().permission(0).choose("yes", 0).turn.permissions[0].outcome == "selected"


def test_ids_are_compared_by_type():
    """0 and "0" are two requests; true is no id at all, although it equals 1."""
    wire = Wire().permission(0, "a").permission("0", "b").choose("yes", "0")
    assert [(p.key, p.outcome) for p in wire.turn.permissions] == [("1:0", None), ('1:"0"', "selected")]
    for bad in (None, True, 1.5, [], {}):
        assert Wire().permission(bad).session.unread == {"session/request_permission": 1}
    assert Wire().permission(1).choose("yes", True).turn.permissions[0].waiting


def test_several_wait_at_once():
    """Also for one call; each has its own end."""
    wire = Wire().permission(0).permission(1).permission(2, "other")
    assert [p.request_id for p in wire.session.pending] == [0, 1, 2]
    wire.choose("yes", 1)
    assert [p.request_id for p in wire.session.pending] == [0, 2]
    assert [p.request_id for p in wire.turn.pending] == [0, 2]
    assert wire.session.status == "waiting"
    wire.choose("no", 0).choose("no", 2)
    assert wire.session.pending == ()
    assert wire.session.status == "working"


def test_an_id_used_again_is_another_permission():
    """Keys stay unique; if the first still waits, the second takes its place."""
    wire = Wire().permission(0).choose("yes").permission(0).choose("no").permission(0)
    assert [(p.key, p.outcome) for p in wire.turn.permissions] == [
        ("1:0", "selected"),
        ("1:0#2", "selected"),
        ("1:0#3", None),
    ]
    wire.permission(0)
    assert [p.outcome for p in wire.turn.permissions] == ["selected", "selected", "cancelled", None]


def test_a_second_answer_changes_nothing():
    """A late click, or the answer that the broker still owes."""
    wire = Wire().permission().choose("no")
    before = wire.session
    assert fold(before, wire.choose("yes").records[-1]) is before
    assert fold(before, wire.withdraw().records[-1]) is before


def test_a_status_does_not_answer_it():
    """Only an answer or one of the ends does."""
    wire = Wire().call().permission().call(start=False, status="completed").message("x")
    assert only(wire).waiting


def test_the_agent_takes_it_back():
    """`$/cancel_request` ends the request that it names, and no other."""
    wire = Wire().permission(0).permission(1).tells("$/cancel_request", {"requestId": 0})
    assert [(p.outcome, p.decided_by) for p in wire.turn.permissions] == [
        ("cancelled", "cancel"),
        (None, None),
    ]
    assert wire.session.unread == {}
    before = wire.session
    for params in ({"requestId": 0}, {"requestId": "1"}, {"requestId": [1]}, {}, None, 5):
        assert fold(before, wire.tells("$/cancel_request", params).records[-1]) is before


def test_the_end_of_its_turn_ends_it():
    """Even if our answer comes later."""
    wire = Wire().call().permission().end("cancelled")
    permission = only(wire)
    assert (permission.outcome, permission.decided_by, permission.answered) == (
        "cancelled",
        "cancel",
        wire.records[-1].t,
    )
    before = wire.session
    assert fold(before, wire.withdraw().records[-1]) is before


def test_the_end_of_another_turn_does_not_end_it():
    """A request from outside a turn waits on."""
    wire = Wire().end().permission().prompt("next", 101).end(ident=101)
    first, _ = wire.session.turns
    assert [p.outcome for p in first.permissions] == [None]
    assert wire.session.status == "waiting"
    assert [p.request_id for p in wire.session.pending] == [0]


@pytest.mark.parametrize(
    "end",
    [
        lambda w: w.note("exit", code=1),
        lambda w: w.note("closed"),
        lambda w: w.note("force_stop"),
        lambda w: w.initialize(),
    ],
)
def test_a_process_that_is_gone_ends_it(end):
    """Exit, close, force stop and a new process all do, wherever it was asked."""
    inside = Wire().permission()
    end(inside)
    assert [(p.outcome, p.decided_by) for p in inside.turn.permissions] == [("cancelled", "cancel")]
    outside = Wire(prompt=None).permission()
    end(outside)
    assert [p.outcome for p in outside.session.preamble.permissions] == ["cancelled"]


def test_a_new_process_counts_anew():
    """The same request id is another permission then."""
    wire = Wire().permission().initialize().prompt("b", 101).permission()
    assert [[p.key for p in t.permissions] for t in wire.session.turns] == [["1:0"], ["2:0"]]


def test_cancel_is_written_down_as_the_reason():
    """After our cancel, a cancelled answer was made by the cancel."""
    wire = Wire().permission().cancel().withdraw()
    assert (only(wire).outcome, only(wire).decided_by) == ("cancelled", "cancel")
    assert only(Wire().permission().withdraw()).decided_by is None


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ({"by": "person"}, "person"),
        ({"by": "policy"}, "policy"),
        ({"by": "rule", "rule": "only reads"}, "only reads"),
        ({"by": "rule"}, "rule"),
        ({"by": "person", "rule": "x"}, "person"),
    ],
)
def test_who_decided(note, expected):
    """A note tells it, before the answer or after it."""
    early = Wire().call().permission().note("decision", request_id=0, **note)
    assert only(early).waiting
    assert only(early.choose("yes")).decided_by == expected
    late = Wire().call().permission().choose("yes").note("decision", request_id=0, **note)
    assert only(late).decided_by == expected
    assert late.the_call.permissions == late.turn.permissions


def test_a_late_decision_changes_nothing():
    """Two views clicked, or the cancel was faster."""
    wire = Wire().permission().note("decision", request_id=0, by="person").choose("yes")
    before = wire.session
    assert fold(before, wire.note("decision", request_id=0, by="policy").records[-1]) is before
    wire = Wire().permission().end("cancelled")
    before = wire.session
    assert fold(before, wire.note("decision", request_id=0, by="person").records[-1]) is before


def test_a_cancel_is_stronger_than_a_decision_that_did_not_get_through():
    """The person had clicked, but the agent was gone."""
    wire = Wire().permission().note("decision", request_id=0, by="person").note("exit", code=1)
    assert only(wire).decided_by == "cancel"


def test_a_decision_is_for_the_newest_request_of_that_id():
    """Ids are used again."""
    wire = Wire().permission().choose("yes").permission().note("decision", request_id=0, by="person")
    assert [p.decided_by for p in wire.turn.permissions] == [None, "person"]


def test_decisions_that_mean_nothing():
    """A note about a request that was never made, or a malformed one."""
    wire = Wire().permission()
    before = wire.session
    for note in (
        {"request_id": 7, "by": "person"},
        {"request_id": 0},
        {"request_id": 0, "by": 5},
        {"by": "person"},
        {"request_id": [0], "by": "person"},
        {"request_id": "0", "by": "person"},
    ):
        assert fold(before, wire.note("decision", **note).records[-1]) is before


def test_options_of_any_shape():
    """What has an id is offered; the rest is skipped and counted."""
    options = [{"optionId": "a"}, {"optionId": "b", "name": "B", "kind": 5}, {"name": "no id"}, "x", None]
    wire = Wire().permission(options=options)
    assert [(o.id, o.name, o.kind) for o in only(wire).options] == [
        ("a", "a", "unknown"),
        ("b", "B", "unknown"),
    ]
    assert wire.session.unread == {"permission.options": 3}
    wire = Wire().asks(
        0, "session/request_permission", {"toolCall": {"toolCallId": "c"}, "options": {"a": 1}}
    )
    assert only(wire).options == ()
    assert wire.session.unread == {"permission.options": 1}


def test_a_request_without_a_call():
    """It stands in the turn alone."""
    for wire in (
        Wire().permission(call=None, title="T"),
        Wire().asks(0, "session/request_permission", None),
        Wire().asks(0, "session/request_permission", {"toolCall": 5}),
    ):
        assert len(wire.turn.permissions) == 1
        assert wire.turn.items == ()
        assert wire.session.status == "waiting"


def test_before_the_first_prompt():
    """A request may come at any time."""
    session = Wire(prompt=None).permission(title="T").session
    assert [p.title for p in session.pending] == ["T"]
    assert [c.state for c in session.preamble.tool_calls] == ["approval-requested"]
    assert session.status == "waiting"


def test_pending_permissions_are_in_the_order_asked():
    """Wherever they stand."""
    wire = Wire().end().permission(3, "a").prompt("b", 101).permission(1, "b").permission(2, "c")
    assert [p.request_id for p in wire.session.pending] == [3, 1, 2]
    assert Session().pending == ()


# ------------------------------------------------------------------------------------------ elicitations


ASK = {
    "mode": "form",
    "sessionId": "main-session",
    "message": "Which?",
    "requestedSchema": {"type": "object"},
}


def test_an_elicitation_is_an_item_with_its_response():
    """It waits for a person like a permission does."""
    wire = Wire().asks(0, "elicitation/create", ASK)
    (item,) = wire.turn.items
    assert (item.kind, item.name, item.ended) == ("elicitation", "elicitation/create", None)
    assert item.raw == {"key": "1:0", "request_id": 0, "request": ASK, "response": None}
    assert wire.session.status == "waiting"
    assert wire.session.pending == ()
    wire.message("hm").answer(0, {"action": "accept", "content": {"a": "b"}})
    item = wire.turn.items[0]
    assert item.raw["response"] == {"action": "accept", "content": {"a": "b"}}
    assert item.ended == wire.records[-1].t
    assert wire.session.status == "working"


def test_an_elicitation_ends_once():
    """By an error, a cancellation, its turn's end; a later answer changes nothing."""
    failed = Wire().asks(0, "elicitation/create", ASK).add("out", {"id": 0, "error": {"code": -32601}})
    assert failed.turn.items[0].raw["response"] == {"error": {"code": -32601}}
    taken_back = Wire().asks(0, "elicitation/create", ASK).tells("$/cancel_request", {"requestId": 0})
    ended = Wire().asks(0, "elicitation/create", ASK).end()
    for wire in (taken_back, ended):
        before = wire.session
        assert wire.turn.items[0].raw["response"] == {"action": "cancel"}
        assert fold(before, wire.answer(0, {"action": "accept"}).records[-1]) is before


def test_an_elicitation_of_the_same_id_again():
    """The newer one is answered."""
    wire = (
        Wire()
        .asks(0, "elicitation/create", ASK)
        .asks(0, "elicitation/create", ASK)
        .answer(0, {"action": "decline"})
    )
    assert [i.raw["response"] for i in wire.turn.items] == [{"action": "cancel"}, {"action": "decline"}]


def test_two_elicitations_at_once():
    """Each response finds its request."""
    wire = (
        Wire()
        .asks(0, "elicitation/create", ASK)
        .asks("0", "elicitation/create", ASK)
        .answer(0, {"action": "decline"})
    )
    assert [i.raw["response"] for i in wire.turn.items] == [{"action": "decline"}, None]


def test_an_elicitation_after_the_turn():
    """It stands among what came after."""
    wire = Wire().message("x").end().asks(0, "elicitation/create", ASK).answer(0, {"action": "decline"})
    assert [i.raw["response"] for i in wire.turn.after] == [{"action": "decline"}]


def test_a_note_says_who_answered_an_elicitation():
    """The note stands before the answer; the first one counts, and other notes change nothing."""
    wire = Wire().asks(0, "elicitation/create", ASK)
    wire.note("decision", request_id=0, by="policy").note("offer", request_id=0, covers="all")
    wire.answer(0, {"action": "decline"})
    assert wire.turn.items[0].raw["decided_by"] == "policy"
    assert "covers" not in wire.turn.items[0].raw


LINK = {"mode": "url", "elicitationId": "e1", "url": "https://example.org", "message": "Sign in"}


def test_what_was_to_be_done_at_a_link_is_done():
    """`elicitation/complete` marks the newest of that id, also after the answer; unknown ids change nothing."""
    wire = Wire().asks(0, "elicitation/create", LINK).answer(0, {"action": "accept"})
    before = wire.session
    for params in ({"elicitationId": "other"}, {}):
        assert fold(before, wire.tells("elicitation/complete", params).records[-1]) is before
    wire.tells("elicitation/complete", {"elicitationId": "e1"})
    assert wire.turn.items[0].raw["complete"] is True
    assert wire.turn.items[0].ended == before.turns[-1].items[0].ended != wire.records[-1].t
    wire = Wire().asks(0, "elicitation/create", LINK).update("odd")
    wire.asks(1, "elicitation/create", {**ASK, "elicitationId": "e1"})
    wire.tells("elicitation/complete", {"elicitationId": "e1"})
    assert [item.raw.get("complete") for item in wire.turn.items] == [True, None, None]
    form = Wire().asks(0, "elicitation/create", ASK)
    assert fold(form.session, form.tells("elicitation/complete", {}).records[-1]) == form.session
    assert not form.turn.items[0].raw.get("complete")


def test_open_questions_are_read_from_their_items():
    """What the agent left out counts as absent; answered ones are open no more."""
    wire = Wire().asks(0, "elicitation/create", ASK).asks("a", "elicitation/create", {**LINK, "message": 5})
    wire.update("odd")
    form, link = open_questions(wire.session)
    assert (form.key, form.mode, form.message, form.schema) == ("1:0", "form", "Which?", {"type": "object"})
    assert (link.key, link.mode, link.message, link.url) == ('1:"a"', "url", "", "https://example.org")
    wire.answer(0, {"action": "decline"})
    assert [q.request_id for q in open_questions(wire.session)] == ["a"]


def test_without_a_session_it_is_ours():
    """The id may be left out."""
    wire = Wire().permission(session=None, title="T")
    assert wire.the_call.state == "approval-requested"
    early = (
        Wire(opened=False, prompt=None).permission(session=None).message("x").message("y", session="other")
    )
    assert (early.session.session_id, early.session.preamble.text, list(early.session.children)) == (
        "main-session",
        "x",
        ["other"],
    )


def test_while_a_session_is_being_opened():
    """A request is served at once, and makes no session the main one."""
    wire = Wire(opened=False, prompt=None).ask(1, "session/new", {"cwd": "/p"}).permission(session="x")
    assert wire.session.status == "waiting"
    wire.told(1, {"sessionId": "y"}).message("sub", session="x")
    assert (wire.session.session_id, list(wire.session.children)) == ("y", ["x"])


def test_a_subagents_call_is_not_one_of_ours():
    """Even if an unfinished call of an earlier turn has its id."""
    wire = (
        Wire()
        .call("k")
        .end()
        .prompt("b", 101)
        .message("sub", session="kid")
        .permission(0, "k", session="kid")
    )
    first, second = wire.session.turns
    assert (first.permissions, [p.tool_call_id for p in second.permissions]) == ((), ["k"])


def test_a_finished_call_does_not_end_again():
    """When its permission is refused afterwards."""
    wire = Wire().call().permission().call(start=False, status="completed")
    ended = wire.turn.items[0].ended
    wire.choose("no")
    assert (wire.the_call.state, wire.turn.items[0].ended) == ("output-denied", ended)


def test_who_decided_changes_no_state():
    """It is told, nothing else."""
    assert (
        Wire().call().permission().choose("no").note("decision", request_id=0, by="person").the_call.state
        == "output-denied"
    )


def test_other_raw_items_are_no_elicitations():
    """An update that we do not know stands between a request and its response."""
    wire = Wire().asks(0, "elicitation/create", ASK).update("brand_new").answer(0, {"action": "decline"})
    assert wire.turn.items[0].raw["response"] == {"action": "decline"}
    assert Wire().asks(0, "elicitation/create", ASK).answer(0, None).turn.items[0].raw["response"] == {
        "error": None
    }


def test_what_we_ask_ourselves_is_a_permission():
    """Its request and answer are notes; the rest is as for the agent's own."""
    asked = {"sessionId": MAIN, "toolCall": {"title": "Run it", "kind": "execute"}, "options": list(OPTIONS)}
    wire = Wire().note("asked", request_id="own", params=asked)
    [permission] = wire.turn.pending
    assert (permission.title, permission.request_id, permission.tool_call_id) == ("Run it", "own", None)
    assert wire.session.status == "waiting"
    wire.note("answered", request_id="own", result={"outcome": {"outcome": "selected", "optionId": "no"}})
    [permission] = wire.turn.permissions
    assert (permission.outcome, permission.option_id, permission.refused) == ("selected", "no", True)


def test_answers_that_nobody_asked_for():
    """Notes without an id, or about a request that is no permission, change nothing."""
    wire = Wire().note("asked", params={}).note("answered").note("answered", request_id="own", result={})
    assert wire.session.unread == {"note asked": 1, "note answered": 1}
    wire = Wire().asks(5, "elicitation/create", {"sessionId": MAIN, "message": "?"})
    before = wire.session
    assert fold(before, wire.note("answered", request_id=5, result={}).records[-1]) is before
