"""The streams that are folded: text, tool calls, a mix, and what real agents have written."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from report import ROOT, line

SESSION = "bench"
CAPTURES = ROOT / "tests" / "captures"


def chunk(text: str, kind: str = "agent_message_chunk", message: str | None = None) -> dict[str, Any]:
    """A piece of a message."""
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    return update if message is None else {**update, "messageId": message}


def call(number: int) -> list[dict[str, Any]]:
    """A tool call and its four updates."""
    ident = {"toolCallId": f"call-{number}"}
    content = [{"type": "content", "content": {"type": "text", "text": f"line {number} of the output\n" * 4}}]
    return [
        {
            "sessionUpdate": "tool_call",
            **ident,
            "title": f"Read file-{number}.py",
            "kind": "read",
            "status": "pending",
            "rawInput": {"path": f"/p/file-{number}.py"},
        },
        {"sessionUpdate": "tool_call_update", **ident, "status": "in_progress"},
        {
            "sessionUpdate": "tool_call_update",
            **ident,
            "locations": [{"path": f"/p/file-{number}.py", "line": 3}],
        },
        {"sessionUpdate": "tool_call_update", **ident, "content": content},
        {"sessionUpdate": "tool_call_update", **ident, "status": "completed", "content": content},
    ]


def text() -> Iterator[dict[str, Any]]:
    """One message without end."""
    for number in itertools.count():
        yield chunk(f"word {number} of it ")


def tools() -> Iterator[dict[str, Any]]:
    """Tool calls without end."""
    for number in itertools.count():
        yield from call(number)


def mixed() -> Iterator[dict[str, Any]]:
    """Thoughts, a plan, calls and text, as agents mix them."""
    for number in itertools.count():
        yield from (chunk("thinking ", "agent_thought_chunk") for _ in range(6))
        plan = [{"content": f"step {number}", "priority": "medium", "status": "in_progress"}]
        yield {"sessionUpdate": "plan", "entries": plan}
        yield from call(number)
        yield from (chunk(f"word {step} of it ") for step in range(20))


STREAMS = {"text": text, "tools": tools, "mixed": mixed}


def updates(name: str, count: int) -> list[dict[str, Any]]:
    """So many messages of a stream, as they are on the wire."""
    return [line(update, SESSION) for update in itertools.islice(STREAMS[name](), count)]


def transcript(messages: list[dict[str, Any]], per_turn: int | None = None) -> list[str]:
    """The lines of a transcript in which these messages answer one prompt, or one for each `per_turn`."""
    size = per_turn or len(messages)
    lines: list[str] = []
    for turn, start in enumerate(range(0, len(messages), size)):
        params = {"sessionId": SESSION, "prompt": [{"type": "text", "text": f"question {turn}"}]}
        asked = {"jsonrpc": "2.0", "id": turn, "method": "session/prompt", "params": params}
        answer = {"jsonrpc": "2.0", "id": turn, "result": {"stopReason": "end_turn"}}
        said = [("out", asked), *(("in", msg) for msg in messages[start : start + size]), ("in", answer)]
        lines += [json.dumps({"t": float(turn), "dir": way, "msg": msg}) for way, msg in said]
    return lines


def captures(times: int) -> list[list[str]]:
    """The lines of each recording of a real agent, so many times in a row."""
    files = sorted(CAPTURES.glob("*.jsonl"))
    # A header is no record.
    return [[each for each in file.read_text().splitlines() if '"msg"' in each] * times for file in files]
