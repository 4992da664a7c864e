from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from acp_notebook._agent.protocol import RpcError
from acp_notebook._client import terminal_notes, terminals
from acp_notebook._client.roots import Roots
from acp_notebook._client.terminals import Kept, Terminals
from tests.agent.peer import all_gone, lives, run

NOT_FOUND, INVALID = -32002, -32602


def python(code: str, **more: object) -> dict[str, Any]:
    return {"sessionId": "s", "command": sys.executable, "args": ["-c", code], **more}


class Served:
    """Terminals in a folder, and the notes that they made."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.notes: list[dict[str, Any]] = []
        self.changed = asyncio.Event()
        self.terminals = Terminals(Roots(folder), self.note, **options)

    def note(self, note: dict[str, Any]) -> None:
        self.notes.append(note)
        self.changed.set()

    async def until_output(self, name: dict[str, Any], end: str) -> str:
        """The output, once it ends like this (a note says whenever there is more)."""
        while not (output := str((await self.terminals.output(name))["output"])).endswith(end):
            self.changed.clear()
            await self.changed.wait()
        return output

    async def start(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"sessionId": "s", **await self.terminals.create(params)}

    async def finish(self, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run a command to its end; its exit and its output."""
        name = await self.start(params)
        return await self.terminals.wait_for_exit(name), await self.terminals.output(name)

    def said(self) -> str:
        return "".join(note.get("data", "") for note in self.notes)


def serve(folder: Path, main: Callable[[Served], Awaitable[Any]], **options: Any) -> Any:
    async def closing() -> Any:
        served = Served(folder, **options)
        try:
            return await main(served)
        finally:
            await served.terminals.close()

    return run(closing)


async def code_of(call: Awaitable[object]) -> int:
    with pytest.raises(RpcError) as caught:
        await call
    return caught.value.code


def test_a_command_runs_and_its_output_and_end_are_told(tmp_path):
    """Both streams in order, the exit code, and notes that say the same."""
    code = "import sys; print('out', flush=True); print('err', file=sys.stderr, flush=True); print('é'); sys.exit(3)"

    async def main(served: Served) -> None:
        exit_, output = await served.finish(
            python(code, env=[{"name": "PYTHONIOENCODING", "value": "utf-8"}])
        )
        assert exit_ == {"exitCode": 3, "signal": None}
        assert output == {"output": "out\nerr\né\n", "truncated": False, "exitStatus": exit_}
        assert served.said() == "out\nerr\né\n"
        assert served.notes[-1] == {
            "kind": "terminal",
            "terminal_id": "terminal-1",
            "exit": {"code": 3, "signal": None},
        }

    serve(tmp_path, main)


def test_environment_and_folder(tmp_path, monkeypatch):
    """Variables come over ours; the folder is the chat's or one inside, nothing outside; there is no input."""
    monkeypatch.setenv("OURS", "ours")
    (tmp_path / "in").mkdir()
    code = (
        "import os, sys; print(os.environ['OURS'], os.environ['MORE'], os.getcwd(), repr(sys.stdin.read()))"
    )
    more = [{"name": "MORE", "value": "more"}]

    async def main(served: Served) -> None:
        _, output = await served.finish(python(code, env=more))
        assert output["output"] == f"ours more {tmp_path} ''\n"
        _, output = await served.finish(python(code, env=more, cwd=f"{tmp_path}/in"))
        assert output["output"] == f"ours more {tmp_path}/in ''\n"
        for cwd in ("/", "in", f"{tmp_path}/..", f"{tmp_path}/missing", 5):
            assert await code_of(served.terminals.create(python(code, cwd=cwd))) == INVALID

    serve(tmp_path, main)


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ("safe", ["AGENT_TOKEN", "PLAIN", "SSH_AUTH_SOCK"]),
        ("all", ["AGENT_TOKEN", "DATABASE_URL", "JUPYTER_TOKEN", "MY_API_KEY", "PLAIN", "SSH_AUTH_SOCK"]),
        (["MY_API_KEY"], ["AGENT_TOKEN", "MY_API_KEY", "PLAIN", "SSH_AUTH_SOCK"]),
    ],
)
def test_secrets_of_this_process_are_not_passed_on(tmp_path, monkeypatch, env, expected):
    """By the variables' names; all, or some, if the person says so. What the agent sets itself it gets."""
    names = ["JUPYTER_TOKEN", "MY_API_KEY", "DATABASE_URL", "PLAIN", "SSH_AUTH_SOCK"]
    for name in names:
        monkeypatch.setenv(name, "ours")
    code = f"import os; print(*sorted(set(os.environ) & {{'AGENT_TOKEN', *{names}}}))"

    async def main(served: Served) -> None:
        _, output = await served.finish(python(code, env=[{"name": "AGENT_TOKEN", "value": "its own"}]))
        assert output["output"].split() == expected

    serve(tmp_path, main, env=env)


def test_a_command_that_runs_too_long_is_ended(tmp_path, monkeypatch):
    """It is ended as by `kill`: output, which says so, and exit can still be asked for."""
    monkeypatch.setattr(terminals, "LONGEST_RUN", 0.2)

    async def main(served: Served) -> None:
        exit_, output = await served.finish(python("import time; time.sleep(600)"))
        assert exit_ == {"exitCode": None, "signal": "SIGTERM"}
        assert "this has run for 0.2 s" in output["output"]

    serve(tmp_path, main)


def test_room_is_made_of_what_ended_long_ago(tmp_path, monkeypatch):
    """An agent that never releases can go on; a command that still runs keeps its place."""
    monkeypatch.setattr(terminals, "MOST_TERMINALS", 2)
    monkeypatch.setattr(terminals, "KEPT_ENDED", 0.0)

    async def main(served: Served) -> None:
        running = await served.start(python("import time; time.sleep(600)"))
        for _ in range(3):
            await served.finish(python(""))
        assert await code_of(served.terminals.output({"terminalId": "terminal-2"})) == NOT_FOUND
        assert "exitStatus" not in await served.terminals.output(running)
        await served.start(python("import time; time.sleep(600)"))
        assert await code_of(served.terminals.create(python(""))) == INVALID

    serve(tmp_path, main)


@pytest.mark.parametrize(
    "params",
    [
        {"command": "no-such-command-here"},
        {"command": ""},
        {},
        {"command": ["ls"]},
        {"command": "ls\0"},
        {"command": "ls", "args": "-l"},
        {"command": "ls", "args": [1]},
        {"command": "ls", "env": {"A": "b"}},
        {"command": "ls", "env": [{"name": "A=B", "value": "b"}]},
        {"command": "ls", "env": [{"name": "A", "value": None}]},
        {"command": "ls", "outputByteLimit": -1},
        {"command": "ls", "outputByteLimit": "5"},
    ],
)
def test_what_cannot_be_started_is_an_error(tmp_path, params):
    """A command that does not exist and params of a wrong form are errors at once."""

    async def main(served: Served) -> None:
        assert await code_of(served.terminals.create(params)) == INVALID
        assert served.notes == []

    serve(tmp_path, main)


def test_output_answers_at_once_and_kill_keeps_the_terminal(tmp_path):
    """While it runs there is no exit status; a killed command's output and end can still be asked for."""

    async def main(served: Served) -> None:
        name = await served.start(python("import time; print('hi', flush=True); time.sleep(600)"))
        assert await served.until_output(name, "\n") == "hi\n"
        assert "exitStatus" not in await served.terminals.output(name)
        waiting = asyncio.ensure_future(served.terminals.wait_for_exit(name))
        assert await served.terminals.kill(name) == {}
        assert await waiting == {"exitCode": None, "signal": "SIGTERM"}
        assert await served.terminals.output(name) == {
            "output": "hi\n",
            "truncated": False,
            "exitStatus": {"exitCode": None, "signal": "SIGTERM"},
        }
        assert await served.terminals.kill(name) == {}

    serve(tmp_path, main)


def test_a_released_terminal_is_unknown(tmp_path):
    """After release, and for ids never given, all methods answer -32002; one that waits gets its answer."""

    async def main(served: Served) -> None:
        name = await served.start(python("import time; time.sleep(600)"))
        waiting = asyncio.ensure_future(served.terminals.wait_for_exit(name))
        await asyncio.sleep(0)
        assert await served.terminals.release(name) == {}
        assert (await waiting)["signal"] == "SIGTERM"
        methods = served.terminals
        for params in (name, {"terminalId": "terminal-9"}, {"terminalId": ["x"]}, {}):
            for method in (methods.output, methods.wait_for_exit, methods.kill, methods.release):
                assert await code_of(method(params)) == NOT_FOUND

    serve(tmp_path, main)


FORKS = """
import os, signal, sys, time
for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(n, signal.SIG_IGN)
children = []
for _ in range(3):
    pid = os.fork()
    if pid == 0: time.sleep(600); os._exit(0)
    children.append(pid)
print(os.getpid(), *children, flush=True)
{then}
"""


async def pids_of(served: Served, name: dict[str, Any]) -> list[int]:
    return [int(word) for word in (await served.until_output(name, "\n")).split()]


@pytest.mark.parametrize("how", ["kill", "release", "close"])
def test_a_command_that_forks_and_ignores_signals_is_ended(tmp_path, how):
    """Kill, release and close end the whole group, also of a command that ignores SIGTERM."""

    async def main(served: Served) -> None:
        name = await served.start(python(FORKS.format(then="time.sleep(600)")))
        pids = await pids_of(served, name)
        assert len(pids) == 4
        assert all(map(lives, pids))
        started = time.monotonic()
        end = {"kill": served.terminals.kill, "release": served.terminals.release}.get(how)
        await (end(name) if end else served.terminals.close())
        assert all_gone(pids, started + 5 - time.monotonic())

    serve(tmp_path, main)


def test_what_a_command_leaves_behind_runs_until_the_release(tmp_path):
    """A server started in the background lives on when its shell has ended, and is ended with the terminal."""

    async def main(served: Served) -> None:
        name = await served.start(python(FORKS.format(then="")))
        assert await served.terminals.wait_for_exit(name) == {"exitCode": 0, "signal": None}
        pids = await pids_of(served, name)
        assert all(map(lives, pids[1:]))
        await served.terminals.release(name)
        assert all_gone(pids, 0.5)

    serve(tmp_path, main)


def test_only_the_end_is_kept_at_a_character_boundary(tmp_path):
    """`outputByteLimit` cuts from the beginning, never within a character, and says so."""

    async def main(served: Served) -> None:
        code = "import sys; sys.stdout.buffer.write('€'.encode() * 1000 + b'end')"
        for limit, expected in (
            (10, "€€end"),
            (9, "€€end"),
            (8, "€end"),
            (0, ""),
            (3003, "€" * 1000 + "end"),
        ):
            _, output = await served.finish(python(code, outputByteLimit=limit))
            assert (output["output"], output["truncated"]) == (expected, limit < 3003)

    serve(tmp_path, main)


def test_characters_split_between_reads_and_broken_ones_stay_right(tmp_path):
    """Bytes that come one by one make the right characters; broken ones are marked, also at the very end."""
    data = "aé€😀".encode() + b"\xff" + "b€".encode()[:3]
    code = f"import os\nfor byte in {list(data)}: os.write(1, bytes([byte])); os.sched_yield()"

    async def main(served: Served) -> None:
        _, output = await served.finish(python(code))
        assert output["output"] == "aé€😀\ufffdb\ufffd" == served.said()

    serve(tmp_path, main)


def test_a_flood_is_bounded(tmp_path):
    """100 MB of output: the end is kept, the notes stay small and few, and end as the output does."""
    code = "import os\nline = b'x' * 99 + b'\\n'\nfor _ in range(1000): os.write(1, line * 1000)\nos.write(1, b'the end')"

    async def main(served: Served) -> None:
        started = time.monotonic()
        _, output = await served.finish(python(code))
        seconds = time.monotonic() - started
        assert output["truncated"]
        assert len(output["output"]) == 1024 * 1024
        assert output["output"].endswith("\nthe end")
        assert served.said().endswith("\nthe end")
        data = [note for note in served.notes if "data" in note]
        assert len(data) <= seconds * 20 + 2
        assert max(len(note["data"]) for note in data) <= 32 * 1024
        skipped = sum(note.get("skipped", 0) for note in data)
        assert skipped + len(served.said()) == 100_000_007

    serve(tmp_path, main)


def test_notes_of_a_long_flood_get_rarer(tmp_path, monkeypatch):
    """The more has been noted of a command the longer is the pause; a talk of little stays live."""
    monkeypatch.setattr(terminal_notes, "_NOTE_SLOWER", 5_000)

    async def main(served: Served) -> None:
        name = await served.start(python("import time; time.sleep(600)"))
        terminal = served.terminals._open[name["terminalId"]]
        pauses = []
        for _ in range(3):
            terminal.on_output(b"x" * 5_000)
            terminal.notes.flush()
            pauses.append(round(terminal.notes.pause, 3))
        assert pauses == [0.1, 0.15, 0.2]
        assert len(served.said()) == 15_000

    serve(tmp_path, main)


def test_the_notes_of_one_command_have_a_sum(tmp_path, monkeypatch):
    """Beyond it a short end is noted ever more rarely, and a longer one last; each says what is left out."""
    monkeypatch.setattr(terminal_notes, "NOTED_MOST", 100_000)

    async def main(served: Served) -> None:
        name = await served.start(python("import time; time.sleep(600)"))
        terminal = served.terminals._open[name["terminalId"]]
        terminal.notes._began -= 1000  # as if it had run so long
        for _ in range(10):
            terminal.on_output(b"x" * 60_000)
            terminal.notes.flush()
        assert 50 <= terminal.notes.pause < 60
        terminal.on_output(b"y" * 60_000)
        await terminal.end()
        data = [note for note in served.notes if "data" in note]
        sizes = [len(note["data"]) for note in data]
        assert sizes == [32_768] * 4 + [4_096] * 6 + [32_768]
        assert [note["skipped"] + len(note["data"]) for note in data] == [60_000] * 11

    serve(tmp_path, main)


def test_a_terminal_that_floods_makes_a_bounded_transcript(tmp_path, monkeypatch):
    """100 MB in lines, noted as fast as they come: the record has a few hundred KB of them."""
    monkeypatch.setattr(terminal_notes, "NOTED_MOST", 200_000)
    monkeypatch.setattr(terminal_notes, "_NOTE_EVERY", 0.0)

    async def main(served: Served) -> None:
        code = "import os\nfor _ in range(1000): os.write(1, (b'x' * 99 + b'\\n') * 1000)"
        await served.finish(python(code))
        data = [note for note in served.notes if "data" in note]
        assert len(served.said()) < 200_000 + 3 * 32_768 + 60 * 4_096
        assert sum(note.get("skipped", 0) for note in data) + len(served.said()) == 100_000_000

    serve(tmp_path, main)


def test_too_many_terminals_are_refused(tmp_path, monkeypatch):
    """There is an end to what one agent may have at a time; a release makes room."""
    monkeypatch.setattr(terminals, "MOST_TERMINALS", 2)

    async def main(served: Served) -> None:
        for _ in range(2):
            await served.start(python(""))
        assert await code_of(served.terminals.create(python(""))) == INVALID
        await served.terminals.release({"terminalId": "terminal-1"})
        await served.start(python(""))

    serve(tmp_path, main)


def test_after_close_nothing_starts(tmp_path):
    """A request that is served after the close starts no process."""

    async def main(served: Served) -> None:
        await served.terminals.close()
        assert await code_of(served.terminals.create(python("print(1)"))) == INVALID

    serve(tmp_path, main)


def test_the_kept_end_costs_the_same_for_every_piece():
    """Ten times as many pieces cost about ten times as much: nothing is copied again and again."""
    kept = Kept(1000)
    for _ in range(200_000):
        kept.add("€" * 10)
    assert kept.text() == "€" * 333
    assert len(kept._data) <= 1000


def test_commands_are_in_groups_of_their_own(tmp_path):
    """A command is in no group of ours, so an interrupt of this process does not reach it."""

    async def main(served: Served) -> None:
        _, output = await served.finish(python("import os; print(os.getpgrp(), os.getpid(), os.getsid(0))"))
        group, pid, session = map(int, output["output"].split())
        assert group == pid == session != os.getpgrp()

    serve(tmp_path, main)
