"""The notebooks that people meet first, run without a front end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent


def texts(cell: nbformat.NotebookNode) -> str:
    """Give what a cell shows as plain text."""
    parts = []
    for output in cell.outputs:
        data = output.get("data", {})
        parts.append(output.get("text") or data.get("text/markdown") or data.get("text/plain") or "")
    return "\n".join(parts)


@pytest.mark.timeout(180)
def test_the_quickstart_runs_from_top_to_bottom(tmp_path):
    """`make demo HEADLESS=1` repairs the sample project by policy, and nothing waits for a person."""
    result = tmp_path / "out" / "quickstart.ipynb"
    run = subprocess.run(
        [sys.executable, "scripts/run_notebook.py", "notebooks/quickstart.ipynb", "--output", str(result)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ACP_DEMO_DELAY": "0", "IPYTHONDIR": str(tmp_path / "ipython")},
    )
    assert run.returncode == 0, run.stderr
    assert str(result) in run.stdout
    book = nbformat.read(result, as_version=4)
    shown = "\n".join(texts(cell) for cell in book.cells if cell.cell_type == "code")
    assert "end_turn" in shown
    assert "weather/stats.py changed" in shown
    assert "## Done" in shown
    assert not any(output.output_type == "error" for cell in book.cells for output in cell.get("outputs", ()))


def test_a_failing_notebook_is_reported_and_kept(tmp_path):
    """A cell that raises gives exit code 1, and the notebook up to there is written."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print('before')\n1 / 0")])
    source, result = tmp_path / "bad.ipynb", tmp_path / "out.ipynb"
    nbformat.write(book, source)
    run = subprocess.run(
        [sys.executable, "scripts/run_notebook.py", str(source), "--output", str(result)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")},
    )
    assert run.returncode == 1
    assert "ZeroDivisionError" in run.stderr
    assert "before" in texts(nbformat.read(result, as_version=4).cells[0])


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_are_kept_without_outputs(path):
    """Outputs of somebody's machine do not belong into the repository."""
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    for cell in book.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
