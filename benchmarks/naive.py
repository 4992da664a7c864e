"""What a chat widget usually does, as the baseline: the whole state as one trait, drawn anew each time.

`Naive` sends it for every chunk, ``hz`` caps that to so many times a second; ``incremental`` draws only what
is new. Records come from the same agent through the same connection and fold.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import anywidget
import traitlets

ESM = Path(__file__).with_name("js") / "naive.js"


class Naive(anywidget.AnyWidget):
    """The whole state in one trait."""

    _esm = ESM
    state = traitlets.Dict().tag(sync=True)
    incremental = traitlets.Bool(False).tag(sync=True)

    def follow(self, chat: Any, hz: float | None) -> None:
        """Send the chat's state as it changes."""
        self._hz, self._due, self._chat = hz, 0.0, chat
        self._timer: threading.Timer | None = None
        chat._subscribe(self._changed)  # noqa: SLF001 - a benchmark looks inside

    def _changed(self, session: Any) -> None:
        if self._hz is None:
            self.state = session.to_json()
            return
        wait = self._due - time.monotonic()
        if wait <= 0:
            self._due = time.monotonic() + 1 / self._hz
            self.state = session.to_json()
        elif self._timer is None:
            self._timer = threading.Timer(wait, self._late)
            self._timer.start()

    def _late(self) -> None:
        self._timer = None
        self._changed(self._chat.session)
