"""Transcript files: JSON Lines, one header and then a record a line, only ever appended to.

With `transcript`, the only part of the fold's package that touches files.
"""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from acp_notebook._errors import TranscriptError

from .foreign import EXPECTED, ForeignLog, line_of_text, message_in
from .plain_json import parse_line
from .record import Record

PathLike: TypeAlias = str | os.PathLike[str]

VERSION = 1
"""Version of the file format, the value of ``acp_notebook`` in the header."""


def read_records(path: PathLike) -> tuple[dict[str, Any] | None, Iterator[Record], list[str]]:
    """Read a transcript, or another program's log of JSON-RPC messages, line by line.

    Parameters
    ----------
    path : str or path
        Each line a record, a JSON-RPC message, a JSON object that wraps one (with a direction and a time
        under any of the usual names), or a few words before one. Who sent a message is found out by its
        method, or by the request that it answers.

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
        If the file cannot be opened or read; from the iterator, if it holds nothing of the kind.
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


_TRIED = 50
"""How many lines may be beside the point before a file is taken for something else altogether."""


def _numbered(path: Path, warnings: list[str]) -> Iterator[tuple[int, Any]]:
    """The lines that hold JSON, with their numbers.

    Raises
    ------
    TranscriptError
        If the first lines, or all, hold no message at all.
    """
    start, found, tried = b"", False, 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                start = start or line[:200]
                value = _parsed(line)
                if value is None:
                    torn = not line.endswith(b"\n")
                    what = "The last line is cut off" if torn else f"Line {number} is not JSON"
                    warnings.append(f"{what} and was skipped.")
                else:
                    found = found or _means_something(value)
                    yield number, value
                tried += 1
                if not found and tried == _TRIED:
                    break
    except OSError as error:
        raise TranscriptError(path, f"The transcript cannot be read ({error.strerror or error})") from error
    if tried and not found:
        raise TranscriptError(path, f"This is no transcript. {EXPECTED}. The file begins {_shown(start)}")


def _parsed(line: bytes) -> Any:
    """The JSON of a line; None if there is none, also not behind a few words."""
    try:
        return parse_line(line)
    except (ValueError, RecursionError):
        return line_of_text(line.decode("utf-8", "replace"))


def _means_something(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return _is_header(value) or {"t", "dir", "msg"} <= value.keys() or message_in(value) is not None


def _shown(start: bytes) -> str:
    """The beginning of a file for a person: no control characters, not too long."""
    text = start.decode("utf-8", "replace").rstrip("\r\n")
    return repr(text[:80] + "…" if len(text) > 80 else text)


def _records(lines: Iterable[tuple[int, Any]], warnings: list[str]) -> Iterator[Record]:
    offset = last = 0.0
    began: dt.datetime | None = None
    foreign = ForeignLog()
    for number, line in lines:
        if _is_header(line):
            created = _created(line)
            if began is not None and created is not None:
                # Clocks of machines go backwards now and then; the transcript's must not.
                offset = max(last, (created - began).total_seconds())
            elif last:
                offset = last
            began = began or created
            foreign = ForeignLog()
            continue
        try:
            record = _record(line if isinstance(line, dict) else {}, foreign)
        except ValueError as error:
            warnings.append(f"Line {number} is no record and was skipped ({error}).")
            continue
        last = max(last, record.t + offset)
        yield Record(record.t + offset, record.dir, record.msg) if offset else record


def _record(line: dict[str, Any], foreign: ForeignLog) -> Record:
    try:
        record = Record.from_line(line)
    except ValueError:
        found = foreign.read(line)
        if found is None:
            raise
        return found
    foreign.follow(record)
    return record


def _is_header(line: object) -> bool:
    return isinstance(line, dict) and "acp_notebook" in line and "msg" not in line


def _created(header: Mapping[str, Any]) -> dt.datetime | None:
    """When a header's chat was created, as a moment in UTC; None if it does not say."""
    try:
        moment = dt.datetime.fromisoformat(str(header.get("created")).replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)


def lock(fd: int) -> bool:
    """Mark a file as being written, until it is closed; False if somebody else has marked it.

    Where the system has no such marks (Windows, some network drives), everybody may write.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


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
        If the file cannot be opened or written, or another chat is writing it. After the first error the
        writer is closed and ignores what comes, so that a full disk is told once.
    """

    def __init__(self, path: PathLike, header: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._fd: int | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            if not lock(self._fd):
                raise BlockingIOError(errno.EAGAIN, "another chat is writing it")
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
