"""One line of the wire log: what was said, in which direction, and when."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

Direction = Literal["in", "out", "note"]
_DIRECTIONS = ("in", "out", "note")


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON-RPC message that crossed the wire, or a note about something that did not.

    Attributes
    ----------
    t : float
        Seconds since the transcript was created.
    dir : {"in", "out", "note"}
        From the agent, to the agent, or a note of ours.
    msg : dict
        The message as JSON; a note has the form ``{"kind": ..., ...}``. Never change it: it is shared
        with the folded state.
    """

    t: float
    dir: Direction
    msg: dict[str, Any]

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> Record:
        """Make a record from one parsed line of a transcript.

        Parameters
        ----------
        line : mapping
            ``{"t": seconds, "dir": "in" | "out" | "note", "msg": {...}}``; further keys are ignored.

        Raises
        ------
        ValueError
            If the line has no such shape.
        """
        t, direction, msg = line.get("t"), line.get("dir"), line.get("msg")
        if isinstance(t, bool) or not isinstance(t, (int, float)):
            raise ValueError(f"a record needs its time 't' in seconds, not {t!r}")  # noqa: TRY004  # one kind of error for a bad line
        try:
            seconds = float(t)
        except OverflowError:  # JSON's whole numbers have no end
            seconds = math.inf
        if not math.isfinite(seconds):
            raise ValueError(f"a record's time 't' is a number of seconds, not {seconds}")
        if direction not in _DIRECTIONS:
            raise ValueError(f"a record's 'dir' is one of {', '.join(_DIRECTIONS)}, not {direction!r}")
        if not isinstance(msg, dict):
            raise ValueError("a record's 'msg' is a JSON object")  # noqa: TRY004  # the same
        return cls(seconds, cast("Direction", direction), msg)

    def to_line(self) -> dict[str, Any]:
        """The record as one line of a transcript, before JSON encoding."""
        return {"t": self.t, "dir": self.dir, "msg": self.msg}
