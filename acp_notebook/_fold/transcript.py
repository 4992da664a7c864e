"""A transcript: the records of a chat, and the state at any moment of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_notebook._errors import TranscriptError

from .fold import fold
from .garbage import collector_rests, settle
from .record import Record
from .state import Session, Turn
from .transcript_file import VERSION, PathLike, TranscriptWriter, read_records

if TYPE_CHECKING:
    from typing_extensions import Self


class Transcript:
    """What happened in a chat: its records, and the state at any moment of them.

    Parameters
    ----------
    records : iterable of Record
    header : mapping, optional
        As in the file.
    warnings : sequence of str, optional
        What could not be read.
    """

    def __init__(
        self,
        records: Iterable[Record] = (),
        header: Mapping[str, Any] | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self._records = tuple(records)
        self._header = dict(header or {})
        self._warnings = tuple(warnings)
        self._session: Session | None = None

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a transcript file, or another program's log of JSON-RPC messages, a line each.

        Parameters
        ----------
        path : str or path
            See `read_records` for what a line may be.

        Raises
        ------
        TranscriptError
            If the file cannot be read, or holds nothing of the kind.
        """
        with collector_rests():
            header, records, warnings = read_records(path)
            kept = tuple(records)
        settle(len(kept))
        return cls(kept, header, warnings)

    @property
    def records(self) -> tuple[Record, ...]:
        """All records, in order."""
        return self._records

    @property
    def header(self) -> dict[str, Any]:
        """The file's header; empty if it had none."""
        return dict(self._header)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be read."""
        return self._warnings

    @property
    def session(self) -> Session:
        """The state after the last record."""
        if self._session is None:
            self._session = fold(Session(), self._records)
        return self._session

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of `session`."""
        return self.session.turns

    @property
    def complete(self) -> bool:
        """Whether no turn was still running at the end of the records."""
        return not any(turn.active for turn in self.turns)

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
        if (time is None) == (index is None):
            raise TypeError("give either time=, in seconds, or index=, a number of records")
        if time is None:
            return fold(Session(), self._records[:index])
        return fold(Session(), [r for r in self._records if r.t <= time])

    def to_json(self) -> dict[str, Any]:
        """The final state in its one JSON form, as `Session.to_json`."""
        return self.session.to_json()

    def save(self, path: PathLike) -> Path:
        """Write the transcript to a new file, whole or not at all.

        Parameters
        ----------
        path : str or path
            An existing file is replaced.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        TranscriptError
            If it cannot be written.
        """
        target = Path(path)
        draft = target.with_name(f".{target.name}.{os.getpid()}.part")
        writer = TranscriptWriter(draft, {"acp_notebook": VERSION, **self._header})
        try:
            for record in self._records:
                writer.write(record)
            writer.close()
            draft.replace(target)
        except OSError as error:
            raise TranscriptError(
                target, f"The transcript cannot be written ({error.strerror or error})"
            ) from error
        finally:
            writer.close()
            draft.unlink(missing_ok=True)
        return target

    def __repr__(self) -> str:
        name = self._header.get("agent")
        agent = name.get("name") if isinstance(name, dict) else self.session.agent and self.session.agent.name
        shown = str(agent or "unknown agent")
        # A terminal would obey what stands in a foreign file.
        shown = shown if shown.isprintable() else repr(shown)
        open_end = "" if self.complete else ", not complete"
        counts = f"{len(self.turns)} turns, {len(self._records)} records{open_end}"
        return f"<Transcript {shown}: {counts}>"
