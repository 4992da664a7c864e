"""The part of the public `Transcript` that looks into it: search, moments, and what it displays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_notebook._fold import transcript as records
from acp_notebook._front import host

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_notebook._explore.explorer import Explorer
    from acp_notebook._explore.reader import Reader
    from acp_notebook._explore.search import Match
    from acp_notebook._fold.state import Session


class Explorable(records.Transcript):
    """A transcript that can be searched and explored."""

    _reader_made: Reader | None = None
    _explorer: Explorer | None = None

    @property
    def _reader(self) -> Reader:
        """Made when it is first needed: most transcripts are only read."""
        if self._reader_made is None:
            from acp_notebook._explore.reader import Reader

            self._reader_made = Reader(self.records)
        return self._reader_made

    @property
    def session(self) -> Session:
        """The state after the last record."""
        if self._session is None and self._reader_made is not None and self._reader_made.ready:
            self._session = self._reader_made.trail.session
        return super().session

    def at(self, *, time: float | None = None, index: int | None = None) -> Session:
        """The state at an earlier moment.

        Parameters
        ----------
        time : float, optional
            Seconds on the transcript's clock; records up to and with this moment count.
        index : int, optional
            How many records count; negative ones count from the end, as in slices.

        Raises
        ------
        TypeError
            If not exactly one of the two is given.
        """
        if index is not None and time is None and self._reader_made is not None and self._reader_made.ready:
            return self._reader_made.trail.at(index if index >= 0 else max(0, len(self.records) + index))
        return super().at(time=time, index=index)

    def search(
        self, text: str, *, kinds: Sequence[str] = (), statuses: Sequence[str] = (), limit: int | None = None
    ) -> tuple[Match, ...]:
        """Find prompts, messages, tool calls, plans and notices.

        Parameters
        ----------
        text : str
            Words and ``"phrases"`` that must all stand in an item's text (upper and lower case are the
            same), and of ``tool:bash``, ``path:src/``, ``kind:edit``, ``status:failed``, ``turn:3`` (counted
            from 1), ``session:subagent`` (or a part of a session's id or title) what the item must be.
        kinds, statuses : sequence of str, optional
            Only items of one of these kinds or statuses, see `Match`.
        limit : int, optional
            How many at most.

        Returns
        -------
        tuple of Match
            In the order of the conversation; each has `turn`, `item`, `record` and a `snippet`. What an agent
            tells again when its session is reopened is found where it happened.

        Examples
        --------
        >>> t.search("status:failed kind:execute")
        >>> t.search('"permission denied"', kinds=["execute"])
        """
        return self._reader.search(text, kinds, statuses, limit)

    def _ipython_display_(self) -> None:
        """Display the explorer; outside a notebook its one line."""
        if host.kernel() is None:
            print(repr(self))  # noqa: T201  # what a terminal shows of a value
            return
        from acp_notebook._explore.explorer import display

        self._explorer = display(self, self._reader, self._explorer)
