"""Rules 6 to 9: how turns begin and end, what comes outside of them, and replayed ones."""

from __future__ import annotations

import pytest

from acp_notebook import Session, fold
from tests.fold.wire import MAIN, Wire, diff

NOTHING = "The agent ended the turn without sending anything."


def test_an_empty_session():
    """The beginning of every fold."""
    session = Session()
    assert (session.turns, session.status, session.preamble, session.session_id) == ((), "idle", None, None)
    assert fold(session, []) is session


def test_a_prompt_begins_a_turn():
    """Submitted until the first item comes, then streaming."""
    wire = Wire()
    turn = wire.turn
    assert (turn.session_id, turn.status, turn.active, turn.stop_reason, turn.error) == (
        MAIN,
        "submitted",
        True,
        None,
        None,
    )
    assert [b.text for b in turn.prompt] == ["hello"]
    assert (turn.started, turn.ended, turn.replayed, turn.cancel_requested) == (
        wire.records[-1].t,
        None,
        False,
        False,
    )
    assert wire.session.status == "working"
    wire.message("x")
    assert (wire.turn.status, wire.turn.active) == ("streaming", True)


def test_the_answer_ends_it():
    """With the agent's word, and its token counts in snake_case."""
    wire = (
        Wire()
        .message("x")
        .end("max_tokens", usage={"inputTokens": 3, "outputTokens": 4.5, "flag": True, "words": "no"})
    )
    turn = wire.turn
    assert (turn.status, turn.active, turn.stop_reason, turn.error) == ("ready", False, "max_tokens", None)
    assert turn.usage == {"input_tokens": 3, "output_tokens": 4.5}
    assert turn.ended == wire.records[-1].t
    assert wire.session.status == "ready"
    assert Wire().message("x").end(usage={}).turn.usage is None


def test_unknown_stop_reasons_are_kept():
    """The agent's word, whatever it is; none at all is counted."""
    assert Wire().end("tired").turn.stop_reason == "tired"
    wire = Wire().told(100, {})
    assert (wire.turn.status, wire.turn.stop_reason) == ("ready", None)
    assert wire.session.unread == {"stop_reason": 1}
    assert Wire().told(100, None).turn.status == "ready"
    assert Wire().end(5).turn.stop_reason is None


def test_a_turn_that_ends_with_nothing_says_so():
    """Otherwise the person would look at an empty space."""
    (item,) = Wire().end().turn.items
    assert (
        item.kind,
        item.severity,
        item.title,
        item.streaming if hasattr(item, "streaming") else False,
    ) == ("notice", "info", NOTHING, False)
    assert [i.kind for i in Wire().message("x").end().turn.items] == ["message"]
    assert Wire().failed(100, {"code": 1, "message": "m"}).turn.items == ()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"code": -32603, "message": "Internal error"}, "Internal error"),
        (
            {"code": -32603, "message": "Internal error", "data": {"details": "no model"}},
            "Internal error: no model",
        ),
        (
            {"code": -32603, "message": "Internal error", "data": {"message": "no model"}},
            "Internal error: no model",
        ),
        ({"code": -32603, "message": "Internal error", "data": "no model"}, "Internal error: no model"),
        ({"message": "no model at all", "data": "no model"}, "no model at all"),
        ({"data": "no model"}, "no model"),
        ("boom", "boom"),
        ({"code": 5}, "error without a message: {'code': 5}"),
        (None, "error without a message: None"),
    ],
)
def test_an_error_ends_it(error, expected):
    """Whatever shape the error has."""
    wire = Wire().message("x").failed(100, error)
    assert (wire.turn.status, wire.turn.error, wire.turn.stop_reason) == ("error", expected, None)
    assert wire.turn.items[0].streaming is False
    assert wire.session.status == "ready"


def test_an_error_beside_a_result_is_an_error():
    """An answer with both has failed; only a null beside the result means nothing."""
    both = Wire().add("in", {"id": 100, "result": {"stopReason": "end_turn"}, "error": {"message": "no"}})
    assert (both.turn.status, both.turn.error) == ("error", "no")
    null = Wire().add("in", {"id": 100, "result": {"stopReason": "end_turn"}, "error": None})
    assert (null.turn.status, null.turn.error, null.turn.stop_reason) == ("ready", None, "end_turn")


# ------------------------------------------------------------------------------------------------ cancel


def test_cancel():
    """Asked to stop, the turn goes on until it is answered; late updates are taken."""
    wire = Wire().message("a").cancel()
    assert (wire.turn.cancel_requested, wire.turn.active, wire.session.status) == (True, True, "stopping")
    wire.permission()
    assert wire.session.status == "stopping"
    wire.message("b")
    assert wire.turn.items[-1].text == "b"
    assert wire.end("cancelled").turn.stop_reason == "cancelled"
    assert wire.session.status == "ready"


def test_the_agents_word_stands_after_a_cancel():
    """Some agents answer `end_turn`, some an error; -32800 counts as cancelled."""
    assert Wire().message("x").cancel().end("end_turn").turn.stop_reason == "end_turn"
    cancelled = Wire().message("x").cancel().failed(100, {"code": -32800, "message": "cancelled"}).turn
    assert (cancelled.status, cancelled.stop_reason, cancelled.error) == ("ready", "cancelled", None)
    other = Wire().message("x").cancel().failed(100, {"code": -32603, "message": "m"}).turn
    assert (other.status, other.error) == ("error", "m")
    unasked = Wire().message("x").failed(100, {"code": -32800, "message": "m"}).turn
    assert (unasked.status, unasked.error) == ("error", "m")


def test_a_cancel_is_for_the_running_turn_of_its_session():
    """Not for one that is over, nor for another session's."""
    wire = Wire().end()
    before = wire.session
    assert fold(before, wire.cancel().records[-1]) is before
    assert Wire().cancel("other").turn.cancel_requested is False
    wire = Wire().cancel()
    before = wire.session
    assert fold(before, wire.cancel().records[-1]) is before
    everything = Wire().add("out", {"method": "session/cancel", "params": None})
    assert everything.turn.cancel_requested is True


# -------------------------------------------------------------------------------------------------- ends


@pytest.mark.parametrize(
    ("end", "status", "error"),
    [
        (
            lambda w: w.note("exit", code=3),
            "error",
            "The agent's process ended (exit code 3) before it had answered.",
        ),
        (
            lambda w: w.note("exit", signal="SIGKILL"),
            "error",
            "The agent's process ended (signal SIGKILL) before it had answered.",
        ),
        (
            lambda w: w.note("exit"),
            "error",
            "The agent's process ended (exit code unknown) before it had answered.",
        ),
        (lambda w: w.note("closed"), "error", "The chat was closed before the agent had answered."),
        (lambda w: w.note("force_stop"), "ready", None),
        (lambda w: w.initialize(), "error", "The agent was started anew before it had answered."),
    ],
)
def test_every_end_leaves_nothing_open(end, status, error):
    """Open calls are stopped, texts stop streaming, everything has its time."""
    wire = Wire().message("a").call()
    end(wire)
    message, call = wire.turn.items
    assert (wire.turn.status, wire.turn.error, wire.turn.stop_reason) == (status, error, None)
    assert (message.streaming, call.call.state) == (False, "stopped")
    assert call.ended == wire.turn.ended is not None


def test_a_call_ends_when_its_turn_does():
    """Every kind of item has its end then."""
    wire = (
        Wire()
        .update("plan", entries=[{"content": "a"}])
        .call()
        .update("plan_update", plan={"planId": "p", "content": "x"})
        .end()
    )
    assert {i.ended for i in wire.turn.items} == {wire.records[-1].t}


def test_an_answer_after_a_forced_stop():
    """The turn is over; the agent's word is still written down, but not over another one."""
    wire = Wire().message("x").note("force_stop").end("cancelled", usage={"a": 1})
    assert (wire.turn.status, wire.turn.stop_reason, wire.turn.usage) == ("ready", "cancelled", {"a": 1})
    wire = Wire().message("x").note("exit", code=1).failed(100, {"message": "late"})
    assert (wire.turn.status, wire.turn.stop_reason) == ("error", None)


def test_answers_that_nobody_asked_for():
    """They are counted and change nothing else."""
    for ident in (7, "x", None, True, 1.5, [100], {}):
        assert Wire().end(ident=ident).session.unread == {"response": 1}
    assert Wire().end().end().session.unread == {"response": 1}
    assert Wire().end(ident=True).turn.active


@pytest.mark.parametrize("ident", ["100", 100.0])
def test_an_answer_with_its_id_in_another_form(ident):
    """Some agents turn the number into text or a float."""
    assert Wire().end(ident=ident).turn.status == "ready"


def test_an_answer_to_a_text_id():
    """Ids of ours may be text, and are found before numbers that look alike."""
    wire = Wire(prompt=None).prompt("a", 5).prompt("b", "5")
    assert [t.active for t in wire.end(ident="5").session.turns] == [True, False]


def test_a_prompt_without_an_id():
    """Cannot be answered, but is shown; other ends end it."""
    wire = (
        Wire()
        .end()
        .add("out", {"method": "session/prompt", "id": None, "params": {"sessionId": MAIN, "prompt": []}})
    )
    assert (wire.turn.status, wire.turn.prompt) == ("submitted", ())
    assert wire.note("exit", code=0).turn.status == "error"


# ---------------------------------------------------------------------------------------- outside a turn


def test_what_comes_after_a_turn():
    """Stands in `after`, ends at once, and leaves `items`, `text` and `status` alone."""
    wire = (
        Wire()
        .message("a")
        .end()
        .message("b", "m")
        .message("c", "m")
        .thought("d")
        .call("late", status="completed", content=[diff()])
    )
    turn = wire.turn
    assert [i.kind for i in turn.items] == ["message"]
    assert [i.kind for i in turn.after] == ["message", "thought", "tool_call"]
    assert (turn.text, turn.thoughts, turn.status, turn.active) == ("a", (), "ready", False)
    assert turn.after[0].text == "bc"
    assert (turn.after[0].started, turn.after[0].ended, turn.after[0].streaming) == (
        wire.records[7].t,
        wire.records[8].t,
        False,
    )
    assert [c.id for c in turn.tool_calls] == ["late"]
    assert [d.call_id for d in turn.diffs] == ["late"]
    assert all(i.ended is not None for i in turn.after)


def test_after_does_not_join_what_came_inside():
    """The last item of the turn has ended."""
    wire = Wire().message("a").end().message("b")
    assert ([i.text for i in wire.turn.items], [i.text for i in wire.turn.after]) == (["a"], ["b"])


def test_news_of_items_inside_reach_them():
    """A late status or plan changes what it is about, where it stands."""
    wire = Wire().call().update("plan", entries=[{"content": "a"}]).end()
    wire.call(start=False, status="completed").update("plan", entries=[{"content": "b"}])
    assert wire.turn.after == ()
    assert wire.the_call.state == "output-available"
    assert [e.content for e in wire.turn.plan] == ["b"]


def test_items_in_after_are_kept_current():
    """Calls and plans among them change in place; a plan can be taken away."""
    wire = (
        Wire()
        .message("x")
        .end()
        .call("l")
        .update("plan", entries=[{"content": "a"}])
        .update("plan_update", plan={"planId": "p", "content": "t"})
    )
    wire.update("plan", entries=[{"content": "b"}]).call("l", start=False, status="failed")
    assert [i.kind for i in wire.turn.after] == ["tool_call", "plan", "plan"]
    assert wire.turn.after[0].call.state == "output-error"
    assert [e.content for e in wire.turn.after[1].entries] == ["b"]
    wire.update("plan_removed", planId="p")
    assert [i.kind for i in wire.turn.after] == ["tool_call", "plan"]
    before = wire.session
    assert fold(before, wire.update("plan", entries=[{"content": "b"}]).records[-1]) is before


def test_a_permission_after_the_turn_changes_no_status():
    """It is asked as usual."""
    wire = Wire().end().permission()
    assert (wire.turn.status, wire.session.status) == ("ready", "waiting")
    assert [p.request_id for p in wire.turn.permissions] == [0]


def test_before_the_first_prompt():
    """There is a preamble, a turn without a prompt; it is there only if something came."""
    assert Wire(prompt=None).session.preamble is None
    wire = Wire(prompt=None).message("Welcome").message("!").call()
    preamble = wire.session.preamble
    assert (preamble.text, preamble.status, preamble.active, preamble.prompt) == (
        "Welcome!",
        "ready",
        False,
        (),
    )
    assert preamble.items[0].streaming is False
    assert all(i.ended is not None for i in preamble.items)
    assert preamble.tool_calls[0].state == "stopped"
    assert wire.session.turns == ()
    assert wire.prompt().message("x").session.preamble == preamble


def test_usage_after_the_answer():
    """Belongs to the turn just ended; only the added cost is the turn's."""

    def spent(amount, **more):
        return {"used": 10, "size": 100, "cost": {"amount": amount, "currency": "USD", **more}}

    wire = Wire(prompt=None).update("usage_update", **spent(5)).prompt().message("x").end()
    wire.update("usage_update", **spent(5.25))
    first = wire.turn
    assert (first.cost.amount, first.cost.currency) == (0.25, "USD")
    wire.prompt("b", 101).update("usage_update", **spent(5.5)).update("usage_update", used=11, size=100)
    assert wire.turn.cost.amount == 0.25
    assert wire.session.turns[0].cost == first.cost
    assert (wire.session.context.used, wire.session.context.size, wire.session.context.cost.amount) == (
        11,
        100,
        5.5,
    )
    assert wire.session.preamble is None
    wire.end(ident=101).prompt("c", 102).update("usage_update", **spent(1))
    assert wire.turn.cost.amount == 1
    wire.end(ident=102).prompt("d", 103).update("usage_update", **spent(3, currency="EUR"))
    assert (wire.turn.cost.amount, wire.turn.cost.currency) == (3, "EUR")


# ------------------------------------------------------------------------------------------------- queue


def test_queued_prompts():
    """Wait behind the running turn, are taken over by the prompt that is sent, or taken back."""
    text = [{"type": "text", "text": "later"}]
    wire = (
        Wire()
        .note("queued", id="q1", prompt=text)
        .note("queued", id=2, prompt=[{"type": "text", "text": "last"}])
    )
    assert [t.status for t in wire.session.turns] == ["submitted", "queued", "queued"]
    queued = wire.session.turns[1]
    assert (queued.queue_id, queued.active, queued.started, queued.session_id) == ("q1", False, None, MAIN)
    assert [b.text for b in queued.prompt] == ["later"]
    assert wire.session.status == "working"
    wire.end().prompt("later", 101)
    assert [t.status for t in wire.session.turns] == ["ready", "submitted", "queued"]
    assert (wire.session.turns[1].queue_id, wire.session.turns[1].started) == ("q1", wire.records[-1].t)
    wire.note("unqueued", id="2")
    assert [t.status for t in wire.session.turns] == ["ready", "submitted"]
    before = wire.session
    assert fold(before, wire.note("unqueued", id="nobody").records[-1]) is before


def test_another_prompt_takes_no_queued_one():
    """Only one of equal content does, and of two equal ones the first."""
    text = [{"type": "text", "text": "same"}]
    wire = (
        Wire(prompt=None)
        .note("queued", id="a", prompt=text)
        .note("queued", id="b", prompt=text)
        .prompt("other")
    )
    assert [t.status for t in wire.session.turns] == ["submitted", "queued", "queued"]
    wire.end().prompt("same", 101)
    assert [t.queue_id for t in wire.session.turns] == [None, "a", "b"]
    assert [t.status for t in wire.session.turns] == ["ready", "submitted", "queued"]
    assert Wire().note("queued", id="x", prompt=5).session.turns[-1].prompt == ()


# -------------------------------------------------------------------------------------------- live echo


def test_an_echo_of_the_prompt_is_dropped():
    """In one piece or in many, also if the agent says it twice."""
    for pieces in (["hello"], ["he", "llo"], ["hello", "hello"], ["hello", "he", "llo"]):
        wire = Wire()
        for piece in pieces:
            wire.user(piece)
        assert wire.turn.items == ()
        assert wire.turn.status == "submitted"


def test_another_user_message_is_shown():
    """Also one that began like the prompt: nothing of it is lost."""
    assert [(i.kind, i.text) for i in Wire().user("other").turn.items] == [("user", "other")]
    wire = Wire().user("he").user("y you", "m")
    assert [i.text for i in wire.turn.items] == ["hey you"]
    wire.user("!", "m").user("h", "m")
    assert [i.text for i in wire.turn.items] == ["hey you!h"]
    assert [i.text for i in Wire().user("hello").user("x").turn.items] == ["x"]
    assert [i.text for i in Wire().user("hello").user("x").user("hello", "n").user("y", "n").turn.items] == [
        "x",
        "y",
    ]


def test_echoed_attachments_are_dropped():
    """A block of the prompt is an echo, another one is shown."""
    picture = {"type": "image", "mimeType": "image/png", "data": "AA"}
    wire = Wire(prompt=None).prompt("look", extra=[picture]).chunk("user_message_chunk", picture)
    assert wire.turn.items == ()
    wire.chunk("user_message_chunk", {**picture, "data": "BB"})
    assert [i.kind for i in wire.turn.items] == ["user"]


def test_a_user_message_outside_a_turn_is_an_item():
    """There is no prompt that it could echo."""
    assert [i.kind for i in Wire().message("x").end().user("hello").turn.after] == ["user"]
    assert [i.kind for i in Wire(prompt=None).user("hello").session.preamble.items] == ["user"]


# --------------------------------------------------------------------------------------- load and resume


def loading(method="session/load", **wire):
    return Wire(**wire).ask(7, method, {"sessionId": MAIN, "cwd": "/home/user/project", "mcpServers": []})


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_replayed_user_messages_begin_turns(method):
    """Ready, with no stop reason, and marked; the replay ends with the answer."""
    wire = (
        loading(method, prompt=None)
        .user("one")
        .message("a")
        .message("b")
        .call(status="in_progress")
        .user("two")
        .message("c")
        .told(7, None)
    )
    first, second = wire.session.turns
    assert [b.text for b in first.prompt] == ["one"]
    assert (first.replayed, first.status, first.stop_reason, first.active, first.session_id) == (
        True,
        "ready",
        None,
        False,
        MAIN,
    )
    assert [i.kind for i in first.items] == ["message", "message", "tool_call"]
    assert [i.text for i in first.items[:2]] == ["a", "b"]
    assert first.after == ()
    assert first.tool_calls[0].state == "stopped"
    assert all(i.ended is not None for i in first.items)
    assert [i.text for i in second.items] == ["c"]
    assert second.started == second.ended == wire.records[9].t
    assert wire.session.status == "ready"


def test_replayed_chunks_with_an_id_join():
    """Only those without one are messages of their own."""
    wire = loading(prompt=None).user("one").message("a", "m").message("b", "m").message("c").message("d")
    assert [i.text for i in wire.turn.items] == ["ab", "c", "d"]


def test_adjacent_user_messages_share_a_turn():
    """With the same id they share a block, too."""
    wire = (
        loading(prompt=None)
        .user("a", "m")
        .user("b", "m")
        .user("c", "n")
        .user("d")
        .user("e")
        .message("x")
        .user("f")
    )
    first, second = wire.session.turns
    assert [b.text for b in first.prompt] == ["ab", "c", "d", "e"]
    assert [b.text for b in second.prompt] == ["f"]


def test_replayed_turns_stand_beside_live_ones():
    """Calls of the history are calls of their own, whether the agent changes their ids or not."""
    wire = Wire().call("0:a", status="completed").end().initialize()
    wire.ask(7, "session/load", {"sessionId": MAIN, "cwd": "/x", "mcpServers": []})
    wire.user("hello").call("2:a", status="completed").call("0:a", status="completed").told(7, {}).prompt(
        "next", 101
    ).message("y")
    live, replayed, new = wire.session.turns
    assert [t.replayed for t in wire.session.turns] == [False, True, False]
    assert [c.id for c in live.tool_calls] == ["0:a"]
    assert [c.id for c in replayed.tool_calls] == ["2:a", "0:a"]
    assert new.text == "y"


def test_a_second_replay_begins_anew():
    """Its first message does not share the turn that the first replay ended with."""
    wire = (
        loading(prompt=None)
        .user("one")
        .told(7, {})
        .ask(8, "session/load", {"sessionId": MAIN})
        .user("one")
        .told(8, {})
    )
    assert [[b.text for b in t.prompt] for t in wire.session.turns] == [["one"], ["one"]]


def test_after_the_answer_nothing_is_replayed():
    """What comes then stands after the last replayed turn; a live turn works as usual."""
    wire = loading(prompt=None).user("one").message("a").told(7, {}).message("late").message("r")
    assert ([i.text for i in wire.turn.items], [i.text for i in wire.turn.after]) == (["a"], ["later"])
    assert wire.prompt().message("x").message("y").turn.text == "xy"


def test_usage_of_a_replay_is_no_cost_of_its_turns():
    """It was spent before."""
    wire = (
        loading(prompt=None)
        .user("one")
        .update("usage_update", used=1, size=2, cost={"amount": 1, "currency": "USD"})
        .told(7, {})
    )
    assert wire.turn.cost is None
    assert wire.session.context.cost.amount == 1


def test_a_failed_load():
    """Is told, and the session goes on if there was one."""
    wire = loading(prompt=None).failed(7, {"code": -32603, "message": "No previous sessions"})
    assert wire.session.warnings == ("session/load: No previous sessions",)
    assert wire.session.status == "ready"
    assert wire.prompt().user("hello").turn.items == ()
    fresh = Wire(opened=False, prompt=None).initialize().ask(1, "session/new", {"cwd": "/x"}).failed(1, "no")
    assert (fresh.session.status, fresh.session.warnings) == ("starting", ("session/new: no",))


def test_a_prompt_during_a_replay():
    """Live turns take their items inside, whatever is being replayed."""
    wire = loading().message("x")
    assert [i.text for i in wire.turn.items] == ["x"]


def test_answers_whose_id_only_looks_like_ours():
    """True equals 1 in Python, and 100.5 is not 100."""
    assert Wire(prompt=None).prompt("a", 1).end(ident=True).turn.active
    assert Wire().end(ident=100.5).turn.active
    assert Wire().add("in", {"method": 5, "id": 100, "result": {}}).session.unread == {"message": 1}


def test_an_echo_after_a_message_is_dropped():
    """It may come late."""
    assert [i.kind for i in Wire().message("x").user("hello").turn.items] == ["message"]


def test_a_replay_that_begins_with_the_agent():
    """What comes before its first user message stands after the turn before."""
    wire = Wire().message("x").end().ask(7, "session/load", {"sessionId": MAIN}).message("lost").user("one")
    assert [[i.text for i in t.after] for t in wire.session.turns] == [["lost"], []]


def test_a_live_turn_during_a_replay():
    """Is no part of the history, nor the history of it."""
    wire = loading(prompt=None).prompt("live").user("live").message("x").end().user("one")
    live, replayed = wire.session.turns
    assert ([b.text for b in live.prompt], live.text, live.replayed) == (["live"], "x", False)
    assert ([b.text for b in replayed.prompt], replayed.replayed) == (["one"], True)
    failed, replayed = loading(prompt=None).prompt("live").failed(100, "x").user("one").session.turns
    assert ([b.text for b in failed.prompt], [b.text for b in replayed.prompt]) == (["live"], ["one"])


def test_a_queued_prompt_that_ended_unsent():
    """Stays visible as a turn of its own; the running turn goes on."""
    text = [{"type": "text", "text": "later"}]
    wire = Wire().message("a").note("queued", id="q", prompt=text).note("queued", id="r", prompt=text)
    wire.note("unqueued", id="q", cancelled=True).note("unqueued", id="r", error="The agent is gone.")
    _, cancelled, failed = wire.session.turns
    assert (cancelled.status, cancelled.error, cancelled.cancel_requested) == ("ready", None, True)
    assert (failed.status, failed.error, failed.cancel_requested) == ("error", "The agent is gone.", False)
    assert failed.started == failed.ended == wire.records[-1].t
    assert [b.text for b in failed.prompt] == ["later"]
    assert wire.session.status == "working"
    assert wire.cancel().session.status == "stopping"
    wire.message("b").call("c").permission(0, "c").end()
    assert [t.text for t in wire.session.turns] == ["ab", "", ""]
    assert [c.state for c in wire.session.turns[0].tool_calls] == ["output-denied"]
    assert [t.after for t in wire.session.turns] == [(), (), ()]


def test_the_cost_before_the_first_prompt_is_nobodys():
    """The preamble has none."""
    wire = Wire(prompt=None).message("x")
    wire.update("usage_update", used=1, size=2, cost={"amount": 1, "currency": "USD"})
    assert wire.session.preamble.cost is None


def test_an_answer_with_a_result_and_no_error():
    """`"error": null` beside a result, as some JSON-RPC libraries write it, is no error."""
    wire = Wire(opened=False, prompt=None).initialize().ask(1, "session/new", {"cwd": "/x"})
    wire.add("in", {"id": 1, "result": {"sessionId": MAIN}, "error": None})
    wire.prompt("x").add("in", {"id": 100, "result": {"stopReason": "end_turn"}, "error": None})
    [turn] = wire.session.turns
    assert (turn.status, turn.stop_reason, turn.error) == ("ready", "end_turn", None)
    assert wire.session.session_id == MAIN
