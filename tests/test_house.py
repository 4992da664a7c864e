"""Rules of the house that a machine can hold beside the layers: small modules, a fast start."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 350


def sources() -> list[Path]:
    python = [path for path in (ROOT / "acp_notebook").rglob("*.py") if "static" not in path.parts]
    return sorted([*python, *(ROOT / "js" / "src").rglob("*.ts")])


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_stay_small(path):
    """A module that grows past the limit has two jobs."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_the_code_in_the_readme_is_code():
    """Every Python block parses (with top-level await), and what it imports from the package is there."""
    import acp_notebook

    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        compile(block, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        for names in re.findall(r"from acp_notebook import (.*)", block):
            assert {name.strip() for name in names.split(",")} <= set(acp_notebook.__all__)


def test_the_pictures_of_the_readme_are_there():
    """Each picture that it shows lies in the repository."""
    shown = re.findall(r'(?:src|srcset)="([^"]+)"', (ROOT / "README.md").read_text(encoding="utf-8"))
    assert shown
    assert [name for name in shown if not (ROOT / name).exists()] == []


def test_the_command_line_loads_no_widgets():
    """The demo agent starts fast: public names are loaded when they are first used."""
    code = (
        "import sys, acp_notebook.__main__;"
        "print(sorted({'ipywidgets', 'anywidget', 'IPython', 'pydantic'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
