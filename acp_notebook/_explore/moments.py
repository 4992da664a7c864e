"""The state at a moment, as it goes to the browser: what differs from the moment before."""

from __future__ import annotations

from typing import Any

from acp_notebook._fold.items import Item
from acp_notebook._fold.state import Session

from .bounded import Cutter, items_payload, limit_for, turn_head, turn_payload
from .messages import Seek
from .outline import part_of
from .places import turn_at
from .spans import Axis
from .trail import Ref, Trail

SHOWN = 60
"""Items of a turn that are shown at least, where it has as many, and less than twice as many at most."""


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
        self._place_sent: tuple[int, int, int] | None = None
        self._items: tuple[Item, ...] = ()

    def answer(self, seek: Seek) -> dict[str, Any]:
        """The moment that was asked for; see ``moment`` in ``js/src/explorer/wire.ts``."""
        index = self._index(seek)
        session = self._trail.at(index)
        times = self._trail.times
        t = times[index - 1] if index else (times[0] if times else 0.0)
        begun = self._trail.begun(index)
        shown = self._turn_at(index, begun)
        known = seek.have == self._seq
        return {
            "kind": "moment",
            "id": seek.id,
            "base": seek.have if known else -1,
            "index": index,
            "t": t,
            "x": self.axis.x(t),
            "next": self.axis.x(times[index]) if index < self._trail.done else None,
            "count": begun + len(session.queued),
            "status": session.status,
            "place": shown,
            "turn": self._changed(session, shown, known),
            "others": [*self._others(session, shown, seek, begun), *self._queued(session, begun)],
            "seq": self._seq,
        }

    def _index(self, seek: Seek) -> int:
        trail, most = self._trail, self._trail.done
        if seek.x is not None:
            return trail.index_at(self.axis.t(seek.x) + 1e-9)
        if seek.turn is not None and seek.item is not None:
            return trail.last_record(Ref(self._place(seek.turn), seek.item, seek.after)) + 1
        if seek.turn is not None:
            return min(most, trail.begins(self._place(seek.turn)) + 1)
        return max(0, min(most, most if seek.index is None else seek.index))

    def _place(self, position: int) -> int:
        order = self._trail.order
        return order[max(0, min(position, len(order) - 1))] if order else 0

    def _turn_at(self, index: int, begun: int) -> int:
        """The position of the turn that the last record before this moment was about; -1 if there is none."""
        for record in range(index - 1, max(-1, index - 200), -1):
            position = self._trail.position.get(self._trail.turn_of[record])
            if position is not None:
                return position
        return begun - 1

    def _changed(self, session: Session, position: int, known: bool) -> dict[str, Any] | None:
        """The turn of the moment, without those first items that the browser has."""
        self._seq += 1
        place = self._trail.order[position] if position >= 0 else -1
        turn = None if position < 0 else turn_at(session, place)
        if turn is None:
            self._place_sent, self._items = None, ()
            return None
        items = turn.items
        total = len(items)
        # The last items, in steps: as long as the first one is the same, only what is new is sent.
        offset, limit = max(0, total // SHOWN - 1) * SHOWN, limit_for(total)
        keep = 0
        if known and self._place_sent == (place, offset, limit):
            # Steps back fold anew: equal items then are others.
            same = (a is b or a == b for a, b in zip(self._items, items))  # noqa: B905  # one may be longer
            keep = next((n for n, one in enumerate(same) if not one), min(len(self._items), total))
            keep = max(0, keep - offset)
        self._place_sent, self._items = (place, offset, limit), items
        cutter = Cutter(limit)
        head = turn_head(turn, cutter)
        fresh = items_payload(items[offset + keep :], cutter)
        found = {
            "turn": head,
            "keep": keep,
            "items": fresh,
            "offset": offset,
            "total": total,
            "left_out": cutter.left_out,
        }
        return part_of(session, place, position, found)

    def _others(self, session: Session, shown: int, seek: Seek, begun: int) -> list[dict[str, Any]]:
        """Turns in the window that were then not yet what they are at the end."""
        first, order = max(0, seek.first), self._trail.order
        found = []
        for position in range(first, min(seek.last + 1, begun, first + 50)):
            now, end = (turn_at(one, order[position]) for one in (session, self._trail.session))
            if position != shown and now is not None and now is not end and now != end:
                found.append(part_of(session, order[position], position, turn_payload(now)))
        return found

    def _queued(self, session: Session, begun: int) -> list[dict[str, Any]]:
        """The prompts that waited then stand after the turns that had begun."""
        first = len(session.turns) - len(session.queued)
        return [
            part_of(session, first + number, begun + number, turn_payload(turn))
            for number, turn in enumerate(session.queued)
        ]
