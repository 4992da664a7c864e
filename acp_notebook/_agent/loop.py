"""One thread with one asyncio loop, shared by all chats of this process.

A notebook's kernel runs cells on its own loop, often blocks it for minutes, and interrupts it. Agents
must be heard meanwhile, so they live here. The thread is a daemon: an interpreter that exits is never
kept alive by it; what still runs then gets a bounded time to end.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import concurrent.futures
    from collections.abc import Awaitable, Callable, Coroutine

_T = TypeVar("_T")
_log = logging.getLogger("acp_notebook")

#: How long everything together may take to end when the interpreter exits, in seconds.
EXIT_PATIENCE = 5.0

_here = threading.local()
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None
_closers: dict[object, Callable[[], Awaitable[object]]] = {}
# Loops inherited by a forked child. Their selector is shared with the parent, so they must be neither
# closed nor collected (collecting closes).
_inherited: list[asyncio.AbstractEventLoop] = []


def loop() -> asyncio.AbstractEventLoop:
    """Return the shared loop; the first call starts its thread."""
    global _loop, _thread  # noqa: PLW0603 — one loop a process is the point of this module
    with _lock:
        if _loop is None:
            _loop = _new_loop()
            started = threading.Event()
            _thread = threading.Thread(target=_run, args=(_loop, started), name="acp-notebook", daemon=True)
            _thread.start()
            started.wait()
        return _loop


def _new_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        # Kernels often set the selector policy there, whose loops cannot talk to processes.
        return asyncio.ProactorEventLoop()
    return asyncio.SelectorEventLoop()


def _run(running: asyncio.AbstractEventLoop, started: threading.Event) -> None:
    _here.is_loop = True
    asyncio.set_event_loop(running)
    running.call_soon(started.set)
    while True:
        try:
            running.run_forever()
        except (SystemExit, KeyboardInterrupt):
            # A function of the person called sys.exit() here: asyncio lets that through, and all would stop.
            _log.exception("a function on the agents' thread tried to end the program; it goes on")
        else:
            return


def on_loop_thread() -> bool:
    """Whether the caller runs on the shared loop's own thread."""
    return getattr(_here, "is_loop", False)


def submit(coro: Coroutine[Any, Any, _T]) -> concurrent.futures.Future[_T]:
    """Run a coroutine on the shared loop, from any thread; return at once.

    Cancelling the future cancels the coroutine.
    """
    return asyncio.run_coroutine_threadsafe(coro, loop())


def post(fn: Callable[..., object], *args: object) -> None:
    """Have the shared loop call `fn` soon; return at once. May be called from any thread."""
    loop().call_soon_threadsafe(fn, *args)


def call(fn: Callable[[], _T]) -> _T:
    """Call `fn` on the shared loop's thread and return what it returns, or raise what it raises."""
    if on_loop_thread():
        return fn()

    async def run() -> _T:
        return fn()

    return submit(run()).result()


async def aside(fn: Callable[[], _T]) -> _T:
    """Call a person's function on a daemon thread: it may block, even for ever, without holding up others.

    Not `asyncio.to_thread`, whose threads the interpreter waits for when it exits.
    """
    here = asyncio.get_running_loop()
    result: asyncio.Future[_T] = here.create_future()

    def tell(way: Callable[..., None], what: object) -> None:
        if not result.done():
            way(what)

    def work() -> None:
        way: Callable[..., None] = result.set_result
        what: object
        try:
            what = fn()
        except StopIteration as error:  # no future takes it
            way, what = result.set_exception, RuntimeError(f"StopIteration: {error}")
        except BaseException as error:  # noqa: BLE001 — raised where the function is waited for
            way, what = result.set_exception, error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            here.call_soon_threadsafe(tell, way, what)

    threading.Thread(target=work, name="acp-notebook aside", daemon=True).start()
    return await result


def at_exit(closer: Callable[[], Awaitable[object]]) -> Callable[[], None]:
    """Have `closer` called on the shared loop when the interpreter exits.

    Parameters
    ----------
    closer : callable returning an awaitable
        Ends something that would outlive the interpreter. All closers run at once and share
        `EXIT_PATIENCE`; they must not use the default executor, which is gone by then.

    Returns
    -------
    callable
        Takes the closer off the list again.
    """
    key = object()
    _closers[key] = closer

    def forget() -> None:
        _closers.pop(key, None)

    return forget


async def _close_all() -> None:
    closers = list(_closers.values())
    _closers.clear()
    if closers:
        tasks = [asyncio.ensure_future(_quietly(closer)) for closer in closers]
        await asyncio.wait(tasks, timeout=EXIT_PATIENCE)
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=0.5)


async def _quietly(closer: Callable[[], Awaitable[object]]) -> None:
    try:
        await closer()
    except Exception:  # noqa: BLE001 — logged; the others must still be closed
        _log.exception("closing at exit failed")


def shutdown() -> None:
    """Close everything registered and stop the loop. A later `loop()` starts a new one."""
    global _loop, _thread  # noqa: PLW0603 — one loop a process is the point of this module
    with _lock:
        running, thread = _loop, _thread
        _loop = _thread = None
    if running is None or thread is None or not thread.is_alive():
        return
    done = asyncio.run_coroutine_threadsafe(_close_all(), running)
    try:
        done.result(EXIT_PATIENCE + 1.0)
    except Exception:  # noqa: BLE001 — logged; the interpreter must still exit
        _log.exception("the agents' loop did not end in time")
    running.call_soon_threadsafe(running.stop)
    thread.join(1.0)
    if not thread.is_alive():
        running.close()


def _after_fork() -> None:
    """Forget the parent's loop: its thread does not exist in a forked child."""
    global _loop, _thread, _lock  # noqa: PLW0603 — one loop a process is the point of this module
    if _loop is not None:
        _inherited.append(_loop)
    _loop = _thread = None
    _closers.clear()
    _lock = threading.Lock()


atexit.register(shutdown)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
