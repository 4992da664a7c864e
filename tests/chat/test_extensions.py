"""Methods beyond the protocol, with a real process at the other end."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, AgentError, AgentExitedError, Chat
from acp_notebook._agent import loop
from acp_notebook._chat import extensions
from tests.chat.scripts import PROMPTED, START, answer, ask, replies, scripted, tell, turn


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Chat]]:
    """Make chats that are closed afterwards."""
    made: list[Chat] = []

    def make(agent: Agent, **options: Any) -> Chat:
        made.append(Chat(agent, cwd=tmp_path, record=False, **options))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def test_what_nobody_serves_is_refused_and_counted(make):
    """A request is answered -32601, a notification is ignored; both are counted, and the turn goes on."""
    chat = make(turn(ask(0, "_x/ask", a=1), ["take", 1], tell("_x/told")))
    assert chat.ask("go").stop_reason == "end_turn"
    assert replies(chat)[0]["error"]["code"] == -32601
    assert dict(chat.session.unread) == {"_x/ask": 1, "_x/told": 1}


def test_handlers_are_functions_or_coroutine_functions(make):
    """Both get the params and answer with any JSON, on threads of their own; names need no underscore."""
    chat = make(turn(ask(0, "_x/plain", a=1), ask("b", "qwen/async", a=2), ["take", 2]))
    threads = []

    def plain(params: dict[str, Any]) -> list[Any]:
        threads.append(threading.current_thread())
        return [params, None]

    async def slow(params: dict[str, Any]) -> dict[str, Any]:
        threads.append(threading.current_thread())
        await asyncio.sleep(0)
        return {"got": params}

    chat.on_request("_x/plain", plain)
    chat.on_request("qwen/async", slow)
    chat.ask("go")
    assert replies(chat)[0]["result"] == [{"a": 1}, None]
    assert replies(chat)["b"]["result"] == {"got": {"a": 2}}
    assert not {thread.name for thread in threads} & {"MainThread", "acp-notebook"}


def fails(params: dict[str, Any]) -> None:
    raise KeyError("oh")


def refuses(params: dict[str, Any]) -> None:
    raise AgentError(-32099, "no", {"why": 1})


def leaves(params: dict[str, Any]) -> None:
    sys.exit(3)


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (leaves, {"code": -32603, "message": "SystemExit: 3"}),
        (fails, {"code": -32603, "message": "KeyError: 'oh'"}),
        (refuses, {"code": -32099, "message": "no", "data": {"why": 1}}),
    ],
)
def test_what_a_handler_raises_is_an_error_for_the_agent(make, handler, expected):
    """Any exception is -32603 with its words; an AgentError is sent as it is."""
    chat = make(turn(ask(0, "_x/ask"), ["take", 1]))
    chat.on_request("_x/ask", handler)
    chat.ask("go")
    assert replies(chat)[0]["error"] == expected


def test_an_answer_that_is_no_json_is_an_error_for_the_agent(make):
    """The agent never waits for ever."""
    chat = make(turn(ask(0, "_x/ask"), ["take", 1]))
    chat.on_request("_x/ask", lambda params: {1, 2})
    chat.ask("go")
    assert replies(chat)[0]["error"]["code"] == -32603


def test_a_handler_that_blocks_holds_nothing_up(make):
    """While one waits, others are served and the turn can end."""
    chat = make(turn(ask(0, "_x/blocks"), ask(1, "_x/quick"), ["take", 1]))
    go_on = threading.Event()
    chat.on_request("_x/blocks", lambda params: go_on.wait(20))
    chat.on_request("_x/quick", lambda params: "quick")
    assert chat.ask("go").stop_reason == "end_turn"
    assert 0 not in replies(chat)
    assert replies(chat)[1]["result"] == "quick"
    go_on.set()


def test_too_many_at_a_time_are_refused(make, monkeypatch):
    """An agent cannot fill the process with threads."""
    monkeypatch.setattr(extensions, "MOST_RUNNING", 1)
    chat = make(turn(ask(0, "_x/blocks"), ask(1, "_x/blocks"), ["take", 1]))
    go_on = threading.Event()
    chat.on_request("_x/blocks", lambda params: go_on.wait(20))
    chat.ask("go")
    assert replies(chat)[1]["error"]["code"] == -32603
    go_on.set()


def test_a_handler_may_call_the_chat(make):
    """It asks back while the agent waits for it."""
    chat = make(turn(ask(0, "_x/ask"), ["take", 1], answer(3, {"more": 1}), ["take", 1]))
    chat.on_request("_x/ask", lambda params: chat.request("_x/back"))
    chat.ask("go")
    assert replies(chat)[0]["result"] == {"more": 1}


def test_a_request_that_is_taken_back_gets_its_error_and_cancels_the_coroutine(make):
    """`$/cancel_request` answers -32800 at once; what the handler gives later is dropped."""
    cancelled, started = threading.Event(), threading.Event()

    async def waits(params: dict[str, Any]) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    steps = [ask(0, "_x/ask"), ["take", 1], tell("$/cancel_request", requestId=0), ["take", 1]]
    chat = make(turn(*steps))
    chat.on_request("_x/ask", waits)
    pending = chat.send("go")
    assert started.wait(20)
    chat.notify("_x/now")
    pending.handle.done.result(20)
    assert replies(chat)[0]["error"]["code"] == -32800
    assert cancelled.wait(20)


def test_notifications_are_handled_in_their_order(make):
    """One after another, a slow one first; what a handler raises is a warning, and the next are heard."""
    chat = make(turn(*[tell("_x/told", n=n) for n in range(20)]))
    heard: list[int] = []
    all_there = threading.Event()

    async def hear(params: dict[str, Any]) -> None:
        heard.append(params["n"])
        if params["n"] == 19:
            all_there.set()
        if params["n"] == 3:
            raise ValueError("three")

    chat.on_notification("_x/told", hear)
    chat.send("go").handle.done.result(20)
    assert all_there.wait(20)
    assert heard == list(range(20))
    loop.call(lambda: None)
    assert "The handler of _x/told failed: ValueError: three" in chat.session.warnings


def test_a_handler_can_be_taken_away(make):
    """Then the method is unknown again."""
    chat = make(turn(ask(0, "_x/ask"), ["take", 1]))
    chat.on_request("_x/ask", lambda params: 1)
    chat.on_request("_x/ask", None)
    chat.ask("go")
    assert replies(chat)[0]["error"]["code"] == -32601


def test_methods_of_the_client_have_no_handlers(make):
    """What the client serves is not to be replaced; what this chat does not serve may have a handler."""
    chat = make(scripted(), fs=False)
    for name in ("session/update", "session/request_permission", "elicitation/create", "terminal/create"):
        with pytest.raises(ValueError, match="itself"):
            chat.on_request(name, lambda params: 1)
    chat.on_request("fs/read_text_file", lambda params: {"content": ""})
    with pytest.raises(TypeError, match="function"):
        chat.on_request("_x/ask", 5)


def test_sending_methods_of_ones_own(make):
    """A request starts the agent and gives its result, an error is raised, a notification just goes."""
    refusal = ["answer", 4, {"error": {"code": -32601, "message": "unknown", "data": 7}}]
    chat = make(scripted(*START, ["take", 1], answer(2, [1]), ["take", 2], refusal, ["take", 1], ["exit", 3]))
    assert chat.request("_x/ask", {"a": 1}) == [1]
    chat.notify("_x/told", {"b": 2})
    with pytest.raises(AgentError) as caught:
        asyncio.run(chat.arequest("_x/ask"))
    assert (caught.value.code, caught.value.data) == (-32601, 7)
    with pytest.raises(AgentExitedError):
        chat.request("_x/ask")
    out = [record.msg for record in chat._log.records if record.dir == "out"]
    assert [(m["method"], m["params"]) for m in out[2:4]] == [("_x/ask", {"a": 1}), ("_x/told", {"b": 2})]


def test_a_request_that_is_given_up_is_taken_back(make):
    """Cancelling the awaited request sends `$/cancel_request`."""
    chat = make(scripted(*START, ["take", 1], tell("_x/here"), ["take", 1], tell("_x/gone"), ["eof"]))
    here, gone = threading.Event(), threading.Event()
    chat.on_notification("_x/here", lambda params: here.set())
    chat.on_notification("_x/gone", lambda params: gone.set())

    async def give_up() -> None:
        task = asyncio.ensure_future(chat.arequest("_x/ask"))
        assert await asyncio.to_thread(here.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    assert gone.wait(20)
    out = [record.msg for record in chat._log.records if record.dir == "out"]
    assert out[-1]["method"] == "$/cancel_request"
    assert out[-1]["params"] == {"requestId": out[-2]["id"]}


def test_what_a_chat_sends_itself_is_not_sent_twice(make):
    """A second prompt or session beside the chat's own would confuse both sides."""
    chat = make(scripted(*PROMPTED))
    for method in ("initialize", "session/new", "session/fork", "session/prompt"):
        with pytest.raises(ValueError, match="itself"):
            chat.request(method)
    with pytest.raises(ValueError, match="itself"):
        chat.notify("session/cancel")
    with pytest.raises(TypeError):
        chat.request("_x/ask", {"a": {1}})
