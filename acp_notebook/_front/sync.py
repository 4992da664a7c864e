"""Carries the folded state into browsers: a snapshot when asked, numbered patches in between.

What crosses is the difference between the state that was sent last and the newest one, at most about
20 times a second; a chunk of text costs its own length. Nothing is sent before a browser has said
hello, and a browser that missed a patch asks for a snapshot.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from acp_notebook._fold.patches import patch
from acp_notebook._fold.to_json import session_to_json, turn_to_json

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from acp_notebook._fold.state import Session

INTERVAL = 0.05
"""Seconds between two patches at least."""

WINDOW = 40
"""Turns in a snapshot, the newest ones; earlier ones are paged in when a person scrolls up."""


class Source(Protocol):
    """Where the state comes from."""

    @property
    def session(self) -> Session: ...

    def now(self) -> float: ...

    def heard(self) -> float: ...


class Sync:
    """State of one chat on its way to the browsers that show it.

    `changed`, `hello`, `resync` and `page` run on the agent's loop; `snapshot` on any thread.

    Parameters
    ----------
    source
        The state.
    send
        Sends one custom message to every browser that holds the model.
    loop
        The agent's loop, for the pace.
    """

    def __init__(
        self, source: Source, send: Callable[[dict[str, Any]], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._source = source
        self._send = send
        self._loop = loop
        self._lock = threading.Lock()
        self._seq = 0
        self._sent = source.session
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0
        self.live = False

    def changed(self, _session: object = None) -> None:
        """The state is another one: send a patch now, or soon if one has just gone out."""
        if self.live and self._timer is None:
            delay = max(0.0, self._next - self._loop.time())
            self._timer = self._loop.call_later(delay, self.flush)

    def flush(self) -> None:
        """Send what changed since the last patch."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        with self._lock:
            before, after = self._sent, self._source.session
            if not self.live or after is before:
                return
            ops = patch(before, after)
            self._sent = after
            if not ops:
                return
            self._seq += 1
            seq = self._seq
        self._next = self._loop.time() + INTERVAL
        self._send({"kind": "patch", "seq": seq, **self._clock(), "ops": ops})

    def hello(self, seq: int) -> None:
        """A browser's model has started with the state `seq`: bring it up to date, then follow."""
        self.flush()
        with self._lock:
            self._take()
            self.live = True
            current = self._seq
        if seq != current:
            self.resync()
        else:
            # Who greets waits for a word: without one the kernel counts as gone.
            self._send({"kind": "patch", "seq": current, **self._clock(), "ops": []})

    def resync(self) -> None:
        """Send the whole window to a browser that missed something."""
        self._send({"kind": "state", **self.snapshot()})

    def page(self, before: int) -> None:
        """Send the turns before this index, as they stand in what was sent so far."""
        self.flush()
        session = self._sent
        end = max(0, min(before, len(session.turns)))
        first = max(0, end - WINDOW)
        turns = [turn_to_json(turn) for turn in session.turns[first:end]]
        self._send({"kind": "page", "first": first, "turns": turns})

    def snapshot(self) -> dict[str, Any]:
        """The newest state as one value; what the `state` trait serialises to."""
        with self._lock:
            if not self.live:
                self._take()
            seq, session = self._seq, self._sent
        first = max(0, len(session.turns) - WINDOW)
        form = session_to_json(session, first=first)
        return {"seq": seq, **self._clock(), "first": first, "session": form}

    def _clock(self) -> dict[str, float]:
        return {"now": self._source.now(), "heard": self._source.heard()}

    def _take(self) -> None:
        """Count the newest state as sent: a snapshot of it is on its way."""
        if self._source.session is not self._sent:
            self._sent = self._source.session
            self._seq += 1
