"""The notebook about transcripts, run without a front end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from acp_notebook import Transcript

ROOT = Path(__file__).resolve().parent.parent.parent
SHIPPED = sorted((ROOT / "notebooks" / "transcripts").glob("*.jsonl"))


def texts(book: nbformat.NotebookNode) -> str:
    """Give what the cells print."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    return "\n".join(output.get("text", "") for output in outputs)


@pytest.mark.timeout(120)
def test_the_notebook_answers_its_questions(tmp_path):
    """It runs from top to bottom, and the answers are those of the recordings."""
    result = tmp_path / "explore.ipynb"
    run = subprocess.run(
        [
            sys.executable,
            "scripts/run_notebook.py",
            "notebooks/explore_transcripts.ipynb",
            "--output",
            str(result),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")},
    )
    assert run.returncode == 0, run.stderr
    book = nbformat.read(result, as_version=4)
    shown = texts(book)
    assert "gemini, turn 1: Writing to hello.py" in shown
    assert "of which 1.6 s for an answer" in shown
    assert "demo, turn 1: 4.3 s, of which 1.7 s for an answer" in shown
    assert (
        "weather/stats.py in turn 1: Edit weather/stats.py (output-available)\n--- before\n+++ after" in shown
    )
    assert "\n-    return ordered[middle]\n+    if len(ordered) % 2:\n" in shown
    assert "['Allow for this session', 'Allow', 'Reject']" in shown
    states = book.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"].values()
    (state,) = [one["state"]["state"] for one in states if "state" in one["state"]]
    assert state["ready"]
    assert [row["title"] for row in state["rows"]][1] == "Call a failing tool"
    (twin,) = [
        output["data"]["text/html"]
        for cell in book.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert "Call a failing tool" in twin


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_recordings_are_whole_and_tell_nothing_of_a_machine(path):
    """They end with their last turn, and name no folder but invented ones."""
    t = Transcript.load(path)
    assert t.complete
    assert not t.warnings
    text = path.read_text(encoding="utf-8")
    assert "/root" not in text
    assert "/tmp/" not in text


def test_three_recordings_are_shipped():
    """The notebook names them."""
    assert [path.stem for path in SHIPPED] == ["demo", "gemini", "opencode"]
