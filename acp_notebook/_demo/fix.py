"""The main scene: read a file, propose an edit, run the tests, report.

The first prompt repairs the sample project's bug; every later one proposes one more test, so that there is
always an edit to decide about. In any other folder the scene writes a small program and runs it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from acp_notebook._demo.turn import Turn, content
from acp_notebook._demo.wire import RpcError

WRONG = "    return ordered[middle]\n"
RIGHT = """\
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
"""
NEW_TEST = """\
    def test_median_of_{count}_values(self):
        self.assertEqual(median([float(n) for n in range({count})]), {median})

"""
TESTS_BEFORE = "    def test_spread(self):\n"
FORMULA = r"""
$$
\tilde{x} = \tfrac{1}{2}\left(x_{n/2} + x_{n/2+1}\right)
$$
"""


@dataclass(frozen=True)
class Edit:
    """A proposed change of one file and the command that tries it."""

    path: Path
    old: str | None
    new: str
    line: int
    why: str
    arguments: tuple[str, ...] = ("-m", "unittest", "-v")


def play(turn: Turn) -> None:
    """Play the scene."""
    attached = [block for block in turn.prompt if block.get("type") != "text"]
    seen = f" You attached {len(attached)} thing{'s' if len(attached) > 1 else ''}; I keep that in mind."
    turn.think("First I want to see the code before I say anything about it." + (seen if attached else ""))
    turn.think(" Then a small change, and the tests decide whether it was right.")
    steps = ("Read the code", "Propose a change", "Run it", "Report")
    turn.plan(*_plan(steps, 0))
    source = _look(turn)
    edit = _propose(turn, source)
    turn.plan(*_plan(steps, 1))
    turn.say(edit.why)
    if not _apply(turn, edit):
        turn.plan(*_plan(steps, 4))
        turn.say(
            f"The change was not made, so `{_short(turn, edit.path)}` stays as it is "
            "and there is nothing to run."
        )
        return
    turn.plan(*_plan(steps, 2))
    code, output = _try(turn, edit)
    turn.plan(*_plan(steps, 3))
    turn.say(_report(turn, edit, code, output))
    turn.plan(*_plan(steps, 4))


def _plan(steps: tuple[str, ...], current: int) -> list[tuple[str, str]]:
    states = ["completed"] * current + ["in_progress"] + ["pending"] * len(steps)
    return list(zip(steps, states, strict=False))


def _short(turn: Turn, path: Path) -> str:
    return path.relative_to(turn.session.cwd).as_posix()


def _look(turn: Turn) -> str | None:
    """Read the module of the sample project, None if this is another folder."""
    path = turn.session.cwd / "weather" / "stats.py"
    call = turn.start(
        "Read weather/stats.py",
        "read",
        status="in_progress",
        locations=[{"path": str(path), "line": 1}],
        rawInput={"path": str(path)},
    )
    try:
        source = turn.read(path)
    except RpcError as error:
        turn.progress(call, status="failed", content=[content(error.message)])
        return None
    turn.progress(
        call,
        status="completed",
        content=[content(f"```python\n{source.rstrip()}\n```")],
        rawOutput={"lines": source.count("\n")},
    )
    return source


def _propose(turn: Turn, source: str | None) -> Edit:
    if source is None:
        path = turn.session.cwd / "demo_greeting.py"
        old = path.read_text(encoding="utf-8") if path.exists() else None
        new = (old or "") + f'print("Hello from turn {turn.session.turns}")\n'
        why = "This is not the sample project, so I write a small program of my own."
        return Edit(path, old, new, new.count("\n"), why, (path.name,))
    if WRONG in source and RIGHT not in source:
        why = (
            "`median` takes the upper of the two middle values when their number is even. "
            "It should take their mean."
        )
        line = source[: source.index(WRONG)].count("\n") + 1
        return Edit(
            turn.session.cwd / "weather" / "stats.py", source, source.replace(WRONG, RIGHT, 1), line, why
        )
    path = turn.session.cwd / "tests" / "test_stats.py"
    tests = turn.read(path)
    known = [int(number) for number in re.findall(r"test_median_of_(\d+)_values", tests)]
    count = max(known, default=4) + 1
    addition = NEW_TEST.format(count=count, median=(count - 1) / 2)
    line = tests[: tests.index(TESTS_BEFORE)].count("\n") + 1
    why = f"`median` is right by now. One more test, with {count} values, keeps it so."
    return Edit(path, tests, tests.replace(TESTS_BEFORE, addition + TESTS_BEFORE, 1), line, why)


def _apply(turn: Turn, edit: Edit) -> bool:
    name = _short(turn, edit.path)
    call = turn.start(
        f"{'Write' if edit.old is None else 'Edit'} {name}",
        "edit",
        status="pending",
        locations=[{"path": str(edit.path), "line": edit.line}],
        rawInput={"path": str(edit.path)},
    )
    diff = {"type": "diff", "path": str(edit.path), "oldText": edit.old, "newText": edit.new}
    if not turn.allowed(call, "edit", title=f"Edit {name}", content=[diff]):
        turn.progress(call, status="failed")
        return False
    turn.progress(call, status="in_progress")
    try:
        turn.write(edit.path, edit.new)
    except RpcError as error:
        turn.progress(call, status="failed", content=[diff, content(error.message)])
        return False
    turn.progress(call, status="completed", content=[diff])
    return True


def _try(turn: Turn, edit: Edit) -> tuple[int | None, str]:
    """Ask for the command and run it; no exit code and no output if it was refused."""
    command = " ".join(("python", *edit.arguments))
    raw_input = {"command": command, "cwd": str(turn.session.cwd)}
    call = turn.start(command, "execute", status="pending", rawInput=raw_input)
    if not turn.allowed(call, "execute", title=command, rawInput=raw_input):
        turn.progress(call, status="failed")
        return None, ""
    try:
        code, output = turn.run(call, list(edit.arguments))
    except RpcError as error:
        turn.progress(call, status="failed", content=[content(error.message)])
        return None, ""
    turn.progress(call, status="completed" if code == 0 else "failed", rawOutput={"exit_code": code})
    return code, output


def _report(turn: Turn, edit: Edit, code: int | None, output: str) -> str:
    name = _short(turn, edit.path)
    if code is None:
        return f"The change of `{name}` is made; I did not run anything."
    lines = output.strip().splitlines()
    last = lines[-1] if lines else "no output"
    ran = next((line for line in lines if line.startswith("Ran ")), None)
    tests = re.sub(r" in [\d.]+s", "", ran) if ran else "The program ran"
    formula = f"\nFor an even number of values the median is now\n{FORMULA}" if RIGHT in edit.new else ""
    added = next((line for line in edit.new.splitlines() if line not in (edit.old or "").splitlines()), "")
    return (
        f"## {'Done' if code == 0 else 'Not done yet'}\n\n"
        f"- changed `{name}`\n- ran `python {' '.join(edit.arguments)}`\n\n"
        "| step | result |\n| --- | --- |\n"
        f"| edit | allowed |\n| run | {last if ran else f'exit code {code}'} |\n\n"
        f"{tests}. The first new line:\n\n```python\n{added.strip()}\n```\n{formula}"
    )
