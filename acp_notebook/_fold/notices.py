"""Notices: lines for the person. Compactions of the conversation are shown as notices, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .frozen import evolve
from .items import NoticeItem
from .read import block, error_text, string
from .state import TextBlock, Turn
from .timeline import add_item, find, put

NOTHING_CAME = "The agent ended the turn without sending anything."

_COMPACTION = {
    "in_progress": ("info", "Compacting the conversation"),
    "completed": ("info", "The conversation was compacted"),
    "failed": ("error", "Compacting the conversation failed"),
    "cancelled": ("warning", "Compacting the conversation was cancelled"),
}


def notice(turn: Turn, update: Mapping[str, Any], t: float, inside: bool) -> Turn | None:
    """Fold a `notice`."""
    title, severity = string(update.get("title")), string(update.get("severity"))
    if title is None:
        return None
    item = NoticeItem(severity or "info", title, string(update.get("description")), t, t)
    return add_item(turn, item, t, inside=inside)


def nothing_came(turn: Turn, t: float) -> Turn:
    """The turn with our own notice that it ended with nothing to show."""
    return add_item(turn, NoticeItem("info", NOTHING_CAME, None, t, t), t, inside=True)


def compaction(turn: Turn, update: Mapping[str, Any], t: float, inside: bool) -> Turn | None:
    """Fold a `compaction_update`: one notice a compaction, kept current."""
    key, status = string(update.get("compactionId")), string(update.get("status"))
    if key is None or status is None:
        return None
    severity, title = _COMPACTION.get(status, ("info", f"Compacting the conversation: {status}"))
    said = string(update.get("summary"))
    if update.get("error") is not None:
        said = error_text(update["error"])
    found = _of(turn, key)
    if found is None:
        return add_item(turn, NoticeItem(severity, title, said, t, t, key), t, inside=inside)
    ref, item = found
    description = item.description if said is None else said
    return put(turn, ref, evolve(item, severity=severity, title=title, description=description))


def compaction_chunk(turn: Turn, update: Mapping[str, Any], t: float, inside: bool) -> Turn | None:
    """Fold a `compaction_summary_chunk`: more of the summary."""
    key, piece = string(update.get("compactionId")), block(update.get("content"))
    if key is None or not isinstance(piece, TextBlock):
        return None
    found = _of(turn, key)
    if found is None:
        severity, title = _COMPACTION["in_progress"]
        return add_item(turn, NoticeItem(severity, title, piece.text, t, t, key), t, inside=inside)
    ref, item = found
    return put(turn, ref, evolve(item, description=(item.description or "") + piece.text))


def _of(turn: Turn, key: str) -> tuple[int, NoticeItem] | None:
    return find(turn, NoticeItem, lambda item: item.key == key)
