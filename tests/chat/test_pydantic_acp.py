"""A real agent of somebody else's making, driven through the public API."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_notebook import Chat, Policy

AGENT = Path(__file__).parents[1] / "agents" / "pydantic_agent.py"

if sys.version_info < (3, 11):
    pytest.skip("pydantic-acp needs Python 3.11", allow_module_level=True)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with notes to correct."""
    file = tmp_path / "notes.md"
    file.write_text("Teh notes.\n")
    return file


def test_allowed_edit(notes: Path) -> None:
    """The agent asks, is allowed, writes; calls, decision, text and file agree."""
    with Chat(
        [sys.executable, str(AGENT)], cwd=notes.parent, policy=Policy.allow_all(), record=False
    ) as chat:
        turn = chat.ask("Please correct the notes.")

    assert turn.stop_reason == "end_turn"
    assert [("read_file", "output-available"), ("write_file", "output-available")] == [
        (call.title.split(" ")[0] if call.title else "", call.state) for call in turn.tool_calls
    ]
    assert ["policy"] == [permission.decided_by for permission in turn.permissions]
    assert "The notes are **right** now." in turn.text
    assert notes.read_text() == "The notes.\n"


def test_refused_edit(notes: Path) -> None:
    """A refusal reaches the agent as its own reject option, and nothing is written."""
    with Chat([sys.executable, str(AGENT)], cwd=notes.parent, policy=Policy.deny_all(), record=False) as chat:
        turn = chat.ask("Please correct the notes.")

    assert [True] == [permission.refused for permission in turn.permissions]
    assert "output-denied" in [call.state for call in turn.tool_calls]
    assert notes.read_text() == "Teh notes.\n"


def test_two_turns_in_one_session(notes: Path) -> None:
    """The agent takes further prompts in the same session."""
    with Chat(
        [sys.executable, str(AGENT)], cwd=notes.parent, policy=Policy.allow_all(), record=False
    ) as chat:
        turns = [chat.ask("Please correct the notes."), chat.ask("And again.")]

    assert ["ready", "ready"] == [turn.status for turn in turns]
    assert [len(turn.tool_calls) for turn in turns] == [2, 2]
