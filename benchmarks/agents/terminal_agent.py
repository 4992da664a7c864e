"""An agent that runs one command in a terminal of the client's and looks at its output while it runs.

The prompt is JSON: ``{"command": …, "args": […], "every": 0.5}``. Its answer is JSON too: what it saw.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from typing import Any

SESSION = "terminal-1"
IDS = itertools.count(1)


def send(message: dict[str, Any]) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(fields: dict[str, Any]) -> None:
    """Send a session update."""
    send({"method": "session/update", "params": {"sessionId": SESSION, "update": fields}})


def request(method: str, **params: Any) -> dict[str, Any]:
    """Ask the client and wait for its answer."""
    ident = f"mine-{next(IDS)}"
    send({"id": ident, "method": method, "params": {"sessionId": SESSION, **params}})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == ident:
            if "error" in message:
                raise SystemExit(f"{method}: {message['error']}")
            result: dict[str, Any] = message["result"] or {}
            return result
    raise SystemExit("the client is gone")


def work(command: str, args: list[str], every: float) -> dict[str, Any]:
    """Run the command; say what was seen of it."""
    call = {"toolCallId": "run", "title": "Run it", "kind": "execute", "status": "in_progress"}
    begin = time.perf_counter()
    terminal = request("terminal/create", command=command, args=args)["terminalId"]
    content = [{"type": "terminal", "terminalId": terminal}]
    update({"sessionUpdate": "tool_call", **call, "content": content})
    took, sizes = [], []
    while True:
        asked = time.perf_counter()
        seen = request("terminal/output", terminalId=terminal)
        took.append(time.perf_counter() - asked)
        sizes.append(len(seen["output"]))
        if seen.get("exitStatus"):
            break
        time.sleep(every)
    seconds = time.perf_counter() - begin
    request("terminal/release", terminalId=terminal)
    update({"sessionUpdate": "tool_call_update", "toolCallId": "run", "status": "completed"})
    return {
        "seconds": seconds,
        "asked": took,
        "largest": max(sizes),
        "tail": seen["output"][-60:],
        "truncated": seen["truncated"],
        "exit": seen["exitStatus"].get("exitCode"),
    }


def main() -> None:
    """Serve until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize":
            result = {"protocolVersion": 1, "agentInfo": {"name": "terminal", "version": "1"}}
            send({"id": message["id"], "result": result})
        elif method == "session/new":
            send({"id": message["id"], "result": {"sessionId": SESSION}})
        elif method == "session/prompt":
            seen = work(**json.loads(message["params"]["prompt"][0]["text"]))
            content = {"type": "text", "text": json.dumps(seen)}
            update({"sessionUpdate": "agent_message_chunk", "content": content})
            send({"id": message["id"], "result": {"stopReason": "end_turn"}})


if __name__ == "__main__":
    main()
