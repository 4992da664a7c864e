"""Waiting without a kernel: a plain program waits, can be interrupted, and imports nothing for it."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future

import pytest

from acp_notebook._front import host, pump
from acp_notebook._front.widget import TurnWidget


def later(future: Future[int]) -> None:
    threading.Timer(0.02, future.set_result, [3]).start()


def test_a_plain_program_waits_for_the_result() -> None:
    """No kernel is no reason to refuse: nobody can click, but somebody may decide in code."""
    future: Future[int] = Future()
    later(future)
    assert pump.wait(future) == 3


def test_a_plain_program_awaits_the_result() -> None:
    """The same in a program with its own loop, which turns meanwhile."""
    future: Future[int] = Future()

    async def main() -> int:
        asyncio.get_running_loop().call_soon(later, future)
        return await pump.wait_async(future)

    assert asyncio.run(main()) == 3


def test_time_is_up() -> None:
    """A time-out is raised and leaves the future to whoever completes it."""
    future: Future[int] = Future()
    with pytest.raises(TimeoutError):
        pump.wait(future, 0.01)
    assert not future.done()


def test_leaving_an_await_leaves_the_future() -> None:
    """Cancelling the task that awaits does not cancel what it waits for."""
    future: Future[int] = Future()

    async def main() -> None:
        task = asyncio.ensure_future(pump.wait_async(future))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert not future.done()
    future.set_result(1)  # nobody waits on the closed loop any more, and nothing complains


@pytest.mark.skipif(sys.platform == "win32", reason="a child is interrupted differently there")
def test_an_interrupt_ends_the_wait() -> None:
    """Ctrl+C ends a plain program's wait, and neither IPython nor a messaging library is imported."""
    code = (
        "import sys; from concurrent.futures import Future\n"
        "from acp_notebook._front import pump\n"
        "assert not {'IPython', 'ipykernel', 'zmq'} & set(sys.modules), sorted(sys.modules)\n"
        "try:\n"
        "    print(pump.can_pump(), flush=True)\n"
        "    pump.wait(Future())\n"
        "except KeyboardInterrupt: print('interrupted')"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "no Jupyter kernel runs here\n"
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=10)[0] == "interrupted\n"


NESTED = """
import asyncio, sys, time
from concurrent.futures import Future
if {without}: sys.modules["nest_asyncio"] = None
from acp_notebook._front import pump
async def main():
    future = Future()
    asyncio.get_running_loop().call_soon(future.set_result, "the loop turned")
    try: print(pump.wait(future, 0.3))
    except TimeoutError: print("the loop stood still")
    await asyncio.sleep(0)
    print("goes on", future.done())
{run}
"""
HERE = "asyncio.run(main())"
THREAD = """
import threading
thread = threading.Thread(target=lambda: asyncio.run(main()))
thread.start(); thread.join()
assert "nest_asyncio" not in sys.modules
"""


@pytest.mark.parametrize(
    ("without", "place", "told"),
    [
        (False, HERE, "the loop turned"),
        (True, HERE, "the loop stood still"),
        (False, THREAD, "the loop stood still"),
    ],
)
def test_a_running_loop_turns_while_a_call_blocks(without: bool, place: str, told: str) -> None:
    """With the extra `nest` installed the main thread's does; without it, and in other threads, we just wait."""
    code = NESTED.format(without=without, run=place)
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert (run.stdout, run.stderr) == (f"{told}\ngoes on True\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a child is interrupted differently there")
@pytest.mark.parametrize("without", [False, True])
def test_an_interrupt_ends_a_wait_within_a_loop(without: bool) -> None:
    """`asyncio.run` would only cancel its task, which stands still: the first Ctrl+C ends the blocking call."""
    code = (
        "import asyncio, os, signal, sys, threading, time\n"
        "from concurrent.futures import Future\n"
        f"if {without}: sys.modules['nest_asyncio'] = None\n"
        "from acp_notebook._front import pump\n"
        "def press(others):\n"
        "    while signal.getsignal(signal.SIGINT) == others: time.sleep(0.01)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "async def main():\n"
        "    threading.Thread(target=press, args=[signal.getsignal(signal.SIGINT)]).start()\n"
        "    try: pump.wait(Future(), 20)\n"
        "    except KeyboardInterrupt: print('interrupted')\n"
        "asyncio.run(main())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert (run.stdout, run.stderr) == ("interrupted\n", "")


def test_facts_without_a_kernel() -> None:
    """Everything answers, nothing raises."""
    assert host.kernel() is None
    assert host.is_headless()
    assert not host.is_ipykernel()
    assert host.cell_id() is None
    assert host.request() is None
    assert host.run_in_empty_context(lambda value: value, 5) == 5
    host.warn_once_if_broken()
    host.keep_front_end_subshell(object())


def test_a_broken_kernel_is_told_once_at_the_persons_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many frames of ipywidgets' and of ours lie between that line and the warning."""
    monkeypatch.setattr(host, "ipykernel_version", lambda: (7, 0, 1))
    monkeypatch.setattr(host, "is_ipykernel", lambda: True)
    monkeypatch.setattr(host, "_warned", set())
    with pytest.warns(RuntimeWarning, match=r"ipykernel 7\.0 cannot send from a thread") as warned:
        TurnWidget("chat", 0, "")
    assert [warning.filename for warning in warned] == [__file__]
    TurnWidget("chat", 1, "")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("7.4.0", (7, 4, 0)), ("6.31.0", (6, 31, 0)), ("7.5.0a1", (7, 5, 0)), ("8.0rc2", (8, 0)), ("dev", None)],
)
def test_version_numbers(monkeypatch: pytest.MonkeyPatch, text: str, numbers: tuple[int, ...] | None) -> None:
    """Pre-releases count as the release they lead to; what is no number is no version."""
    module = type(sys)("ipykernel")
    module.__version__ = text  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ipykernel", module)
    assert host.ipykernel_version() == numbers


def test_the_subshell_hook_is_set_only_where_it_is() -> None:
    """A comm with ipykernel 7.4's routing takes the front end's choice, others are left alone."""

    class Comm:
        def _reply_subshell_for(self, data: object, default: str | None) -> str | None:
            return "other"

    comm = Comm()
    host.keep_front_end_subshell(comm)
    assert comm._reply_subshell_for({}, "chosen") == "chosen"
    plain = type("Plain", (), {})()
    host.keep_front_end_subshell(plain)
    assert not vars(plain)
