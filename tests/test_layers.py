"""Imports run one way: each part knows only those below it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "acp_notebook"

BELOW = {
    "_errors": set(),
    "_fold": {"_errors"},
    "_agent": {"_errors", "_fold"},
    "_render": {"_errors", "_fold"},
    "_client": {"_errors", "_fold", "_agent", "_render"},
    "_front": {"_errors", "_fold", "_agent", "_render", "_client"},
    "_demo": {"_errors"},
    "_explore": {"_errors", "_fold", "_render", "_front"},
    "_chat": {"_errors", "_fold", "_agent", "_render", "_client", "_front", "_explore", "_demo"},
    "_cli": {"_errors", "_fold", "_agent", "_render", "_client", "_front", "_demo", "_chat"},
}
"""Which parts a part may import. What stands in the package itself (entry points) may import all."""

PURE = {
    "asyncio",
    "threading",
    "time",
    "random",
    "uuid",
    "logging",
    "traitlets",
    "anywidget",
    "ipywidgets",
    "IPython",
    "pydantic",
}
"""What the fold must not know: it has no clock, no chance and no event loop."""

WIDGETS = {"traitlets", "anywidget", "ipywidgets", "IPython", "comm", "ipykernel"}
"""What only the front and those above it know."""


def sources():
    return sorted(p for p in PACKAGE.rglob("*.py") if "sample" not in p.relative_to(PACKAGE).parts)


def part_of(path):
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path):
    """Names of all modules that a file imports, at any depth and for types only as well."""
    package = ("acp_notebook", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", sources(), ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_run_one_way(path):
    """A part imports only parts below it."""
    part = part_of(path)
    if part not in BELOW:
        return
    used = {name.split(".")[1] for name in imports(path) if name.startswith("acp_notebook._")}
    assert used - {part} <= BELOW[part]


def test_every_part_has_its_place():
    """A new sub-package must be given one."""
    parts = {p.name for p in PACKAGE.iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert parts <= set(BELOW)


@pytest.mark.parametrize(
    "path", [p for p in sources() if part_of(p) in ("_fold", "_errors")], ids=lambda p: p.name
)
def test_the_fold_is_pure(path):
    """No clock, no chance, no event loop, no widget."""
    used = {name.split(".")[0] for name in imports(path)}
    assert not used & PURE
    if path.name not in ("transcript.py", "transcript_file.py"):
        assert not used & {"io", "pathlib", "tempfile", "shutil", "subprocess", "socket"}
    # `os.fspath` reads a path's text only.
    if path.name not in ("transcript.py", "transcript_file.py", "blocks.py"):
        assert "os" not in used


@pytest.mark.parametrize(
    "path",
    [p for p in sources() if part_of(p) in ("_agent", "_render", "_client", "_demo")],
    ids=lambda p: p.name,
)
def test_nothing_below_the_front_knows_widgets(path):
    """The state, the agent and the rendering work without a kernel."""
    assert not {name.split(".")[0] for name in imports(path)} & WIDGETS
