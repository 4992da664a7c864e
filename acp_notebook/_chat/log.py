"""The records of one chat, folded as they are appended.

Everything that a chat knows passes through here once: the wire in both directions and the notes.
Whoever wants to follow subscribes and is told the state before and after.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._fold.fold import fold
from acp_notebook._fold.record import Record
from acp_notebook._fold.state import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Direction = Literal["in", "out", "note"]


class Log:
    """Append-only records and the state folded from them.

    Records are appended on one thread (the agent's). `session` is the newest state and belongs to that
    thread; `published` may be read from any: it follows when the work at hand is done, so that nobody sees
    a request wait that a rule is about to answer. The list of records only grows.

    Parameters
    ----------
    redact
        Applied to every message before it is kept and folded, so that the live state and a reloaded
        transcript are equal.
    write
        Called with each record, to keep it in a file.
    """

    def __init__(
        self,
        redact: Callable[[dict[str, Any]], dict[str, Any]],
        write: Callable[[Record], None] | None = None,
    ) -> None:
        self.records: list[Record] = []
        self.session = Session()
        self.published = self.session
        self.redact = redact
        self._write = write
        self._listeners: list[Callable[[Session], None]] = []
        self._zero = time.monotonic()

    def now(self) -> float:
        """Seconds since the log was made, the clock of the records."""
        return round(time.monotonic() - self._zero, 4)

    def heard(self) -> float:
        """When the last record was made, on the same clock; 0 before the first."""
        return self.records[-1].t if self.records else 0.0

    def append(self, direction: Direction, msg: dict[str, Any]) -> None:
        """Keep a message, fold it and tell the listeners if the state changed."""
        self._keep(Record(self.now(), direction, self.redact(msg)))

    def replay(self, direction: Direction, msg: dict[str, Any], t: float) -> None:
        """Keep a message of an earlier chat at its own moment, which no earlier record may be after."""
        last = self.records[-1].t if self.records else 0.0
        self._keep(Record(max(round(t, 4), last), direction, self.redact(msg)))
        self.set_clock(t)

    def set_clock(self, t: float) -> None:
        """Set the clock, but never before the last record: a replay tells the time it took then, not now."""
        self._zero = time.monotonic() - max(t, self.heard())

    def _keep(self, record: Record) -> None:
        self.records.append(record)
        if self._write is not None:
            self._write(record)
        before = self.session
        self.session = fold(before, record)
        if self.session is not before and self.published is before:
            self._publish_soon()

    def adopt(self, earlier: Sequence[Record]) -> None:
        """Put records of an earlier chat, which the file holds already, before those that there are.

        Their times end where ours begin. Prompts that waited then will never be sent, and end as such.
        """
        earlier = earlier[: len(earlier) - _common(earlier, self.records)]
        last = earlier[-1].t if earlier else 0.0
        past = [Record(round(record.t - last, 4), record.dir, record.msg) for record in earlier]
        session, ours = fold(Session(), past), self.records
        closing = [Record(0.0, "note", {"kind": "exit", "code": None, "signal": None, "stderr": ""})]
        for turn in session.queued:
            note = {"kind": "unqueued", "id": turn.queue_id, "error": "The kernel ended before it was sent."}
            closing.append(Record(0.0, "note", note))
        if self._write is not None:
            for record in closing:
                self._write(record)
        self.records = [*past, *closing, *ours]
        self.session = fold(fold(session, closing), ours)
        self._publish_soon()

    def _publish_soon(self) -> None:
        try:
            asyncio.get_running_loop().call_soon(self.publish)
        except RuntimeError:  # no loop here: nothing else can come in between
            self.publish()

    def publish(self) -> None:
        """Let everybody see the newest state, now: somebody is about to be told of it in another way."""
        if self.published is self.session:
            return
        self.published = self.session
        for listener in tuple(self._listeners):
            listener(self.session)

    def note(self, msg: dict[str, Any]) -> None:
        """Keep something that did not cross the wire."""
        self.append("note", msg)

    def warn(self, text: str) -> None:
        """Keep a warning for the person."""
        self.note({"kind": "warning", "text": text})

    def subscribe(self, listener: Callable[[Session], None]) -> Callable[[], None]:
        """Tell `listener` each state that is published; the returned function ends that."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe


def _common(earlier: Sequence[Record], ours: Sequence[Record]) -> int:
    """How many of our first records stand at the end of a file that is being written."""
    for number in range(min(len(ours), len(earlier)), 0, -1):
        if [r.msg for r in earlier[-number:]] == [r.msg for r in ours[:number]]:
            return number
    return 0
