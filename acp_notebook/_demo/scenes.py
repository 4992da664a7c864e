"""What the demo agent plays, one function a scene, and how a prompt finds its scene."""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from acp_notebook._demo import fix
from acp_notebook._demo.form import form
from acp_notebook._demo.picture import bar_chart
from acp_notebook._demo.tidy import tidy
from acp_notebook._demo.turn import ALLOW, Turn, content
from acp_notebook._demo.wire import RpcError

WEEK = [11.5, 14.0, 9.0, 12.5, 17.0, 10.0]


class Scene(NamedTuple):
    """A scene, its slash command and the plain words that call it too."""

    play: Callable[[Turn, str], None]
    command: str
    about: str
    words: tuple[str, ...] = ()
    hint: str | None = None


def long_stream(turn: Turn, argument: str) -> None:
    """Stream many short chunks."""
    count = int(argument) if argument.isdigit() else 500
    turn.think("This will be a long answer; I write it section by section.")
    for number in range(1, count + 1):
        if number % 50 == 1:
            text = f"\n\n## Part {number // 50 + 1}\n\n"
        elif number % 10 == 0:
            text = f"chunk {number}.\n\n"
        else:
            text = f"chunk {number}, "
        turn.update("agent_message_chunk", content={"type": "text", "text": text})
        turn.pause()


def failing_tool(turn: Turn, argument: str) -> None:
    """Call a tool that fails."""
    del argument
    path = turn.session.cwd / "weather" / "forecast.py"
    turn.say("I look at the forecast module first.")
    call = turn.start(
        "Read weather/forecast.py",
        "read",
        status="in_progress",
        locations=[{"path": str(path)}],
        rawInput={"path": str(path)},
    )
    try:
        turn.read(path)
    except RpcError as error:
        turn.progress(
            call, status="failed", content=[content(error.message)], rawOutput={"error": error.message}
        )
        turn.say("That file does not exist, so there is nothing that I could change there.")
    else:
        turn.progress(call, status="completed")
        turn.say("That file is there after all.")


def question(turn: Turn, argument: str) -> None:
    """Ask something with several answers, none of which is a yes."""
    del argument
    turn.say("One thing I need to know before I go on.")
    call = turn.start("Which unit should the report use?", "other", status="pending")
    answers = ("Degrees Celsius", "Degrees Fahrenheit", "Kelvin")
    options = [
        {"optionId": f"answer-{number}", "name": name, "kind": "allow_once"}
        for number, name in enumerate(answers)
    ]
    options.append({"optionId": "skip", "name": "Decide for me", "kind": "reject_once"})
    reply = turn.ask(
        call,
        options,
        title="Which unit should the report use?",
        kind="other",
        content=[content("The measurements are in degrees Celsius; the report can use any of these.")],
    )
    option = turn.chosen(reply)
    name = next((each["name"] for each in options if each["optionId"] == option), None)
    if option is None or option == "skip":
        turn.progress(call, status="completed", content=[content("No answer")])
        turn.say("Then I take degrees Celsius.")
    else:
        turn.progress(call, status="completed", content=[content(f"Answer: {name}")])
        turn.say(f"Good, the report will use **{name}**.")


def two_at_once(turn: Turn, argument: str) -> None:
    """Ask for two commands at the same time."""
    del argument
    turn.say("Two checks that do not depend on each other:")
    names = ("python --version", "python -m unittest --help")
    calls = [turn.start(name, "execute", status="pending", rawInput={"command": name}) for name in names]
    replies = [
        turn.ask(call, ALLOW, title=name, kind="execute", rawInput={"command": name})
        for call, name in zip(calls, names, strict=True)
    ]
    granted = 0
    for call, reply in zip(calls, replies, strict=True):
        allowed = turn.chosen(reply) in ("allow", "allow-always")
        granted += allowed
        turn.progress(call, status="completed" if allowed else "failed")
    turn.say(f"You allowed {granted} of 2.")


def image(turn: Turn, argument: str) -> None:
    """Answer with a picture."""
    del argument
    turn.say("Here is the week, the warmest day in orange:\n\n")
    data = base64.b64encode(bar_chart(WEEK)).decode()
    turn.update("agent_message_chunk", content={"type": "image", "mimeType": "image/png", "data": data})
    turn.say("\n\nThe warmest day had 17 °C.")


def folder(turn: Turn, argument: str) -> None:
    """Name the folder that the session works in."""
    del argument
    turn.say(f"I work in `{turn.session.cwd}`.")


def slow(turn: Turn, argument: str) -> None:
    """Work until stopped."""
    del argument
    turn.say("I will be at this until you stop me.")
    turn.wait_for_cancel()


def error(turn: Turn, argument: str) -> NoReturn:
    """End the turn with an error of the protocol."""
    del argument
    turn.say("This will not end well.")
    raise RpcError(-32603, "The model is not reachable")


def crash(turn: Turn, argument: str) -> None:
    """End the whole process, as a broken agent does."""
    del argument
    turn.say("I do not feel well.")
    print("demo agent: fatal: the scene asked for a crash", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(3)


SCENES = (
    Scene(
        long_stream,
        "long",
        "Stream a long answer of 500 chunks, or as many as you say",
        ("long stream",),
        "chunks",
    ),
    Scene(failing_tool, "fail", "Call a tool that fails", ("failing tool",)),
    Scene(question, "ask", "Ask a question with several answers", ("question",)),
    Scene(form, "form", "Ask for several things in a form", ("a form",)),
    Scene(two_at_once, "two", "Ask for two permissions at once", ("two permissions",)),
    Scene(tidy, "tidy", "Propose an edit in several places", ("type hints",)),
    Scene(image, "image", "Answer with a picture", ("image", "picture")),
    Scene(folder, "cwd", "Name my working folder"),
    Scene(slow, "slow", "Work until you press Stop"),
    Scene(error, "error", "End the turn with an error"),
    Scene(crash, "crash", "End my process with exit code 3"),
)


def words_of(prompt: list[dict[str, Any]]) -> str:
    """Give the text of a prompt without what is attached to it."""
    return " ".join(block["text"] for block in prompt if block.get("type") == "text").strip()


def play(turn: Turn) -> None:
    """Find the scene for the prompt and play it; any other prompt gets the repair of the sample project."""
    text = words_of(turn.prompt)
    for scene in SCENES:
        command, _, argument = text.partition(" ")
        if command == f"/{scene.command}":
            return scene.play(turn, argument.strip())
    for scene in SCENES:
        if any(words in text.lower() for words in scene.words):
            return scene.play(turn, "")
    return fix.play(turn)


def available_commands() -> list[dict[str, object]]:
    """Give the commands for `available_commands_update`."""
    commands: list[dict[str, object]] = []
    for scene in SCENES:
        command: dict[str, object] = {"name": scene.command, "description": scene.about}
        if scene.hint is not None:
            command["input"] = {"hint": scene.hint}
        commands.append(command)
    return commands
