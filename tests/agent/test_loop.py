from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from functools import partial

import pytest

from acp_notebook._agent import loop


@pytest.fixture(autouse=True)
def _stopped():
    yield
    loop.shutdown()


def test_one_daemon_thread_serves_all():
    """The same loop for everybody, on a daemon thread of its own."""

    async def where():
        return threading.current_thread()

    first, second = loop.submit(where()).result(5), loop.submit(where()).result(5)
    assert first is second is not threading.current_thread()
    assert first.daemon
    assert loop.loop() is loop.loop()
    assert not loop.on_loop_thread()


def test_call_returns_and_raises():
    """A function is run there, and its result or error comes back; also from the thread itself."""
    assert loop.call(loop.on_loop_thread)
    assert loop.call(lambda: loop.call(loop.on_loop_thread))
    with pytest.raises(ZeroDivisionError):
        loop.call(lambda: 1 / 0)
    done = threading.Event()
    loop.post(done.set)
    assert done.wait(5)


def test_cancelling_the_future_cancels_the_coroutine():
    """Who gives up waiting stops the work."""
    started, stopped = threading.Event(), threading.Event()

    async def work():
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    future = loop.submit(work())
    assert started.wait(5)
    future.cancel()
    assert stopped.wait(5)


def test_shutdown_closes_what_is_registered(caplog):
    """Closers run on the loop, a failing one hinders no other, one taken off is not called; then a new loop can start."""
    called = []

    async def closer(name: str):
        called.append((name, loop.on_loop_thread()))
        if name == "bad":
            raise RuntimeError(name)

    async def forever():
        await asyncio.Event().wait()

    old = loop.loop()
    for name in ("bad", "good"):
        loop.at_exit(partial(closer, name))
    loop.at_exit(lambda: closer("off"))()
    task = loop.submit(forever())
    loop.shutdown()
    assert called == [("bad", True), ("good", True)]
    assert [record.message for record in caplog.records] == ["closing at exit failed"]
    assert task.cancelled()
    assert old.is_closed()
    assert loop.loop() is not old


def test_an_interpreter_exits_silently_and_soon():
    """With work and a closer that never ends, the interpreter exits in bounded time without a word."""
    code = """
import asyncio
from acp_notebook._agent import loop
loop.EXIT_PATIENCE = 0.1
async def forever(): await asyncio.Event().wait()
loop.at_exit(forever)
loop.submit(forever())
loop.call(lambda: None)
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_a_forked_child_has_a_loop_of_its_own():
    """After a fork the child's first call starts a new loop, and the parent's goes on."""
    code = """
import os
from acp_notebook._agent import loop
old = loop.loop()
pid = os.fork()
if pid == 0:
    os._exit(0 if loop.loop() is not old and loop.call(loop.on_loop_thread) else 1)
_, status = os.waitpid(pid, 0)
assert loop.call(loop.on_loop_thread)
print(os.waitstatus_to_exitcode(status))
"""
    run = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, timeout=20, check=False
    )
    assert (run.stdout, run.returncode) == ("0\n", 0)


def test_a_function_that_wants_to_end_the_program_ends_nothing(caplog):
    """One chat's callback with sys.exit() in it does not take the loop from all others."""
    running = loop.loop()
    loop.post(sys.exit, 3)

    assert loop.call(loop.on_loop_thread)
    assert loop.loop() is running
    assert "tried to end the program" in caplog.text
