"""Requests that the agent refused until somebody signs in: they wait, and are tried again afterwards.

Prompts wait in the queue; this is for everything else that a person may ask for. Lives on the agent's loop.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, TypeVar

from acp_notebook._errors import AuthRequiredError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Waiting = tuple[Callable[[], Awaitable[Any]], asyncio.Future[Any]]

T = TypeVar("T")


class Refused:
    """What waits for a sign-in.

    Parameters
    ----------
    explained
        Makes the error for those who do not wait: the agent's, with the ways to sign in.
    """

    def __init__(self, explained: Callable[[AuthRequiredError], AuthRequiredError]) -> None:
        self._explained = explained
        self._waiting: list[Waiting] = []
        self._end: Exception | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def through(self, act: Callable[[], Awaitable[T]], *, attended: bool) -> T:
        """Do something; if the agent wants a sign-in first, do it again afterwards.

        Parameters
        ----------
        act
            Makes what is to be awaited, anew for each try.
        attended
            Whether somebody is there to sign in; else the refusal is raised.

        Raises
        ------
        AuthRequiredError
            Nobody is there.
        Exception
            What `act` raises otherwise; `ChatClosedError` if the chat is closed first.
        """
        try:
            return await act()
        except AuthRequiredError as error:
            if not attended:
                raise self._explained(error) from None
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._wait((act, done))
        return await done

    def later(self, act: Callable[[], Awaitable[Any]]) -> None:
        """Do something after the sign-in that nobody waits for."""
        done = asyncio.get_running_loop().create_future()
        done.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._wait((act, done))

    def _wait(self, waiting: Waiting) -> None:
        if self._end is None:
            self._waiting.append(waiting)
        else:
            waiting[1].set_exception(self._end)

    async def again(self) -> None:
        """Somebody has signed in: try all in their order. What is refused once more waits on."""
        waiting, self._waiting = self._waiting, []
        for act, done in waiting:
            if done.done():  # whoever waited was interrupted
                continue
            try:
                result = await act()
            except AuthRequiredError:
                self._wait((act, done))
            except Exception as error:  # noqa: BLE001 - it is for the one who waits
                if not done.done():
                    done.set_exception(error)
            else:
                if not done.done():
                    done.set_result(result)

    def again_soon(self) -> None:
        """As `again`, without waiting for it."""
        if self._waiting:
            task = asyncio.get_running_loop().create_task(self.again(), name="try again after a sign-in")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def close(self, error: Exception) -> None:
        """Nobody will sign in any more."""
        waiting, self._waiting, self._end = self._waiting, [], error
        for _, done in waiting:
            with contextlib.suppress(asyncio.InvalidStateError):
                done.set_exception(error)
