"""A notebook run again on a transcript: "Restart and run all" gives the same conversation, and no agent runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

SETUP = """
import sys
from acp_notebook import Agent, Chat, Policy
demo = Agent({command!r}, "-m", "acp_notebook", "demo-agent", env={{"ACP_DEMO_DELAY": "0"}}, name="demo")
chat = Chat(demo, policy=Policy.allow_all(), record={record!r})
chat
"""
CHECK = (
    "import psutil; print(chat.last.status, [p.name() for p in psutil.Process().children(recursive=True)])"
)


def run(
    folder: Path, *, command: str = sys.executable, record: str | bool = True, prompt: str = "Hello"
) -> Any:
    """Run a notebook with a chat in its first cell and a question in the second."""
    cells = [
        SETUP.format(command=command, record=record),
        f"turn = chat.ask({prompt!r})",
        CHECK,
        "chat.close()",
    ]
    kernel = {"name": "python3", "display_name": "Python 3"}
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel}
    )
    NotebookClient(book, timeout=50, resources={"metadata": {"path": str(folder)}}).execute()
    return book


def copy_of(book: Any) -> str:
    """The static copy of the chat's cell without the chat's id."""
    found = [o["data"]["text/html"] for o in book.cells[0].outputs if "text/html" in o.get("data", {})]
    return re.sub(r"acp-notebook-twin-\w+", "", found[-1])


def test_run_all_on_a_transcript(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The saved copy is the same to the last character; no file changes, and the agent need not be there."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    tape, prompt = tmp_path / "tape.jsonl", "Why does the test fail? Please fix it."
    live = run(project, record=str(tape), prompt=prompt)
    assert "upper of the two middle values" in copy_of(live)
    assert live.cells[2].outputs[0].text.startswith("ready ['")
    files = {path: path.read_bytes() for path in project.rglob("*.py")}
    monkeypatch.setenv("ACP_NOTEBOOK_REPLAY", str(tape))
    size = tape.stat().st_size
    again = run(project, command="/nowhere/agent", prompt=prompt)
    assert copy_of(again) == copy_of(live)
    assert again.cells[2].outputs[0].text == "ready []\n"
    assert {path: path.read_bytes() for path in project.rglob("*.py")} == files
    assert tape.stat().st_size == size
    assert not (tmp_path / "data").exists()
    with pytest.raises(CellExecutionError, match="This prompt is not in the transcript"):
        run(project, command="/nowhere/agent", prompt="Something else")
