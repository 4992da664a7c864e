"""What a chat does differently for agents that are known to part from the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_notebook import Chat
from tests.chat.scripts import DONE, SESSION, answer, ask, replies, scripted

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
