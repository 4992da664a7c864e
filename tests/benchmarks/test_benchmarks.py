"""The benchmarks run to their end in their smallest form: for crashes only, no time is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(300)

BENCHMARKS = ROOT / "benchmarks"
NAMES = sorted(path.stem for path in BENCHMARKS.glob("*.py") if "\nif __name__" in path.read_text())
ALONE = {"all", "tools"}
IN_BROWSER = ("diff", "explorer", "session", "start", "stream", "terminal")


def smoke(name: str, out: Path, *flags: str) -> dict:
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), "--smoke", "--json", str(out), *flags]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    found: dict = json.loads(out.read_text())
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ALONE])
def test_a_benchmark_runs_without_a_browser(name, tmp_path):
    """Each gives its tables and figures as JSON, with what it ran on."""
    found = smoke(name, tmp_path / "out.json", "--kernel")
    assert found["benchmark"] == name
    assert found["machine"]["packages"]["anywidget"]
    assert found["tables"] or found["notes"]
    assert all({"figure", "value", "bound", "holds"} <= figure.keys() for figure in found["figures"])


@pytest.mark.browser
@pytest.mark.parametrize("name", IN_BROWSER)
def test_a_benchmark_runs_in_the_browser(name, tmp_path):
    """What is measured in JupyterLab is found there."""
    assert smoke(name, tmp_path / "out.json")["tables"]


def test_one_command_gives_one_table(tmp_path):
    """All figures stand in one JSON, and a crash in one benchmark hides no other."""
    out = tmp_path / "bench.json"
    command = [sys.executable, str(BENCHMARKS / "all.py"), "--smoke", "--kernel", "--json", str(out)]
    done = subprocess.run([*command, "nothing", "session"], check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert "crashed: nothing" in done.stderr
    found = json.loads(out.read_text())
    assert [figure["benchmark"] for figure in found["figures"]].count("session") > 1
    assert "next chunk" in done.stdout
