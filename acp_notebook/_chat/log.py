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
    from collections.abc import Callable

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
        self._redact = redact
        self._write = write
        self._listeners: list[Callable[[Session], None]] = []
        self._zero = time.monotonic()

    def now(self) -> float:
        """Seconds since the log was made, the clock of the records."""
        return round(time.monotonic() - self._zero, 4)

    def append(self, direction: Direction, msg: dict[str, Any]) -> None:
        """Keep a message, fold it and tell the listeners if the state changed."""
        record = Record(self.now(), direction, self._redact(msg))
        self.records.append(record)
        if self._write is not None:
            self._write(record)
        before = self.session
        self.session = fold(before, record)
        if self.session is not before and self.published is before:
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
