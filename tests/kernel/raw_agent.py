"""An agent that asks for a permission, keeps a diary of all that reaches it, and may be a bad one.

``python raw_agent.py DIARY [stubborn]``. The diary has a JSON line for each message and signal, with the time on
the clock that all processes of a machine share. A prompt says how to behave: with "silent" in it nothing is
answered once the turn is cancelled. A stubborn agent ignores the end of its input and SIGTERM, and has a child.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CHILD = "import signal, time, sys\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\nprint(flush=True)\ntime.sleep(600)"

OPTIONS = [
    {"optionId": "yes", "name": "Yes, do it", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]

diary = Path(sys.argv[1]).open("a", buffering=1)  # noqa: SIM115 - open as long as the process lives


def note(**what: object) -> None:
    diary.write(json.dumps({"t": time.monotonic(), **what}) + "\n")


def say(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tell(text: str) -> None:
    content = {"type": "text", "text": text}
    say(
        method="session/update",
        params={"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": content}},
    )


def signalled(number: int, _frame: object) -> None:
    note(signal=signal.Signals(number).name)


class Agent:
    def __init__(self) -> None:
        self.prompt: object = None
        self.silent = False
        self.asked = -1

    def take(self, message: dict) -> None:
        method = message.get("method")
        if method == "initialize":
            say(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []})
        elif method == "session/new":
            say(id=message["id"], result={"sessionId": "s"})
        elif method == "session/prompt":
            self.prompt = message["id"]
            self.silent = "silent" in message["params"]["prompt"][0]["text"]  # a summary may stand behind
            self.asked += 1
            tell("May I?")
            call = {
                "toolCallId": f"call-{os.getpid()}-{self.asked}",
                "title": "rm -r build",
                "kind": "execute",
            }
            params = {"sessionId": "s", "toolCall": call, "options": OPTIONS}
            say(id=self.asked, method="session/request_permission", params=params)
        elif method == "session/cancel" and not self.silent and self.prompt is not None:
            say(id=self.prompt, result={"stopReason": "cancelled"})
            self.prompt = None
        elif (
            method is None and message.get("id") == self.asked and not self.silent and self.prompt is not None
        ):
            outcome = message["result"]["outcome"]
            if outcome["outcome"] == "selected":
                tell(f"You said {outcome['optionId']}.")
                say(id=self.prompt, result={"stopReason": "end_turn"})
                self.prompt = None
        elif method is not None and "id" in message:
            say(id=message["id"], error={"code": -32601, "message": "unknown"})


def main() -> None:
    stubborn = "stubborn" in sys.argv[2:]
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signalled)
    pids = [os.getpid()]
    if stubborn:
        signal.signal(signal.SIGTERM, signalled)
        child = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        pids.append(child.pid)
    note(pids=pids)
    agent = Agent()
    for line in sys.stdin:
        message = json.loads(line)
        note(message=message)
        agent.take(message)
    note(end=True)
    while stubborn:
        signal.pause()


main()
