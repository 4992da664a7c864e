"""Waiting for a turn in a cell: blocking, awaited, item by item, interrupted."""

from __future__ import annotations

import asyncio
import concurrent.futures
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from acp_notebook._errors import AcpNotebookError
from acp_notebook._front import pump

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from acp_notebook._chat.core import ChatCore
    from acp_notebook._chat.live_turn import LiveTurn
    from acp_notebook._fold.state import Item

STOP_PATIENCE = 1.5
"""Seconds that an interrupt waits for the cancelled turn to end before it is raised."""


def block(chat: ChatCore, turn: LiveTurn, timeout: float | None) -> None:
    """Block until the turn has ended; clicks work meanwhile.

    Raises
    ------
    AcpNotebookError
        The turn ended in an error.
    TimeoutError
        It still runs after `timeout` seconds, and goes on.
    KeyboardInterrupt
        The cell was interrupted; the turn is cancelled and goes on as stopping.
    """
    done = turn.handle.done
    with _waited_for(chat, turn):
        try:
            chat._display_turn(turn)  # noqa: SLF001 - in here, since an interrupt may come meanwhile too
            pump.wait(done, timeout, fallback=True)
        except KeyboardInterrupt:
            turn.cancel()
            concurrent.futures.wait([done], timeout=STOP_PATIENCE)
            raise


async def wait_async(chat: ChatCore, turn: LiveTurn) -> None:
    """As `block`, under ``await``; an interrupt arrives as CancelledError."""
    done = turn.handle.done
    with _waited_for(chat, turn):
        try:
            await pump.wait_async(done, fallback=True)
        except asyncio.CancelledError:
            turn.cancel()
            ended = asyncio.wrap_future(done)
            ended.add_done_callback(_retrieve)
            await asyncio.wait({ended}, timeout=STOP_PATIENCE)
            raise


async def items(chat: ChatCore, turn: LiveTurn) -> AsyncIterator[Item]:
    """Give the items as they are finished, until the turn has ended; otherwise as `wait_async`."""
    loop = asyncio.get_running_loop()
    changed: asyncio.Future[None] = loop.create_future()

    def ring() -> None:
        if not changed.done():
            changed.set_result(None)

    def tell(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, nobody waits any more
            loop.call_soon_threadsafe(ring)

    unsubscribe = chat._subscribe(tell)  # noqa: SLF001 - the chat's own other half
    turn.handle.done.add_done_callback(tell)
    given = 0
    try:
        with _waited_for(chat, turn), pump.listening(fallback=True) as until:
            chat._display_turn(turn)  # noqa: SLF001 - as above
            while True:
                changed = loop.create_future()
                ended = turn.done
                so_far = turn.snapshot.items
                for item in so_far[given : None if ended else -1]:
                    given += 1
                    yield item
                if ended:
                    turn.handle.done.result()
                    return
                try:
                    await until(changed)
                except asyncio.CancelledError:
                    turn.cancel()
                    raise
    finally:
        unsubscribe()


def _retrieve(ended: asyncio.Future[None]) -> None:
    """Nobody is told of an error after an interrupt: the turn holds it."""
    if not ended.cancelled():
        ended.exception()


@contextmanager
def _waited_for(chat: ChatCore, turn: LiveTurn) -> Iterator[None]:
    """While a cell waits it is the one that publishes the end: only its context reaches its output."""
    chat._waiting += 1  # noqa: SLF001 - the chat's own other half
    try:
        yield
    except AcpNotebookError as error:
        error.turn = turn.snapshot
        raise
    finally:
        chat._waiting -= 1  # noqa: SLF001 - as above
        chat._finish_cell()  # noqa: SLF001 - as above
