"""Where the time of a turn went: the model, its tools, or waiting for a person."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from acp_notebook._fold.items import RawItem, ToolCallItem
from acp_notebook._fold.state import Session, Turn

SpanKind: TypeAlias = Literal["model", "tools", "waiting"]

KINDS: tuple[SpanKind, ...] = ("model", "tools", "waiting")

IDLE = 1.0
"""Seconds that a pause between turns takes on the axis at most."""


class Span(NamedTuple):
    """A stretch of time that was spent on one thing; seconds on the transcript's clock."""

    kind: SpanKind
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of a turn, or of several.

    Attributes
    ----------
    model, tools, waiting : float
        A second counts once: as waiting if a person was asked, else as tools if any ran, else as the model's.
    """

    model: float = 0.0
    tools: float = 0.0
    waiting: float = 0.0

    @property
    def total(self) -> float:
        """All of them."""
        return self.model + self.tools + self.waiting

    def __add__(self, other: Times) -> Times:
        return Times(self.model + other.model, self.tools + other.tools, self.waiting + other.waiting)


def spans_of(turn: Turn, now: float) -> list[Span]:
    """What a turn's time was spent on, in order and without gaps.

    Parameters
    ----------
    turn : Turn
        A replayed turn has no times of its own and gives nothing.
    now : float
        Where what has not ended is cut off, in seconds.
    """
    if turn.started is None or turn.replayed or turn.status == "queued":
        return []
    start, end = turn.started, now if turn.ended is None else turn.ended
    changes: list[tuple[float, int, int]] = []

    def during(first: float, last: float | None, tools: int, waiting: int) -> None:
        first, last = max(first, start), min(end if last is None else last, end)
        if last > first:
            changes.extend(((first, tools, waiting), (last, -tools, -waiting)))

    for permission in turn.permissions:
        during(permission.asked, permission.answered, 0, 1)
    for item in turn.items:
        if isinstance(item, ToolCallItem):
            during(item.started, item.ended, 1, 0)
        elif isinstance(item, RawItem) and item.kind == "elicitation":
            during(item.started, item.ended, 0, 1)
    spans: list[Span] = []
    tools = waiting = 0
    for time, more_tools, more_waiting in [*sorted(changes), (end, 0, 0)]:
        kind: SpanKind = "waiting" if waiting else "tools" if tools else "model"
        last = spans[-1].end if spans else start
        if time > last:
            if spans and spans[-1].kind == kind:
                spans[-1] = Span(kind, spans[-1].start, time)
            else:
                spans.append(Span(kind, last, time))
        tools, waiting = tools + more_tools, waiting + more_waiting
    return spans


def times_of(spans: Iterable[Span]) -> Times:
    """The sum of spans by kind."""
    sums = {"model": 0.0, "tools": 0.0, "waiting": 0.0}
    for kind, start, end in spans:
        sums[kind] += end - start
    return Times(**sums)


class Axis:
    """The transcript's clock with the pauses between turns cut short.

    Parameters
    ----------
    session : Session
        Its turns are told at full length.
    times : sequence of float
        The times of all records, never going back.

    Attributes
    ----------
    length : float
        Seconds on the axis.
    """

    def __init__(self, session: Session, times: Sequence[float]) -> None:
        first, last = (times[0], times[-1]) if times else (0.0, 0.0)
        busy = [
            (turn.started, last if turn.ended is None else turn.ended)
            for turn in session.turns
            if turn.started is not None and not turn.replayed and turn.status != "queued"
        ]
        self._t, self._x = [first], [0.0]
        for start, end in sorted(busy):
            self._go(start, IDLE)
            self._go(end, None)
        self._go(last, IDLE)
        self.length = self._x[-1]

    def _go(self, t: float, most: float | None) -> None:
        length = t - self._t[-1]
        if length > 0:
            self._t.append(t)
            self._x.append(self._x[-1] + (length if most is None else min(length, most)))

    def x(self, t: float) -> float:
        """Where a time lies on the axis."""
        return _between(self._t, self._x, t)

    def t(self, x: float) -> float:
        """The time at a place of the axis."""
        return _between(self._x, self._t, x)


def _between(xs: list[float], ys: list[float], x: float) -> float:
    place = min(max(bisect_right(xs, x), 1), len(xs) - 1)
    if place == 0 or x <= xs[0]:
        return ys[0]
    if x >= xs[-1]:
        return ys[-1]
    x0, x1, y0, y1 = xs[place - 1], xs[place], ys[place - 1], ys[place]
    return y1 if x1 <= x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)


class Part(NamedTuple):
    """A rectangle of the strip: from `x0` to `x1` on the axis, from `y0` to `y1` of its height (0 to 1)."""

    x0: float
    x1: float
    kind: SpanKind
    y0: float = 0.0
    y1: float = 1.0


def strip(spans: Sequence[Span], axis: Axis, most: int = 400) -> list[Part]:
    """Spans as places on the axis, so few that a picture can hold them.

    Parameters
    ----------
    spans : sequence of Span
        In order.
    axis : Axis
    most : int
        If there are more, so many equal parts of the axis become columns that stack what they were spent on.
    """
    if len(spans) <= most:
        return [Part(round(axis.x(s.start), 3), round(axis.x(s.end), 3), s.kind) for s in spans]
    width = axis.length / most or 1.0
    shares: list[dict[SpanKind, float]] = [{} for _ in range(most)]
    for kind, start, end in spans:
        x, stop = axis.x(start), axis.x(end)
        while x < stop:
            place = min(int(x / width), most - 1)
            edge = stop if place == most - 1 else min(stop, (place + 1) * width)
            edge = max(edge, x + 1e-9)
            shares[place][kind] = shares[place].get(kind, 0.0) + edge - x
            x = edge
    return [part for place, share in enumerate(shares) for part in _column(place * width, width, share)]


def _column(x: float, width: float, share: dict[SpanKind, float]) -> list[Part]:
    total, y = sum(share.values()), 0.0
    found: list[Part] = []
    for kind in KINDS:
        if kind in share:
            more = share[kind] / total
            found.append(Part(round(x, 3), round(x + width, 3), kind, round(y, 3), round(y + more, 3)))
            y += more
    return found
