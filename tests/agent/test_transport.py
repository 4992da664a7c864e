from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest

from acp_notebook import _errors as errors
from acp_notebook._agent.command import Agent
from acp_notebook._agent.transport import Lines, StdioTransport, Tail
from tests.agent.peer import Peer, all_gone, end, lives, peer, raw_agent, run

STUBBORN = (["deaf", "SIGTERM", "SIGINT", "SIGHUP"], ["child", "group"], ["pids"], ["hang"])


def test_lines_are_cut_wherever_the_pieces_end():
    """The same bytes give the same lines, whatever pieces they come in; the last one needs no line end."""
    data = b"one\n\ntwo\r\nthree"
    for size in range(1, len(data) + 1):
        lines = Lines()
        got = [line for i in range(0, len(data), size) for line in lines.feed(data[i : i + size])]
        assert got + list(lines.rest()) == [b"one", b"", b"two\r", b"three"]
        assert list(lines.rest()) == []


def test_a_line_beyond_every_measure_is_cut():
    """A line over the limit gives its beginning only, and the next one comes whole."""
    lines = Lines(limit=2000)
    got = [line for piece in [b"x" * 900] * 5 + [b"\nnext\n"] for line in lines.feed(piece)]
    assert got == [b"x" * 1024, b"next"]


def test_a_tail_keeps_the_end():
    """Of a long stream the end stays, without half a character at its start."""
    tail = Tail(10)
    for _ in range(50):
        tail.add("aä€".encode())
    assert tail.text() == "€aä€"
    short = Tail(10)
    short.add(b"\xffabc")
    assert short.text() == "\ufffdabc"


def test_100_mb_on_one_line_arrive():
    """A message of 100 MB is one message, and what comes after it too."""

    async def main():
        async with peer(["long", 100_000_000], ["say", {"method": "after"}], ["eof"]) as p:
            await p.notified("after")
            assert len(p.notifications[0][1]["text"]) == 100_000_000

    run(main)


def test_a_flood_on_stderr_blocks_nothing():
    """An agent that writes 2 MB to stderr goes on; the last 64 KB are kept."""

    async def main():
        steps = (["stderr", 2_000_000], ["error", "the end"], ["say", {"method": "after"}], ["eof"])
        async with peer(*steps) as p:
            await p.notified("after")
        tail = p.transport.stderr_tail()
        assert tail.endswith("the end\n")
        assert len(tail) == 65536

    run(main)


def test_a_missing_command_says_what_to_do():
    """A command that is not there fails at the start, naming it, the PATH looked at, and the way out."""

    async def main():
        for agent, seen in (
            (Agent("no-such-agent", "acp", env={"PATH": "/no/where"}), "/no/where"),
            (Agent("./no-such-agent"), str(Path.cwd())),
        ):
            with pytest.raises(errors.AgentNotFoundError, match="Install it") as caught:
                await Peer(agent, Path.cwd()).connection.start()
            assert "no-such-agent" in str(caught.value)
            assert seen in str(caught.value)

    run(main)


def test_a_command_that_cannot_be_executed_is_not_found(tmp_path):
    """A script whose interpreter is missing fails at the start, with the system's words."""
    script = tmp_path / "agent"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)

    async def main():
        p = Peer(Agent("./agent"), tmp_path)
        with pytest.raises(errors.AgentNotFoundError, match="No such file"):
            await p.connection.start()
        exit_ = await p.connection.close()
        assert exit_.code is None

    run(main)


def test_a_missing_folder_is_named():
    """A folder that does not exist is not blamed on the command."""

    async def main():
        with pytest.raises(NotADirectoryError, match="/no/such/folder"):
            await Peer(raw_agent(["eof"]), "/no/such/folder").connection.start()

    run(main)


@pytest.mark.parametrize(
    ("step", "code", "name"),
    [(["exit", 7], 7, None), (["exit", 0], 0, None), (["signal", "SIGKILL"], None, "SIGKILL")],
)
def test_an_agent_that_ends_at_once_says_how(step, code, name):
    """Exit code or signal, and the end of stderr, reach the first request."""

    async def main():
        async with peer(["error", "no key"], step) as p:
            with pytest.raises(errors.AgentExitedError) as caught:
                await p.connection.request("initialize", {})
            assert (caught.value.code, caught.value.signal, caught.value.stderr) == (code, name, "no key\n")
            exit_ = await p.transport.exited
            assert (exit_.code, exit_.signal) == (code, name)

    run(main)


@pytest.mark.parametrize("where", ["group", "away"])
def test_a_grandchild_that_holds_stdout_hides_no_exit(where):
    """The agent's end is known though another process keeps its stdout open for minutes; one in its group is ended."""

    async def main():
        async with peer(["child", where], ["pids"], ["exit", 3]) as p:
            pids = (await p.notified("pids"))["pids"]
            try:
                with pytest.raises(errors.AgentExitedError):
                    await p.connection.request("x", {})
                # Before anybody closes the connection.
                assert all_gone(pids, 5) if where == "group" else lives(pids[1])
            finally:
                end(pids)

    run(main)


@pytest.mark.parametrize("fd", [0, 1])
def test_an_agent_that_closes_a_pipe_does_not_hang_us(fd):
    """An agent that lives on without its input or output is ended, and requests fail."""

    async def main():
        async with peer(["pids"], ["close", fd], ["hang"]) as p:
            await p.notified("pids")
            with pytest.raises(errors.AgentExitedError):
                await p.connection.request("x", {})

    run(main)


def test_writing_to_an_agent_that_does_not_read_never_waits():
    """50 MB of prompts to an agent that never reads are queued (a write that waited would wait for ever), and closing works."""

    async def main():
        async with peer(["pids"], ["hang"]) as p:
            pids = (await p.notified("pids"))["pids"]
            for _ in range(50):
                assert p.connection.notify("big", {"text": "x" * 1_000_000})
            await p.connection.close()
            assert all_gone(pids, 0.5)

    run(main)


def test_a_good_agent_leaves_by_itself():
    """Closing ends the input first; an agent that leaves then is not signalled."""

    async def main():
        async with peer(["eof"], ["error", "bye"], ["exit", 5]) as p:
            exit_ = await p.connection.close()
            assert (exit_.code, exit_.signal, exit_.stderr) == (5, None, "bye\n")
            assert await p.connection.close() == exit_

    run(main)


def test_a_stubborn_agent_and_its_child_are_gone_after_close():
    """An agent that ignores the end of its input and SIGTERM, and its child, are gone within 5 s of closing."""

    async def main():
        async with peer(*STUBBORN) as p:
            pids = (await p.notified("pids"))["pids"]
            assert all(map(lives, pids))
            started = time.monotonic()
            exit_ = await p.connection.close()
            assert exit_.signal == "SIGKILL"
            assert all_gone(pids, started + 5 - time.monotonic())

    run(main)


def test_closing_is_finished_though_its_caller_gives_up():
    """A cancelled close goes on: the agent ends."""

    async def main():
        async with peer(*STUBBORN) as p:
            pids = (await p.notified("pids"))["pids"]
            closing = asyncio.ensure_future(p.connection.close())
            await asyncio.sleep(0)
            closing.cancel()
            await asyncio.wait([closing])
            await p.transport.exited
            assert all_gone(pids, 5)

    run(main)


def test_a_killed_launcher_is_noticed_and_its_work_done():
    """If somebody kills the launcher, the agent's group is ended and the requests fail."""

    async def main():
        async with peer(*STUBBORN) as p:
            pids = (await p.notified("pids"))["pids"]
            request = p.connection.request("x", {})
            p.transport._process._popen.kill()
            with pytest.raises(errors.AgentExitedError, match="exit code unknown"):
                await request
            assert all_gone(pids, 1)

    run(main)


def test_a_cancelled_start_leaves_nothing():
    """Cancelling the start at any of its steps leaves no process behind."""

    async def main(rounds: int) -> None:
        transport = StdioTransport(raw_agent(["hang"]), ".")
        task = asyncio.ensure_future(transport.start(lambda _: None))
        for _ in range(rounds):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await transport.close()

    for rounds in range(8):
        run(partial(main, rounds))
    deadline = time.monotonic() + 5
    while (left := children_of(os.getpid())) and time.monotonic() < deadline:
        time.sleep(0.01)  # a look every now and then: nothing tells when a process has been reaped
    assert left == []


def test_closing_during_the_start_ends_it():
    """A transport that is closed while it starts leaves no process, and the starter is told."""

    async def main() -> None:
        transport = StdioTransport(raw_agent(["hang"]), ".")
        starting = asyncio.ensure_future(transport.start(lambda _: None))
        await asyncio.sleep(0)
        await transport.close()
        with pytest.raises(errors.ChatClosedError):
            await starting

    run(main)
    assert children_of(os.getpid()) == []


def test_many_open_files_are_no_obstacle():
    """Descriptors with numbers over 1024 work, as kernels that load much data have them."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2000:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(2000, hard), hard))
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]

    async def main() -> None:
        async with peer(["eof"], ["exit", 4]) as p:
            assert (await p.connection.close()).code == 4

    try:
        run(main)
    finally:
        for descriptor in files:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def children_of(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children() if lives(child.pid)]


OWNER = """
import asyncio, os, signal, sys
from acp_notebook._agent import loop
from tests.agent.peer import Peer, raw_agent

async def main():
    p = Peer(raw_agent({steps}))
    await p.connection.start()
    print((await p.notified("pids"))["pids"], flush=True)
    return p

p = loop.submit(main()).result()
{then}
"""


@contextmanager
def owner(then: str, steps: object = STUBBORN) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A Python process that started an agent, and the pids of the agent and its child."""
    code = OWNER.format(steps=repr(steps)[1:-1], then=then)
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    pids: list[int] = []
    with process:
        try:
            pids += json.loads(process.stdout.readline())
            yield process, pids
        finally:
            process.kill()
            end(pids)


def test_nothing_outlives_a_killed_owner():
    """After `kill -9` of the process that owns a stubborn agent, agent and child are gone within 5 s."""
    with owner("sys.stdin.read()") as (process, pids):
        assert all(map(lives, pids))
        process.kill()
        assert all_gone(pids, 5)


@pytest.mark.parametrize("fork", ["os.fork()", "__import__('ctypes').CDLL(None).fork()"])
def test_nothing_outlives_a_killed_owner_that_has_forked(fork):
    """The same while a forked copy of the owner lives on, made by multiprocessing or by some C library."""
    then = f"child = {fork}\nif child == 0: signal.pause()\nprint(child, flush=True)\nsys.stdin.read()"
    with owner(then) as (process, pids):
        assert process.stdout is not None
        copy = int(process.stdout.readline())
        process.kill()
        process.wait()
        try:
            assert all_gone(pids, 5)
            assert lives(copy)
        finally:
            end([copy])


def test_nothing_outlives_an_interpreter_that_exits():
    """An interpreter that exits without closing anything leaves no agent and prints no warning."""
    with owner("sys.exit(0)") as (process, pids):
        _, err = process.communicate(timeout=20)
        assert (process.returncode, err) == (0, "")
        assert all_gone(pids, 5)


def test_an_interrupt_of_the_owner_does_not_reach_the_agent():
    """Ctrl+C or a kernel's interrupt goes to a group that the agent is not in, and it can be interrupted itself."""
    # Short naps: a signal that comes just before one long wait would not end it.
    nap = "print('ready', flush=True)\n    while True: time.sleep(0.05)"
    # A shell lets its background jobs ignore the signal.
    heard = "import signal, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)"
    then = f"{heard}\ntry:\n    {nap}\nexcept KeyboardInterrupt: print('interrupted', flush=True)\nsys.stdin.read()"
    with owner(then, (["pids"], ["hang"])) as (process, pids):
        assert os.getpgid(pids[0]) == pids[0] != os.getpgid(process.pid)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert lives(pids[0])
        os.kill(pids[0], signal.SIGINT)  # not inherited as ignored
        assert all_gone(pids, 5)


def test_the_agent_gets_the_whole_environment_and_its_folder(tmp_path, monkeypatch):
    """Variables of this process and of the `Agent` are all there, and the folder is the chat's or the agent's own."""
    code = "import os, json; print(json.dumps({'method': 'm', 'params': {**os.environ, 'cwd': os.getcwd()}}))"
    monkeypatch.setenv("SOME_TOKEN", "outer")
    monkeypatch.setenv("PYTHONPATH", "/some/where")

    async def main():
        for own, expected in ((None, tmp_path), ("/", Path("/"))):
            p = Peer(Agent(sys.executable, "-c", code, env={"MORE": "inner"}, cwd=own), tmp_path)
            await p.connection.start()
            seen = await p.notified("m")
            await p.connection.close()
            assert (seen["SOME_TOKEN"], seen["MORE"], seen["PYTHONPATH"]) == ("outer", "inner", "/some/where")
            assert Path(seen["cwd"]) == expected.resolve()

    run(main)
