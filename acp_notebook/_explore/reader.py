"""A transcript as it is being looked into: its trail, and once all is read the index of its text."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from acp_notebook._fold.garbage import settle
from acp_notebook._fold.record import Record

from .search import Match, Only, Query, SearchIndex, matches
from .spans import Axis
from .summary import Summary, summarise
from .trail import Trail

SLICE = 4_000
"""Records that are read in one go: others get the lock in between."""


class Reader:
    """Reads records bit by bit or at once; one for a transcript and everything that looks into it.

    Parameters
    ----------
    records : sequence of Record

    Attributes
    ----------
    lock : RLock
        Held while something is read; hold it to use the other attributes beside a thread that reads.
    trail : Trail
    index : SearchIndex or None
        None until all is read.
    summary : Summary
    axis : Axis
        Both of what was read when they were made last.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self.lock = threading.RLock()
        self.trail = Trail(records, read=0)
        self.index: SearchIndex | None = None
        self.sum_up()

    @property
    def ready(self) -> bool:
        """Whether all records were read."""
        return self.index is not None

    def sum_up(self) -> None:
        """Make the summary of what has been read so far."""
        trail = self.trail
        now = trail.times[trail.done - 1] if trail.done else 0.0
        self.summary: Summary = summarise(trail.session, trail.shown(), now)
        self.axis = Axis(trail.session, trail.times[: trail.done])

    def read_on(self, records: int = SLICE) -> bool:
        """Read some more; says whether there is more to do."""
        with self.lock:
            if self.ready:
                return False
            if self.trail.read(records):
                return True
            self.sum_up()
            self.index = SearchIndex(self.trail.session, self.trail.shown())
        # Now somebody waits anyway.
        settle(self.trail.done)
        return False

    def read(self) -> None:
        """Read all that is left on the calling thread."""
        while self.read_on():
            pass

    def search(
        self, text: str, kinds: Sequence[str] = (), statuses: Sequence[str] = (), limit: int | None = None
    ) -> tuple[Match, ...]:
        """Read all that is left, then search; see `Transcript.search`."""
        self.read()
        assert self.index is not None
        query = Query.parse(text)
        rows = self.index.find(query, Only(frozenset(kinds), frozenset(statuses)))
        return tuple(matches(self.index, self.trail, query, rows[:limit]))
