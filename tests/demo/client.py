"""A client for the tests: drives the demo agent over raw pipes and checks every line against the schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acp import schema
from pydantic import BaseModel

DEADLINE = 20.0
REQUESTS: dict[str, type[BaseModel]] = {
    "session/request_permission": schema.RequestPermissionRequest,
    "fs/read_text_file": schema.ReadTextFileRequest,
    "fs/write_text_file": schema.WriteTextFileRequest,
    "terminal/create": schema.CreateTerminalRequest,
    "terminal/wait_for_exit": schema.WaitForTerminalExitRequest,
    "terminal/output": schema.TerminalOutputRequest,
    "terminal/release": schema.ReleaseTerminalRequest,
}
ANSWERS: dict[str, type[BaseModel]] = {
    "initialize": schema.InitializeResponse,
    "session/new": schema.NewSessionResponse,
    "session/prompt": schema.PromptResponse,
    "session/set_mode": schema.SetSessionModeResponse,
}
Decide = Callable[[dict[str, Any]], "str | None"]


class Client:
    """One running demo agent; `seen` holds every message that it wrote."""

    def __init__(self, process: subprocess.Popen[bytes], decide: Decide) -> None:
        self.process = process
        self.decide = decide
        self.seen: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.served: list[str] = []
        self._methods: dict[int, str] = {}

    def write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, params: dict[str, Any]) -> int:
        number = len(self._methods)
        self._methods[number] = method
        self.write({"id": number, "method": method, "params": params})
        return number

    def read(self) -> dict[str, Any] | None:
        """Read one message and validate it, None at the end."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            return None
        message: dict[str, Any] = json.loads(line)
        self.validate(message)
        self.seen.append(message)
        return message

    def validate(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method == "session/update":
            schema.SessionNotification.model_validate(message["params"])
        elif method is not None:
            REQUESTS[method].model_validate(message["params"])
        elif "result" in message:
            ANSWERS[self._methods[message["id"]]].model_validate(message["result"])
        else:
            assert isinstance(message["error"]["code"], int)
            assert isinstance(message["error"]["message"], str)

    def wait(self, number: int, on_message: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """Read, serving what the agent asks for, until the answer to a request of ours is there."""
        while True:
            message = self.read()
            assert message is not None, "the agent ended"
            if "method" not in message and message["id"] == number:
                return message
            if on_message is not None:
                on_message(message)
            if "method" in message and "id" in message:
                self.serve(message)

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        return self.wait(self.send(method, params))

    def serve(self, message: dict[str, Any]) -> None:
        params = message["params"]
        self.served.append(message["method"])
        result: dict[str, Any] = {}
        match message["method"]:
            case "session/request_permission":
                self.asked.append(params)
                option = self.decide(params)
                if option == "wait":
                    return
                outcome = (
                    {"outcome": "cancelled"}
                    if option is None
                    else {"outcome": "selected", "optionId": option}
                )
                result = {"outcome": outcome}
            case "fs/read_text_file":
                path = Path(params["path"])
                if not path.exists():
                    self.write({"id": message["id"], "error": {"code": -32002, "message": f"No file {path}"}})
                    return
                result = {"content": path.read_text(encoding="utf-8")}
            case "fs/write_text_file":
                Path(params["path"]).write_text(params["content"], encoding="utf-8")
            case "terminal/create":
                done = subprocess.run(
                    [params["command"], *params["args"]],
                    cwd=params["cwd"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    check=False,
                    env={**os.environ, **{each["name"]: each["value"] for each in params["env"]}},
                )
                self.exit, self.output = done.returncode, done.stdout
                result = {"terminalId": "t-1"}
            case "terminal/wait_for_exit":
                result = {"exitCode": self.exit, "signal": None}
            case "terminal/output":
                result = {"output": self.output, "truncated": False}
        self.write({"id": message["id"], "result": result})

    def start(self, cwd: Path, **capabilities: Any) -> str:
        self.request("initialize", protocolVersion=1, clientCapabilities=capabilities)
        answer = self.request("session/new", cwd=str(cwd), mcpServers=[])
        return str(answer["result"]["sessionId"])

    def prompt(self, session: str, text: str, *blocks: dict[str, Any]) -> dict[str, Any]:
        return self.request(
            "session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}, *blocks]
        )

    # --- reading what was seen ---

    def updates(self, kind: str) -> list[dict[str, Any]]:
        found = [each["params"]["update"] for each in self.seen if each.get("method") == "session/update"]
        return [update for update in found if update["sessionUpdate"] == kind]

    def text(self, kind: str = "agent_message_chunk") -> str:
        return "".join(update["content"].get("text", "") for update in self.updates(kind))

    def calls(self) -> dict[str, dict[str, Any]]:
        """Give the tool calls by id, updates laid over the start."""
        calls: dict[str, dict[str, Any]] = {}
        for message in self.seen:
            update = message.get("params", {}).get("update", {})
            if update.get("sessionUpdate") in ("tool_call", "tool_call_update"):
                calls.setdefault(update["toolCallId"], {}).update(update)
        return calls


@contextmanager
def demo_agent(decide: Decide = lambda params: "allow", *, delay: str = "0") -> Iterator[Client]:
    """Run a demo agent until the end of the block; one that hangs is killed, so that reading it ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "acp_notebook", "demo-agent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "ACP_DEMO_DELAY": delay},
    )
    watchdog = threading.Timer(DEADLINE, process.kill)
    watchdog.start()
    with process:
        try:
            yield Client(process, decide)
            assert process.stdin is not None
            process.stdin.close()
            process.wait(DEADLINE)
        finally:
            watchdog.cancel()
            process.kill()
