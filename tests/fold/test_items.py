"""Rule 1: one ordered list of items a turn, and what joins what."""

from __future__ import annotations

import pytest

from acp_notebook import fold
from acp_notebook._fold.state import NoticeItem, PlanItem, RawItem, TextItem
from tests.fold.wire import Wire, text_content

PICTURE = {"type": "image", "mimeType": "image/png", "data": "AAAA"}


def test_chunks_of_one_message_join():
    """Pieces with the same id, or without any, are one message."""
    assert Wire().message("a").message("b").turn.text == "ab"
    assert Wire().message("a", "m").message("b", "m").turn.text == "ab"


def test_another_id_is_another_message():
    """A changed id begins a new message; an absent one equals only an absent one."""
    wire = Wire().message("a", "m").message("b", "n").message("c").message("d", "n")
    assert [i.text for i in wire.turn.items] == ["a", "b", "c", "d"]
    assert wire.turn.text == "a\n\nb\n\nc\n\nd"


def test_an_id_of_the_wrong_type_counts_as_absent():
    """A number as message id does not hinder the text."""
    wire = (
        Wire().message("a").update("agent_message_chunk", content={"type": "text", "text": "b"}, messageId=7)
    )
    assert wire.turn.text == "ab"


def test_thoughts_and_messages_are_apart():
    """Another kind is another item, even with the same id."""
    wire = Wire().thought("hm", "m").message("yes", "m").thought("well", "m")
    assert wire.kinds() == ["thought", "message", "thought"]
    assert wire.turn.thoughts == ("hm", "well")
    assert wire.turn.text == "yes"


def test_a_tool_call_interrupts_a_message():
    """Without ids, the interruption is all that tells two messages apart."""
    wire = Wire().message("a").call().message("b")
    assert wire.kinds() == ["message", "tool_call", "message"]


def test_text_joins_the_last_item_only():
    """An update of an earlier call does not interrupt the message behind it."""
    wire = Wire().call().message("a").call(start=False, status="completed").message("b")
    assert wire.kinds() == ["tool_call", "message"]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("available_commands_update", {"availableCommands": [{"name": "x", "description": "y"}]}),
        ("current_mode_update", {"currentModeId": "ask"}),
        ("config_option_update", {"configOptions": []}),
        ("session_info_update", {"title": "T"}),
        ("usage_update", {"used": 1, "size": 2}),
    ],
)
def test_settings_make_no_item_and_interrupt_nothing(kind, fields):
    """Commands, mode, options, title and usage change the session only."""
    wire = Wire().message("a").update(kind, **fields).message("b")
    assert wire.kinds() == ["message"]
    assert wire.turn.text == "ab"


def test_empty_chunks_make_no_item():
    """An empty text is nothing, and changes nothing."""
    wire = Wire().message("")
    before = Wire().session
    assert wire.session == before
    assert wire.turn.status == "submitted"


def test_blocks_that_are_no_text_are_kept_in_order():
    """A picture between two texts stays between them, in the same message."""
    wire = Wire().message("a").chunk("agent_message_chunk", PICTURE).message("b").message("c")
    (item,) = wire.turn.items
    assert [b.type for b in item.blocks] == ["text", "image", "text"]
    assert item.text == "abc"
    image = item.blocks[1]
    assert (image.mime_type, image.data, image.uri) == ("image/png", "AAAA", None)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            {"type": "image", "mimeType": "image/png", "uri": "file:///x.png"},
            {"type": "image", "mime_type": "image/png", "data": "", "uri": "file:///x.png"},
        ),
        (
            {"type": "audio", "mimeType": "audio/wav", "data": "BB"},
            {"type": "audio", "mime_type": "audio/wav", "data": "BB"},
        ),
        (
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "title": "A",
                "description": "d",
                "mimeType": "text/plain",
                "size": 3,
            },
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "title": "A",
                "description": "d",
                "mime_type": "text/plain",
                "size": 3,
            },
        ),
        (
            {"type": "resource_link", "uri": "file:///a", "size": True},
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "file:///a",
                "title": None,
                "description": None,
                "mime_type": None,
                "size": None,
            },
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "text": "t", "mimeType": "text/x"}},
            {"type": "resource", "uri": "file:///a", "mime_type": "text/x", "text": "t", "blob": None},
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "blob": "AA"}},
            {"type": "resource", "uri": "file:///a", "mime_type": None, "text": None, "blob": "AA"},
        ),
    ],
)
def test_every_block_of_the_protocol_is_read(content, expected):
    """Each block type has its snake_case form."""
    wire = Wire().chunk("agent_message_chunk", content)
    assert wire.session.to_json()["turns"][0]["items"][0]["blocks"] == [expected]


@pytest.mark.parametrize(
    "content",
    [
        {"type": "hologram", "depth": 3},
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": "image", "data": "AA"},
        {"type": "image", "mimeType": "image/png"},
        {"type": "audio", "data": "AA"},
        {"type": "audio", "mimeType": "audio/wav"},
        {"type": "resource_link", "name": "a"},
        {"type": "resource", "resource": {"uri": "file:///a"}},
        {"type": "resource", "resource": {"text": "a"}},
        {"type": "resource", "resource": None},
        {"type": ["text"], "text": "a"},
        {"no": "type"},
        ["a list"],
        "a string",
        7,
    ],
)
def test_unknown_and_malformed_blocks_are_kept_raw(content):
    """What is no block we know stays as it was sent."""
    (item,) = Wire().chunk("agent_message_chunk", content).turn.items
    (block,) = item.blocks
    assert block.raw == content
    kind = content.get("type") if isinstance(content, dict) else None
    assert block.type == (kind if isinstance(kind, str) else "unknown")


def test_a_chunk_without_content_is_counted():
    """Nothing can be shown of it; that it came is known."""
    assert Wire().update("agent_message_chunk").session.unread == {"agent_message_chunk": 1}


# -------------------------------------------------------------------------------------- streaming, times


def test_the_last_text_streams_until_the_turn_ends():
    """A call behind it does not end that; another text or the turn's end does."""
    wire = Wire().thought("a").message("b").call()
    assert [i.streaming for i in wire.turn.items if isinstance(i, TextItem)] == [False, True]
    assert [i.streaming for i in wire.message("c").turn.items if isinstance(i, TextItem)] == [
        False,
        False,
        True,
    ]
    assert [i.streaming for i in wire.end().turn.items if isinstance(i, TextItem)] == [False, False, False]


def test_an_item_knows_when_it_began_and_ended():
    """A text ends when something follows it, at the latest with the turn."""
    wire = Wire().thought("a").thought("b").message("c").end()
    thought, message = wire.turn.items
    records = wire.records
    assert (thought.started, thought.ended) == (records[5].t, records[7].t)
    assert (message.started, message.ended) == (records[7].t, records[8].t)
    assert Wire().message("a").turn.items[0].ended is None
    assert Wire().message("a").message("b").turn.items[0].started == records[5].t


def test_a_call_ends_with_its_final_status():
    """Not before, and not again with later updates."""
    wire = Wire().call().call(start=False, status="completed").call(start=False, title="late").end()
    (item,) = wire.turn.items
    assert (item.started, item.ended) == (wire.records[5].t, wire.records[6].t)
    assert Wire().call().turn.items[0].ended is None
    assert Wire().call(status="failed").turn.items[0].ended is not None


# ------------------------------------------------------------------------------------------------- plans


def entries(*texts):
    return [{"content": text, "priority": "high", "status": "pending"} for text in texts]


def test_one_plan_a_turn_at_its_first_place():
    """A new plan replaces the old one where it stands and interrupts nothing."""
    wire = (
        Wire()
        .update("plan", entries=entries("a"))
        .message("x")
        .update("plan", entries=entries("a", "b"))
        .message("y")
    )
    assert wire.kinds() == ["plan", "message"]
    assert [(e.content, e.priority, e.status) for e in wire.turn.plan] == [
        ("a", "high", "pending"),
        ("b", "high", "pending"),
    ]
    assert wire.turn.text == "xy"


def test_the_same_plan_again_changes_nothing():
    """Some agents repeat it; the state stays the same object."""
    wire = Wire().update("plan", entries=entries("a"))
    before = wire.session
    assert fold(before, wire.update("plan", entries=entries("a")).records[-1]) is before


def test_an_empty_plan():
    """Empties a plan that is there, and makes none otherwise."""
    assert Wire().update("plan", entries=[]).turn.items == ()
    wire = Wire().update("plan", entries=entries("a")).update("plan", entries=[])
    assert wire.kinds() == ["plan"]
    assert wire.turn.plan == ()


def test_plan_entries_of_another_shape_show_what_they_are():
    """Nothing of a plan is lost."""
    wire = Wire().update(
        "plan", entries=["just text", {"step": 1}, {"content": "c", "priority": 3, "status": None}]
    )
    assert [(e.content, e.priority, e.status) for e in wire.turn.plan] == [
        ("just text", None, None),
        ('{"step": 1}', None, None),
        ("c", None, None),
    ]


def test_plans_with_ids_stand_beside_each_other():
    """`plan_update` replaces by id, `plan_removed` takes away by id."""
    wire = (
        Wire()
        .update("plan", entries=entries("main"))
        .update("plan_update", plan={"type": "items", "planId": "p", "entries": entries("a")})
        .update("plan_update", plan={"type": "markdown", "planId": "q", "content": "# Plan"})
        .update("plan_update", plan={"type": "file", "planId": "r", "uri": "file:///plan.md"})
        .update("plan_update", plan={"type": "items", "planId": "p", "entries": entries("b")})
    )
    plans = wire.turn.items
    assert all(isinstance(p, PlanItem) for p in plans)
    assert [(p.plan_id, [e.content for e in p.entries], p.text, p.uri) for p in plans] == [
        (None, ["main"], None, None),
        ("p", ["b"], None, None),
        ("q", [], "# Plan", None),
        ("r", [], None, "file:///plan.md"),
    ]
    wire.update("plan_removed", planId="p").update("plan_removed", planId="nobody")
    assert [p.plan_id for p in wire.turn.items] == [None, "q", "r"]
    wire.update("plan_removed", planId="r")
    assert [p.plan_id for p in wire.turn.items] == [None, "q"]
    assert (
        Wire()
        .update("plan_update", plan={"planId": "q", "content": "x"})
        .update("plan_removed", planId="q")
        .turn.items
        == ()
    )


def test_the_plan_of_a_turn_is_the_last_one():
    """`Turn.plan` reads the newest item, those after the end included."""
    wire = (
        Wire()
        .update("plan", entries=entries("a"))
        .update("plan_update", plan={"planId": "p", "entries": entries("b")})
    )
    assert [e.content for e in wire.turn.plan] == ["b"]
    assert Wire().turn.plan == ()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("plan", {}),
        ("plan", {"entries": {"a": 1}}),
        ("plan_update", {}),
        ("plan_update", {"plan": []}),
        ("plan_update", {"plan": {"planId": 5, "entries": []}}),
        ("plan_update", {"plan": {"planId": "p", "type": "hologram"}}),
        ("plan_removed", {}),
        ("notice", {"severity": "info"}),
        ("compaction_update", {"status": "completed"}),
        ("compaction_update", {"compactionId": "c"}),
        ("compaction_summary_chunk", {"content": {"type": "text", "text": "x"}}),
        ("compaction_summary_chunk", {"compactionId": "c", "content": {"type": "image"}}),
        ("tool_call", {}),
        ("tool_call_update", {"toolCallId": 5}),
        ("brand_new", {"x": 1}),
    ],
)
def test_what_is_not_understood_is_an_unknown_item(kind, fields):
    """An update that we do not know, or cannot read, is kept as it is."""
    (item,) = Wire().update(kind, **fields).turn.items
    assert isinstance(item, RawItem)
    assert (item.kind, item.name) == ("unknown", kind)
    assert item.raw == {"sessionUpdate": kind, **fields}


def test_an_update_without_a_kind_is_kept():
    """Even one that does not say what it is."""
    for kind in (None, 5, ["x"]):
        (item,) = Wire().update(kind, x=1).turn.items
        assert (item.kind, item.name) == ("unknown", "session/update")


# ----------------------------------------------------------------------------------------------- notices


def test_notices():
    """A notice is an item with its severity, the agent's word for it included."""
    wire = Wire().update("notice", severity="grave", title="T", description="D").update("notice", title="U")
    first, second = wire.turn.items
    assert isinstance(first, NoticeItem)
    assert (first.severity, first.title, first.description) == ("grave", "T", "D")
    assert (second.severity, second.title, second.description) == ("info", "U", None)
    assert first.ended == first.started


def test_a_compaction_is_one_notice_kept_current():
    """Its summary streams into the description; the end says how it went."""
    wire = Wire().update("compaction_update", compactionId="c", status="in_progress")
    wire.update("compaction_summary_chunk", compactionId="c", content={"type": "text", "text": "Sum"})
    wire.update("compaction_summary_chunk", compactionId="c", content={"type": "text", "text": "mary"})
    (item,) = wire.turn.items
    assert (item.title, item.description) == ("Compacting the conversation", "Summary")
    wire.update("compaction_update", compactionId="c", status="completed")
    (item,) = wire.turn.items
    assert (item.severity, item.title, item.description) == (
        "info",
        "The conversation was compacted",
        "Summary",
    )
    wire.update("compaction_update", compactionId="d", status="failed", error={"message": "no room"})
    assert (wire.turn.items[1].severity, wire.turn.items[1].description) == ("error", "no room")
    wire.update("compaction_update", compactionId="c", status="paused", summary="Whole")
    assert (wire.turn.items[0].title, wire.turn.items[0].description) == (
        "Compacting the conversation: paused",
        "Whole",
    )


def test_a_summary_may_come_first():
    """A chunk of an unannounced compaction makes its notice."""
    wire = Wire().update("compaction_summary_chunk", compactionId="c", content={"type": "text", "text": "S"})
    assert [(i.title, i.description) for i in wire.turn.items] == [("Compacting the conversation", "S")]


def test_a_cancelled_compaction():
    """Is told as what it is."""
    (item,) = Wire().update("compaction_update", compactionId="c", status="cancelled").turn.items
    assert (item.severity, item.title) == ("warning", "Compacting the conversation was cancelled")


def test_what_does_not_change_stays_the_same_object():
    """Items that ended are not touched again, whatever comes after them, nor when the turn ends."""
    wire = Wire().thought("a").call("c", status="completed", rawInput={"big": 1}, content=[text_content("x")])
    wire.update("plan", entries=entries("a")).message("b")
    before = wire.session
    after = fold(
        before,
        wire.message("c")
        .update("plan", entries=entries("a"))
        .call("c", start=False, title="T", rawInput={"big": 1}, content=[text_content("x")])
        .records[-3:],
    )
    old, new = before.turns[0].items, after.turns[0].items
    assert new[0] is old[0]
    assert new[2] is old[2]
    assert new[1].call.raw_input is old[1].call.raw_input
    assert new[1].call.content is old[1].call.content
    ended = fold(after, wire.end().records[-1]).turns[0].items
    assert ended[0] is new[0]
    assert ended[1] is new[1]


def test_nothing_makes_no_preamble():
    """A plan that is taken away before there was one."""
    assert Wire(prompt=None).update("plan_removed", planId="p").session.preamble is None
