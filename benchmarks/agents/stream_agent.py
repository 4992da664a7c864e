"""An agent that streams at a given rate, as raw JSON lines; every chunk carries the clock of its sending.

The prompt is JSON: ``{"mode": "text", "chunks": 5000, "rate": 500}`` or
``{"mode": "tools", "calls": 200, "updates": 5, "rate": 200}`` (rate in messages a second; 0: at once).
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

SESSION = "stream-1"


def send(message: dict[str, Any]) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(fields: dict[str, Any]) -> None:
    """Send a session update."""
    send({"method": "session/update", "params": {"sessionId": SESSION, "update": fields}})


def paced(count: int, rate: float) -> Any:
    """Give the numbers of messages at a pace; late ones follow at once."""
    begin = time.perf_counter()
    for number in range(count):
        if rate:
            wait = begin + number / rate - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
        yield number


def text(chunks: int, rate: float) -> None:
    """Stream Markdown in chunks of 20 characters, each with the milliseconds of its sending."""
    for number in paced(chunks, rate):
        stamp = f"t{time.time() * 1000:.0f} "
        body = "\n\n## Part\n\n" if number % 200 == 199 else "lorem ipsum"
        tail = "\n\n" if number % 20 == 19 else " "
        update(
            {
                "sessionUpdate": "agent_message_chunk",
                "messageId": "m",
                "content": {"type": "text", "text": (stamp + body)[: 20 - len(tail)].ljust(18) + tail},
            }
        )


def tools(calls: int, updates: int, rate: float) -> None:
    """Stream tool calls with several updates each."""
    for number in paced(calls * updates, rate):
        call, step = divmod(number, updates)
        stamp = f"t{time.time() * 1000:.0f}"
        fields: dict[str, Any] = {"toolCallId": f"call-{call}", "title": f"Step {call} {stamp}"}
        if step == 0:
            fields |= {"sessionUpdate": "tool_call", "kind": "read", "status": "pending"}
            fields["rawInput"] = {"path": f"/project/file-{call}.py"}
        else:
            status = "completed" if step == updates - 1 else "in_progress"
            content = [{"type": "content", "content": {"type": "text", "text": f"line {step}\n" * step}}]
            fields |= {"sessionUpdate": "tool_call_update", "status": status, "content": content}
        update(fields)


def main() -> None:
    """Serve until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params") or {}
        if method == "initialize":
            send(
                {
                    "id": message["id"],
                    "result": {"protocolVersion": 1, "agentInfo": {"name": "stream", "version": "1"}},
                }
            )
        elif method == "session/new":
            send({"id": message["id"], "result": {"sessionId": SESSION}})
        elif method == "session/prompt":
            work = json.loads(params["prompt"][0]["text"])
            mode = work.pop("mode")
            (text if mode == "text" else tools)(**work)
            send({"id": message["id"], "result": {"stopReason": "end_turn"}})


if __name__ == "__main__":
    main()
