"""Prompts that wait: moved, edited, taken back, sent at once, and waiting after a cancel or an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import AgentError, AgentExitedError, Chat, Transcript
from acp_notebook._agent import loop
from tests.chat.keeper import keeper, sent, texts, until

Make = Callable[..., Chat]


@pytest.fixture
def make(project: Path) -> Iterator[Make]:
    """Make chats with the keeper that are closed afterwards."""
    made: list[Chat] = []

    def make(*able: str, record: Any = False, **config: Any) -> Chat:
        made.append(Chat(keeper(None, *able, **config), cwd=project, record=record))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def running(make: Make, **options: Any) -> Chat:
    """A chat whose first turn runs, with three prompts behind it."""
    chat = make(**options)
    chat.send("hold")
    until(chat, lambda chat: chat.turns and chat.turns[0].text == "holding")
    for name in ("a", "b", "c"):
        chat.send(f"say {name}")
    return chat


def prompts(chat: Chat) -> list[str]:
    """The texts that went over the wire, in order."""
    return [params["prompt"][0]["text"] for params in sent(chat, "session/prompt")]


def do(chat: Chat, act: Callable[[], Any]) -> Any:
    """Something on the queue, on its own thread."""
    return loop.call(act)


def test_order_and_text_can_be_changed(make: Make) -> None:
    """What is sent is what stands there in the end; turns and handles keep together."""
    chat = running(make)
    last = chat.last
    assert last is not None
    assert do(chat, lambda: chat._engine.queue.move(3, 1)) is None
    assert do(chat, lambda: chat._engine.queue.edit(2, "say other")) is None
    assert texts(chat) == ["hold", "say c", "say other", "say b"]
    assert last.prompt[0].text == "say c"
    chat.cancel()
    until(chat, lambda chat: chat.status == "ready")
    chat.resume_queue()
    until(chat, lambda chat: chat.turns[-1].status == "ready")

    assert prompts(chat) == ["hold", "say c", "say other", "say b"]
    assert [turn.text for turn in chat.turns] == ["holding", "c", "other", "b"]
    assert last.text == "c"


def test_what_does_not_wait_cannot_be_changed(make: Make) -> None:
    """Running turns, places beyond the queue, and nothing to say are refused in words."""
    chat = running(make)
    queue = chat._engine.queue
    assert "not waiting" in do(chat, lambda: queue.move(0, 1))
    assert "not waiting" in do(chat, lambda: queue.move(1, 0))
    assert "not waiting" in do(chat, lambda: queue.move(1, 9))
    assert "not waiting" in do(chat, lambda: queue.edit(0, "x"))
    assert "nothing to send" in do(chat, lambda: queue.edit(1, "  "))
    assert "not waiting" in do(chat, lambda: chat._engine.unqueue(9))
    assert texts(chat) == ["hold", "say a", "say b", "say c"]


def test_stop_and_send(make: Make) -> None:
    """`now=True` cancels the running turn and goes first; what waits then goes on."""
    chat = running(make)
    urgent = chat.send("say urgent", now=True)
    assert texts(chat) == ["hold", "say urgent", "say a", "say b", "say c"]
    until(chat, lambda chat: chat.turns[-1].status == "ready")

    assert prompts(chat) == ["hold", "say urgent", "say a", "say b", "say c"]
    assert (chat.turns[0].stop_reason, urgent.text) == ("cancelled", "urgent")


def test_stop_and_send_without_a_turn(make: Make) -> None:
    """Where nothing runs it is sent like any other."""
    chat = make()
    assert chat.ask("say one").text == "one"
    turn = chat.send("say two", now=True)
    turn.handle.done.result(10)

    assert turn.text == "two"


def test_the_queue_waits_after_a_death_and_goes_on_when_told(make: Make) -> None:
    """An error stops the queue; `resume_queue` starts the agent again for it."""
    chat = make()
    chat.ask("say one")
    dead = chat.send("die")
    waits = chat.send("say later")
    with pytest.raises(AgentExitedError):
        dead.handle.done.result(10)
    assert waits.status == "queued"
    chat.resume_queue()
    waits.handle.done.result(10)

    assert waits.text == "later"
    assert len(sent(chat, "initialize")) == 2


def test_the_queue_waits_after_an_error_answer(make: Make, tmp_path: Path) -> None:
    """An agent that lives and answers with an error stops the queue as well, until somebody says go on."""
    chat = make()
    failed = chat.send(f"fail {tmp_path / 'go'}")
    waits = chat.send("say later")
    last = chat.send("say last")
    (tmp_path / "go").touch()
    with pytest.raises(AgentError, match="overloaded"):
        failed.handle.done.result(10)
    until(chat, lambda chat: chat.status == "ready")
    # Whatever was to be sent at once has been by the time that a further request is answered.
    chat.request("session/set_mode", {"sessionId": chat.session_id, "modeId": "ask"})
    assert prompts(chat) == [f"fail {tmp_path / 'go'}"]
    assert (waits.status, last.status) == ("queued", "queued")
    chat.resume_queue()
    last.handle.done.result(10)
    assert (waits.text, last.text) == ("later", "last")
    assert len(sent(chat, "initialize")) == 1


def test_sending_again_lets_the_queue_go_on_after_an_error(make: Make, tmp_path: Path) -> None:
    """What waited goes out first, in its order."""
    chat = make()
    failed = chat.send(f"fail {tmp_path / 'go'}")
    chat.send("say first")
    (tmp_path / "go").touch()
    with pytest.raises(AgentError):
        failed.handle.done.result(10)
    assert chat.ask("say second").text == "second"
    assert [turn.text for turn in chat.turns] == ["", "first", "second"]


def test_the_queue_outlives_starts_that_fail(make: Make, tmp_path: Path) -> None:
    """A stop means stop: what waits then is neither sent nor lost when the agent cannot be started again."""
    chat = running(make)
    chat.cancel()
    until(chat, lambda chat: chat.status == "ready")
    well = chat._engine.settings
    doomed = keeper(None, doomed=str(tmp_path / "starts"))
    chat._engine.settings = replace(well, agent=doomed)
    with pytest.raises(AgentExitedError):
        chat.restart()
    assert [turn.status for turn in chat.turns] == ["ready", "queued", "queued", "queued"]
    chat._engine.settings = well
    chat.resume_queue()
    until(chat, lambda chat: chat.turns[-1].status == "ready")

    assert prompts(chat) == ["hold", "say a", "say b", "say c"]


def test_the_record_tells_the_same_queue(make: Make, tmp_path: Path) -> None:
    """Read back, the prompts wait in the same order with the same words."""
    file = tmp_path / "queue.jsonl"
    chat = running(make, record=file)
    do(chat, lambda: chat._engine.queue.move(3, 1))
    do(chat, lambda: chat._engine.queue.edit(3, "say b, please"))
    live = chat.session.to_json()["turns"]

    assert Transcript.load(file).session.to_json()["turns"] == live
    assert texts(chat) == ["hold", "say c", "say a", "say b, please"]
