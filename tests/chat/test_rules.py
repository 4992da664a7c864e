"""Rules in a running chat: who answered, what is remembered, what happens when a function fails."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from acp_notebook import Chat, Policy
from acp_notebook._client.memory import rules_path
from acp_notebook._client.rules import Rule

from .test_chat import attended, make, notes, until

__all__ = ["make"]

FIX = "Why does the test fail? Please fix it."


def offered(chat: Chat) -> bool:
    """A request waits, and it is known what a rule would cover."""
    return any(permission.covers is not None for permission in chat.pending)


def test_the_rule_that_answered_is_recorded(make: Callable[..., Chat]) -> None:
    """Which rule answered stands in the transcript and on the permission."""
    rules = (
        Rule("allow", kinds=("edit",), paths=("weather/**",), name="edits below weather"),
        Rule("refuse", kinds=("execute",), name="no commands"),
    )
    turn = make(policy=Policy("ask", rules)).ask(FIX)

    assert ["edits below weather", "no commands"] == [p.decided_by for p in turn.permissions]
    assert [False, True] == [p.refused for p in turn.permissions]


def test_allow_for_this_chat(make: Callable[..., Chat]) -> None:
    """The answer is allow_once; the next request that the rule covers is allowed without asking."""
    chat = make()
    turn = attended(chat, FIX)
    until(chat, offered)
    [asked] = chat.pending
    assert asked.covers is not None
    assert asked.covers == "editing files anywhere in the chat's folder"
    chat.answer(asked, remember="chat")
    until(chat, offered)
    chat.answer(chat.pending[0], remember="chat")
    turn.handle.done.result(20)
    again = attended(chat, FIX)
    again.handle.done.result(20)

    first, *_ = turn.permissions
    assert (first.decided_by, first.remembered) == ("person", "chat")
    assert first.option is not None
    assert first.option.kind == "allow_once"
    assert again.permissions
    assert all(p.decided_by not in ("person", "policy", None) for p in again.permissions)


def test_always_in_this_folder_outlives_the_chat(make: Callable[..., Chat]) -> None:
    """Another chat in the same folder is not asked again."""
    chat = make()
    turn = attended(chat, FIX)
    until(chat, offered)
    chat.answer(chat.pending[0], remember="folder")
    until(chat, lambda chat: bool(chat.pending))
    chat.cancel()
    turn.handle.done.result(20)
    other = make()
    second = attended(other, FIX)
    until(other, lambda chat: bool(chat.pending) or second.done)
    edits = [p for p in second.permissions if p.kind == "edit"]
    other.cancel()
    second.handle.done.result(20)

    assert edits
    assert all(p.decided_by not in ("person", None) for p in edits)


@pytest.mark.parametrize("kept", [b"\xff", b"this is = not [ toml"])
def test_what_cannot_be_kept_is_said(make: Callable[..., Chat], kept: bytes) -> None:
    """The person's file cannot be read: it stays as it is, and the request still waits."""
    path = rules_path()
    before = path.read_bytes() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(kept)
    try:
        chat = make()
        turn = attended(chat, FIX)
        until(chat, offered)
        with pytest.raises(ValueError, match="could not be kept"):
            chat.answer(chat.pending[0], remember="folder")
        assert chat.pending
        assert path.read_bytes() == kept
        chat.cancel()
        turn.handle.done.result(20)
    finally:
        path.unlink()
        if before is not None:
            path.write_bytes(before)


def test_nothing_is_remembered_for_a_question(make: Callable[..., Chat]) -> None:
    """A question has no "always"; asking for one is refused and the request still waits."""
    chat = make()
    turn = attended(chat, "/ask")
    until(chat, lambda chat: bool(chat.pending))
    assert chat.pending[0].covers is None
    with pytest.raises(ValueError, match="cannot be remembered"):
        chat.answer(chat.pending[0], remember="chat")
    chat.answer(chat.pending[0], chat.pending[0].options[0])
    turn.handle.done.result(20)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_function_decides(make: Callable[..., Chat], is_async: bool) -> None:
    """A function, sync or async, decides in code what rules leave open."""

    def decide(permission: Any) -> str:
        return "allow" if permission.kind == "edit" else "refuse"

    async def later(permission: Any) -> str:
        await asyncio.sleep(0)
        return decide(permission)

    turn = make(policy=Policy.when(later if is_async else decide)).ask(FIX)

    assert [False, True] == [p.refused for p in turn.permissions]


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, StopIteration])
def test_a_failing_function_asks_a_person(make: Callable[..., Chat], error: type[BaseException]) -> None:
    """If the function raises, a warning says so and a person is asked; here nobody is there."""

    def broken(_permission: Any) -> str:
        raise error("no idea")

    chat = make(policy=Policy.when(broken))
    with (
        pytest.warns(UserWarning, match="no idea"),
        pytest.warns(UserWarning, match="Refused without asking"),
    ):
        turn = chat.ask(FIX)

    assert all(p.refused for p in turn.permissions)


def test_a_timeout_refuses(make: Callable[..., Chat]) -> None:
    """When nobody answers in time, the reject option is chosen."""
    chat = make(policy=Policy.ask(timeout=0.05))
    turn = attended(chat, FIX)
    turn.handle.done.result(20)

    assert turn.permissions
    assert all(p.refused and "no answer" in (p.decided_by or "") for p in turn.permissions)


def test_every_decision_is_one_note(make: Callable[..., Chat]) -> None:
    """Each permission has exactly one decision in the transcript."""
    chat = make(policy=Policy.allow_edits_in())
    with pytest.warns(UserWarning, match="Refused without asking"):
        turn = chat.ask(FIX)

    assert len(turn.permissions) == len(notes(chat, "decision"))


def test_a_function_that_blocks_holds_nothing_up(make: Callable[..., Chat]) -> None:
    """While it thinks, other chats are answered, and a stop ends its turn."""
    thinks, done = threading.Event(), threading.Event()

    def slow(_permission: Any) -> str:
        thinks.set()
        done.wait(30)
        return "allow"

    chat, other = make(policy=Policy.when(slow)), make()
    turn = chat.send(FIX)
    assert thinks.wait(20)
    assert other.ask("/cwd").stop_reason == "end_turn"
    chat.cancel()
    turn.handle.done.result(20)
    done.set()

    assert turn.cancel_requested
    assert all(p.outcome == "cancelled" for p in turn.permissions)


def test_a_policy_is_a_policy() -> None:
    """Its name alone would fail at the first request, in the middle of a turn."""
    with pytest.raises(TypeError, match=r"Policy\.allow_all\(\).*not 'allow'"):
        Chat(policy="allow")  # type: ignore[arg-type]
