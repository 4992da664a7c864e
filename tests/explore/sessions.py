"""Small transcripts written by hand, and long ones."""

from __future__ import annotations

from typing import Any

from acp_notebook import Record, Transcript


class Wire:
    """Records one after the other; `t` is the time of the next one."""

    def __init__(self, cwd: str = "/p") -> None:
        self.records: list[Record] = []
        self.t = 0.0
        self._id = 0
        self.say("out", {"id": self._next(), "method": "session/new", "params": {"cwd": cwd}})
        self.say("in", {"id": self._id, "result": {"sessionId": "s"}})

    def _next(self) -> int:
        self._id += 1
        return self._id

    def say(self, direction: Any, msg: dict[str, Any], seconds: float = 0) -> Wire:
        """Add a record after so many seconds."""
        self.t += seconds
        full = msg if direction == "note" else {"jsonrpc": "2.0", **msg}
        self.records.append(Record(self.t, direction, full))
        return self

    def prompt(self, text: str, seconds: float = 0) -> Wire:
        """The person sends a prompt."""
        params = {"sessionId": "s", "prompt": [{"type": "text", "text": text}]}
        self.turn = self._next()
        return self.say("out", {"id": self.turn, "method": "session/prompt", "params": params}, seconds)

    def update(self, update: str, seconds: float = 0, **fields: Any) -> Wire:
        """The agent sends an update."""
        params = {"sessionId": "s", "update": {"sessionUpdate": update, **fields}}
        return self.say("in", {"method": "session/update", "params": params}, seconds)

    def text(self, text: str, seconds: float = 0) -> Wire:
        """The agent sends a piece of its answer."""
        return self.update("agent_message_chunk", seconds, content={"type": "text", "text": text})

    def call(self, ident: str, title: str, kind: str = "read", seconds: float = 0, **fields: Any) -> Wire:
        """A tool call begins."""
        return self.update("tool_call", seconds, toolCallId=ident, title=title, kind=kind, **fields)

    def done(self, ident: str, status: str = "completed", seconds: float = 0, **fields: Any) -> Wire:
        """A tool call ends."""
        return self.update("tool_call_update", seconds, toolCallId=ident, status=status, **fields)

    def ask(self, ident: str, seconds: float = 0) -> Wire:
        """The agent asks whether it may."""
        params = {"sessionId": "s", "toolCall": {"toolCallId": ident}, "options": []}
        return self.say(
            "in", {"id": f"ask-{ident}", "method": "session/request_permission", "params": params}, seconds
        )

    def answer(self, ident: str, seconds: float = 0) -> Wire:
        """The person lets it."""
        result = {"outcome": {"outcome": "selected", "optionId": "yes"}}
        return self.say("out", {"id": f"ask-{ident}", "result": result}, seconds)

    def end(self, reason: str = "end_turn", seconds: float = 0) -> Wire:
        """The turn ends."""
        return self.say("in", {"id": self.turn, "result": {"stopReason": reason}}, seconds)

    def transcript(self) -> Transcript:
        """All of it."""
        return Transcript(self.records)


def diff(path: str, old: str | None, new: str) -> dict[str, Any]:
    """The content of a call that changes a file."""
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def output(text: str) -> dict[str, Any]:
    """The content of a call that gave text."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def two_turns() -> Wire:
    """A turn with a read, an edit that was asked for, and an answer; then a turn with a failure."""
    wire = Wire().prompt("Why does the Test fail?", 10)
    wire.text("I look at it.", 2).call(
        "r", "Read /p/src/a.py", seconds=1, locations=[{"path": "/p/src/a.py"}]
    )
    wire.done("r", seconds=3, content=[output("def mean(values): ...")])
    wire.call("e", "Edit a.py", "edit", 1, content=[diff("/p/src/a.py", "old line\n", "new line\n")])
    wire.ask("e", 0).answer("e", 20).done("e", seconds=1)
    wire.text("Fixed: the mean was wrong.", 1).end(seconds=1)
    wire.prompt("Run the tests", 100).call("x", "pytest -q", "execute", 1, rawInput={"command": "pytest -q"})
    wire.done("x", "failed", 4, content=[output("2 failed, 1 passed")])
    return wire.text("Two tests fail.", 1).end(seconds=1)


def many(turns: int, items: int = 3, text: str = "word ") -> Wire:
    """So many turns, each with so many messages apart from one another."""
    wire = Wire()
    for turn in range(turns):
        wire.prompt(f"Question {turn}", 1)
        for item in range(items):
            wire.update(
                "agent_message_chunk", 0.1, messageId=f"{turn}-{item}", content={"type": "text", "text": text}
            )
        wire.end(seconds=0.1)
    return wire
