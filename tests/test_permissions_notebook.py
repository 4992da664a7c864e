"""The notebook about permissions runs without a front end: functions decide where a person would."""

from __future__ import annotations

import os
import subprocess
import sys

import nbformat
import pytest

from tests.test_quickstart import ROOT, texts


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each cell shows, by the cell's id."""
    folder = tmp_path_factory.mktemp("permissions")
    result = folder / "permissions.ipynb"
    run = subprocess.run(
        [sys.executable, "scripts/run_notebook.py", "notebooks/permissions.ipynb", "--output", str(result)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ACP_DEMO_DELAY": "0", "IPYTHONDIR": str(folder / "ipython")},
    )
    assert run.returncode == 0, run.stderr
    book = nbformat.read(result, as_version=4)
    return {cell.id: texts(cell) for cell in book.cells if cell.cell_type == "code"}


@pytest.mark.timeout(180)
def test_parts_of_an_edit(shown: dict[str, str]) -> None:
    """Two of three hunks are taken, the agent is told; an edit is taken back in part; a held write passes."""
    assert "allowed by edits of the package" in shown["permissions-rules-2"]
    assert "refused by policy" in shown["permissions-rules-2"]
    assert shown["permissions-rules-4"].strip().startswith("editing files")
    assert "'readTextFile': False" in shown["permissions-served-1"]
    assert shown["permissions-questions-1"].strip()
    assert shown["permissions-stop-1"].strip().endswith("cancelled 1")
    assert shown["permissions-hunks-2"].count("taken ") == 2
    assert "left out def median" in shown["permissions-hunks-2"]
    assert "kept 2 of 3 hunks" in shown["permissions-hunks-4"]
    assert "def median(values):" in shown["permissions-hunks-6"]
    assert "def mean(values: list[float])" in shown["permissions-hunks-6"]
    assert shown["permissions-hunks-8"].count("asked about: Edit weather/stats.py") == 1
