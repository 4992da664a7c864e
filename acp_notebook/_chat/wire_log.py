"""The wire log: the newest records, filtered, as lines that a person can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from acp_notebook._render.visible import visible

if TYPE_CHECKING:
    from acp_notebook._fold.record import Record

LONGEST = 200_000
"""Characters of one message's JSON that a browser gets."""

SCREENFUL = 1_000_000
"""Characters of all messages that a browser gets at a time."""

_ARROWS = {"in": "<-", "out": "->", "note": "--"}


class WireLog(Sequence["Record"]):
    """Some records in their order; `print` shows one line each, ``str`` of it can be pasted.

    Parameters
    ----------
    records
        Which.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = tuple(records)

    @classmethod
    def of(
        cls, records: Sequence[Record], *, text: str | None = None, direction: str | None = None, last: int
    ) -> WireLog:
        """The newest records that fit."""
        if direction not in (None, *_ARROWS):
            raise ValueError(f"a direction is 'in', 'out' or 'note', not {direction!r}")
        wanted = None if text is None else text.casefold()
        found: list[Record] = []
        for record in reversed(records[: len(records)]):
            if len(found) >= last:
                break
            if direction in (None, record.dir) and (wanted is None or wanted in _json(record).casefold()):
                found.append(record)
        return cls(found[::-1])

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> WireLog: ...
    def __getitem__(self, index: int | slice) -> Record | WireLog:
        return WireLog(self._records[index]) if isinstance(index, slice) else self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __str__(self) -> str:
        return "\n".join(line(record) for record in self._records)

    def __repr__(self) -> str:
        return str(self) or "<WireLog: nothing yet>"


def line(record: Record, width: int = 160) -> str:
    """One line about a record: when, which way, what; control characters made visible."""
    text = visible(_json(record))
    short = text if len(text) <= width else f"{text[: width - 1]}…"
    return f"{record.t:10.3f} {_ARROWS.get(record.dir, '??')} {short}"


def entries(records: Sequence[Record], after: int) -> dict[str, Any]:
    """The part of the log that a browser has not got yet; ``WireEntries`` in ``js/src/messages.ts``.

    Parameters
    ----------
    records
        All of them.
    after
        How many the browser has.

    Returns
    -------
    dict
        ``first`` (index of the first entry) and ``entries``, each ``{t, dir, json}``: the newest that fit.
    """
    count = len(records)
    room, first = SCREENFUL, count
    lines: list[dict[str, Any]] = []
    while first > max(after, 0):
        record = records[first - 1]
        text = _json(record)
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}… ({len(text) - LONGEST} more characters)"
        room -= len(text)
        if room < 0 and lines:
            break
        first -= 1
        lines.append({"t": record.t, "dir": record.dir, "json": text})
    return {"first": first, "entries": lines[::-1]}


def _json(record: Record) -> str:
    return json.dumps(record.msg, ensure_ascii=False, separators=(",", ":"))
