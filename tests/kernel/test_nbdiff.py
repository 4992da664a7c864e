"""Two versions of a notebook compared by nbdime: what was said and done since reads as text."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from acp_notebook import Session, Transcript
from acp_notebook._render.twin import assemble

CAPTURE = Path(__file__).resolve().parent.parent / "captures" / "claude22-allow.jsonl"


def write(path: Path, session: Session) -> Path:
    """Write a notebook with the copy of a chat."""
    html, markdown = assemble(session, "text", "x")
    data = {"text/html": html, "text/markdown": markdown, "text/plain": "A static copy of the chat."}
    cell = new_code_cell("chat", id="chat", outputs=[new_output("display_data", data=data)])
    nbformat.write(new_notebook(cells=[cell]), path)
    return path


def test_what_came_since_is_what_the_comparison_shows(nbdime: Path, tmp_path: Path) -> None:
    """The earlier answer, the style and everything else that stayed are not told again."""
    t = Transcript.load(CAPTURE)
    before = write(tmp_path / "before.ipynb", t.at(index=52))
    after = write(tmp_path / "after.ipynb", t.session)
    command = [str(nbdime), "-m", "nbdime.nbdiffapp", "--no-color", str(before), str(after)]
    # Nobody's own settings of Jupyter or git.
    own = {"JUPYTER_CONFIG_DIR": str(tmp_path), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | own, check=False)
    shown = run.stdout.replace("\n ", "\n")
    assert "modified /cells/0/outputs/0/data/text/markdown" in shown, run.stderr
    markdown = shown.split("text/markdown:", 1)[1]
    added = [line[1:] for line in markdown.splitlines() if line.startswith("+")]
    gone = [line[1:] for line in markdown.splitlines() if line.startswith("-")]
    assert "execute **python3 hello.py** · waits for a decision" in gone
    told = [
        "execute **python3 hello.py** · done",
        "*Allowed once: Yes*",
        "hello from the demo",
        "Done. Here is what changed:",
        "- `notes.md`: *teh* became **the**",
    ]
    assert [line for line in added if line in told] == told
    assert "Please correct the spelling" not in shown
    assert "max-width" not in "\n".join(line for line in shown.splitlines() if line[:1] in "+-")
