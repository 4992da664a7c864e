"""What the scripted model plays: scenes of steps, and each agent's own tools for what a step wants to do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HELLO = 'print("hello from the demo")\n'
NOTES = "# Notes\n\nThis is teh demo project.\n\n- first item\n- second item\n"
NOTES_FIXED = NOTES.replace("teh", "the")
COUNT = "for i in 1 2 3 4 5 6; do echo step $i; sleep 1; done"
FAILURE = "scripted failure"
LONG = " ".join(f"This is sentence {number} of an answer that takes its time." for number in range(1, 150))


@dataclass(frozen=True)
class Step:
    """One answer of the model: some text, then tools by what they are for."""

    say: str = ""
    do: tuple[str, ...] = ()
    delay: float = 0.0
    fails: int = 0


SCENES: dict[str, tuple[Step, ...]] = {
    "full": (
        Step("I look at the notes first.", ("read",)),
        Step("The spelling comes next.", ("edit",)),
        Step("Now a small script.", ("write",)),
        Step("And I run it.", ("shell",)),
        Step("Everything is done."),
    ),
    "edit": (
        Step("I look at the notes first.", ("read",)),
        Step("", ("edit",)),
        Step("The notes are right."),
    ),
    "long": (Step("This takes a while.", ("long",)), Step("It has counted.")),
    "fail": (Step("One file is missing.", ("missing",)), Step("", ("shell_fail",)), Step("Both went wrong.")),
    "ask": (Step("I have to ask.", ("ask",)), Step("Thank you for the answer.")),
    "slow": (Step(LONG, delay=0.25),),
    "hi": (Step("Good day from the scripted model."),),
    "error": (Step(fails=400),),
}

CHOICES = [{"label": "Red", "description": "A warm one"}, {"label": "Blue", "description": "A cold one"}]
PATCH = (
    "*** Begin Patch\n*** Update File: notes.md\n@@\n-This is teh demo project.\n+This is the demo project.\n"
    "*** End Patch\n"
)
ADD = '*** Begin Patch\n*** Add File: hello.py\n+print("hello from the demo")\n*** End Patch\n'


def tools(dialect: str, project: str) -> dict[str, tuple[str, Any]]:
    """What an agent's own tools are called and want: intent -> name and arguments."""
    notes, hello, missing = (f"{project}/{name}" for name in ("notes.md", "hello.py", "no-such-file.txt"))
    question = {"question": "Which colour?", "header": "Colour", "options": CHOICES}
    run, count, fail = "python3 hello.py", COUNT, "ls no-such-folder"
    match dialect:
        case "opencode":
            return {
                "read": ("read", {"filePath": notes}),
                "missing": ("read", {"filePath": missing}),
                "edit": ("edit", {"filePath": notes, "oldString": "teh", "newString": "the"}),
                "write": ("write", {"filePath": hello, "content": HELLO}),
                **_shells("bash", run, count, fail, described=True),
                "ask": ("question", {"questions": [question]}),
            }
        case "claude":
            return {
                "read": ("Read", {"file_path": notes}),
                "missing": ("Read", {"file_path": missing}),
                "edit": ("Edit", {"file_path": notes, "old_string": "teh", "new_string": "the"}),
                "write": ("Write", {"file_path": hello, "content": HELLO}),
                **_shells("Bash", run, count, fail, described=True),
                "ask": ("AskUserQuestion", {"questions": [{**question, "multiSelect": False}]}),
            }
        case "gemini":
            old, new = "This is teh demo", "This is the demo"
            why = "Correct the spelling"
            return {
                "read": ("read_file", {"file_path": "notes.md"}),
                "missing": ("read_file", {"file_path": "no-such-file.txt"}),
                "edit": (
                    "replace",
                    {"file_path": "notes.md", "instruction": why, "old_string": old, "new_string": new},
                ),
                "write": ("write_file", {"file_path": "hello.py", "content": HELLO}),
                **_shells("run_shell_command", run, count, fail, described=True),
            }
        case "codex":
            more = {"sandbox_permissions": "require_escalated", "justification": "May it run?"}
            return {
                "read": ("exec_command", {"cmd": "cat notes.md"}),
                "missing": ("exec_command", {"cmd": "cat no-such-file.txt"}),
                "edit": ("apply_patch", PATCH),
                "write": ("apply_patch", ADD),
                "shell": ("exec_command", {"cmd": run, **more}),
                "long": ("exec_command", {"cmd": count, "yield_time_ms": 20000, **more}),
                "shell_fail": ("exec_command", {"cmd": fail}),
                "ask": ("request_user_input", {"questions": [{**question, "id": "colour"}]}),
            }
        case "kimi":
            return {
                "read": ("Read", {"path": notes}),
                "missing": ("Read", {"path": missing}),
                "edit": ("Edit", {"path": notes, "old_string": "teh", "new_string": "the"}),
                "write": ("Write", {"path": hello, "content": HELLO}),
                **_shells("Bash", run, count, fail, described=True),
                "ask": ("AskUserQuestion", {"questions": [question]}),
            }
        case "fast":
            return {
                "read": ("read_text_file", {"path": notes}),
                "missing": ("read_text_file", {"path": missing}),
                "edit": ("write_text_file", {"path": notes, "content": NOTES_FIXED}),
                "write": ("write_text_file", {"path": hello, "content": HELLO}),
                **_shells("execute", run, count, fail, described=False),
            }
        case _:
            return {}


def _shells(name: str, run: str, count: str, fail: str, *, described: bool) -> dict[str, tuple[str, Any]]:
    words = {"shell": run, "long": count, "shell_fail": fail}
    about = {"description": "A command of the scene"} if described else {}
    return {intent: (name, {"command": command, **about}) for intent, command in words.items()}


@dataclass(frozen=True)
class Play:
    """What the model answers now: a step, and its tools by the agent's names."""

    step: Step
    calls: tuple[tuple[str, Any], ...] = ()


def choose(
    messages: Sequence[tuple[str, str]], offered: set[str], table: Mapping[str, tuple[str, Any]]
) -> Play:
    """The next step of the scene whose ``#tag`` stands in the newest message of the user that has one.

    Parameters
    ----------
    messages
        Role (user, assistant, tool, system) and text, oldest first.
    offered
        Names of the tools that the agent offers with this request; without any it wants a title or so.
    table
        See `tools`.
    """
    tagged = [
        (place, tag)
        for place, (role, text) in enumerate(messages)
        if role == "user"
        for tag in re.findall(r"#(\w+)", text)
        if tag in SCENES
    ]
    if not offered or not tagged:
        return Play(Step("A scripted model."))
    place, tag = tagged[-1]
    roles = [role for role, _ in messages[place + 1 :]]
    done = sum(role == "assistant" and roles[i - 1 : i] != ["assistant"] for i, role in enumerate(roles))
    # Steps for which this agent has no tool are left out.
    steps = [
        (step, calls)
        for step in SCENES[tag]
        for calls in [tuple(table[d] for d in step.do if d in table and table[d][0] in offered)]
        if calls or not step.do
    ]
    return Play(*steps[done]) if done < len(steps) else Play(Step("All is done."))
