"""The explorer's kernel side: what it answers to a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_notebook import Transcript
from acp_notebook._explore.bounded import MOST_ITEMS, Cutter
from acp_notebook._explore.explorer import Explorer
from acp_notebook._explore.messages import parse
from tests.explore.asking import ask, opened, shown
from tests.explore.sessions import Wire, diff, many, output, two_turns
from tests.fold.captures import ALL, records


class Browser:
    """Puts moments together as the browser does."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self.seq = -1
        self.items: list[Any] = []
        self.sent = 0

    def seek(self, **target: Any) -> dict[str, Any]:
        """Go to a moment and give it with the whole turn."""
        answer = ask(self.explorer, "seek", have=self.seq, **target)
        self.sent = len(json.dumps(answer))
        if answer["turn"] is not None:
            old = self.items if answer["base"] == self.seq and self.seq >= 0 else []
            self.items = old[: answer["turn"]["keep"]] + answer["turn"]["items"]
            answer["turn"]["turn"]["items"] = self.items
        self.seq = answer["seq"]
        return answer


@pytest.mark.parametrize("name", ALL)
def test_every_moment_is_the_state_of_its_prefix(name):
    """Step by step, forwards and backwards, the turn that the browser puts together is that of the prefix."""
    t = Transcript(records(name))
    browser = Browser(opened(t))
    count = len(t.records)
    for index in [*range(count + 1), *range(count, -1, -3), count // 2]:
        moment = browser.seek(index=index)
        session = t.at(index=index).to_json()
        assert moment["index"] == index
        assert moment["status"] == session["status"]
        turns = shown(session)
        assert moment["count"] == len(turns)
        if moment["turn"] is None:
            assert not turns
            continue
        assert moment["turn"]["index"] == moment["place"]
        assert moment["turn"]["turn"] in [Cutter(20_000)(turn) for turn in turns]


def test_a_step_sends_only_what_changed():
    """Going on by one record in a long turn costs that item, not the turn."""
    browser = Browser(opened(many(1, items=300, text="word " * 100).transcript()))
    browser.seek(index=250)
    whole = browser.sent
    for index in (251, 252, 251):
        browser.seek(index=index)
        assert browser.sent < whole / 20


def test_a_browser_that_lost_the_last_moment_gets_all_of_it():
    """What was not applied is not built on."""
    browser = Browser(opened(many(1, items=30).transcript()))
    browser.seek(index=20)
    ask(browser.explorer, "seek", index=21, have=browser.seq)  # the answer is lost
    moment = browser.seek(index=22)
    assert moment["base"] == -1
    assert moment["turn"]["keep"] == 0
    assert len(moment["turn"]["turn"]["items"]) == len(browser.items) > 10


def test_a_moment_shows_the_last_items_of_a_long_turn():
    """What is sent and drawn for one moment is bounded; the items before can be had as they were then."""
    explorer = opened(many(1, items=500).transcript())
    moment = ask(explorer, "seek", index=450)["turn"]
    assert moment["total"] > 400
    assert 60 <= len(moment["items"]) < 120
    assert moment["offset"] + len(moment["items"]) == moment["total"]
    (part,) = ask(explorer, "turns", first=0, at=450, focus=0)["turns"]
    assert (part["offset"], len(part["turn"]["items"]), part["total"]) == (
        0,
        moment["total"],
        moment["total"],
    )
    assert part["turn"]["items"][moment["offset"] :] == moment["items"]


def test_moments_can_be_named_by_axis_turn_and_item():
    """A place on the axis, the beginning of a turn, and right after an item."""
    explorer = opened(two_turns().transcript())
    t = explorer._transcript
    axis = explorer._reader.axis
    assert ask(explorer, "seek", x=0.0)["index"] == 2
    assert ask(explorer, "seek", x=axis.length)["index"] == len(t.records)
    begin = ask(explorer, "seek", turn=1)
    assert (begin["place"], begin["count"], begin["turn"]["total"]) == (1, 2, 0)
    after = ask(explorer, "seek", turn=0, item=2)
    assert after["turn"]["items"][2]["call"]["state"] == "output-available"
    assert after["turn"]["total"] == 3
    assert ask(explorer, "seek", index=10**9)["next"] is None


def test_turns_that_were_not_yet_what_they_are_come_along():
    """A call of the first turn that ended in the second one is open at an earlier moment."""
    wire = Wire().prompt("a", 1).call("c", "x").end(seconds=1).prompt("b", 1).text("hm", 1)
    wire.done("c", seconds=1).end(seconds=1)
    explorer = opened(wire.transcript())
    early = next(i for i, r in enumerate(wire.records) if "hm" in json.dumps(r.msg)) + 1
    moment = ask(explorer, "seek", index=early, first=0, last=5)
    assert moment["place"] == 1
    now, end = explorer._transcript.at(index=early).turns[0], explorer._transcript.turns[0]
    assert [other["index"] for other in moment["others"]] == ([0] if now != end else [])
    assert now != end


def test_the_outline_is_below_a_megabyte_whatever_the_transcript():
    """3,000 turns with long texts: what a notebook saves is bounded, and says how much there is."""
    wire = many(3_000, items=2, text="x" * 3_000)
    explorer = opened(wire.transcript())
    state = explorer.snapshot()
    assert len(json.dumps(state)) < 1_000_000
    assert state["turns"] == 3_000
    rest = ask(explorer, "rows", first=2_000)
    assert rest["rows"][-1]["number"] == 3_000
    part = ask(explorer, "turns", first=0, count=50)
    assert len(json.dumps(part)) < 1_000_000


def test_a_turn_of_any_size_is_sent_in_parts():
    """A turn with 5,000 items comes as those around the one that is looked for."""
    explorer = opened(many(1, items=5_000, text="y" * 1_000).transcript())
    (part,) = ask(explorer, "turns", first=0, focus=4_000)["turns"]
    assert part["total"] == 5_000
    assert part["offset"] <= 4_000 < part["offset"] + len(part["turn"]["items"])
    assert len(part["turn"]["items"]) == MOST_ITEMS
    assert len(json.dumps(part)) < 1_000_000
    assert part["left_out"] > 0


def test_long_texts_are_cut_and_can_be_had_whole():
    """The middle of a long output is left out, the count is told, and all of it comes on demand."""
    text = "begin" + "z" * 100_000 + "end"
    wire = Wire().prompt("go").call("c", "cat").done("c", content=[output(text)]).end()
    explorer = opened(wire.transcript())
    (part,) = ask(explorer, "turns", first=0)["turns"]
    shown = part["turn"]["items"][0]["call"]["content"][0]["block"]["text"]
    assert shown.startswith("beginz")
    assert shown.endswith("zend")
    assert "characters are left out here" in shown
    assert part["left_out"] == text.count("z") - shown.count("z")
    item = ask(explorer, "item")["item"]
    assert item["call"]["content"][0]["block"]["text"] == text


def test_a_cut_diff_shows_no_change_that_is_none():
    """Both sides are cut at their ends, so that equal beginnings stay equal."""
    old = "".join(f"line {n}\n" for n in range(20_000))
    wire = Wire().prompt("go").call("c", "edit", "edit", content=[diff("/p/a", old, "first\n" + old)]).end()
    (part,) = ask(opened(wire.transcript()), "turns", first=0)["turns"]
    (cut,) = part["turn"]["items"][0]["call"]["diffs"]
    assert cut["new_text"].startswith("first\nline 0\n")
    assert cut["old_text"].startswith("line 0\n")
    assert cut["old_text"].endswith("… the rest is left out here …\n")


def test_a_large_picture_is_named_not_sent():
    """A picture of a megabyte is a line of text; a small one is sent as it is."""
    big = {"type": "image", "mime_type": "image/png", "data": "A" * 1_400_000, "uri": None}
    small = {**big, "data": "A" * 100_000}
    cutter = Cutter(1_000)
    assert cutter([big, small]) == [
        {"type": "text", "text": "[image, 1,050,000 bytes, is left out here]"},
        small,
    ]


def test_hits_come_in_parts():
    """The first 80 are sent at once, the others when they are wanted."""
    explorer = opened(many(300, items=1).transcript())
    first = ask(explorer, "search", text="question")
    assert (first["total"], len(first["hits"]), first["words"]) == (300, 80, ["question"])
    rest = ask(explorer, "search", text="question", first=240)
    assert [hit["turn"] for hit in rest["hits"]] == list(range(240, 300))


def test_edits_of_a_file_are_found_by_its_path():
    """Only calls that change that very file."""
    wire = Wire().prompt("go")
    for number, path in enumerate(["/p/a.py", "/p/a.pyx", "/p/a.py"]):
        wire.call(str(number), f"Edit {path}", "edit", content=[diff(path, "x", "y")]).done(str(number))
    wire.call("r", "Read /p/a.py", locations=[{"path": "/p/a.py"}]).end()
    explorer = opened(wire.transcript())
    assert [hit["item"] for hit in ask(explorer, "search", path="/p/a.py")["hits"]] == [0, 2]
    assert explorer.snapshot()["files"][0] == {"path": "/p/a.py", "edits": 2, "done": 2}


def test_a_file_is_one_file_by_whichever_name():
    """Named whole or within the session's folder, its edits stand together under the first name."""
    wire = Wire().prompt("go")
    for number, path in enumerate(["/p/src/a.py", "src/a.py", "/p/src/../src/a.py", "other/src/a.py"]):
        wire.call(str(number), "Edit", "edit", content=[diff(path, "x", "y")]).done(str(number))
    explorer = opened(wire.end().transcript())
    state = explorer.snapshot()
    assert state["files"] == [
        {"path": "/p/src/a.py", "edits": 3, "done": 3},
        {"path": "other/src/a.py", "edits": 1, "done": 1},
    ]
    assert state["line"].endswith("2 files changed")
    for name in ("/p/src/a.py", "src/a.py"):
        assert [hit["item"] for hit in ask(explorer, "search", path=name)["hits"]] == [0, 1, 2]


def test_an_edit_without_a_diff_is_one():
    """Some agents write a new file and name it, but show no diff; what only reads changes nothing."""
    wire = Wire().prompt("go")
    for number, kind in enumerate(["edit", "delete", "read", "execute"]):
        wire.call(str(number), "A step", kind, locations=[{"path": f"/p/{kind}.py"}]).done(str(number))
    explorer = opened(wire.end().transcript())
    state = explorer.snapshot()
    assert [one["path"] for one in state["files"]] == ["/p/delete.py", "/p/edit.py"]
    assert state["line"].endswith("2 files changed")
    assert [hit["item"] for hit in ask(explorer, "search", path="/p/edit.py")["hits"]] == [0]


def test_raw_records_come_in_parts_and_bounded():
    """A message of many chunks gives its first records, then the others; a long one is cut."""
    wire = Wire().prompt("go")
    for number in range(50):
        wire.text(f"piece {number} ")
    wire.text("q" * 100_000)
    explorer = opened(wire.transcript())
    answer = ask(explorer, "records", item=0)
    assert (answer["total"], len(answer["records"])) == (51, 20)
    assert "piece 0" in answer["records"][0]["text"]
    last = ask(explorer, "records", item=0, first=40)["records"][-1]
    assert last["left_out"] > 70_000
    assert len(last["text"]) == 20_000


def test_the_summary_answers_the_first_questions():
    """Which tools failed, how long did I wait, which files changed."""
    state = opened(two_turns().transcript()).snapshot()
    assert state["line"] == "1 tool call failed (execute) · waited 20 s for a person · 1 file changed"
    assert state["times"] == {"model": 9.0, "tools": 8.0, "waiting": 20.0}
    assert state["statuses"] == {"done": 4, "failed": 1}
    assert state["kinds"]["message"] == 3


def test_the_outline_tells_the_tokens_of_each_turn():
    """The agent's own total where it gives one, else what went in and came out."""
    wire = Wire()
    for usage in ({"totalTokens": 90, "inputTokens": 1}, {"inputTokens": 30, "outputTokens": 12}, None):
        wire.prompt("go", 1)
        result = {"stopReason": "end_turn", **({} if usage is None else {"usage": usage})}
        wire.say("in", {"id": wire.turn, "result": result}, 1)
    assert [row["tokens"] for row in opened(wire.transcript()).snapshot()["rows"]] == [90, 42, 0]


def test_before_all_is_read_there_is_an_outline_without_search():
    """What has been read is shown; a search says that it cannot answer yet."""
    t = many(30).transcript()
    explorer = Explorer(t, t._reader)
    t._reader.read_on(40)
    t._reader.sum_up()
    state = explorer.snapshot()
    assert (state["ready"], state["read"]) == (False, 40)
    assert 0 < len(state["rows"]) < 30
    assert ask(explorer, "search", text="question")["total"] == -1
    t._reader.read()
    assert explorer.snapshot()["ready"]
    assert explorer.snapshot()["turns"] == 30


def test_nonsense_from_a_browser_is_no_message():
    """What has not the shape of a question is not answered; what asks for nothing that is there says so."""
    assert parse({"kind": "turns", "id": "1", "first": 0, "count": 10**9}) is None
    assert parse({"kind": "send", "id": "1"}) is None
    assert parse("hello") is None
    explorer = opened(two_turns().transcript())
    with pytest.raises(LookupError):
        ask(explorer, "item", turn=99)
    with pytest.raises(LookupError):
        ask(explorer, "item", item=99)


def test_the_transcript_uses_what_the_explorer_has_read():
    """After a search moments are cheap, and the session is folded no second time."""
    t = two_turns().transcript()
    t.search("x")
    assert t.session is t._reader.trail.session
    assert t.at(index=-3) == Transcript(t.records[:-3]).session
    assert t.at(index=5) == Transcript(t.records[:5]).session
    assert t.at(time=t.records[5].t) == Transcript([r for r in t.records if r.t <= t.records[5].t]).session


def test_outside_a_notebook_a_transcript_displays_one_line(capsys):
    """No widget is made where nothing could show it."""
    t = two_turns().transcript()
    t._ipython_display_()
    assert capsys.readouterr().out == f"{t!r}\n"
    assert t._explorer is None


def test_whatever_is_asked_is_answered(monkeypatch):
    """A question that has no answer, or is none, ends for the browser as well."""
    explorer = opened(two_turns().transcript())
    posted: list[dict[str, Any]] = []
    monkeypatch.setattr(explorer.widget, "send", lambda content, _buffers: posted.append(content))
    explorer.handle({"kind": "item", "id": "a", "turn": 99, "item": 0})
    explorer.handle({"kind": "fly", "id": "b"})
    explorer.handle({"kind": "rows", "id": "c", "first": 0})
    assert [(one["kind"], one["id"]) for one in posted] == [("failed", "a"), ("failed", "b"), ("rows", "c")]
    explorer.close()
    explorer.handle({"kind": "rows", "id": "d", "first": 0})
    assert len(posted) == 3


@pytest.mark.parametrize(("near", "filled"), [({"near": True}, True), ({"near": False}, False), ({}, False)])
def test_an_answer_to_the_same_machine_fills_a_segment(monkeypatch, near, filled):
    """Else the server holds it back until the browser has acknowledged what went before."""
    explorer = opened(two_turns().transcript())
    posted: list[list[bytes] | None] = []
    monkeypatch.setattr(explorer.widget, "send", lambda _content, buffers: posted.append(buffers))
    explorer.handle({"kind": "seek", "id": "a", "index": 3, **near})
    [buffers] = posted
    assert (sum(map(len, buffers or [])) > 65_483) is filled
    assert filled or buffers is None
