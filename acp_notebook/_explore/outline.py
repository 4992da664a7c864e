"""The explorer's outline: what a browser holds of a transcript, and a saved notebook with it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from acp_notebook._render.words import agent_words

from .bounded import turn_payload
from .search import SearchIndex
from .spans import Axis, strip
from .summary import Summary, TurnSummary
from .trail import Ref, Trail

ROWS = 1_000
"""Turns of the outline that are sent at once."""
FILES = 300
WINDOW = 300_000
"""Characters of the first turns that come with the outline."""


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
        "title": session.title,
        "cwd": session.cwd,
        "line": summary.line(),
        "times": _times(summary.times),
        "length": axis.length,
        "strip": [list(part) for part in strip(summary.spans, axis)],
        "rows": rows(trail, summary, axis, 0),
        "turns": len(summary.turns),
        "tokens": sum(row.tokens for row in summary.turns),
        "kinds": {} if index is None else Counter(row.kind for row in index.rows()),
        "statuses": {} if index is None else Counter(row.status for row in index.rows() if row.status),
        "files": [{"path": f.path, "edits": f.edits, "done": f.done} for f in summary.files[:FILES]],
        "file_count": len(summary.files),
        "window": _window(trail),
    }


def rows(trail: Trail, summary: Summary, axis: Axis, first: int) -> list[dict[str, Any]]:
    """Turns of the outline from one on."""
    return [_row(row, trail, axis) for row in summary.turns[first : first + ROWS]]


def _row(row: TurnSummary, trail: Trail, axis: Axis) -> dict[str, Any]:
    return {
        "turn": row.index,
        "title": row.title,
        "status": row.status,
        "x": 0.0 if row.started is None else round(axis.x(row.started), 3),
        "record": trail.first_record(Ref(row.index)),
        **_times(row.times),
        "items": row.items,
        "chars": row.chars,
        "calls": row.tools,
        "failed": row.failed,
        "edits": row.edits,
        "tokens": row.tokens,
    }


def _times(times: Any) -> dict[str, float]:
    return {name: round(getattr(times, name), 3) for name in ("model", "tools", "waiting")}


def _window(trail: Trail) -> list[dict[str, Any]]:
    """The first turns, so that a view and a saved notebook have something to show at once."""
    session = trail.session
    found: list[dict[str, Any]] = []
    room = WINDOW
    turns = ([] if session.preamble is None else [(-1, session.preamble)]) + list(
        enumerate(session.turns[:20])
    )
    for place, turn in turns:
        payload = {"index": place, **turn_payload(turn)}
        room -= len(json.dumps(payload))
        if room < 0 and found:
            break
        found.append(payload)
    return found
