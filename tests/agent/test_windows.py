"""What can be said about the Windows part without Windows: its shape, and the layout of what it hands over."""

from __future__ import annotations

import ast
import ctypes
import inspect
from pathlib import Path

import pytest

from acp_notebook._agent import process

SOURCE = Path(process.__file__).with_name("windows.py").read_text(encoding="utf-8")
TREE = ast.parse(SOURCE)


def class_of(name: str) -> ast.ClassDef:
    """The definition of a class in the module."""
    return next(node for node in TREE.body if isinstance(node, ast.ClassDef) and node.name == name)


def test_it_has_everything_that_a_process_has():
    """Each public method of the POSIX class, with the same parameters; none is left to the launcher's way."""
    own = {node.name: node for node in class_of("WindowsProcess").body if isinstance(node, ast.FunctionDef)}
    for name, method in inspect.getmembers(process.Process, inspect.isfunction):
        if not name.startswith("_"):
            assert [argument.arg for argument in own[name].args.args] == list(
                inspect.signature(method).parameters
            )


def test_it_is_started_the_same_way():
    """`start` takes what `process.start` takes."""
    start = next(n for n in TREE.body if isinstance(n, ast.AsyncFunctionDef) and n.name == "start")
    named = [argument.arg for argument in (*start.args.args, *start.args.kwonlyargs)]
    assert named == list(inspect.signature(process.start).parameters)


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="sizes of 64-bit Windows")
@pytest.mark.parametrize(("name", "size"), [("_BasicLimits", 64), ("_Limits", 144), ("_Accounting", 48)])
def test_structures(name: str, size: int):
    """They are as long as the headers of the system say."""
    space: dict[str, type] = {}
    for each in ("_BasicLimits", "_Limits", "_Accounting"):
        module = ast.Module([class_of(each)], [])
        exec(compile(module, "windows.py", "exec"), {"ctypes": ctypes, **space}, space)
    assert ctypes.sizeof(space[name]) == size
