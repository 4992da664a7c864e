"""The explorer's outline: what a browser holds of a transcript, and a saved notebook with it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from acp_notebook._fold.about import Cost
from acp_notebook._fold.state import Session
from acp_notebook._render.words import agent_words

from .bounded import turn_payload
from .entries import one_line
from .places import Named, sessions, split, turn_at, whose
from .search import SearchIndex
from .spans import Axis, strip
from .summary import Summary, TurnSummary
from .trail import Ref, Trail
from .usage import FileUse, ToolUse

ROWS = 1_000
"""Turns of the outline that are sent at once."""
FILES = 300
PLOTTED = 40
"""Tools and files that are plotted."""
SESSIONS = 100
KINDS = 60
"""Kinds of things that can be filtered, the most frequent."""
WINDOW = 300_000
"""Characters of the first turns that come with the outline."""
_LINE = 300
_NAME = 20


def outline(
    trail: Trail, summary: Summary, axis: Axis, index: SearchIndex | None, facts: dict[str, Any]
) -> dict[str, Any]:
    """The outline as JSON, below 1 MB; see ``Outline`` in ``js/src/explorer/wire.ts``.

    Parameters
    ----------
    trail, summary, axis
        Of the records read so far.
    index : SearchIndex or None
        None while records are still being read.
    facts : dict
        What the transcript's header and warnings say.
    """
    session = trail.session
    return {
        "version": 1,
        "ready": index is not None,
        "read": trail.done,
        "records": len(trail.records),
        **facts,
        "agent": agent_words(session),
        "title": None if session.title is None else one_line(session.title, _LINE),
        "cwd": session.cwd,
        "line": summary.line(),
        "times": _times(summary.times),
        "length": axis.length,
        "strip": [list(part) for part in strip(summary.spans, axis)],
        "rows": rows(trail, summary, axis, 0),
        "turns": len(summary.turns),
        "tokens": sum(row.tokens for row in summary.turns),
        "costs": _costs(summary),
        "sessions": [_session(one) for one in sessions(session, trail.shown())[:SESSIONS]],
        "tool_uses": [_use(tool) for tool in summary.tool_uses[:PLOTTED]],
        "file_uses": [_use(file) for file in summary.file_uses[:PLOTTED]],
        "file_uses_count": len(summary.file_uses),
        "kinds": {} if index is None else dict(Counter(row.kind for row in index.rows()).most_common(KINDS)),
        "statuses": {} if index is None else Counter(row.status for row in index.rows() if row.status),
        "files": [{"path": f.path, "edits": f.edits, "done": f.done} for f in summary.files[:FILES]],
        "file_count": len(summary.files),
        "window": _window(trail),
    }


def rows(trail: Trail, summary: Summary, axis: Axis, first: int) -> list[dict[str, Any]]:
    """Turns of the outline from one on."""
    return [_row(row, trail, axis) for row in summary.turns[first : first + ROWS]]


def part_of(session: Session, place: int, position: int, payload: dict[str, Any]) -> dict[str, Any]:
    """What `turn_payload` gives, with where it stands; see ``TurnPart`` in ``js/src/explorer/wire.ts``."""
    return {**payload, "index": position, **_name(place, whose(session, place))}


def _name(place: int, session: str | None) -> dict[str, Any]:
    return {"number": split(place)[1] + 1, "session": session}


def _row(row: TurnSummary, trail: Trail, axis: Axis) -> dict[str, Any]:
    return {
        **_name(row.place, row.session),
        "title": row.title,
        "status": row.status,
        "x": 0.0 if row.started is None else round(axis.x(row.started), 3),
        "record": trail.first_record(Ref(row.place)),
        **_times(row.times),
        "items": row.items,
        "chars": row.chars,
        "calls": row.tools,
        "failed": row.failed,
        "edits": row.edits,
        "tokens": row.tokens,
        "cost": None if row.cost is None else {"amount": row.cost.amount, "currency": _currency(row.cost)},
    }


def _costs(summary: Summary) -> dict[str, float]:
    """What all turns cost together, by currency."""
    sums: dict[str, float] = {}
    for row in summary.turns:
        if row.cost is not None:
            name = _currency(row.cost)
            sums[name] = round(sums.get(name, 0.0) + row.cost.amount, 10)
    return sums


def _currency(cost: Cost) -> str:
    """Three letters, if the agent keeps to the protocol."""
    return one_line(cost.currency, _NAME)


def _session(one: Named) -> dict[str, Any]:
    return {"id": one.id, "label": one.label, "turns": one.turns}


def _use(one: ToolUse | FileUse) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}


def _times(times: Any) -> dict[str, float]:
    return {name: round(getattr(times, name), 3) for name in ("model", "tools", "waiting")}


def _window(trail: Trail) -> list[dict[str, Any]]:
    """The first turns, so that a view and a saved notebook have something to show at once."""
    session = trail.session
    found: list[dict[str, Any]] = []
    room = WINDOW
    for position, place in enumerate(trail.shown()[:20]):
        turn = turn_at(session, place)
        if turn is None:
            break
        payload = part_of(session, place, position, turn_payload(turn))
        room -= len(json.dumps(payload))
        if room < 0 and found:
            break
        found.append(payload)
    return found
