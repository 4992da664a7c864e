"""Commands of the agent that name a rules file: a person is asked before they start, whatever the policy."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Chat, Policy, Record, Session, fold
from tests.chat.scripts import SESSION, answer, ask, replies, tell, turn
from tests.chat.test_chat import attended, until

WRITE = ["-c", "open('.acp-notebook.toml', 'w').write('x')"]


@pytest.fixture
def make(project: Path) -> Iterator[Callable[..., Chat]]:
    """Make chats that are closed afterwards."""
    made: list[Chat] = []

    def make(*steps: list[Any], **options: Any) -> Chat:
        made.append(
            Chat(turn(*steps), cwd=project, record=False, **{"policy": Policy.allow_all(), **options})
        )
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def creates(ident: int = 7, **params: Any) -> list[Any]:
    said = {"sessionId": SESSION, "command": sys.executable, "args": WRITE, **params}
    return ask(ident, "terminal/create", **said)


FINISHED = [
    creates(),
    ["take", 1],
    ask(8, "terminal/wait_for_exit", sessionId=SESSION, terminalId="terminal-1"),
    ["take", 1],
]


def waiting(chat: Chat) -> Any:
    until(chat, lambda chat: bool(chat.pending))
    return chat.pending[0]


def same_again(chat: Chat) -> bool:
    """Whether the records alone give the chat's state."""
    return fold(Session(), list(chat._log.records)).to_json() == chat.session.to_json()


def test_it_runs_once_a_person_allows(make: Callable[..., Chat], project: Path) -> None:
    """The card shows the command and can be remembered nowhere; nothing starts before."""
    chat = make(*FINISHED)
    going = attended(chat, "go")
    asked = waiting(chat)
    assert asked.raw_input == {"command": shlex.join([sys.executable, *WRITE])}
    assert (asked.kind, asked.covers, [o.name for o in asked.options]) == ("execute", None, ["Run", "Refuse"])
    assert chat.status == "waiting"
    assert 7 not in replies(chat)
    chat.answer(asked, "allow")
    going.handle.done.result(20)
    assert (project / ".acp-notebook.toml").read_text() == "x"
    assert replies(chat)[7]["result"] == {"terminalId": "terminal-1"}
    [answered] = going.permissions
    assert (answered.outcome, answered.option_id, answered.decided_by) == ("selected", "allow", "person")
    assert same_again(chat)


def test_another_name_of_the_file_counts_where_the_command_runs(
    make: Callable[..., Chat], project: Path
) -> None:
    """A link in the folder that the command is started in."""
    (project / "sub").mkdir()
    (project / "sub" / "alias").symlink_to(project / ".acp-notebook.toml")
    steps = [creates(command="touch", args=["alias"], cwd=str(project / "sub")), *FINISHED[1:]]
    chat = make(*steps)
    going = attended(chat, "go")
    asked = waiting(chat)
    assert asked.raw_input == {"command": "touch alias", "cwd": str(project / "sub")}
    chat.answer(asked, "allow")
    going.handle.done.result(20)
    assert (project / ".acp-notebook.toml").exists()


def test_a_variable_counts_too(make: Callable[..., Chat]) -> None:
    """A shell may put it anywhere; the card shows it."""
    env = [{"name": "X", "value": ".acp-'note'book.toml"}]
    chat = make(creates(command="sh", args=["-c", "rm $X"], env=env), ["take", 1])
    going = attended(chat, "go")
    asked = waiting(chat)
    assert asked.raw_input == {"command": "sh -c 'rm $X'", "env": env}
    chat.answer(asked, "reject")
    going.handle.done.result(20)


def test_refused_it_does_not_start(make: Callable[..., Chat], project: Path) -> None:
    """The agent gets an error that says so."""
    chat = make(creates(), ["take", 1])
    going = attended(chat, "go")
    chat.answer(waiting(chat), "reject")
    going.handle.done.result(20)
    assert replies(chat)[7]["error"] == {
        "code": -32602,
        "message": "The user refused this command; it was not started.",
    }
    assert going.terminals == {}
    assert not (project / ".acp-notebook.toml").exists()
    assert same_again(chat)


def test_a_policy_can_only_refuse_it(make: Callable[..., Chat]) -> None:
    """Denied at once; a function is not asked; without a person it is refused with a warning."""
    chat = make(creates(), ["take", 1], policy=Policy.deny_all())
    assert [p.decided_by for p in chat.ask("go").permissions] == ["policy"]
    assert replies(chat)[7]["error"]["code"] == -32602
    for policy in (Policy.when(lambda _: "allow"), Policy.allow_all()):
        chat = make(creates(), ["take", 1], policy=policy)
        with pytest.warns(UserWarning, match="Refused without asking: Run a command that names a rules file"):
            chat.ask("go")
        assert replies(chat)[7]["error"]["code"] == -32602


def test_a_cancel_ends_the_question(make: Callable[..., Chat]) -> None:
    """As does the agent that takes its request back; the command is not started then."""
    chat = make(creates(), ["take", 2])
    going = attended(chat, "go")
    waiting(chat)
    chat.cancel()
    going.handle.done.result(20)
    assert replies(chat)[7]["error"]["code"] == -32800
    assert [p.outcome for p in going.permissions] == ["cancelled"]

    chat = make(creates(), tell("$/cancel_request", requestId=7), ["take", 1])
    going = attended(chat, "go")
    going.handle.done.result(20)
    assert replies(chat)[7]["error"]["code"] == -32800
    assert all(p.outcome == "cancelled" for p in going.permissions)
    assert same_again(chat)


def test_the_turns_end_ends_it(make: Callable[..., Chat]) -> None:
    """An agent that ends its turn meanwhile still gets its answer."""
    ended = answer(2, {"stopReason": "end_turn"})
    chat = make(creates(), ["take", 1], ended, ["take", 1], tell("_x/answered"))
    going = attended(chat, "go")
    waiting(chat)
    chat.notify("_x/seen")
    going.handle.done.result(20)
    until(chat, lambda chat: "_x/answered" in chat.session.unread)
    assert chat.pending == ()
    assert replies(chat)[7]["error"]["code"] == -32800


def test_other_commands_are_not_held_up(make: Callable[..., Chat]) -> None:
    """Also those whose request makes no sense."""
    chat = make(
        creates(7, args=["-c", ""]),
        ["take", 1],
        creates(8, args=[".acp-notebook.toml", 5]),
        ["take", 1],
        creates(9, args=5),
        ["take", 1],
    )
    assert chat.ask("go").permissions == ()
    given = replies(chat)
    assert given[7]["result"] == {"terminalId": "terminal-1"}
    assert given[8]["error"]["code"] == given[9]["error"]["code"] == -32602


def test_a_chat_that_closes_meanwhile(make: Callable[..., Chat]) -> None:
    """Nothing is left open."""
    chat = make(creates(), ["take", 1])
    attended(chat, "go")
    waiting(chat)
    chat.close()
    assert chat.pending == ()
    assert same_again(chat)


def test_records_of_an_agent_cannot_pretend_it() -> None:
    """The notes alone ask: what they leave open ends with the next process."""
    note = {"kind": "asked", "request_id": "acp-notebook:1", "params": {"toolCall": {"title": "t"}}}
    session = fold(Session(), [Record(0.0, "note", note)])
    assert [p.title for p in session.pending] == ["t"]
    session = fold(session, Record(1.0, "out", {"id": 0, "method": "initialize", "params": {}}))
    assert session.pending == ()
