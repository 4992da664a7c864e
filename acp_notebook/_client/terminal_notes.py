"""The notes about a terminal's output: live to look at, and bounded however much a command writes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._agent.protocol import JsonObject

#: Characters that are noted of one command at most; afterwards only a short end now and then.
NOTED_MOST = 8 * 1024 * 1024

_NOTE_EVERY = 0.05  # seconds: twenty times a second looks live
_NOTE_SLOWER = 1024 * 1024  # characters noted of one command after which its notes are rarer, and rarer
_NOTE_SIZE = 32 * 1024  # characters a note: a flood is shown in part, its end always
_LATE_SIZE = 4 * 1024  # characters a note beyond NOTED_MOST
_LATE_SHARE = 0.05  # of the time since the start is then between two notes: a day makes some 150 of them


class TerminalNotes:
    """Turns the output of one command into notes. Belongs to the loop's thread.

    Parameters
    ----------
    name : str
        The terminal's id.
    note : callable
        Called with each note: ``{"kind": "terminal", "terminal_id": …, "data": …}``, and ``skipped``, the
        characters before it that are left out.
    """

    def __init__(self, name: str, note: Callable[[JsonObject], None]) -> None:
        self._name = name
        self._note = note
        self._unsent: list[str] = []
        self._unsent_size = 0
        self._noted = 0
        self._timer: asyncio.TimerHandle | None = None
        self._began = asyncio.get_running_loop().time()

    def add(self, text: str) -> None:
        """Take a piece of output, to be noted soon."""
        self._unsent.append(text)
        self._unsent_size += len(text)
        if self._unsent_size > 4 * _NOTE_SIZE:
            self._unsent = [self._newest(_NOTE_SIZE)]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.pause, self.flush)

    @property
    def pause(self) -> float:
        """Seconds between two notes: a command that writes for hours must not fill the disk by them."""
        if self._late:
            return max(1.0, _LATE_SHARE * (asyncio.get_running_loop().time() - self._began))
        return _NOTE_EVERY * (1 + self._noted // _NOTE_SLOWER)

    @property
    def _late(self) -> bool:
        return self._noted >= NOTED_MOST

    def _newest(self, size: int) -> str:
        return "".join(self._unsent)[-size:]

    def flush(self, *, last: bool = False) -> None:
        """Note what came since the last time; at the command's end (`last`) more of it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._unsent_size:
            return
        data = self._newest(_LATE_SIZE if self._late and not last else _NOTE_SIZE)
        message: JsonObject = {"kind": "terminal", "terminal_id": self._name, "data": data}
        if self._unsent_size > len(data):
            message["skipped"] = self._unsent_size - len(data)
        self._noted += len(data)
        self._unsent, self._unsent_size = [], 0
        self._note(message)
