"""An agent that asks whether it may change a file.

The prompt is JSON: `old` and `new` are files that hold the texts, `path` is the file, `wait` the seconds
before it asks. Just before, it says its clock.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

SESSION = "diff-1"
OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]


def send(message: dict[str, Any]) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask(work: dict[str, Any], number: int) -> None:
    """Ask once."""
    texts = {name: Path(work[name]).read_text() for name in ("old", "new")}
    diff = {"type": "diff", "path": work["path"], "oldText": texts["old"], "newText": texts["new"]}
    call = {"toolCallId": f"edit-{number}", "title": "Edit", "kind": "edit", "content": [diff]}
    params = {"sessionId": SESSION, "toolCall": call, "options": OPTIONS}
    time.sleep(work["wait"])
    content = {"type": "text", "text": f"t{time.time() * 1000:.0f}"}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    send({"method": "session/update", "params": {"sessionId": SESSION, "update": update}})
    send({"id": f"ask-{number}", "method": "session/request_permission", "params": params})


def main() -> None:
    """Serve until the input ends."""
    prompt: Any = None
    number = 0
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize":
            result = {"protocolVersion": 1, "agentInfo": {"name": "diff", "version": "1"}}
            send({"id": message["id"], "result": result})
        elif method == "session/new":
            send({"id": message["id"], "result": {"sessionId": SESSION}})
        elif method == "session/prompt":
            prompt, number = message["id"], number + 1
            ask(json.loads(message["params"]["prompt"][0]["text"]), number)
        elif method is None and str(message.get("id", "")).startswith("ask-"):
            send({"id": prompt, "result": {"stopReason": "end_turn"}})


if __name__ == "__main__":
    main()
