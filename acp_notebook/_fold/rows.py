"""A session as a table: one row an item, the prompts included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .blocks import TextBlock, relative_path
from .calls import Permission, ToolCall
from .items import Item, NoticeItem, PlanItem, RawItem, TextItem, ToolCallItem
from .state import Session, Turn

COLUMNS = (
    "session_id",
    "turn",
    "item",
    "kind",
    "title",
    "tool",
    "status",
    "path",
    "paths",
    "started",
    "ended",
    "duration",
    "waited",
    "decision",
    "decided_by",
    "added",
    "removed",
    "characters",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cost",
    "currency",
    "replayed",
)
"""The columns of `rows`, in order.

`turn` counts from 0 as in ``session.turns`` (-1 is what came before the first prompt), `item` within the
turn (None for the prompt). Times are seconds on the transcript's clock, `duration` is ``ended - started``,
`waited` how much of it a person was waited for. Tokens and cost belong to a turn and
stand in its prompt's row.
"""


def rows(session: Session) -> list[dict[str, Any]]:
    """Give a row for each prompt and item, those of subagent sessions after the session's own.

    Turns that are `told` again have none: their rows stand where they happened.

    Returns
    -------
    list of dict
        Each with all `COLUMNS`; None where nothing is known.
    """
    found = list(_session_rows(session, session.cwd or ""))
    for child in session.children.values():
        found += _session_rows(child, session.cwd or "")
    return found


def _session_rows(session: Session, cwd: str) -> Iterator[dict[str, Any]]:
    if session.preamble is not None:
        yield from _turn_rows(session.preamble, -1, cwd)
    for index, turn in enumerate(session.turns):
        if not turn.told:
            yield from _turn_rows(turn, index, cwd)


def _turn_rows(turn: Turn, index: int, cwd: str) -> Iterator[dict[str, Any]]:
    if index >= 0:
        yield _row(turn, index, None, **_prompt(turn))
    for place, item in enumerate((*turn.items, *turn.after)):
        yield _row(turn, index, place, **_times(item.started, item.ended), **_item(item, cwd))


def _row(turn: Turn, index: int, item: int | None, **values: Any) -> dict[str, Any]:
    row = dict.fromkeys(COLUMNS)
    fixed = {"session_id": turn.session_id, "turn": index, "item": item, "replayed": turn.replayed}
    return {**row, **fixed, **values}


def _times(started: float | None, ended: float | None) -> dict[str, Any]:
    duration = None if started is None or ended is None else round(ended - started, 6)
    return {"started": started, "ended": ended, "duration": duration}


def _prompt(turn: Turn) -> dict[str, Any]:
    text = "".join(b.text for b in turn.prompt if isinstance(b, TextBlock))
    usage = turn.usage or {}
    return {
        "kind": "prompt",
        "title": text,
        "status": turn.stop_reason or turn.status,
        "characters": len(text),
        "waited": waited(turn.permissions),
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "total_tokens": usage.get("total_tokens"),
        "cost": None if turn.cost is None else turn.cost.amount,
        "currency": None if turn.cost is None else turn.cost.currency,
        **_times(turn.started, turn.ended),
    }


def _item(item: Item, cwd: str) -> dict[str, Any]:
    if isinstance(item, ToolCallItem):
        return {"kind": item.kind, **_call(item.call, cwd)}
    if isinstance(item, TextItem):
        return {"kind": item.kind, "title": item.text, "characters": len(item.text)}
    if isinstance(item, PlanItem):
        title = item.text if item.text is not None else "; ".join(entry.content for entry in item.entries)
        done = sum(entry.status == "completed" for entry in item.entries)
        return {
            "kind": item.kind,
            "title": title,
            "status": f"{done} of {len(item.entries)}" if item.entries else None,
        }
    if isinstance(item, NoticeItem):
        return {"kind": item.kind, "title": item.title, "status": item.severity}
    return {"kind": item.kind, "title": item.name if isinstance(item, RawItem) else None}


def _call(call: ToolCall, cwd: str) -> dict[str, Any]:
    places = [place.path for place in call.locations] + [diff.path for diff in call.diffs]
    paths = tuple(dict.fromkeys(relative_path(path, cwd) for path in places))
    last = next((p for p in reversed(call.permissions) if p.outcome is not None), None)
    added, removed = _changed(call)
    return {
        "title": call.title,
        "tool": call.tool_name,
        "status": call.state,
        "path": paths[0] if paths else None,
        "paths": paths,
        "waited": waited(call.permissions),
        "decision": None if last is None else _decision(last),
        "decided_by": None if last is None else last.decided_by,
        "added": added,
        "removed": removed,
    }


def _decision(permission: Permission) -> str:
    if permission.option is not None:
        return permission.option.name
    return permission.option_id or permission.outcome or ""


def waited(permissions: tuple[Permission, ...]) -> float | None:
    """How long answers were waited for in seconds, each moment counted once; None without any answer."""
    spans = sorted((p.asked, p.answered) for p in permissions if p.answered is not None)
    if not spans:
        return None
    total, end = 0.0, spans[0][0]
    for start, stop in spans:
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return round(total, 6)


def _changed(call: ToolCall) -> tuple[int | None, int | None]:
    """Lines added and removed by a call's diffs, by the multiset of lines: exact unless lines only moved."""
    if not call.diffs:
        return None, None
    added = removed = 0
    for diff in call.diffs:
        balance: dict[str, int] = {}
        for line in diff.new_text.splitlines():
            balance[line] = balance.get(line, 0) + 1
        for line in (diff.old_text or "").splitlines():
            balance[line] = balance.get(line, 0) - 1
        added += sum(n for n in balance.values() if n > 0)
        removed -= sum(n for n in balance.values() if n < 0)
    return added, removed
