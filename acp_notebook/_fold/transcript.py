"""Transcript files: JSON Lines, one header and then a record a line, only ever appended to.

The only part of the fold's package that touches files.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from acp_notebook._errors import TranscriptError

from .fold import fold
from .record import Record
from .state import Session, Turn

PathLike: TypeAlias = str | os.PathLike[str]

VERSION = 1
"""Version of the file format, the value of ``acp_notebook`` in the header."""


def read_records(path: PathLike) -> tuple[dict[str, Any] | None, Iterator[Record], list[str]]:
    """Read a transcript line by line.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    header : dict or None
        The first line's header, None if the file has none.
    records : iterator of Record
        In order, on one clock: if a later header restarts the time, it goes on from there.
    warnings : list of str
        Filled while the records are read: lines that had to be skipped.

    Raises
    ------
    TranscriptError
        If the file cannot be opened or read.
    """
    warnings: list[str] = []
    lines = _numbered(Path(path), warnings)
    first = next(lines, None)
    header = first[1] if first is not None and _is_header(first[1]) else None

    def again() -> Iterator[tuple[int, Any]]:
        if first is not None:
            yield first
        yield from lines

    return header, _records(again(), warnings), warnings


def _numbered(path: Path, warnings: list[str]) -> Iterator[tuple[int, Any]]:
    """The lines that hold JSON, with their numbers."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    yield number, json.loads(line)
                except (ValueError, RecursionError):
                    torn = not line.endswith(b"\n")
                    what = "The last line is cut off" if torn else f"Line {number} is not JSON"
                    warnings.append(f"{what} and was skipped.")
    except OSError as error:
        raise TranscriptError(path, f"The transcript cannot be read ({error.strerror or error})") from error


def _records(lines: Iterable[tuple[int, Any]], warnings: list[str]) -> Iterator[Record]:
    offset = last = 0.0
    began: dt.datetime | None = None
    for number, line in lines:
        if _is_header(line):
            created = _created(line)
            if began is not None and created is not None:
                # Clocks of machines go backwards now and then; the transcript's must not.
                offset = max(last, (created - began).total_seconds())
            elif last:
                offset = last
            began = began or created
            continue
        try:
            record = Record.from_line(line if isinstance(line, dict) else {})
        except ValueError as error:
            warnings.append(f"Line {number} is no record and was skipped ({error}).")
            continue
        last = max(last, record.t + offset)
        yield Record(record.t + offset, record.dir, record.msg) if offset else record


def _is_header(line: object) -> bool:
    return isinstance(line, dict) and "acp_notebook" in line and "msg" not in line


def _created(header: Mapping[str, Any]) -> dt.datetime | None:
    """When a header's chat was created, as a moment in UTC; None if it does not say."""
    try:
        moment = dt.datetime.fromisoformat(str(header.get("created")).replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)


class TranscriptWriter:
    """Appends records to a file as they happen; a crash loses at most the last line.

    Parameters
    ----------
    path : str or path
        Made if it is not there, readable by its owner alone. What is in it stays; a line that was cut off
        is ended first.
    header : mapping
        The header line, written at once.

    Raises
    ------
    TranscriptError
        If the file cannot be opened or written. After the first error the writer is closed and ignores what
        comes, so that a full disk is told once.
    """

    def __init__(self, path: PathLike, header: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._fd: int | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            size = os.lseek(self._fd, 0, os.SEEK_END)
            if size:
                os.lseek(self._fd, size - 1, os.SEEK_SET)
                if os.read(self._fd, 1) != b"\n":
                    os.write(self._fd, b"\n")
        except OSError as error:
            self.close()
            raise self._failed(error) from error
        self._line(header)

    @property
    def closed(self) -> bool:
        """Whether nothing is written any more."""
        return self._fd is None

    def write(self, record: Record) -> None:
        """Append one record.

        Raises
        ------
        TranscriptError
            The first time that it fails.
        """
        self._line(record.to_line())

    def close(self) -> None:
        """Close the file; may be called again."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def _line(self, value: Mapping[str, Any]) -> None:
        if self._fd is None:
            return
        data = memoryview(_encoded(value))
        try:
            while data:
                data = data[os.write(self._fd, data) :]
        except OSError as error:
            self.close()
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> TranscriptError:
        return TranscriptError(self.path, f"The transcript cannot be written ({error.strerror or error})")


def _encoded(value: Mapping[str, Any]) -> bytes:
    """One line of the file. Half surrogate pairs are valid in JSON's escapes only."""
    try:
        return (json.dumps(value, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(value) + "\n").encode()


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
    def load(cls, path: PathLike) -> Transcript:
        """Read a transcript file.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        TranscriptError
            If the file cannot be read.
        """
        header, records, warnings = read_records(path)
        kept = tuple(records)
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
        open_end = "" if self.complete else ", not complete"
        counts = f"{len(self.turns)} turns, {len(self._records)} records{open_end}"
        return f"<Transcript {agent or 'unknown agent'}: {counts}>"
