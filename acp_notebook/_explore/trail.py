"""The state at any moment of a transcript, and which records stand behind each item.

One pass folds all records. It keeps the state every `STEP` records, which costs little as states share what
did not change, so that any moment is at most `STEP` records away; and it notes what each record changed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acp_notebook._fold.fold import fold
from acp_notebook._fold.items import Item, ToolCallItem
from acp_notebook._fold.record import Record
from acp_notebook._fold.state import Session, Turn

from .places import CHILD, split

STEP = 64
"""Records between two states that are kept: one costs little more than its place in a list."""

NOWHERE = -2
"""What `Trail.turn_of` says of a record that changed no turn."""

HEAD = -1
"""The item index that stands for the turn itself: its prompt, its beginning and its end."""


class Ref(NamedTuple):
    """An item of a turn, or its `HEAD`; the turn by its place, see `places`."""

    turn: int
    item: int = HEAD
    after: bool = False


class _Behind:
    """The records behind one turn, as runs ``first, last, first, last…`` for each item."""

    __slots__ = ("after", "head", "items")

    def __init__(self) -> None:
        self.head: list[int] = []
        self.items: list[list[int]] = []
        self.after: list[list[int]] = []

    def runs(self, item: int, *, after: bool) -> list[int]:
        if item == HEAD:
            return self.head
        runs = self.after if after else self.items
        while len(runs) <= item:
            runs.append([])
        return runs[item]


class Trail:
    """A folded transcript that remembers how it came to be.

    Parameters
    ----------
    records : sequence of Record
    read : int, optional
        How many of them to read at once; `read` goes on from there. All of them if it is not given.

    Attributes
    ----------
    session : Session
        The state after the last record that was read.
    done : int
        How many records were read.
    times : array of float
        The records' times in seconds, never going back; their indices if the transcript has no times.
    turn_of : array of int
        For each record the place of the turn that it changed, `NOWHERE` if it changed none.
    order : list of int
        The places of all turns that have begun, in the order of their first records; without those that
        were only told again. What is read on adds to its end, and each moment has the beginning of it.
    position : dict of int to int
        Where in `order` a place stands.
    """

    def __init__(self, records: Sequence[Record], read: int | None = None) -> None:
        self.records = records
        self.times = _times(records)
        self.done = 0
        self.session = Session()
        self.turn_of = array("q")
        self.order: list[int] = []
        self.position: dict[int, int] = {}
        self._begins: list[int] = []
        self._kept: list[Session] = []
        self._last = (0, Session())
        self._behind: dict[int, _Behind] = {}
        self._first: dict[int, int] = {}
        self.read(len(records) if read is None else read)

    def read(self, count: int) -> bool:
        """Read some more records; says whether any are left."""
        session, end = self.session, min(self.done + count, len(self.records))
        for index in range(self.done, end):
            after = fold(session, self.records[index])
            self.turn_of.append(NOWHERE if after is session else self._note(index, session, after))
            session = after
            if (index + 1) % STEP == 0:
                self._kept.append(session)
        self.session, self.done = session, end
        return end < len(self.records)

    def at(self, index: int) -> Session:
        """The state after the first `index` records."""
        index = max(0, min(index, self.done))
        base = index // STEP
        begin, session = base * STEP, self._kept[base - 1] if base else Session()
        last = self._last  # a cell may ask while the explorer does, on another thread
        if begin <= last[0] <= index:
            # Steps forward go on from the last moment, and share what did not change with it.
            begin, session = last
        session = fold(session, self.records[begin:index])
        self._last = (index, session)
        return session

    def index_at(self, time: float) -> int:
        """How many records had come at a time."""
        return bisect_right(self.times, time, 0, self.done)

    def behind(self, ref: Ref) -> list[tuple[int, int]]:
        """Records that made or changed an item, as ranges ``(first, end)`` in order; `end` is one past."""
        found = self._behind.get(ref.turn)
        runs = [] if found is None else found.runs(ref.item, after=ref.after)
        return [(first, last + 1) for first, last in zip(runs[::2], runs[1::2], strict=True)]

    def first_record(self, ref: Ref) -> int:
        """Index of the first record behind an item; that of its turn, else 0, if none is known."""
        ranges = self.behind(ref)
        return ranges[0][0] if ranges else self._first.get(ref.turn, 0)

    def last_record(self, ref: Ref) -> int:
        """Index of the last record behind an item, as `first_record`."""
        ranges = self.behind(ref)
        return ranges[-1][1] - 1 if ranges else self._first.get(ref.turn, 0)

    def begins(self, turn: int) -> int:
        """Index of the first record of a turn."""
        return self._first.get(turn, 0)

    def begun(self, index: int) -> int:
        """How many turns of `order` had begun after so many records."""
        return bisect_left(self._begins, index)

    def shown(self) -> list[int]:
        """The places of all turns there are, in the order in which they are shown; those that wait last."""
        session = self.session
        first = len(session.turns) - len(session.queued)
        return [*self.order, *range(first, len(session.turns))]

    # ------------------------------------------------------------------------------- what a record changed

    def _note(self, index: int, old: Session, new: Session) -> int:
        touched = NOWHERE
        for place, before, after in _changed_turns(old, new):
            behind = self._behind.setdefault(place, _Behind())
            if place not in self._first:
                self._first[place] = index
                if not after.told:
                    self.position[place] = len(self.order)
                    self.order.append(place)
                    self._begins.append(index)
            if before is not None and _count(after) < _count(before):
                gone = _first_difference(before.items, after.items)
                del behind.items[gone : gone + 1]
            for item, late in _changed_items(before, after):
                _add(behind.runs(item, after=late), index)
            # Of several the last turn of the session itself: the end of a turn ends those of its subagents.
            if touched == NOWHERE or split(place)[0] == 0:
                touched = place
        return touched


def _times(records: Sequence[Record]) -> array[float]:
    times, last = array("d"), float("-inf")
    for record in records:
        last = max(last, record.t)
        times.append(last)
    return times if times and times[-1] > times[0] else array("d", range(len(times)))


def _add(runs: list[int], index: int) -> None:
    if runs and runs[-1] == index - 1:
        runs[-1] = index
    elif not runs or runs[-1] != index:
        runs += (index, index)


def _changed_turns(old: Session, new: Session) -> Iterator[tuple[int, Turn | None, Turn]]:
    """Places of the turns that differ, with both of their states."""
    if new.preamble is not old.preamble and new.preamble is not None:
        yield -1, old.preamble, new.preamble
    current = old.current
    if new.closed is not old.closed:
        yield from old.closed.changes(new.closed)
        # Of an earlier transcript many turns come with one record.
        for place in range(len(old.closed), len(new.closed)):
            if new.closed[place] is not current:
                yield place, current, new.closed[place]
            current = None
    if new.current is not None and new.current is not current:
        yield len(new.closed), current, new.current
    if new.children is not old.children:
        for number, (key, child) in enumerate(new.children.items(), 1):
            was = old.children.get(key, _NONE)
            if child is not was:
                for index, earlier, later in _changed_turns(was, child):
                    yield number * CHILD + index, earlier, later


_NONE = Session()


def _changed_items(old: Turn | None, new: Turn) -> list[tuple[int, bool]]:
    """What of a turn differs: ``(item, whether it stands in after)``; the `HEAD` if it is the turn itself."""
    if old is None:
        return [(HEAD, False), *((item, False) for item in range(_count(new)))]
    before, now = _count(old), _count(new)
    found: list[tuple[int, bool]] = []
    if old.active and not new.active:
        # The end ends every item; what is new then tells of the end.
        return [(HEAD, False), *((item, False) for item in range(before, now))]
    if now > before:
        # The item before the new one has ended with it; that is no news about it.
        found += [(item, False) for item in range(before, now)]
    else:
        if new.closed is not old.closed:
            found += [(item, False) for item, _, _ in old.closed.changes(new.closed)]
        if new.last is not old.last and now:
            found.append((now - 1, False))
    if new.after is not old.after:
        found += [(item, True) for item in _differences(old.after, new.after)]
        found += [(item, True) for item in range(len(old.after), len(new.after))]
    if not found and new.terminals is not old.terminals:
        names = {name for name, one in new.terminals.items() if one is not old.terminals.get(name)}
        found += _showing(new.items, names, after=False) + _showing(new.after, names, after=True)
    return found or [(HEAD, False)]


def _count(turn: Turn) -> int:
    return len(turn.closed) + (turn.last is not None)


def _differences(old: tuple[Item, ...], new: tuple[Item, ...]) -> list[int]:
    pairs = zip(old, new)  # noqa: B905  # one may be longer
    return [index for index, (before, after) in enumerate(pairs) if before is not after]


def _first_difference(old: tuple[Item, ...], new: tuple[Item, ...]) -> int:
    return next(iter(_differences(old, new)), len(new))


def _showing(items: tuple[Item, ...], terminals: set[str], *, after: bool) -> list[tuple[int, bool]]:
    return [
        (index, after)
        for index, item in enumerate(items)
        if isinstance(item, ToolCallItem) and terminals.intersection(item.call.terminals)
    ]
