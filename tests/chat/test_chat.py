"""A chat in a plain script, with the demo agent as its real other side."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from acp_notebook import (
    AcpNotebookError,
    Agent,
    AgentExitedError,
    AgentNotFoundError,
    Chat,
    ChatClosedError,
    LiveTurn,
    Policy,
    ProtocolError,
)
from acp_notebook._agent import loop
from acp_notebook._fold.blocks import TextBlock

DEMO = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env={"ACP_DEMO_DELAY": "0"}, name="demo")


@pytest.fixture
def make(project: Path) -> Iterator[Callable[..., Chat]]:
    """Make chats that are closed afterwards."""
    made: list[Chat] = []

    def make(agent: Any = DEMO, **options: Any) -> Chat:
        chat = Chat(agent, cwd=project, record=False, **options)
        made.append(chat)
        return chat

    yield make
    for chat in made:
        chat.close()


def attended(chat: Chat, text: str) -> Any:
    """Send as a person at a front end does."""
    return chat._enqueue((text,), attended=True)


def until(chat: Chat, condition: Callable[[Chat], bool], seconds: float = 10.0) -> None:
    """Wait for a state of the chat, told by its own changes."""
    changed = threading.Event()
    unsubscribe = chat._subscribe(lambda _: changed.set())
    try:
        end = time.monotonic() + seconds
        while not condition(chat):
            changed.clear()
            if condition(chat):
                return
            assert changed.wait(end - time.monotonic()), f"never came: {chat!r}"
    finally:
        unsubscribe()


def wire(chat: Chat) -> list[tuple[str, str]]:
    """Direction and method of every request and notification, in order."""
    return [
        (record.dir, record.msg["method"])
        for record in chat._log.records
        if record.dir != "note" and "method" in record.msg
    ]


def notes(chat: Chat, kind: str) -> list[dict[str, Any]]:
    """The notes of one kind."""
    return [record.msg for record in chat._log.records if record.dir == "note" and record.msg["kind"] == kind]


def test_making_a_chat_starts_nothing(make: Callable[..., Chat]) -> None:
    """Only a display, a prompt or start() spawns the agent."""
    chat = make()

    assert chat.status == "idle"
    assert chat._log.records == []


def test_ask_runs_the_whole_scene(make: Callable[..., Chat], project: Path) -> None:
    """The agent reads, asks, edits, runs the tests and answers; every step is in the turn."""
    turn = make(policy=Policy.allow_all()).ask("Why does the test fail? Please fix it.")

    assert (turn.status, turn.stop_reason) == ("ready", "end_turn")
    assert turn.text
    assert turn.thoughts
    assert turn.plan
    assert {"policy"} == {permission.decided_by for permission in turn.permissions}
    assert ["output-available"] * len(turn.tool_calls) == [call.state for call in turn.tool_calls]
    [diff] = turn.diffs
    assert Path(diff.path).read_text() == diff.new_text


def test_headless_and_undecided_is_refused(make: Callable[..., Chat], project: Path) -> None:
    """Where nobody can click, a request is refused at once by the reject option, with a warning."""
    before = {path: path.read_bytes() for path in project.rglob("*.py")}
    chat = make()
    with pytest.warns(UserWarning, match="Refused without asking") as warned:
        turn = chat.ask("Why does the test fail? Please fix it.")

    assert {warning.filename for warning in warned} == {__file__}, "it names the person's own line"
    assert [("selected", "policy")] * len(turn.permissions) == [
        (permission.outcome, permission.decided_by) for permission in turn.permissions
    ]
    assert all(permission.refused for permission in turn.permissions)
    assert before == {path: path.read_bytes() for path in project.rglob("*.py")}


def test_a_person_answers(make: Callable[..., Chat]) -> None:
    """A waiting request keeps the turn; the chosen option goes out, once."""
    chat = make()
    turn = attended(chat, "Why does the test fail? Please fix it.")
    until(chat, lambda chat: bool(chat.pending))
    assert chat.status == "waiting"
    [permission] = chat.pending
    reject = next(option for option in permission.options if option.kind == "reject_once")
    chat.answer(permission, reject)
    with pytest.raises(ValueError, match="does not wait"):
        chat.answer(permission, reject)
    turn.handle.done.result(10)

    [answered] = turn.permissions
    assert (answered.outcome, answered.option_id, answered.decided_by) == ("selected", reject.id, "person")


def test_options_are_checked_against_the_offer(make: Callable[..., Chat]) -> None:
    """An option that was not offered is an error, and the request still waits."""
    chat = make()
    turn = attended(chat, "/ask")
    until(chat, lambda chat: bool(chat.pending))
    [permission] = chat.pending
    with pytest.raises(ValueError, match="did not offer"):
        chat.answer(permission, "allow")
    chat.answer(permission, permission.options[1])
    turn.handle.done.result(10)

    assert permission.options[1].id == turn.permissions[0].option_id


def test_a_policy_leaves_questions_to_a_person(make: Callable[..., Chat]) -> None:
    """allow_all does not choose between several answers."""
    chat = make(policy=Policy.allow_all())
    turn = attended(chat, "/ask")
    until(chat, lambda chat: bool(chat.pending))
    chat.answer(chat.pending[0], chat.pending[0].options[0])
    turn.handle.done.result(10)

    assert turn.permissions[0].decided_by == "person"


def test_cancel_in_the_order_of_the_protocol(make: Callable[..., Chat]) -> None:
    """session/cancel first, then at once the waiting request's `cancelled`."""
    chat = make()
    turn = attended(chat, "/ask")
    until(chat, lambda chat: bool(chat.pending))
    chat.cancel()
    turn.handle.done.result(10)

    out = [record.msg for record in chat._log.records if record.dir == "out"]
    at = next(i for i, msg in enumerate(out) if msg.get("method") == "session/cancel")
    assert out[at + 1]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert turn.cancel_requested
    assert [("cancelled", "cancel")] == [(p.outcome, p.decided_by) for p in turn.permissions]


def test_chat_is_healthy_after_a_cancel(make: Callable[..., Chat]) -> None:
    """The next prompt runs in the same session."""
    chat = make(policy=Policy.allow_all())
    turn = chat.send("/slow")
    until(chat, lambda chat: chat.status == "working")
    chat.cancel()
    turn.handle.done.result(10)
    again = chat.ask("/image")

    assert (turn.stop_reason, again.stop_reason) == ("cancelled", "end_turn")
    assert wire(chat).count(("out", "initialize")) == 1


def test_prompts_queue_in_order(make: Callable[..., Chat]) -> None:
    """A second prompt waits, visibly, and never goes out while the first runs."""
    chat = make(policy=Policy.allow_all())
    first = chat.send("/long 30")
    second = chat.send("/image")
    third = chat.send("/long 3")
    assert [second.status, third.status] == ["queued", "queued"]
    third.handle.done.result(20)

    assert ["ready"] * 3 == [turn.status for turn in chat.turns]
    assert [first.snapshot, second.snapshot, third.snapshot] == list(chat.turns)
    prompts = [i for i, entry in enumerate(wire(chat)) if entry == ("out", "session/prompt")]
    assert len(prompts) == 3


def test_queue_waits_after_a_cancel(make: Callable[..., Chat]) -> None:
    """A stop means stop: what was queued goes on only when somebody sends again."""
    chat = make(policy=Policy.allow_all())
    first = chat.send("/slow")
    queued = chat.send("/image")
    until(chat, lambda chat: chat.status == "working")
    chat.cancel()
    first.handle.done.result(10)
    assert queued.status == "queued"
    last = chat.ask("/long 2")

    assert [("ready", "end_turn")] * 2 == [(turn.status, turn.stop_reason) for turn in (queued, last)]


def test_queued_prompt_can_be_taken_back(make: Callable[..., Chat]) -> None:
    """A queued turn that is cancelled never goes out."""
    chat = make(policy=Policy.allow_all())
    first = chat.send("/slow")
    queued = chat.send("/image")
    until(chat, lambda chat: chat.status == "working")
    queued.cancel()
    first.cancel()
    first.handle.done.result(10)

    assert queued.done
    assert queued.cancel_requested
    assert wire(chat).count(("out", "session/prompt")) == 1


def test_await_and_async_for(make: Callable[..., Chat]) -> None:
    """Under asyncio a turn is awaited, and its items are iterated as they are finished."""
    chat = make(policy=Policy.allow_all())

    async def main() -> tuple[list[str], LiveTurn]:
        turn = chat.send("Why does the test fail? Please fix it.")
        kinds: list[str] = [item.kind async for item in turn]
        return kinds, await turn

    kinds, turn = asyncio.run(main())
    assert kinds == [item.kind for item in turn.items]
    assert {"message", "thought", "tool_call", "plan"} <= set(kinds)


def test_items_of_a_turn_that_fails(make: Callable[..., Chat]) -> None:
    """What came is given, then the error is raised as from ``await``; leaving early leaves the turn alone."""
    chat = make("no-such-agent-anywhere --acp")

    async def main() -> None:
        async for _ in chat.send("hello"):
            pass

    with pytest.raises(AgentNotFoundError) as caught:
        asyncio.run(main())
    assert caught.value.turn is not None

    other = make(policy=Policy.allow_all())

    async def first() -> tuple[str, LiveTurn]:
        turn = other.send("Why does the test fail? Please fix it.")
        async for item in turn:
            return item.kind, turn
        raise AssertionError

    kind, turn = asyncio.run(first())
    turn.handle.done.result(30)
    assert (kind, turn.stop_reason) == (turn.items[0].kind, "end_turn")


def test_agent_not_found(make: Callable[..., Chat]) -> None:
    """A command that is not there is named, with what to do; the prompt stays visible."""
    chat = make("no-such-agent-anywhere --acp")
    with pytest.raises(AgentNotFoundError, match="no-such-agent-anywhere") as caught:
        chat.ask("hello")

    assert chat.status == "ended"
    [turn] = chat.turns
    [block] = turn.prompt
    assert turn.status == "error"
    assert isinstance(block, TextBlock)
    assert block.text == "hello"
    assert caught.value.turn is not None


def test_a_misspelt_short_name_is_told(make: Callable[..., Chat]) -> None:
    """What was meant comes first."""
    with pytest.raises(AgentNotFoundError, match=r"Did you mean the short name 'claude'\?"):
        make("claud").start()


def test_agent_exits_at_once(make: Callable[..., Chat]) -> None:
    """Exit code and the end of stderr are in the error."""
    chat = make([sys.executable, "-c", "import sys; print('no key', file=sys.stderr); sys.exit(7)"])
    with pytest.raises(AgentExitedError, match=r"(?s)exit code 7.*no key"):
        chat.start()

    assert chat.session.exit is not None
    assert (chat.session.exit.code, chat.session.exit.stderr.strip()) == (7, "no key")


def test_agent_of_another_version(make: Callable[..., Chat]) -> None:
    """The error names the command, both versions, what to do and the end of stderr; the process is ended."""
    code = (
        "import json, sys\nprint('this build is old', file=sys.stderr, flush=True)\n"
        "print(json.dumps({'jsonrpc': '2.0', 'id': json.loads(input())['id'], 'result': {'protocolVersion': 9}}))\n"
        "sys.stdout.flush(); sys.stdin.read()"
    )
    chat = make([sys.executable, "-c", code])
    with pytest.raises(ProtocolError) as caught:
        chat.ask("hello")
    for part in (sys.executable, "version 9", "version 1", "Upgrade", "this build is old"):
        assert part in str(caught.value)
    assert (chat.status, chat.turns[-1].status) == ("ended", "error")


def test_agent_dies_in_a_turn(make: Callable[..., Chat]) -> None:
    """The turn ends in an error with the exit; the next prompt starts a new process."""
    chat = make(policy=Policy.allow_all())
    with pytest.raises(AgentExitedError, match="exit code 3") as caught:
        chat.ask("/crash")
    again = chat.ask("/image")

    assert caught.value.turn is not None
    assert ["error", "ready"] == [turn.status for turn in chat.turns]
    assert again.stop_reason == "end_turn"


def test_close_ends_everything_and_keeps_the_conversation(make: Callable[..., Chat]) -> None:
    """After close no process runs, sending says so, and the text can still be read."""
    chat = make(policy=Policy.allow_all())
    turn = chat.ask("/long 5")
    children = psutil.Process().children(recursive=True)
    assert children
    chat.close()
    chat.close()
    gone, alive = psutil.wait_procs(children, timeout=5)

    assert not alive
    assert len(gone) == len(children)
    assert "chunk 5" in turn.text
    with pytest.raises(ChatClosedError):
        chat.send("more")


def test_close_during_a_turn(make: Callable[..., Chat]) -> None:
    """Whoever waits is told; nothing hangs."""
    chat = make(policy=Policy.allow_all())
    turn = chat.send("/slow")
    until(chat, lambda chat: chat.status == "working")
    chat.close()

    assert isinstance(turn.handle.done.exception(5), ChatClosedError)
    assert not turn.active


def test_restart(make: Callable[..., Chat]) -> None:
    """A new process and session; the conversation stays."""
    chat = make(policy=Policy.allow_all())
    chat.ask("/long 2")
    chat.restart()
    chat.ask("/long 3")

    assert wire(chat).count(("out", "session/new")) == 2
    assert ["ready", "ready"] == [turn.status for turn in chat.turns]


def test_force_stop(make: Callable[..., Chat]) -> None:
    """An agent that does not stop is ended; the turn is over here."""
    chat = make(policy=Policy.allow_all())
    turn = chat.send("/slow")
    until(chat, lambda chat: chat.status == "working")
    loop.submit(chat._engine.force_stop()).result(10)

    assert not turn.active
    assert turn.done
    assert chat.ask("/image").stop_reason == "end_turn"


def test_timeout_leaves_the_turn_running(make: Callable[..., Chat]) -> None:
    """ask(timeout=…) raises, the turn goes on and can be cancelled."""
    chat = make(policy=Policy.allow_all())
    chat.start()
    with pytest.raises(TimeoutError):
        chat.ask("/slow", timeout=0.5)
    assert chat.last is not None
    chat.cancel()
    chat.last.handle.done.result(10)
    assert chat.last.stop_reason == "cancelled"


def test_capabilities_follow_the_arguments(make: Callable[..., Chat]) -> None:
    """What is not served is not advertised."""
    chat = make(fs=False, terminal=False)
    chat.start()

    hello = next(r.msg for r in chat._log.records if r.msg.get("method") == "initialize")
    offered = hello["params"]["clientCapabilities"]
    assert offered["fs"] == {"readTextFile": False, "writeTextFile": False}
    assert offered["terminal"] is False
    assert "notices" in offered["session"]


def test_without_fs_and_terminal_the_agent_helps_itself(make: Callable[..., Chat]) -> None:
    """The scene plays through without our files and terminals."""
    turn = make(policy=Policy.allow_all(), fs=False, terminal=False).ask("Please fix the failing test.")

    assert turn.stop_reason == "end_turn"


def test_two_chats_side_by_side(make: Callable[..., Chat]) -> None:
    """Each has its own process and session; both run at once."""
    one, two = make(policy=Policy.allow_all()), make(policy=Policy.allow_all())
    turns = [one.send("/long 20"), two.send("/long 20")]
    for turn in turns:
        turn.handle.done.result(20)

    assert {one, two} <= set(Chat.all())
    assert "chunk 20" in turns[0].text
    assert turns[0].text == turns[1].text


def test_ask_says_what_to_send(make: Callable[..., Chat]) -> None:
    """An empty prompt, a missing file and a missing folder are refused before anything starts."""
    chat = make()
    with pytest.raises(ValueError, match="nothing to send"):
        chat.send("  ")
    with pytest.raises(ValueError, match="no file"):
        chat.send("look", Path("missing.txt"))
    with pytest.raises(ValueError, match="no folder"):
        Chat(DEMO, cwd="/no/such/folder")
    assert chat._log.records == []


def test_errors_share_a_root(make: Callable[..., Chat]) -> None:
    """One except clause catches what the package raises on purpose."""
    with pytest.raises(AcpNotebookError):
        make("no-such-agent-anywhere").start()
