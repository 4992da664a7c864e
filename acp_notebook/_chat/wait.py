"""Waiting for a turn in a cell: blocking, awaited, interrupted."""

from __future__ import annotations

import asyncio
import concurrent.futures
from contextlib import contextmanager
from typing import TYPE_CHECKING

from acp_notebook._errors import AcpNotebookError
from acp_notebook._front import pump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acp_notebook._chat.core import ChatCore
    from acp_notebook._chat.live_turn import LiveTurn

STOP_PATIENCE = 2.0
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
