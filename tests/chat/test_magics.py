"""`%load_ext acp_notebook` in real shells: IPython in a terminal, and a kernel that runs a notebook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from acp_notebook import Transcript

DEMO = f"{sys.executable} -m acp_notebook demo-agent"
FIRST = "%load_ext acp_notebook"
# What a person would click away is allowed here.
ALLOWED = "from acp_notebook import Chat, Policy\nacp_chat = Chat(policy=Policy.allow_all(), keep=True)"


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Folders of the test's own, and an agent without pauses."""
    values = {
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "ACP_DEMO_DELAY": "0",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return os.environ | values


def book_of(*cells: str) -> Any:
    kernel = {"name": "python3", "display_name": "Python 3"}
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel}
    )


def in_terminal(folder: Path, env: dict[str, str], *cells: str) -> str:
    """What IPython prints when it runs the cells of a notebook in a terminal."""
    path = folder / "book.ipynb"
    nbformat.write(book_of(*cells), path)
    command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", str(path)]
    run = subprocess.run(
        command, env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=50
    )
    return run.stdout + run.stderr


def in_kernel(folder: Path, *cells: str) -> list[str]:
    """What each cell prints when a kernel runs them."""
    book = book_of(*cells)
    NotebookClient(book, timeout=50, resources={"metadata": {"path": str(folder)}}).execute()
    return [
        "".join(o.get("text", "") for o in cell.outputs if o.get("name") == "stdout") for cell in book.cells
    ]


def test_a_cell_is_a_prompt(tmp_path: Path, env: dict[str, str]) -> None:
    """The cells share one chat, the demo's if no agent is named; in a terminal the answer is printed."""
    out = in_terminal(
        tmp_path,
        env,
        FIRST,
        ALLOWED,
        "%%acp\nWhy does the test fail? Please fix it.",
        "%%acp\nHello again",
        "print(len(acp_chat.turns), acp_chat.turns[1].prompt[0].text.strip())",
        "acp_chat.close()",
    )
    assert "`median` takes the upper of the two middle values" in out
    assert out.rstrip().endswith("2 Hello again")
    (file,) = (tmp_path / "data" / "acp-notebook" / "transcripts").iterdir()
    assert Transcript.load(file).complete


def test_in_a_kernel(tmp_path: Path, env: dict[str, str]) -> None:
    """`%acp COMMAND` picks the agent and `%acp` shows the chat; a closed one is replaced by a new one."""
    told = in_kernel(
        tmp_path,
        FIRST,
        f"%acp {DEMO}",
        ALLOWED.replace("Chat(", f"Chat({DEMO!r}, "),
        "%%acp\nHello",
        "print(acp_chat.last.status, len(acp_chat.turns))",
        "first = acp_chat\nfirst.close()",
        "%acp",
        "print(acp_chat is first, acp_chat.status, len(Chat.all()))",
        f"%acp {DEMO}",
        "print(len(Chat.all()))\nfor chat in Chat.all(): chat.close()",
    )
    assert told[4] == "ready 1\n"
    assert told[7].startswith("False ")
    # The chat of the first `%acp` was never closed: only what `%acp` replaces is.
    assert told[9] == "2\n"


def test_a_prompt_without_text(tmp_path: Path, env: dict[str, str]) -> None:
    """Is an error in its cell, as `ask` says it."""
    with pytest.raises(CellExecutionError, match="There is nothing to send"):
        in_kernel(tmp_path, FIRST, "%%acp\n \n")


def test_an_agent_that_is_not_there(tmp_path: Path, env: dict[str, str]) -> None:
    """Says so in the cell that asks it."""
    with pytest.raises(CellExecutionError, match="AgentNotFoundError"):
        in_kernel(tmp_path, FIRST, "%%acp no-such-agent-anywhere\nHello")


def test_a_hostile_answer_in_a_terminal(tmp_path: Path, env: dict[str, str]) -> None:
    """Moves no cursor, sets no title, reverses nothing: neither printed, nor in any short form of what there is."""
    said = "\x1b]0;title\x07\x1b[2Jover\rwritten \u202etxt.exe \x9b31m"
    updates = [
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": said}},
        {"sessionUpdate": "tool_call", "toolCallId": said, "title": said, "kind": said, "status": said},
    ]
    messages: list[tuple[str, dict[str, Any]]] = [
        ("out", {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}}),
        (
            "in",
            {
                "id": 0,
                "result": {"protocolVersion": 1, "agentInfo": {"name": "\x1b[1mbold", "version": said}},
            },
        ),
        ("out", {"id": 1, "method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}),
        ("in", {"id": 1, "result": {"sessionId": said}}),
        (
            "out",
            {
                "id": 2,
                "method": "session/prompt",
                "params": {"sessionId": said, "prompt": [{"type": "text", "text": "Hi\n"}]},
            },
        ),
        *(
            ("in", {"method": "session/update", "params": {"sessionId": said, "update": one}})
            for one in updates
        ),
        ("in", {"id": 2, "result": {"stopReason": said}}),
    ]
    tape = tmp_path / "tape.jsonl"
    lines = [
        {"t": t / 10, "dir": way, "msg": {"jsonrpc": "2.0", **msg}} for t, (way, msg) in enumerate(messages)
    ]
    header = {"acp_notebook": 1, "agent": {"name": said, "command": [said]}, "cwd": "/w"}
    tape.write_text("".join(json.dumps(line) + "\n" for line in [header, *lines]), encoding="utf-8")
    out = in_terminal(
        tmp_path,
        env,
        FIRST,
        f"from acp_notebook import Chat\nacp_chat = Chat(replay={str(tape)!r}, cwd='.')",
        "%%acp\nHi",
        "t = acp_chat.transcript\nfor shown in (acp_chat, acp_chat.last, t, t.search('over'), t.turns, t.session, acp_chat.last.tool_calls):\n"
        "    print(shown)\n    print(repr(shown))",
        "acp_chat.close()",
    )
    assert "⟨U+001B⟩[2Jover⟨U+000D⟩written ⟨U+202E⟩txt.exe ⟨U+009B⟩31m" in out
    assert not set("\x1b\x07\x9b\u202e") & set(out), out
