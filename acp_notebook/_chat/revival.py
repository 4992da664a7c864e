"""An agent that died while nothing ran is started again: at most three times, each later than the last."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

DELAYS = (1.0, 4.0, 15.0)
"""Seconds before each try."""


class Revival:
    """Counts and times the tries. Lives on the agent's loop.

    Parameters
    ----------
    start
        Starts the agent; what goes wrong is told elsewhere.
    """

    def __init__(self, start: Callable[[], Awaitable[None]]) -> None:
        self._start = start
        self._used = 0
        self._task: asyncio.Task[None] | None = None
        self.trying = False

    def again(self) -> str:
        """Plan the next try, and say in a sentence what will happen."""
        self.stop()
        if self._used >= len(DELAYS):
            return (
                f"It was started again {len(DELAYS)} times without success and now rests: restart it by hand."
            )
        delay = DELAYS[self._used]
        self._used += 1
        self.trying = True
        self._task = asyncio.get_running_loop().create_task(self._later(delay), name="start again")
        return f"It is started again in {delay:g} s (try {self._used} of {len(DELAYS)})."

    async def _later(self, delay: float) -> None:
        await asyncio.sleep(delay)
        self._task = None
        await self._start()

    def well(self) -> None:
        """The agent has answered: what happens next is counted anew."""
        self._used = 0
        self.trying = False

    def hold(self) -> None:
        """A start is on its way: the planned one is not needed."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def stop(self) -> None:
        """Plan nothing any more."""
        self.trying = False
        self.hold()
