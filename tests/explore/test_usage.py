"""The numbers behind the explorer's plots."""

from __future__ import annotations

import json

import pytest

from acp_notebook import Transcript
from tests.explore.asking import opened
from tests.explore.sessions import Wire, diff, two_turns
from tests.fold.captures import ALL, records


@pytest.mark.parametrize("name", ALL)
def test_the_explorer_and_the_plots_agree(name):
    """Each tool's time is what `plot_time` draws, each file's calls are no fewer than those of `plot_files`."""
    t = Transcript(records(name))
    state = opened(t).snapshot()
    seconds: dict[tuple[str, str], float] = {}
    for row in t.plot_time().data:
        seconds[row["tool"], row["spent"]] = row["seconds"]
    for tool in state["tool_uses"]:
        for part in ("working", "waiting"):
            assert tool[part] == pytest.approx(seconds.get((tool["name"], part), 0.0), abs=1e-3)
    calls = {file["path"]: file["calls"] for file in state["file_uses"]}
    touched: dict[str, int] = {}
    for row in t.plot_files().data:
        touched[row["file"]] = touched.get(row["file"], 0) + row["calls"]
    for path, count in touched.items():
        assert path.startswith("…") or calls[path] >= count


def test_tools_and_files_by_use():
    """The longest tool first; waiting for a person apart; reading and changing a file told apart."""
    wire = two_turns()
    wire.prompt("again", 1).call("e2", "Edit", "edit", content=[diff("/p/src/a.py", "x", "y")]).done(
        "e2"
    ).end()
    state = opened(wire.transcript()).snapshot()
    assert [(use["name"], use["calls"], use["failed"]) for use in state["tool_uses"]] == [
        ("edit", 2, 0),
        ("execute", 1, 1),
        ("read", 1, 0),
    ]
    assert (state["tool_uses"][0]["working"], state["tool_uses"][0]["waiting"]) == (1.0, 20.0)
    assert state["file_uses"] == [{"path": "src/a.py", "calls": 3, "edits": 2}]
    assert state["file_uses_count"] == len(state["file_uses"])


def test_costs_are_told_by_turn_and_in_all():
    """Each turn's share, the sum by currency; nothing where no agent says anything."""
    wire = Wire()
    for amount in (0.5, 0.75):
        wire.prompt("go", 1).update(
            "usage_update", used=1, size=2, cost={"amount": amount, "currency": "USD"}
        )
        wire.end(seconds=1)
    state = opened(wire.transcript()).snapshot()
    assert [row["cost"] for row in state["rows"]] == [
        {"amount": 0.5, "currency": "USD"},
        {"amount": 0.25, "currency": "USD"},
    ]
    assert state["costs"] == {"USD": 0.75}
    assert opened(two_turns().transcript()).snapshot()["costs"] == {}


def test_what_is_replayed_took_its_time_elsewhere():
    """A session that is loaded has its calls and files, but none of the time of its replay."""
    wire = Wire()
    wire.records.clear()
    wire.say("out", {"id": 5, "method": "session/load", "params": {"sessionId": "s", "cwd": "/p"}})
    wire.update("user_message_chunk", 1, content={"type": "text", "text": "go"})
    wire.call("c", "Edit", "edit", content=[diff("/p/a.py", "x", "y")]).done("c", seconds=9)
    t = wire.say("in", {"id": 5, "result": {}}).transcript()
    assert [(turn.replayed, turn.told) for turn in t.turns] == [(True, False)]
    state = opened(t).snapshot()
    (use,) = state["tool_uses"]
    assert (use["calls"], use["working"], use["waiting"]) == (1, 0.0, 0.0)
    assert state["file_uses"] == [{"path": "a.py", "calls": 1, "edits": 1}]
    assert t.plot_time().data == []
    assert len(t.plot_files().data) == 1


@pytest.mark.parametrize("amount", [10**400, float("inf"), float("nan"), -(2**70)])
def test_numbers_without_end_are_none(amount):
    """Whatever an agent counts: the state folds, the explorer opens, and what goes to the browser is JSON."""
    wire = Wire().prompt("go", 1)
    for one in (1.5, amount, 2.0):
        wire.update("usage_update", used=amount, size=2, cost={"amount": one, "currency": "USD"})
    answer = {"stopReason": "end_turn", "usage": {"inputTokens": amount, "outputTokens": 3}}
    wire.say("in", {"id": wire.turn, "result": answer}, 1)
    t = wire.transcript()
    state = opened(t).snapshot()
    json.dumps(state, allow_nan=False)
    assert (state["tokens"], state["costs"]) == (3, {"USD": 2.0})
    assert [row["tokens"] for row in t.plot_tokens().data] == [3]


def test_the_outline_is_small_whatever_things_are_called():
    """Kinds, currencies and titles come from the agent, and may be as long and as many as it likes."""
    wire = Wire().prompt("go", 1).update("session_info_update", title="t" * 1_000_000)
    for number in range(200):
        wire.call(f"c{number}", "Do", f"{number:03}" + "k" * 10_000)
    wire.update("usage_update", used=1, size=2, cost={"amount": 1.0, "currency": "c" * 1_000_000}).end()
    t = wire.transcript()
    state = opened(t).snapshot()
    del state["window"]
    assert len(json.dumps(state)) < 50_000
    assert len(t.search("", kinds=[next(kind for kind in state["kinds"] if kind.startswith("00"))])) == 1
