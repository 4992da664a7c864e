"""Turns as JSON of a bounded size: long texts lose their middle, large pictures are only named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_notebook._fold.frozen import evolve
from acp_notebook._fold.items import Item
from acp_notebook._fold.state import Turn
from acp_notebook._fold.to_json import item_to_json, turn_to_json

MOST_ITEMS = 600
"""Items of one turn that are sent at once; a longer turn is shown in parts."""
TURN_CHARS = 400_000
"""Characters that the texts of one turn may have together, about."""
TEXT = 20_000
"""Characters of one text at most, where there is room for that."""
WHOLE = 2_000_000
"""Characters of one text at most, where a person asked for all of it."""
_PICTURE = 300_000
_LEAST = 400
_NAMES = frozenset({"type", "kind", "id", "key", "status", "state", "mime_type", "path", "tool_call_id"})


class Cutter:
    """Cuts JSON values; `left_out` counts the characters that are gone.

    Parameters
    ----------
    limit : int
        Characters that one text may have.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left_out = 0

    def __call__(self, value: Any) -> Any:
        """The value with every text in it cut to the limit."""
        if isinstance(value, str):
            return value if len(value) <= self.limit else self._text(value)
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, (list, tuple)):
            return [self(each) for each in value]
        return value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        data = value.get("data")
        if value.get("type") in ("image", "audio") and isinstance(data, str) and len(data) > _PICTURE:
            self.left_out += len(data)
            text = f"[{value['type']}, {len(data) * 3 // 4:,} bytes, is left out here]"
            return {"type": "text", "text": text}
        if "new_text" in value and "old_text" in value:
            # Both sides lose their ends, or the cut itself would look like a change.
            return {
                key: self._begin(one) if key.endswith("_text") else self(one) for key, one in value.items()
            }
        picture = value.get("type") in ("image", "audio")
        return {
            key: one if key in _NAMES or (picture and key == "data") else self(one)
            for key, one in value.items()
        }

    def _text(self, value: str) -> str:
        head, tail = self.limit * 2 // 3, self.limit // 3
        gone = len(value) - head - tail
        self.left_out += gone
        return f"{value[:head]}\n… {gone:,} characters are left out here …\n{value[-tail:]}"

    def _begin(self, value: str | None) -> str | None:
        if value is None or len(value) <= self.limit:
            return value
        self.left_out += len(value) - self.limit
        return f"{value[: self.limit].rpartition(chr(10))[0]}\n… the rest is left out here …\n"


def limit_for(items: int) -> int:
    """How long a text may be in a turn of so many items."""
    limit = TEXT
    # In steps, so that a turn which grows keeps its limit and what was sent of it.
    while limit > _LEAST and limit * min(items, MOST_ITEMS) > TURN_CHARS:
        limit //= 2
    return limit


def turn_payload(turn: Turn, focus: int = 0) -> dict[str, Any]:
    """A turn for the browser.

    Parameters
    ----------
    turn : Turn
    focus : int
        The item that must be among those that are sent.

    Returns
    -------
    dict
        ``turn`` (as in `Turn.to_json`, its items from ``offset`` on), ``offset``, ``total`` (items of the
        whole turn) and ``left_out`` (characters that were cut).
    """
    total = len(turn.items)
    offset = offset_for(total, focus)
    cutter = Cutter(limit_for(total))
    head = turn_head(turn, cutter)
    items = items_payload(turn.items[offset : offset + MOST_ITEMS], cutter)
    head["items"] = items
    return {"turn": head, "offset": offset, "total": total, "left_out": cutter.left_out}


def offset_for(total: int, focus: int) -> int:
    """Where the part of a turn begins that holds an item."""
    if total <= MOST_ITEMS:
        return 0
    return max(0, min(focus - MOST_ITEMS // 2, total - MOST_ITEMS))


def turn_head(turn: Turn, cutter: Cutter) -> dict[str, Any]:
    """A turn's JSON without its items; what came after it is cut to as many."""
    bare = evolve(turn, closed=(), last=None, after=turn.after[:MOST_ITEMS])
    found: dict[str, Any] = cutter(turn_to_json(bare))
    return found


def items_payload(items: Iterable[Item], cutter: Cutter) -> list[Any]:
    """Items as JSON."""
    return [cutter(item_to_json(item)) for item in items]
