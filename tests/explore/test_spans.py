"""Where the time went."""

from __future__ import annotations

from itertools import pairwise

import pytest

from acp_notebook._explore.spans import IDLE, Axis, Span, Times, spans_of, strip, times_of
from acp_notebook._explore.trail import Trail
from tests.explore.sessions import Wire, two_turns
from tests.fold.captures import ALL, records


def test_a_second_counts_once():
    """Waiting for the person counts as waiting although the call is open; the rest of the turn is the model's."""
    turn = two_turns().transcript().turns[0]
    assert turn.started is not None
    assert turn.ended is not None
    spans = spans_of(turn, turn.ended)
    assert [span.kind for span in spans] == ["model", "tools", "model", "waiting", "tools", "model"]
    assert times_of(spans) == Times(model=6.0, tools=4.0, waiting=20.0)
    assert times_of(spans).total == turn.ended - turn.started


@pytest.mark.parametrize("name", ALL)
def test_spans_have_no_gaps_and_no_overlap(name):
    """In every recording the spans of a turn fill it from its beginning to its end."""
    trail = Trail(records(name))
    now = records(name)[-1].t
    for turn in trail.session.turns:
        spans = spans_of(turn, now)
        if not spans:
            continue
        assert spans[0].start == turn.started
        assert spans[-1].end == (now if turn.ended is None else turn.ended)
        for before, after in pairwise(spans):
            assert before.end == after.start
            assert before.kind != after.kind


def test_what_has_not_ended_is_cut_off_at_now():
    """A request that nobody answered waits until the end of the records."""
    turn = Wire().prompt("go", 1).call("c", "x", seconds=1).ask("c", 1).transcript().turns[0]
    assert spans_of(turn, 10.0) == [Span("model", 1, 2), Span("tools", 2, 3), Span("waiting", 3, 10)]


def test_the_axis_cuts_pauses_between_turns_short():
    """A night between two turns takes one second; within a turn every second counts."""
    wire = Wire().prompt("a", 5).text("x", 3).end().prompt("b", 30_000).text("y", 2).end()
    session = wire.transcript().session
    axis = Axis(session, [record.t for record in wire.records])
    assert axis.length == IDLE + 3 + IDLE + 2
    assert axis.x(5 + 3) == IDLE + 3
    assert axis.x(8 + 30_000) == IDLE + 3 + IDLE
    for x in (0, 0.5, 2.5, 4.5, 6.9):
        assert axis.x(axis.t(x)) == pytest.approx(x)


def test_times_outside_are_the_ends():
    """Before the first record and after the last one there is nothing."""
    axis = Axis(Wire().prompt("a", 5).text("x", 3).end().transcript().session, [0.0, 8.0])
    assert (axis.x(-5), axis.x(1e9)) == (0.0, axis.length)
    assert (axis.t(-5), axis.t(1e9)) == (0.0, 8.0)
    assert Axis(Wire().transcript().session, []).length == 0


def test_a_strip_is_bounded_and_keeps_the_shares():
    """However many spans there are, a picture gets few columns, and each stacks what its time was spent on."""
    wire = Wire()
    for _ in range(1_000):
        wire.prompt("go", 1).call("c", "x", seconds=3).done("c", seconds=1).end(seconds=0)
    session = wire.transcript().session
    axis = Axis(session, [record.t for record in wire.records])
    spans = [span for turn in session.turns for span in spans_of(turn, wire.t)]
    assert len(spans) == 2_000
    parts = strip(spans, axis, 100)
    assert 100 <= len(parts) <= 300
    assert all(0 <= part.x0 < part.x1 <= axis.length + 0.01 for part in parts)
    heights = {kind: sum(p.y1 - p.y0 for p in parts if p.kind == kind) for kind in ("model", "tools")}
    assert heights["model"] == pytest.approx(75, abs=1)
    assert heights["tools"] == pytest.approx(25, abs=1)


def test_few_spans_stand_as_they_are():
    """A short transcript's strip has each span at its place."""
    wire = two_turns()
    session = wire.transcript().session
    axis = Axis(session, [record.t for record in wire.records])
    spans = spans_of(session.turns[0], wire.t)
    parts = strip(spans, axis)
    assert [part.kind for part in parts] == [span.kind for span in spans]
    assert (parts[0].x0, parts[0].y0, parts[0].y1) == (IDLE, 0.0, 1.0)
