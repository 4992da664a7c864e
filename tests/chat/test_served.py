"""What the client serves, asked for by a real process over the wire: every method, good and bad input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, Chat, Policy
from tests.chat.scripts import DONE, PROMPTED, SESSION, answer, ask, replies, scripted, tell, turn
from tests.chat.test_chat import attended, until

OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Chat]]:
    """Make chats that are closed afterwards."""
    (tmp_path / "work").mkdir()
    made: list[Chat] = []

    def make(agent: Agent, **options: Any) -> Chat:
        options = {"policy": Policy.deny_all(), **options}
        made.append(Chat(agent, cwd=tmp_path / "work", record=False, **options))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def served(
    make: Callable[..., Chat], *requests: tuple[str, dict[str, Any]], **options: Any
) -> tuple[Chat, list[Any]]:
    """A chat after a turn in which these were asked one after the other; the result or the error's code of each."""
    steps = []
    for number, (method, params) in enumerate(requests):
        steps += [ask(number, method, **{"sessionId": SESSION, **params}), ["take", 1]]
    chat = make(turn(*steps), **options)
    assert chat.ask("go").stop_reason == "end_turn"
    given = replies(chat)
    codes = [
        given[n]["result"] if "result" in given[n] else given[n]["error"]["code"]
        for n in range(len(requests))
    ]
    return chat, codes


def python(code: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "terminal/create", {"command": sys.executable, "args": ["-c", code], **more}


def terminal(method: str, name: str = "terminal-1") -> tuple[str, dict[str, Any]]:
    return f"terminal/{method}", {"terminalId": name}


def test_files_are_served(make, tmp_path):
    """Written exactly with new folders, read back whole and by lines; a missing file is -32002."""
    path = str(tmp_path / "work" / "new" / "f.txt")
    _, results = served(
        make,
        ("fs/write_text_file", {"path": path, "content": "a\r\nb\nä"}),
        ("fs/read_text_file", {"path": path}),
        ("fs/read_text_file", {"path": path, "line": 2, "limit": 1}),
        ("fs/read_text_file", {"path": path + "x"}),
    )
    assert results == [{}, {"content": "a\r\nb\nä"}, {"content": "b\n"}, -32002]
    assert Path(path).read_bytes() == "a\r\nb\nä".encode()


def test_bad_requests_for_files_are_errors_and_the_turn_goes_on(make, tmp_path):
    """Each wrong form has its code, and nothing is written."""
    (tmp_path / "secret").write_text("secret")
    inside = str(tmp_path / "work" / "f")
    bad: list[dict[str, Any]] = [
        {},
        {"path": None},
        {"path": ["x"]},
        {"path": "f"},
        {"path": str(tmp_path / "secret")},
        {"path": str(tmp_path / "work")},
        {"path": f"{inside}/../../secret"},
        {"path": inside + "\0"},
    ]
    only_read: list[dict[str, Any]] = [{"path": inside, "line": -1}, {"path": inside, "limit": "1"}]
    only_write: list[dict[str, Any]] = [
        {"path": inside, "content": 5},
        {"path": f"{inside}.ipynb", "content": "x"},
    ]
    _, results = served(
        make,
        *[("fs/read_text_file", params) for params in [*bad, *only_read]],
        *[("fs/write_text_file", {"content": "x", **params}) for params in [*bad, *only_write]],
    )
    assert results == [-32602] * (2 * len(bad) + 4)
    assert list((tmp_path / "work").iterdir()) == []
    assert (tmp_path / "secret").read_text() == "secret"


@pytest.mark.parametrize(("name", "expected"), [("gemini-cli", {"content": ""}), ("other", -32002)])
def test_a_missing_file_reads_as_empty_for_those_that_need_it(make, tmp_path, name, expected):
    """Which agent it is says the agent; all others get the protocol's error."""
    hello = answer(0, {"protocolVersion": 1, "agentInfo": {"name": name, "version": "1"}})
    request = ask(0, "fs/read_text_file", sessionId=SESSION, path=str(tmp_path / "work" / "new"))
    chat = make(scripted(PROMPTED[0], hello, *PROMPTED[2:], request, ["take", 1], *DONE))
    chat.ask("go")
    given = replies(chat)[0]
    assert given.get("result", given.get("error", {}).get("code")) == expected


def test_terminals_are_served(make):
    """All five methods; after the release the id is unknown to each, and the output stays on the card."""
    chat, results = served(
        make,
        python("print('hi', flush=True); import sys; sys.exit(3)"),
        terminal("wait_for_exit"),
        terminal("output"),
        terminal("kill"),
        terminal("output"),
        terminal("release"),
        *[terminal(method) for method in ("output", "wait_for_exit", "kill", "release")],
    )
    ended = {"exitCode": 3, "signal": None}
    output = {"output": "hi\n", "truncated": False, "exitStatus": ended}
    assert results == [{"terminalId": "terminal-1"}, ended, output, {}, output, {}, *[-32002] * 4]
    card = chat.turns[0].terminals["terminal-1"]
    assert (card.output, card.exit_code, card.released) == ("hi\n", 3, True)


def test_bad_requests_for_terminals_are_errors_and_the_turn_goes_on(make, tmp_path):
    """A command that does not exist is an error, not a hang; so is every wrong form."""
    bad: list[dict[str, Any]] = [
        {},
        {"command": "no-such-command"},
        {"command": 5},
        {"command": "true", "args": "x"},
        {"command": "true", "env": {"A": "b"}},
        {"command": "true", "cwd": str(tmp_path)},
        {"command": "true", "cwd": "."},
        {"command": "true", "outputByteLimit": -1},
    ]
    unknown = [terminal(method, name="x") for method in ("output", "wait_for_exit", "kill", "release")]
    _, results = served(make, *[("terminal/create", params) for params in bad], *unknown)
    assert results == [-32602] * len(bad) + [-32002] * 4


def test_which_secrets_commands_get_is_the_persons_choice(make, monkeypatch):
    """None by default, or those that are named."""
    monkeypatch.setenv("A_TOKEN", "one")
    monkeypatch.setenv("B_TOKEN", "two")
    code = "import os; print(os.environ.get('A_TOKEN'), os.environ.get('B_TOKEN'))"
    requests = (python(code), terminal("wait_for_exit"), terminal("output"))
    for option, expected in ({}, "None None\n"), ({"terminal_env": ["B_TOKEN"]}, "None two\n"):
        _, results = served(make, *requests, **option)
        assert results[2]["output"] == expected


def test_what_a_chat_does_not_serve_is_refused(make, tmp_path):
    """Neither offered nor served: files and terminals switched off."""
    path = str(tmp_path / "work" / "f")
    chat, results = served(
        make,
        ("fs/read_text_file", {"path": path}),
        ("fs/write_text_file", {"path": path, "content": "x"}),
        python(""),
        terminal("output"),
        fs=False,
        terminal=False,
    )
    assert results == [-32601] * 4
    hello = next(record.msg for record in chat._log.records if record.msg.get("method") == "initialize")
    capabilities = hello["params"]["clientCapabilities"]
    assert capabilities["fs"] == {"readTextFile": False, "writeTextFile": False}
    assert capabilities["terminal"] is False


def test_closing_ends_the_commands(make):
    """A command that still runs ends with its chat; who waits for it gets an answer or the end."""
    steps = [ask(0, *python("import time; time.sleep(600)")[:1], **python("import time; time.sleep(600)")[1])]
    chat = make(scripted(*PROMPTED, *steps, ["take", 1], tell("_x/there"), ["eof"]))
    attended(chat, "go")
    until(chat, lambda chat: "_x/there" in chat.session.unread)
    chat.close()
    card = chat.turns[0].terminals["terminal-1"]
    assert card.exited


def request_permission(ident: Any, call: str = "c") -> list[Any]:
    params = {"sessionId": SESSION, "toolCall": {"toolCallId": call, "title": "T"}, "options": OPTIONS}
    return ask(ident, "session/request_permission", **params)


def test_two_requests_for_one_call_are_answered_one_by_one(make):
    """Both wait, each gets its own answer, and the call shows both."""
    chat = make(turn(request_permission(0), request_permission(1), ["take", 2]), policy=Policy.ask())
    running = attended(chat, "go")
    until(chat, lambda chat: len(chat.pending) == 2)
    first, second = chat.pending
    chat.answer(second, "n")
    chat.answer(first, "y")
    running.handle.done.result(20)
    assert [replies(chat)[n]["result"]["outcome"]["optionId"] for n in (0, 1)] == ["y", "n"]
    [call] = running.tool_calls
    assert [p.option_id for p in call.permissions] == ["y", "n"]


def test_a_late_answer_to_a_permission_changes_nothing(make):
    """After the stop, and after the agent took it back, a click is refused with a sentence."""
    taken_back = [
        request_permission(0),
        tell("$/cancel_request", requestId=0),
        request_permission(1),
        ["take", 3],
    ]
    chat = make(turn(*taken_back), policy=Policy.ask())
    running = attended(chat, "go")
    until(chat, lambda chat: [p.request_id for p in chat.pending] == [1])
    for key in ("1:0", chat.pending[0].key):
        if key != "1:0":
            chat.cancel()
        with pytest.raises(ValueError, match="does not wait"):
            chat.answer(key, "y")
    running.handle.done.result(20)
    assert [replies(chat)[n]["result"] for n in (0, 1)] == [{"outcome": {"outcome": "cancelled"}}] * 2
