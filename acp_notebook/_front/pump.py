"""Waiting in a cell while clicks work: the comm pump.

A cell that waits for an agent must still hear the button that answers the agent's question, but a
kernel handles comm messages only between cells. While :func:`wait` blocks or :func:`wait_async` is
awaited, messages are taken off the kernel's shell channel: comm and info messages are handled at once,
everything else keeps its order and is handled after the cell.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import signal
import socket
import time
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from acp_notebook._errors import AcpNotebookError
from acp_notebook._front import host
from acp_notebook._front.channel import ShellChannel, find

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from types import FrameType, TracebackType

    from typing_extensions import Self

    Until: TypeAlias = Callable[["asyncio.Future[None]"], Awaitable[None]]

T = TypeVar("T")

#: Seconds between two looks at the clock, and at an interrupt where a signal ends no poll (Windows).
_LOOK = 0.1

#: Seconds between two wake-ups of an awaiting loop. The kernel's SIGINT handler leaves its request in
#: the loop but does not wake it (ipykernel issue 881); remove the ticker once that is closed.
_TICK = 0.2


class PumpUnavailableError(AcpNotebookError, RuntimeError):
    """Raised when clicks cannot be handled where a blocking call would wait for them."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"Clicks cannot be handled while this call waits: {reason}. "
            "Use chat.send(…), which returns at once, or give the chat a policy that decides."
        )


def can_pump() -> str | None:
    """Tell whether clicks work while the calling thread waits in :func:`wait` or :func:`wait_async`.

    Returns
    -------
    None if they do, else the reason why not, as the second half of a sentence.
    """
    channel = find()
    return channel if isinstance(channel, str) else None


def wait(future: concurrent.futures.Future[T], timeout: float | None = None, *, fallback: bool = False) -> T:
    """Block until `future` is done, handling clicks meanwhile.

    Parameters
    ----------
    future
        What is waited for; some other thread completes it. An interrupt or time-out leaves it as it is.
    timeout
        Seconds to wait at most; None waits for ever.
    fallback
        Wait even where clicks cannot be handled. Without a kernel there are none, and that is allowed; a
        loop that runs in the calling thread turns meanwhile if the extra `nest` is installed.

    Returns
    -------
    The future's result.

    Raises
    ------
    PumpUnavailableError
        If clicks cannot be handled here and `fallback` is false, or the kernel closes its channel.
    TimeoutError
        If the time is over first.
    KeyboardInterrupt
        If the cell is interrupted.
    """
    end = None if timeout is None else time.monotonic() + timeout
    channel = find()
    if isinstance(channel, ShellChannel):
        _pump(channel, future, end)
    elif fallback or host.kernel() is None:
        _sit(future, end)
    else:
        raise PumpUnavailableError(channel)
    return future.result()


async def wait_async(future: concurrent.futures.Future[T], *, fallback: bool = False) -> T:
    """Await `future`, handling clicks meanwhile; the counterpart of :func:`wait`.

    Raises
    ------
    PumpUnavailableError
        If clicks cannot be handled here and `fallback` is false.
    asyncio.CancelledError
        If the cell is interrupted or the task cancelled; `future` stays as it is.
    """
    done = _done(future)
    with listening(fallback=fallback) as until:
        await until(done)
    return future.result()


@contextmanager
def listening(*, fallback: bool = False) -> Iterator[Until]:
    """Handle clicks while the block awaits, by the function given, that futures of the loop are done.

    Raises
    ------
    PumpUnavailableError
        If clicks cannot be handled here and `fallback` is false.
    """
    channel = find()
    if isinstance(channel, str) and not fallback and host.kernel() is not None:
        raise PumpUnavailableError(channel)

    async def until(done: asyncio.Future[None]) -> None:
        while not done.done():
            if isinstance(channel, ShellChannel):
                channel.nudge(0.0)
            await asyncio.wait({done}, timeout=_TICK)

    with channel.listening() if isinstance(channel, ShellChannel) else nullcontext():
        yield until


def _done(future: concurrent.futures.Future[Any]) -> asyncio.Future[None]:
    """Return a future of the running loop that is done when `future` is; cancelling it changes nothing."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def finish() -> None:
        if not done.done():
            done.set_result(None)

    def ring(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, nobody waits any more
            loop.call_soon_threadsafe(finish)

    future.add_done_callback(ring)
    return done


def _left(end: float | None) -> float:
    """Return how long to sleep before the next look, in seconds; raise once the time is over."""
    if end is None:
        return _LOOK
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time given to wait is over")
    return min(left, _LOOK)


def _sit(future: concurrent.futures.Future[Any], end: float | None) -> None:
    """Wait without a pump, in short sleeps: a lock taken for ever cannot be interrupted on Windows."""
    with _Bell(future) as bell, _Interrupts(bell) as interrupts:
        loop = _nested_loop()
        done = None if loop is None else _done(future)
        while not future.done():
            if loop is None or done is None:
                concurrent.futures.wait([future], timeout=_left(end))
            else:
                loop.run_until_complete(asyncio.wait({done}, timeout=_left(end)))
            interrupts.check()


def _nested_loop() -> asyncio.AbstractEventLoop | None:
    """Return the main thread's running loop if the extra `nest` can turn it from within, else None.

    Never in ipykernel: patching its loop stops the kernel after an interrupt, and the pump needs none of it.
    Nor in other threads, such as that of a handler of ours: the patch changes `asyncio.run` for all of them.
    """
    loop = asyncio._get_running_loop()  # noqa: SLF001 - the public one raises instead of None
    if loop is None or host.is_ipykernel() or not host.on_main_thread():
        return None
    try:
        import nest_asyncio

        nest_asyncio.apply(loop)
    except Exception:  # noqa: BLE001 - not installed, a loop not written in Python, a Python too new for it
        return None
    return loop


def _pump(channel: ShellChannel, future: concurrent.futures.Future[Any], end: float | None) -> None:
    try:
        with _Bell(future) as bell, _Interrupts(bell) as interrupts:
            while not future.done():
                left = _left(end)
                interrupts.check()
                if channel.closed():
                    raise PumpUnavailableError("the kernel's shell channel is closed")
                frames = channel.take()
                if frames is None:
                    channel.nudge(0.0)
                    channel.poll(bell.fileno(), left)
                elif channel.is_urgent(frames):
                    channel.handle(frames, interrupts.allowed)
                else:
                    channel.put_off(frames)
    finally:
        channel.wake()


class _Bell:
    """A file that becomes readable once `future` is done or an interrupt waits."""

    def __init__(self, future: concurrent.futures.Future[Any]) -> None:
        self._future = future

    def __enter__(self) -> Self:
        self._ours, self._theirs = socket.socketpair()
        self._future.add_done_callback(self.ring)
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._theirs.close()

    def fileno(self) -> int:
        return self._ours.fileno()

    def ring(self, _: object = None) -> None:
        with suppress(OSError):  # nobody waits any more
            self._theirs.send(b"!")


class _Interrupts:
    """SIGINT rings the bell, and KeyboardInterrupt is raised only where no message is in our hands.

    One between taking a message off the channel and passing it on would lose the message: a
    lost execute request leaves its cell waiting for ever. It also has to be raised here at all: in a
    cell with a top-level ``await`` the kernel's own handler only asks the loop, which stands still.
    """

    def __init__(self, bell: _Bell) -> None:
        self._bell = bell
        self._held = True
        self._pending = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if host.on_main_thread():
            before = signal.getsignal(signal.SIGINT)
            # Who ignores interrupts, or handles them outside Python (None), keeps doing so.
            if before not in {None, signal.SIG_IGN}:
                self._before = before
                signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held = True
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._pending and kind is None:
            raise KeyboardInterrupt

    def _interrupted(self, _number: int, _frame: FrameType | None) -> None:
        if self._held:
            self._pending = True
            self._bell.ring()
        else:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raise an interrupt that waits."""
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Let interrupts through while the block runs, first of all one that waits."""
        self._held = False
        try:
            self.check()
            yield
        finally:
            self._held = True
