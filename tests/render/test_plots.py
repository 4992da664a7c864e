"""Plots as plain Vega-Lite: the numbers are right, whatever draws them, and names stay text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_notebook import Transcript
from acp_notebook._fold.calls import Permission
from acp_notebook._fold.state import Cost, Location, ToolCall, ToolCallItem
from acp_notebook._render.plots import MIME, Plot, plot_cost, plot_files, plot_time, plot_tokens
from tests.render.samples import everything, permission, session_of, turn_of
from tests.render.test_hostile import HOSTILE

CAPTURES = sorted((Path(__file__).resolve().parent.parent / "captures").glob("*.jsonl"))
PLOTS = (plot_tokens, plot_cost, plot_time, plot_files)


def call(name: str, start: float, end: float | None, *paths: str, permissions: tuple[Permission, ...] = ()):
    value = ToolCall(name, name=name, locations=tuple(Location(p) for p in paths), permissions=permissions)
    return ToolCallItem(value, start, end)


def test_tokens():
    """What each turn read and wrote; where the agent tells only the sum, that."""
    session = session_of(
        turn_of(usage={"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}),
        turn_of(),
        turn_of(usage={"total_tokens": 7}),
    )
    assert plot_tokens(session).data == [
        {"turn": 1, "tokens": 10, "part": "input"},
        {"turn": 1, "tokens": 2, "part": "output"},
        {"turn": 3, "tokens": 7, "part": "total"},
    ]


def test_cost():
    """Adds up, a line each currency."""
    session = session_of(
        turn_of(cost=Cost(0.1, "USD")),
        turn_of(cost=Cost(0.2, "USD")),
        turn_of(cost=Cost(5, "EUR")),
        turn_of(),
    )
    assert [(row["turn"], row["so far"], row["currency"]) for row in plot_cost(session).data] == [
        (1, 0.1, "USD"),
        (2, 0.3, "USD"),
        (3, 5, "EUR"),
    ]


def test_time():
    """By tool, without what a person was waited for; that apart; what did not end does not count."""
    asked = permission(asked=1.0, answered=4.0)
    session = session_of(
        turn_of(
            call("edit", 0, 5, permissions=(asked,)),
            call("read", 5, 6),
            call("read", 6, 8),
            call("x", 8, None),
        )
    )
    assert plot_time(session).data == [
        {"tool": "edit", "seconds": 2.0, "spent": "working", "calls": 1},
        {"tool": "edit", "seconds": 3.0, "spent": "waiting", "calls": 1},
        {"tool": "read", "seconds": 3.0, "spent": "working", "calls": 2},
    ]


def test_files():
    """By how often, the most touched 40; each file of a call once."""
    many = [call("read", 0, 1, f"/w/p/f{n:02}") for n in range(45)]
    session = session_of(turn_of(*many, call("edit", 1, 2, "/w/p/f44", "/w/p/f44", "/elsewhere")))
    plot = plot_files(session)
    assert plot.data[:2] == [
        {"file": "f44", "tool": "read", "calls": 1},
        {"file": "f44", "tool": "edit", "calls": 1},
    ]
    assert plot["title"] == "Files touched (6 more files left out)"
    assert len({row["file"] for row in plot.data}) == 40
    assert {"file": "/elsewhere", "tool": "edit", "calls": 1} in plot.data


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_recordings(path):
    """Every recording has all plots; each names only columns that its data has."""
    session = Transcript.load(path).session
    for make in PLOTS:
        plot = make(session)
        assert isinstance(plot, Plot)
        bundle = plot._repr_mimebundle_()
        spec = bundle[MIME]
        assert json.loads(json.dumps(spec)) == spec == dict(plot)
        fields = {channel["field"] for channel in spec["encoding"].values()}
        assert all(fields <= set(row) for row in plot.data)
        assert bundle["text/plain"].splitlines()[0] == spec["title"]
        assert len(bundle["text/plain"].splitlines()) == len(plot.data) + 1 + bool(plot.data) or not plot.data


def test_an_empty_session():
    """Has empty plots, not errors."""
    for make in PLOTS:
        plot = make(session_of())
        assert plot.data == []
        assert repr(plot) == f"<Plot {plot['title']!r}: 0 rows>"
        assert plot._repr_mimebundle_()["text/plain"].strip() == plot["title"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_stay_text(hostile):
    """In the text and in the specification they are data without hidden characters."""
    session = everything(lambda _: hostile)
    for make in PLOTS:
        bundle = make(session)._repr_mimebundle_()
        assert set(bundle) == {MIME, "text/plain"}
        for text in [bundle["text/plain"], *(str(v) for row in make(session).data for v in row.values())]:
            assert not set(text) & set("\x1b\x9b\u202e\r\x08\x00")


def test_the_specification_is_one_of_vega_lite():
    """Held to what Vega-Lite's own schema asks of a plot of this kind."""
    spec = dict(plot_tokens(session_of(turn_of(usage={"total_tokens": 7}))))
    assert spec["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json"
    assert set(spec) == {"$schema", "title", "width", "data", "mark", "encoding"}
    kinds = {channel["type"] for channel in spec["encoding"].values()}
    assert kinds <= {"ordinal", "nominal", "quantitative"}
