"""The demo agent asks in a form."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_notebook import Agent, Chat
from tests.chat.test_chat import attended, until


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    agent = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env={"ACP_DEMO_DELAY": "0"})
    with Chat(agent, cwd=tmp_path, record=False) as made:
        yield made


def test_the_answers_are_used(chat: Chat) -> None:
    """The form fits its own schema, and the answer names what was filled in."""
    running = attended(chat, "/form")
    until(chat, lambda chat: bool(chat.pending_questions))
    [question] = chat.pending_questions
    with pytest.raises(ValueError, match="Title"):
        chat.answer_question(question, {"unit": "K"})
    chat.answer_question(question, {"title": "Week", "unit": "K", "days": ["Sunday"], "contact": "a@b.org"})
    running.handle.done.result(20)
    assert "title: Week" in running.text
    assert "days: ['Sunday']" in running.text


def test_without_answers_there_is_no_report(chat: Chat) -> None:
    """Declined, here because nobody can be asked: the agent goes on without."""
    with pytest.warns(UserWarning, match="Declined without asking"):
        assert "no report" in chat.ask("/form").text
