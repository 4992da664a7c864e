"""Which turns a static copy has room for: the last ones, kept rendered from one update to the next.

An update costs what came and what had to go, however many turns are kept.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_notebook._render.fit import Rendered, render_turn, whole_turn
from acp_notebook._render.html import without_blank_lines

if TYPE_CHECKING:
    from acp_notebook._fold.state import Turn
    from acp_notebook._render.options import RenderOptions


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn as it was rendered, with what would cost its whole length to find out again."""

    turn: Turn
    rendered: Rendered | None
    """None: with nothing left out it fits into no copy."""
    size: int
    html: str

    @classmethod
    def of(cls, turn: Turn, rendered: Rendered | None) -> Kept:
        whole = rendered or Rendered()
        # One byte more for the line between two turns.
        return cls(turn, rendered, whole.size + 1, without_blank_lines(whole.html))

    @property
    def whole(self) -> Rendered:
        """What was rendered."""
        return self.rendered or Rendered()


class TwinRow:
    """The last turns that fit into a number of bytes; of a newest turn that alone is too long, a part.

    Parameters
    ----------
    options
        What is shown of a turn.
    limit
        Bytes beyond which no turn is rendered whole.

    Attributes
    ----------
    kept : dict of int to Kept
        By the index of the turn.
    indices : deque of int
        The same indices in order.
    changed : set of int
        The indices that came, went or have another content since somebody emptied it.
    """

    def __init__(self, options: RenderOptions, limit: int) -> None:
        self._options = options
        self._limit = limit
        self.kept: dict[int, Kept] = {}
        self.indices: deque[int] = deque()
        self.changed: set[int] = set()
        self._turns: tuple[Turn, ...] = ()
        # Every turn from this index on is kept, but for those that are told elsewhere.
        self._start = 0
        self._used = 0
        # The budget of the last update, if its newest turn had to be cut.
        self._cut_to: int | None = None
        # The newest turn that found no room: it is tried each time.
        self._refused: tuple[int, Kept] | None = None

    def fit(self, turns: tuple[Turn, ...], budget: int) -> None:
        """Take the turns as they are now, and as many of them as fit."""
        same = self._still(turns)
        if self._cut_to is not None and (same < len(turns) or budget != self._cut_to):
            same = 0
        while self.indices and self.indices[-1] >= same:
            self._drop(self.indices.pop())
        if same <= self._start:
            # Nothing is left to build on: from the newest turn backwards.
            same = self._start = len(turns)
            self._cut_to = self._refused = None
        self._turns = turns
        for index in range(same, len(turns)):
            self._append(index, turns[index])
        while self.indices and self._used > budget:
            self._start = self.indices[0] + 1
            self._drop(self.indices.popleft())
        self._grow(turns, budget)

    def _still(self, turns: tuple[Turn, ...]) -> int:
        """The index up to which the turns that are kept are the same ones."""
        start, old = self._start, self._turns
        if turns[start : len(old)] == old[start:]:
            return len(old)
        for index in range(start, min(len(old), len(turns))):
            if old[index] != turns[index]:
                return index
        return min(len(old), len(turns))

    def _append(self, index: int, turn: Turn) -> None:
        if turn.told:
            return
        kept = self._render(index, turn)
        if kept.rendered is not None:
            self.indices.append(index)
            self._put(index, kept)
            return
        # It fits nowhere, and whatever stands before it is left out with it.
        while self.indices:
            self._drop(self.indices.pop())
        self._start = index + 1
        self._refused = index, kept

    def _grow(self, turns: tuple[Turn, ...], budget: int) -> None:
        while self._start > 0:
            index = self._start - 1
            turn = turns[index]
            if not turn.told:
                kept = self._render(index, turn)
                if kept.rendered is None or self._used + kept.size > budget:
                    self._refused = index, kept
                    if self.indices:
                        return
                    kept = Kept.of(turn, render_turn(turn, self._options, budget - 1))
                    self._cut_to = budget
                self.indices.appendleft(index)
                self._put(index, kept)
            self._start = index

    def _render(self, index: int, turn: Turn) -> Kept:
        if self._refused is not None and self._refused[0] == index and self._refused[1].turn is turn:
            return self._refused[1]
        return Kept.of(turn, whole_turn(turn, self._options, self._limit))

    def _put(self, index: int, kept: Kept) -> None:
        self.kept[index] = kept
        self.changed.add(index)
        self._used += kept.size

    def _drop(self, index: int) -> None:
        kept = self.kept.pop(index)
        self.changed.add(index)
        self._used -= kept.size
        self._refused = index, kept
