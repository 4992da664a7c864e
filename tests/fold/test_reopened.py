"""Queued prompts that move and change, sessions that come back, earlier records, and how a start is told."""

from __future__ import annotations

import pytest

from acp_notebook import Record, Session, fold
from acp_notebook._fold.about import Exit
from acp_notebook._fold.notes import LAST_WORDS
from tests.fold.wire import MAIN, Wire


def queue(wire: Wire) -> list[str]:
    """The texts that wait, in order."""
    return [str(turn.prompt[0].text) for turn in wire.session.turns if turn.status == "queued"]


def block(text: str) -> list[dict[str, str]]:
    """A prompt of one text."""
    return [{"type": "text", "text": text}]


def three() -> Wire:
    """A running turn with three prompts behind it."""
    wire = Wire()
    for name in "abc":
        wire.note("queued", id=name, prompt=block(name))
    return wire


@pytest.mark.parametrize(
    ("ident", "to", "order"),
    [
        ("c", 0, "cab"),
        ("a", 1, "bac"),
        ("a", 2, "bca"),
        ("a", 9, "bca"),
        ("b", -4, "bac"),
        ("b", None, "acb"),
        ("x", 0, "abc"),
    ],
)
def test_moved(ident: str, to: object, order: str):
    """A prompt goes to its new place; places beyond the ends are the ends, unknown ids change nothing."""
    assert "".join(queue(three().note("moved", id=ident, to=to))) == order


def test_moved_keeps_what_did_not_change():
    """A note about nobody leaves the same session."""
    wire = three()
    before = wire.session
    wire.note("moved", id="x", to=0)
    assert fold(before, wire.records[-1]) is before
    wire.note("edited", id="x", prompt=block("y"))
    assert fold(before, wire.records[-1]) is before


def test_edited():
    """A prompt says something else, in its place, and stays the same turn for what follows."""
    wire = three().note("edited", id="b", prompt=block("B"))
    assert queue(wire) == ["a", "B", "c"]
    wire.note("unqueued", id="b")
    assert queue(wire) == ["a", "c"]


def test_queued_at_a_place():
    """A prompt that is sent next goes before those that wait."""
    assert queue(three().note("queued", id="n", prompt=block("now"), at=0)) == ["now", "a", "b", "c"]


def test_start_is_told():
    """What a start waits for and since when; nothing once it is over."""
    wire = Wire(opened=False, prompt=None)
    assert wire.session.waits_for is None
    wire.note("spawn", command=["agent"], cwd="/p")
    assert (wire.session.waits_for, wire.session.since) == ("spawn", 0.0)
    wire.ask(0, "initialize", {})
    assert wire.session.waits_for == "initialize"
    wire.told(0, {"protocolVersion": 1})
    assert wire.session.waits_for == "spawn"
    wire.ask(1, "session/load", {"sessionId": MAIN})
    assert wire.session.waits_for == "session/load"
    wire.told(1, None)
    assert wire.session.waits_for is None


def replay(wire: Wire, ident: int, session: str = MAIN, method: str = "session/load") -> Wire:
    """Load a session whose history is one turn."""
    wire.ask(ident, method, {"sessionId": session})
    wire.update("user_message_chunk", session, content={"type": "text", "text": "hello"})
    wire.update("agent_message_chunk", session, content={"type": "text", "text": "hi"})
    return wire.told(ident, None)


def test_a_replay_of_what_is_there_is_marked():
    """Live turns, and those of an earlier replay, count as told; another session's do not."""
    wire = Wire().message("hi").end()
    replay(wire, 7)
    assert [turn.told for turn in wire.session.turns] == [False, True]
    replay(wire, 8, "other")
    replay(wire, 9, "other", "session/resume")
    assert [turn.told for turn in wire.session.turns] == [False, True, False, True]


def test_what_only_waits_is_not_there_yet():
    """A queued prompt of the session does not make its history known."""
    wire = Wire(prompt=None).note("queued", id="q", prompt=block("next"))
    replay(wire, 7)
    assert [turn.told for turn in wire.session.turns if turn.replayed] == [False]


def notices(wire: Wire) -> list[tuple[str, str | None]]:
    """Title and description of what stands after the last turn."""
    turn = wire.session.current or wire.session.preamble
    assert turn is not None
    return [(item.title, item.description) for item in (*turn.after, *turn.items) if item.kind == "notice"]


@pytest.mark.parametrize(
    ("note", "title"),
    [
        ({"how": "new"}, "A new session began"),
        ({"how": "load"}, "loaded the session"),
        ({"how": "resume"}, "took up the session"),
        ({"how": "fork"}, "copy of the session"),
        ({"how": "recap"}, "carries a summary"),
        ({"how": "transcript"}, "replayed nothing"),
        ({"how": "magic"}, "opened by magic"),
        ({}, "opened by other means"),
        ({"how": "new", "text": "In other words"}, "In other words"),
    ],
)
def test_the_way_to_a_session_is_told(note: dict[str, str], title: str):
    """In words, after the last turn; an unknown way by its name."""
    [(said, about)] = notices(Wire().message("hi").end().note("session", **note))
    assert title in said
    assert about is None


def test_the_way_is_told_before_any_turn():
    """Without a turn it stands before the first."""
    wire = Wire(prompt=None).note("session", how="load", detail="by hand")
    assert notices(wire) == [("The agent loaded the session.", "by hand")]
    assert wire.session.preamble is not None


def past() -> list[dict[str, object]]:
    """The lines of an earlier chat that was left in the middle."""
    wire = Wire(opened=False, prompt=None).note("spawn", command=["agent"], cwd="/p")
    wire.initialize().new().message("welcome").prompt("first").message("one").permission()
    wire.update("session_info_update", title="Earlier")
    wire.update("agent_message_chunk", "kid", content={"type": "text", "text": "helping"})
    wire.note("queued", id="q", prompt=block("never sent"))
    return [record.to_line() for record in wire.records]


def test_history():
    """Turns, preamble, title and subagents come over; nothing runs, waits or is queued in them."""
    wire = Wire(opened=False, prompt=None).note("history", records=past())
    session = wire.session
    assert [(turn.prompt[0].text, turn.status) for turn in session.turns] == [("first", "ready")]
    assert session.turns[0].permissions[0].outcome == "cancelled"
    assert (session.pending, session.status, session.title) == ((), "idle", "Earlier")
    assert list(session.children) == ["kid"]
    assert session.preamble is not None
    assert session.preamble.text == "welcome"


def test_history_stands_before_what_follows():
    """What is asked later has keys of its own, and an own title and preamble stay."""
    wire = Wire(prompt=None).message("now").update("session_info_update", title="Mine")
    wire.note("history", records=past())
    wire.prompt("second").permission()
    session = wire.session
    assert [turn.prompt[0].text for turn in session.turns] == ["first", "second"]
    keys = [permission.key for turn in session.turns for permission in turn.permissions]
    assert len(set(keys)) == 2
    assert session.title == "Mine"
    assert session.preamble is not None
    assert session.preamble.text == "now"


@pytest.mark.parametrize("records", [None, "x", [1, {}, {"t": "x"}, None]])
def test_history_of_nothing(records: object):
    """What is no record is left out; nothing fails."""
    assert Wire().note("history", records=records).session.turns[0].prompt[0].text == "hello"


def test_last_words():
    """The end of the error output stands in the turn that the death has ended, bounded."""
    wire = Wire().note("exit", code=3, stderr="\n".join(f"line {n}" for n in range(50)) + "\n\n")
    [item] = [item for item in wire.turn.items if item.kind == "notice"]
    assert (item.severity, item.title) == ("error", LAST_WORDS)
    assert item.description.splitlines()[0] == "line 30"
    assert item.description.endswith("line 49")


@pytest.mark.parametrize(
    "wire",
    [
        Wire().note("exit", code=3, stderr=" \n"),
        Wire().note("exit", code=3),
        Wire().end().note("exit", code=3, stderr="boom"),
    ],
)
def test_no_last_words(wire: Wire):
    """Without output, or with no turn that it ended, nothing is added."""
    items = (*wire.turn.items, *wire.turn.after)
    assert [item for item in items if item.kind == "notice" and item.title == LAST_WORDS] == []


@pytest.mark.parametrize("code", [None, 0])
def test_an_agent_behind_an_address_has_no_process(code: int | None):
    """What ended is the connection, in the turn as in the session: no exit code, no error output."""
    word = "The connection to wss://x/acp was closed (code 1006)."
    wire = Wire().note("spawn", command=["wss://x/acp"]).note("exit", code=code, stderr=word)
    assert wire.session.exit == Exit(None, None, "", word)
    assert wire.turn.error == "The connection was closed before the agent had answered."
    assert [item for item in wire.turn.items if item.kind == "notice"] == []
    told = Wire().note("spawn", command=["ws://x"]).note("exit", stderr=word, reason=f"{word} Again in 5 s.")
    assert told.session.exit == Exit(None, None, "", f"{word} Again in 5 s.")


def test_records_are_not_changed():
    """The fold keeps to its own values: the note's records can be folded again."""
    lines = past()
    record = Record(0.0, "note", {"kind": "history", "records": lines})
    assert fold(Session(), record).to_json() == fold(Session(), record).to_json()
