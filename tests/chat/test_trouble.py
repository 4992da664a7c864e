"""Agents that die, start slowly or stand still: what is told, what is tried, and that it goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from acp_notebook import Agent, AgentExitedError, AgentNotFoundError, Chat, ChatClosedError
from acp_notebook._agent import loop
from acp_notebook._chat import revival
from acp_notebook._front.sync import Sync
from tests.chat.keeper import keeper, notices, sent, texts, until

Make = Callable[..., Chat]


@pytest.fixture
def make(project: Path) -> Iterator[Make]:
    """Make chats with the keeper that are closed afterwards."""
    made: list[Chat] = []

    def make(*able: str, store: Path | None = None, **config: Any) -> Chat:
        made.append(Chat(keeper(store, *able, **config), cwd=project, record=False))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow at once."""
    monkeypatch.setattr(revival, "DELAYS", (0.01, 0.02, 0.03))


def agent_of(chat: Chat) -> psutil.Process:
    """The agent's own process, below its launcher."""
    link = chat._engine.link
    assert link is not None
    return psutil.Process(getattr(link._transport, "pid"))  # noqa: B009 - of the process's transport only


def exits(chat: Chat) -> list[dict[str, Any]]:
    """The notes of ends of processes."""
    return [record.msg for record in chat._log.records if record.msg.get("kind") == "exit"]


def test_the_end_of_stderr_is_in_the_turn_that_it_ended(make: Make, soon: None) -> None:
    """Exit code in the turn's error, the last words in its items; both stay there after a restart."""
    chat = make()
    with pytest.raises(AgentExitedError, match="asked to die"):
        chat.ask("die")
    chat.restart()
    [turn] = chat.turns

    assert turn.error is not None
    assert "exit code 3" in turn.error
    assert [item.description for item in turn.items if item.kind == "notice"] == ["fatal: asked to die"]


def test_silence_counts_from_the_agents_last_word(make: Make) -> None:
    """Whoever comes later, as a page after a reload, is told when the last record was made."""
    chat = make()
    chat.start()
    turn = chat.send("hold")
    until(chat, lambda chat: chat.turns and chat.turns[-1].items)
    sync = Sync(chat._log, lambda _message: None, loop.loop())
    first = loop.call(sync.snapshot)
    [last] = [r for r in chat._log.records if "holding" in json.dumps(r.msg)]
    assert chat._log.records[-1] is last
    assert first["heard"] == last.t <= first["now"]
    later = loop.call(sync.snapshot)
    assert later["heard"] == last.t
    assert later["now"] >= first["now"]
    turn.cancel()
    turn.handle.done.result(10)
    assert loop.call(sync.snapshot)["heard"] > last.t


def test_a_death_in_a_turn_is_not_tried_again(make: Make, soon: None) -> None:
    """Only the person knows whether the prompt should be sent once more."""
    chat = make()
    with pytest.raises(AgentExitedError):
        chat.ask("die")

    assert chat.status == "ended"
    assert chat._engine._revival._task is None


def test_a_death_at_rest_is_mended(make: Make, tmp_path: Path, soon: None) -> None:
    """The session comes back by itself; the reason says what happens."""
    chat = make("resume", store=tmp_path / "store")
    chat.ask("say one")
    first = agent_of(chat)
    first.kill()
    until(chat, lambda chat: len(sent(chat, "session/resume")) == 1 and chat.status == "ready")

    assert exits(chat)[0]["reason"] == "It is started again in 0.01 s (try 1 of 3)."
    assert agent_of(chat).pid != first.pid
    assert chat.ask("what").text == "1 blocks, I remember 1 turns"


def test_three_tries_at_most(make: Make, tmp_path: Path, soon: None) -> None:
    """An agent that dies at each start is left alone after three tries, and the person is told."""
    count = tmp_path / "starts"
    store = tmp_path / "store"
    chat = make("resume", store=store)
    chat.ask("say one")
    chat._engine.settings = chat._engine.settings.__class__(
        **{**vars(chat._engine.settings), "agent": keeper(store, "resume", doomed=str(count))}
    )
    agent_of(chat).kill()
    until(chat, lambda chat: "now rests" in str(exits(chat)[-1].get("reason")) if exits(chat) else False)

    assert count.read_text() == "xxx"
    assert chat.status == "ended"
    assert chat.session.exit is not None
    assert "I cannot live" in chat.session.exit.stderr


def test_a_chat_that_is_closed_is_not_started_again(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing between two tries ends them."""
    monkeypatch.setattr(revival, "DELAYS", (600.0,) * 3)
    chat = make()
    chat.ask("say one")
    agent_of(chat).kill()
    until(chat, lambda chat: chat.status == "ended")
    chat.close()

    assert chat._engine._revival._task is None
    assert len(sent(chat, "initialize")) == 1


def test_a_prompt_does_not_wait_for_the_next_try(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who sends something has the agent started at once."""
    monkeypatch.setattr(revival, "DELAYS", (600.0,) * 3)
    chat = make()
    chat.ask("say one")
    agent_of(chat).kill()
    until(chat, lambda chat: chat.status == "ended")

    assert chat.ask("say two").text == "two"
    assert len(sent(chat, "initialize")) == 2


def test_a_slow_start_says_what_it_waits_for(make: Make, tmp_path: Path) -> None:
    """While the agent does not answer, the state names the method and since when."""
    chat = make(slow=str(tmp_path / "go"))
    turn = chat.send("say one")
    until(chat, lambda chat: chat.session.waits_for == "initialize")
    assert chat.status == "starting"
    assert chat.session.since is not None
    (tmp_path / "go").touch()
    turn.handle.done.result(15)

    assert chat.session.waits_for is None
    assert turn.text == "one"


def test_restart_during_a_turn(make: Make, tmp_path: Path) -> None:
    """The running turn ends, the session comes back, what is queued waits."""
    chat = make("resume", store=tmp_path / "store")
    chat.ask("say one")
    held = chat.send("hold")
    until(chat, lambda chat: chat.status == "working")
    queued = chat.send("say two")
    chat.restart()

    assert held.done
    assert not held.active
    assert queued.status == "queued"
    chat.resume_queue()
    queued.handle.done.result(15)
    assert texts(chat) == ["say one", "hold", "say two"]


def test_an_agent_that_cannot_come_back_is_told_what_was_said(make: Make) -> None:
    """After a death without load or resume the next prompt carries a recap, and the person is told."""
    chat = make()
    chat.ask("say the password is swordfish")
    with pytest.raises(AgentExitedError):
        chat.ask("die")
    turn = chat.ask("what")

    assert turn.text.startswith("2 blocks")
    assert "swordfish" in sent(chat, "session/prompt")[-1]["prompt"][1]["text"]
    assert any("carries a summary" in notice for notice in notices(chat))


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no job control here")
def test_an_agent_that_is_stopped_and_continued_goes_on(make: Make, tmp_path: Path) -> None:
    """A closed lid: nothing runs for a while, and afterwards the turn goes on as if nothing had been."""
    go = tmp_path / "go"
    chat = make()
    turn = chat.send(f"wait {go}")
    until(chat, lambda chat: chat.turns[0].text == "waiting")
    process = agent_of(chat)
    os.kill(process.pid, signal.SIGSTOP)
    stopped = threading.Event()
    while process.status() != psutil.STATUS_STOPPED:
        assert not stopped.wait(0.01)
    go.touch()
    assert not turn.handle.done.done()
    assert chat.status == "working"
    os.kill(process.pid, signal.SIGCONT)
    turn.handle.done.result(15)

    assert turn.stop_reason == "end_turn"
    assert exits(chat) == []


KERNEL = """
import sys
from acp_notebook import Chat
chat = Chat(sys.argv[1:], cwd='.', record=False)
turn = chat.send('say first')
turn.handle.done.result(30)
print('ready', flush=True)
line = sys.stdin.readline()
print(chat.ask('say second').text, chat.status, flush=True)
chat.close()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no job control here")
def test_a_kernel_that_is_stopped_and_continued_goes_on(project: Path) -> None:
    """The launcher does not take a parent that stands still for a dead one; the agent is still there."""
    agent = keeper()
    words = [sys.executable, "-c", KERNEL, agent.command, *agent.args]
    with subprocess.Popen(
        words, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as kernel:
        assert kernel.stdin is not None
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "ready\n"
        kernel.send_signal(signal.SIGSTOP)
        # Longer than the launcher looks for its parent.
        with pytest.raises(subprocess.TimeoutExpired):
            kernel.wait(timeout=2.5)
        kernel.send_signal(signal.SIGCONT)
        kernel.stdin.write("go\n")
        kernel.stdin.flush()
        assert kernel.stdout.readline() == "second ready\n"
        assert kernel.wait(15) == 0


@pytest.mark.parametrize(
    "agent", [Agent("cat", env={"A": "x\0y"}), Agent("cat", "x\0y")], ids=["variable", "word"]
)
def test_what_no_process_can_be_started_with(agent: Agent, project: Path) -> None:
    """A NUL character is refused by the system in its own way; whoever waits hears of it."""
    with Chat(agent, cwd=project, record=False) as chat:
        with pytest.raises(AgentNotFoundError, match="null byte"):
            chat.ask("x", timeout=15)
        assert chat.status == "ended"


def test_a_start_that_fails_in_no_foreseen_way(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also an error that nobody thought of reaches the waiting prompt, and the next one tries again."""
    chat = make()
    wanted = chat._engine.history.wanted

    async def broken() -> Any:
        raise LookupError("nobody thought of this")

    monkeypatch.setattr(chat._engine.history, "wanted", broken)
    with pytest.raises(LookupError, match="nobody thought"):
        chat.ask("x", timeout=15)
    monkeypatch.setattr(chat._engine.history, "wanted", wanted)
    assert chat.ask("say one").text == "one"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # from 3.12: forking with threads, which is the point
def test_a_forked_child_leaves_the_agent_alone(make: Make) -> None:
    """`multiprocessing` copies a chat: the copy is closed and says so at once, nothing of it reaches the agent."""
    chat = make()
    chat.ask("say one")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            chat.cancel()
            try:
                chat.ask("say from the child", timeout=5)
            except ChatClosedError:
                chat.close()
                code = 0 if chat.turns[0].text == "one" else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert chat.ask("say two").text == "two"
    assert chat in Chat.all()
