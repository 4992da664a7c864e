"""Removes each branch of the fold in turn and looks whether a test notices.

Run ``python tests/fold/mutate.py`` from the root (some minutes); ``--only tool_calls`` takes one module,
``--sample 20`` some mutants of all. Branches are taken away like this: an ``if`` that never or always holds, one
side of ``a if c else b``, an operand of ``and`` / ``or``, a condition inside a comprehension, an entry of a
dispatch table. Each mutant runs in a fork, which gets the changed code.

It ends with an error if a mutant survives that `EQUIVALENT` does not explain.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import importlib
import itertools
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "acp_notebook" / "_fold"
OTHERS = {
    "__init__", "about", "blocks", "calls", "foreign", "frozen", "items", "long_tuple", "mapping", "patches", "record",
    "redact", "review", "rows", "state", "text", "turn", "to_json", "transcript", "transcript_file",
}  # fmt: skip
"""Modules that hold values, write them or read files; all others are rules of the fold."""
MODULES = tuple(sorted(p.stem for p in SOURCES.glob("*.py") if p.stem not in OTHERS))
TESTS = (
    "test_items", "test_tool_calls", "test_permissions", "test_offers", "test_turns", "test_terminals",
    "test_sessions", "test_reopened", "test_sign_in", "test_reviews", "test_patches", "test_mapping", "test_captures",
    "test_closing", "test_writes", "test_call_refs",
)  # fmt: skip
SECONDS = 60
"""A mutant that computes for longer has lost an end, which is noticed as well."""

TYPES = "for the type checker: None is no key of the table that is looked into next"
EQUIVALENT = {
    "fold: without ident is None in: ident is None or ident not in session.asked": TYPES,
    "fold: else of: session if ident is None else end_request(session, ident, t)": TYPES,
    "fold: without '' in: string(info[1].get('terminalId')) or ''": TYPES,
    "permissions: without call_id is not None in: ours and call_id is not None": "for the type checker: no call"
    " has the id None, so that the place stays",
    "permissions: without turn in: turn and find(turn, RawItem, lambda i: _at_link(i) == elicitation_id)": "for"
    " the type checker: a key's place has a turn",
    "questions: without turn in: turn and find(turn, RawItem, partial(_is_question, key))": "the same",
    "terminals: without '' in: string(entry.get('data')) or ''": "for the type checker: nothing is appended",
}
"""Mutants that change nothing anybody could see: how they are printed, and why."""


class Mutant:
    """A module's source with one branch less."""

    def __init__(self, module: str, line: int, what: str, tree: ast.Module) -> None:
        self.module = module
        self.line = line
        self.what = what
        self.tree = tree

    def __str__(self) -> str:
        return f"{self.module}: {self.what}"


def mutants(module: str) -> Iterator[Mutant]:
    """All mutants of a module, in order of their lines."""
    original = ast.parse((SOURCES / f"{module}.py").read_text(encoding="utf-8"))
    for index, node in enumerate(ast.walk(original)):
        for number, (what, line) in enumerate(_ways(node)):
            tree = copy.deepcopy(original)
            target = next(n for i, n in enumerate(ast.walk(tree)) if i == index)
            _change(tree, target, number)
            yield Mutant(module, line, what, ast.fix_missing_locations(tree))


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 90 else text[:89] + "…"


def _ways(node: ast.AST) -> list[tuple[str, int]]:
    """How a branch can be taken out of a node: what it is called, and where it stands."""
    if isinstance(node, ast.If):
        if _is_for_types(node):
            return []
        ways = [(f"never: if {_short(node.test)}", node.lineno)]
        return (
            [*ways, (f"always: if {_short(node.test)}", node.lineno)]
            if node.orelse or _is_guard(node)
            else ways
        )
    if isinstance(node, ast.IfExp):
        return [(f"{side} of: {_short(node)}", node.lineno) for side in ("body", "else")]
    if isinstance(node, ast.BoolOp):
        return [(f"without {_short(v)} in: {_short(node)}", v.lineno) for v in node.values]
    if isinstance(node, ast.comprehension):
        return [(f"without filter: {_short(i)}", i.lineno) for i in node.ifs]
    if (
        isinstance(node, ast.Dict)
        and len(node.keys) > 1
        and all(isinstance(k, ast.Constant | ast.Name) for k in node.keys)
    ):
        return [
            (f"without entry {_short(k)}: {_short(v)}", k.lineno)
            for k, v in zip(node.keys, node.values, strict=True)
            if k
        ]
    return []


def _is_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_guard(node: ast.If) -> bool:
    """An early end: the branch that it takes away is the rest of the function."""
    return isinstance(node.body[-1], ast.Return | ast.Continue | ast.Break)


def _change(tree: ast.Module, node: ast.AST, number: int) -> None:
    if isinstance(node, ast.If):
        node.test = ast.Constant(number == 1)
    elif isinstance(node, ast.IfExp):
        _replace(tree, node, (node.body, node.orelse)[number])
    elif isinstance(node, ast.BoolOp):
        left = [v for i, v in enumerate(node.values) if i != number]
        if len(left) == 1:
            _replace(tree, node, left[0])
        else:
            node.values = left
    elif isinstance(node, ast.comprehension):
        del node.ifs[number]
    elif isinstance(node, ast.Dict):
        del node.keys[number], node.values[number]


def _replace(tree: ast.Module, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list) and any(v is old for v in value):
                setattr(parent, field, [new if v is old else v for v in value])


def tests(names: Sequence[str]) -> list[Callable[[], None]]:
    """The tests of some modules as plain calls: pytest itself would cost more than they do."""
    found: list[Callable[[], None]] = []
    for name in names:
        module = importlib.import_module(f"tests.fold.{name}")
        for key, function in vars(module).items():
            if key.startswith("test_"):
                found.extend(functools.partial(function, **given) for given in _parameters(function))
    return found


def _parameters(function: Callable[..., None]) -> Iterator[dict[str, Any]]:
    """The arguments of each call that `pytest.mark.parametrize` asks for."""
    marks = [m for m in getattr(function, "pytestmark", ()) if m.name == "parametrize"]
    choices = []
    for mark in marks:
        names = (
            [n.strip() for n in mark.args[0].split(",")]
            if isinstance(mark.args[0], str)
            else list(mark.args[0])
        )
        choices.append([dict(zip(names, v if len(names) > 1 else (v,), strict=True)) for v in mark.args[1]])
    for chosen in itertools.product(*choices):
        yield {key: value for given in chosen for key, value in given.items()}


def put_in_place(mutant: Mutant) -> None:
    """Change the loaded module: the code of its functions, and what its tables hold.

    Other modules have taken names from it, so that functions and tables must stay the same objects.
    """
    module = sys.modules[f"acp_notebook._fold.{mutant.module}"]
    changed: dict[str, Any] = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(mutant.tree, f"{mutant.module}.py", "exec"), changed)
    for name, old in vars(module).items():
        new = changed.get(name)
        if isinstance(old, FunctionType) and old.__module__ == module.__name__:
            old.__code__ = new.__code__
        elif isinstance(old, dict) and isinstance(new, dict) and name != "__builtins__":
            for key in [k for k in old if k not in new]:
                del old[key]
            for key, value in old.items():
                if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                    value.__code__ = new[key].__code__


def killer(mutant: Mutant | None, calls: Sequence[Callable[[], None]]) -> int | None:
    """The index of the test that notices a mutant, None if none does; -1 if it ended in another way."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _run(mutant, calls, writing)
    os.close(writing)
    with os.fdopen(reading) as told:
        said = told.read()
    _, status = os.waitpid(child, 0)
    return None if status == 0 else int(said or -1)


def _run(mutant: Mutant | None, calls: Sequence[Callable[[], None]], writing: int) -> None:
    """In a process of its own: run the tests until one fails."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    index = -1
    try:
        if mutant is not None:
            put_in_place(mutant)
        for index, call in enumerate(calls):  # noqa: B007  # told when it fails
            call()
    except BaseException as error:  # noqa: BLE001  # whatever it is, it was noticed
        if mutant is None:
            traceback.print_exception(error)
        os.write(writing, str(index).encode())
        os._exit(1)
    os._exit(0)


def main() -> int:
    """Run all mutants, or those asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=MODULES)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT)
    calls = tests(TESTS)
    if killer(None, calls) is not None:
        print("The tests fail without any mutant.")
        return 2
    todo = [m for name in options.only or MODULES for m in mutants(name)]
    if options.sample is not None:
        todo = random.Random(options.seed).sample(todo, min(options.sample, len(todo)))
    survivors = []
    for number, mutant in enumerate(todo, 1):
        index = killer(mutant, calls)
        if index is not None:
            # The next mutant is like this one: what noticed this one goes first.
            calls.insert(0, calls.pop(max(index, 0)))
            continue
        explained = EQUIVALENT.get(str(mutant))
        survivors += [] if explained else [mutant]
        note = f"  (equivalent: {explained})" if explained else ""
        print(
            f"{number}/{len(todo)} survives: {mutant.module}.py:{mutant.line} {mutant.what}{note}", flush=True
        )
    print(f"{len(todo)} mutants, {len(survivors)} survive without an explanation")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
