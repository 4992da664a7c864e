"""Which turns the explorer shows, in which order: replays, subagents, further sessions, queued prompts."""

from __future__ import annotations

from typing import Any

from tests.explore.asking import ask, opened
from tests.explore.sessions import Wire, diff


def test_what_is_told_again_counts_once():
    """An agent that loads its session says once more what stands there: it is shown, found and counted once."""
    wire = Wire()
    change = [diff("/p/a.py", "x", "y")]
    wire.prompt("go", 1).call("c", "Edit", "edit", content=change).done("c", "failed").text("needle").end()
    load = {"id": 90, "method": "session/load", "params": {"sessionId": "s", "cwd": "/p"}}
    wire.say("out", load).update("user_message_chunk", content={"type": "text", "text": "go"})
    wire.call("c", "Edit", "edit", content=change).done("c", "failed").text("needle")
    replayed = len(wire.records)
    wire.say("in", {"id": 90, "result": {}}).prompt("and now?", 1).text("needle").end()
    t = wire.transcript()
    explorer = opened(t)
    state = explorer.snapshot()
    assert [turn.told for turn in t.turns] == [False, True, False]
    assert state["line"].startswith("1 tool call failed (edit)")
    assert state["files"] == [{"path": "/p/a.py", "edits": 1, "done": 0}]
    assert state["tool_uses"][0]["calls"] == state["file_uses"][0]["calls"] == 1
    assert [row["number"] for row in state["rows"]] == [1, 3]
    assert [part["number"] for part in ask(explorer, "turns", first=0, count=9)["turns"]] == [1, 3]
    assert [match.turn for match in t.search("needle")] == [0, 2]
    assert [hit["turn"] for hit in ask(explorer, "search", text="needle")["hits"]] == [0, 1]
    assert [row["calls"] for row in (*t.plot_files().data, *t.plot_time().data)] == [1, 1]
    assert {row["turn"] for row in t.to_rows()} == {0, 2}
    # While it is told again nothing changes.
    moment = ask(explorer, "seek", index=replayed)
    assert (moment["place"], moment["count"], moment["turn"]["number"]) == (0, 1, 1)


def with_subagent() -> tuple[Wire, int]:
    """A turn in which a subagent works, and another turn; with how many records there are at its end."""
    wire = Wire().prompt("Look into it", 1).call("t", "A task", "other", 1)

    def sub(update: str, seconds: float = 0, **fields: Any) -> None:
        params = {"sessionId": "kid-1", "update": {"sessionUpdate": update, **fields}}
        wire.say("in", {"method": "session/update", "params": params}, seconds)

    sub("agent_message_chunk", 1, content={"type": "text", "text": "The nested needle."})
    sub("tool_call", 1, toolCallId="k", title="Edit b.py", kind="edit", content=[diff("/p/b.py", "x", "y")])
    sub("tool_call_update", 2, toolCallId="k", status="failed")
    middle = len(wire.records)
    wire.done("t", seconds=1).text("It is a needle.", 1).end(seconds=1)
    return wire.prompt("Thanks", 1).text("Welcome.", 1).end(seconds=1), middle


def test_subagents_are_shown_where_they_began_and_found():
    """A subagent's turn follows the turn that it belongs to; search, filters, sums and moments know it."""
    wire, middle = with_subagent()
    t = wire.transcript()
    explorer = opened(t)
    state = explorer.snapshot()
    assert [(row["number"], row["session"]) for row in state["rows"]] == [(1, None), (1, "kid-1"), (2, None)]
    assert [one["label"] for one in state["sessions"]] == ["session 1", "kid-1"]
    assert [one["turns"] for one in state["sessions"]] == [2, 1]
    assert state["line"].startswith("1 tool call failed")
    assert state["files"] == [{"path": "/p/b.py", "edits": 1, "done": 0}]
    # The subagent's time is the time of the tool that it works for.
    assert state["times"] == {"model": 5.0, "tools": 5.0, "waiting": 0.0}
    (part,) = ask(explorer, "turns", first=1)["turns"]
    assert part["session"] == "kid-1"
    assert part["turn"]["items"][0]["blocks"][0]["text"] == "The nested needle."
    hits = ask(explorer, "search", text="needle")["hits"]
    assert [(hit["turn"], hit["session"]) for hit in hits] == [(0, None), (1, "kid-1")]
    for search in ({"text": "needle session:subagent"}, {"text": "needle", "sessions": ["kid-1"]}):
        assert [hit["turn"] for hit in ask(explorer, "search", **search)["hits"]] == [1]
    (match,) = t.search("nested")
    assert match.session is not None
    assert (match.turn, match.session, match.item) == (0, "kid-1", 0)
    assert t.session.children[match.session].turns[match.turn].items[match.item].kind == "message"
    assert ask(explorer, "item", turn=1, item=1)["item"]["call"]["title"] == "Edit b.py"
    assert "Edit b.py" in ask(explorer, "records", turn=1, item=1)["records"][0]["text"]
    moment = ask(explorer, "seek", index=middle)
    assert (moment["place"], moment["count"], moment["turn"]["session"]) == (1, 2, "kid-1")
    assert moment["turn"]["items"][1]["call"]["state"] == "output-error"


def test_further_sessions_in_one_file_have_names_and_filters():
    """Turns of a second session go by their session, and can be looked at alone."""
    wire = Wire().prompt("one", 1).text("a", 1).end(seconds=1)
    wire.say("out", {"id": 80, "method": "session/new", "params": {"cwd": "/p"}})
    wire.say("in", {"id": 80, "result": {"sessionId": "s2"}})
    wire.say(
        "out",
        {
            "id": 81,
            "method": "session/prompt",
            "params": {"sessionId": "s2", "prompt": [{"type": "text", "text": "two"}]},
        },
        1,
    ).say("in", {"id": 81, "result": {"stopReason": "end_turn"}}, 1)
    explorer = opened(wire.transcript())
    named = [(one["id"], one["label"], one["turns"]) for one in explorer.snapshot()["sessions"]]
    assert named == [("s", "session 1", 1), ("s2", "session 2", 1)]
    hits = ask(explorer, "search", sessions=["s2"])["hits"]
    assert {hit["turn"] for hit in hits} == {1}
    assert [hit["kind"] for hit in hits] == [
        hit["kind"] for hit in ask(explorer, "search", text="session:s2")["hits"]
    ]


def test_prompts_that_waited_at_a_moment_stand_at_its_end():
    """A queued prompt is shown as one until it is sent, after whatever had begun."""
    wire = Wire().prompt("one", 1).text("a", 1)
    wire.say("note", {"kind": "queued", "id": "q1", "prompt": [{"type": "text", "text": "later"}]})
    index = len(wire.records)
    explorer = opened(wire.end(seconds=1).transcript())
    moment = ask(explorer, "seek", index=index, first=0, last=0)
    assert moment["count"] == 2
    assert [(one["index"], one["turn"]["status"]) for one in moment["others"] if one["index"] == 1] == [
        (1, "queued")
    ]
    assert [row["status"] for row in explorer.snapshot()["rows"]] == ["done", "running"]


def test_turns_of_an_earlier_transcript_are_all_there():
    """A chat that goes on from a transcript takes over its turns in one record: each is shown and found."""
    earlier = Wire().prompt("one", 1).text("a", 1).end(seconds=1).prompt("two", 1).text("b", 1).end(seconds=1)
    lines = [{"t": record.t, "dir": record.dir, "msg": record.msg} for record in earlier.records]
    wire = Wire().say("note", {"kind": "history", "records": lines}).prompt("three", 1).end(seconds=1)
    explorer = opened(wire.transcript())
    assert [row["title"] for row in explorer.snapshot()["rows"]] == ["one", "two", "three"]
    moment = ask(explorer, "seek", turn=1)
    assert (moment["count"], moment["place"]) == (2, 1)
    assert ask(explorer, "search", text="one")["hits"][0]["turn"] == 0
