"""The state at a moment, as it goes to the browser: what differs from the moment before."""

from __future__ import annotations

from typing import Any

from acp_notebook._fold.items import Item
from acp_notebook._fold.state import Session, Turn

from .bounded import MOST_ITEMS, Cutter, items_payload, limit_for, offset_for, turn_head, turn_payload
from .entries import places
from .messages import Seek
from .spans import Axis
from .trail import HEAD, Ref, Trail


class Moments:
    """Answers to `Seek`; remembers what the last answer held.

    Parameters
    ----------
    trail : Trail
    axis : Axis
    """

    def __init__(self, trail: Trail, axis: Axis) -> None:
        self._trail = trail
        self.axis = axis
        self._seq = 0
        self._place: tuple[int, int, int] | None = None
        self._items: tuple[Item, ...] = ()

    def answer(self, seek: Seek) -> dict[str, Any]:
        """The moment that was asked for; see ``moment`` in ``js/src/explorer/wire.ts``."""
        index = self._index(seek)
        session = self._trail.at(index)
        times = self._trail.times
        t = times[index - 1] if index else (times[0] if times else 0.0)
        turns = dict(places(session))
        shown = self._turn_at(index, turns)
        return {
            "kind": "moment",
            "id": seek.id,
            "base": seek.have if seek.have == self._seq else -1,
            "index": index,
            "t": t,
            "x": self.axis.x(t),
            "next": self.axis.x(times[index]) if index < self._trail.done else None,
            "count": len(session.turns),
            "status": session.status,
            "place": shown,
            "turn": self._changed(shown, turns.get(shown), seek.have == self._seq),
            "others": self._others(session, shown, seek),
            "seq": self._seq,
        }

    def _index(self, seek: Seek) -> int:
        trail, most = self._trail, self._trail.done
        if seek.x is not None:
            return trail.index_at(self.axis.t(seek.x) + 1e-9)
        if seek.turn is not None and seek.item is not None:
            return trail.last_record(Ref(seek.turn, seek.item, seek.after)) + 1
        if seek.turn is not None:
            return min(most, trail.begins(seek.turn) + 1)
        return max(0, min(most, most if seek.index is None else seek.index))

    def _turn_at(self, index: int, turns: dict[int, Turn]) -> int:
        """The turn that the last record before this moment was about."""
        for record in range(index - 1, max(-1, index - 200), -1):
            place = self._trail.turn_of[record]
            if place in turns:
                return place
        return max(turns, default=HEAD)

    def _changed(self, place: int, turn: Turn | None, known: bool) -> dict[str, Any] | None:
        """The turn of the moment, without those first items that the browser has."""
        self._seq += 1
        if turn is None:
            self._place, self._items = None, ()
            return None
        items = turn.items
        total = len(items)
        offset, limit = offset_for(total, total), limit_for(total)
        keep = 0
        if known and self._place == (place, offset, limit):
            # Steps back fold anew: equal items then are others.
            same = (a is b or a == b for a, b in zip(self._items, items))  # noqa: B905  # one may be longer
            keep = next((n for n, one in enumerate(same) if not one), min(len(self._items), total))
            keep = max(0, keep - offset)
        self._place, self._items = (place, offset, limit), items
        cutter = Cutter(limit)
        head = turn_head(turn, cutter)
        fresh = items_payload(items[offset + keep : offset + MOST_ITEMS], cutter)
        return {
            "index": place,
            "turn": head,
            "keep": keep,
            "items": fresh,
            "offset": offset,
            "total": total,
            "left_out": cutter.left_out,
        }

    def _others(self, session: Session, shown: int, seek: Seek) -> list[dict[str, Any]]:
        """Turns in the window that were then not yet what they are at the end."""
        now, end = session.turns, self._trail.session.turns
        window = range(max(0, seek.first), min(seek.last + 1, len(now), seek.first + 50))
        return [
            {"index": place, **turn_payload(now[place])}
            for place in window
            if place != shown
            and (place >= len(end) or now[place] is not end[place])
            and now[place] != end[place]
        ]
