"""What a chat does differently for agents that are known to part from the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_notebook import AgentError, Chat, ProtocolError
from tests.chat.scripts import DONE, PROMPTED, SESSION, answer, ask, replies, scripted

READ = "fs/read_text_file"


@pytest.mark.parametrize(
    ("name", "expected"), [("gemini-cli", {"content": ""}), ("somebody", None)], ids=["gemini", "others"]
)
def test_a_missing_file_reads_as_empty_for_those_who_need_it(tmp_path: Path, name: str, expected: object):
    """Gemini CLI asks before it makes a file and fails on any error; everybody else is told that there is none."""
    agent = scripted(
        ["take", 1],
        answer(0, {"protocolVersion": 1, "agentInfo": {"name": name, "version": "1"}}),
        ["take", 1],
        answer(1, {"sessionId": SESSION}),
        ["take", 1],
        ask("read", READ, sessionId=SESSION, path=str(tmp_path / "new.py")),
        ["take", 1],
        *DONE,
    )
    with Chat(agent, cwd=tmp_path, record=False) as chat:
        chat.ask("Make new.py, please.")
        reply = replies(chat)["read"]

    assert reply.get("result") == expected
    if expected is None:
        assert reply["error"]["code"] == -32002


@pytest.mark.parametrize("result", [None, {}, {"sessionId": 5}])
def test_a_session_without_an_id_is_an_error_of_ours(tmp_path: Path, result: object):
    """Whoever catches this package's errors catches it, and it says what was missing."""
    agent = scripted(["take", 1], answer(0, {"protocolVersion": 1}), ["take", 1], answer(1, result), ["eof"])
    with Chat(agent, cwd=tmp_path, record=False) as chat, pytest.raises(ProtocolError, match="sessionId"):
        chat.ask("x")


@pytest.mark.parametrize("body", [{"error": None}, {"error": None, "result": {"stopReason": "end_turn"}}])
def test_an_error_that_is_null(tmp_path: Path, body: dict[str, object]):
    """Beside a result it is none; alone it is one, on the screen as for the caller."""
    agent = scripted(*PROMPTED, ["answer", 2, body], ["eof"])
    with Chat(agent, cwd=tmp_path, record=False) as chat:
        if "result" in body:
            assert chat.ask("x").stop_reason == "end_turn"
        else:
            with pytest.raises(AgentError):
                chat.ask("x")
        assert chat.turns[0].status == ("ready" if "result" in body else "error")


def test_a_warning_shows_what_hides_in_a_title(tmp_path: Path):
    """Python prints warnings to the terminal as they are, and an agent chooses its titles."""
    asked = ask(
        "p",
        "session/request_permission",
        sessionId=SESSION,
        toolCall={"toolCallId": "c", "title": "ls\x1b[2J\u202e"},
        options=[{"optionId": "r", "name": "No", "kind": "reject_once"}],
    )
    with (
        Chat(scripted(*PROMPTED, asked, ["take", 1], *DONE), cwd=tmp_path, record=False) as chat,
        pytest.warns(UserWarning, match="ls⟨U\\+001B⟩\\[2J⟨U\\+202E⟩"),
    ):
        chat.ask("x")
