"""The notebook about replay as papermill runs it: the same outputs each time, its prompt as a parameter."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
MADE_UP = re.compile(r"acp-notebook-twin-(turn-)?[0-9a-f]+")


def papermill(folder: Path, name: str, *parameters: str) -> subprocess.CompletedProcess[str]:
    """Run the notebook in its own folder; what papermill says comes back."""
    command = [sys.executable, "-m", "papermill", "notebooks/replay.ipynb", str(folder / name)]
    command += ["--cwd", "notebooks", "--no-progress-bar", "--kernel", "python3", *parameters]
    # No agent can be found: a replay starts none.
    env = os.environ | {"IPYTHONDIR": str(folder / "ipython"), "PATH": ""}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=env)


def outputs(path: Path) -> list[Any]:
    """What the cells gave, without the names of widgets and chats, which are new in each kernel."""
    found = []
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            kept = {kind: text for kind, text in data.items() if "widget-view" not in kind}
            text = MADE_UP.sub("a-name", repr(kept) + output.get("text", ""))
            found.append((cell.id, output.output_type, sorted(data), text))
    return found


@pytest.mark.timeout(180)
def test_two_runs_give_the_same(tmp_path: Path) -> None:
    """To the last character, and no file of the project's changes."""
    tape = ROOT / "notebooks" / "transcripts" / "demo.jsonl"
    before = tape.read_bytes()
    for name in ("one.ipynb", "two.ipynb"):
        run = papermill(tmp_path, name)
        assert run.returncode == 0, run.stderr
    one, two = outputs(tmp_path / "one.ipynb"), outputs(tmp_path / "two.ipynb")
    assert one == two
    told = "".join(text for *_, text in one)
    assert "Edit weather/stats.py: output-available, 1 changes" in told
    assert "upper of the two middle values" in told
    assert "Recorded is:\n    Show me a picture of the week" in told
    assert tape.read_bytes() == before


@pytest.mark.timeout(120)
def test_the_prompt_is_a_parameter(tmp_path: Path) -> None:
    """One that is recorded gets its own turn, another one fails the run and says why."""
    run = papermill(tmp_path, "other.ipynb", "-p", "prompt", "Call a failing tool")
    assert run.returncode == 0, run.stderr
    told = "".join(text for *_, text in outputs(tmp_path / "other.ipynb"))
    assert "Read weather/forecast.py: output-error, 0 changes" in told
    assert "Edit weather/stats.py" not in told
    run = papermill(tmp_path, "changed.ipynb", "-p", "prompt", "Why does the test pass?")
    assert run.returncode != 0
    assert "ReplayError" in run.stderr
    assert "Why does the test fail? Please fix it." in run.stderr
