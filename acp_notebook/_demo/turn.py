"""What a scene has in hand while it plays: say, think, plan, call tools, ask."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_notebook._demo.settings import PACES
from acp_notebook._demo.wire import CancelledTurn, RpcError

if TYPE_CHECKING:
    from acp_notebook._demo.wire import Json, Reply, Wire

POLL = 0.02
"""Seconds between two looks at whether a turn was cancelled while it waits for something else."""

ALLOW = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "allow-always", "name": "Allow for the whole session", "kind": "allow_always"},
    {"optionId": "refuse", "name": "Refuse", "kind": "reject_once"},
]


@dataclass
class Session:
    """One conversation."""

    id: str
    cwd: Path
    mode: str = "ask"
    pace: str = "quick"
    thoughts: bool = True
    said: list[list[str]] = field(default_factory=list)
    """What the person said and what the agent answered, a pair a turn."""
    always: set[str] = field(default_factory=set)
    """Kinds of tool call that the person allowed for the whole session."""
    calls: int = 0
    turns: int = 0
    tokens: int = 0
    turn: Turn | None = None


class Turn:
    """One prompt being answered, on a thread of its own.

    Parameters
    ----------
    wire, session
        The connection and the conversation.
    client
        `clientCapabilities` of `initialize`.
    delay
        Seconds between two chunks.
    prompt
        The content blocks of the prompt.
    """

    def __init__(self, wire: Wire, session: Session, client: Json, delay: float, prompt: list[Json]) -> None:
        self._wire = wire
        self._client = client
        self._delay = delay
        self.session = session
        self.prompt = prompt
        self.text = ""
        """What was answered so far."""
        self.cancelled = threading.Event()

    # --- what the client offers ------------------------------------------------------------------

    def offers(self, name: str) -> bool:
        """Say whether the client offers `readTextFile`, `writeTextFile` or `terminal`."""
        files = self._client.get("fs") or {}
        return bool(self._client.get(name) or files.get(name))

    # --- waiting ---------------------------------------------------------------------------------

    def pause(self, factor: float = 1.0) -> None:
        """Let some time pass, unless the turn is cancelled."""
        if self.cancelled.wait(self._delay * factor * PACES[self.session.pace]):
            raise CancelledTurn

    def answer(self, reply: Reply) -> Json:
        """Wait for an answer, unless the turn is cancelled."""
        while not reply.arrived.wait(POLL):
            if self.cancelled.is_set():
                raise CancelledTurn
        if self.cancelled.is_set():
            raise CancelledTurn
        return reply.result()

    def call(self, method: str, **params: Any) -> Json:
        """Send a request of this session and wait for the answer."""
        return self.answer(self._wire.request(method, {"sessionId": self.session.id, **params}))

    # --- telling ---------------------------------------------------------------------------------

    def update(self, kind: str, /, **values: Any) -> None:
        """Send one `session/update`."""
        if kind == "agent_message_chunk":
            self.text += str(values["content"].get("text", ""))
        self._wire.notify(
            "session/update", {"sessionId": self.session.id, "update": {"sessionUpdate": kind, **values}}
        )

    def say(self, text: str, *, kind: str = "agent_message_chunk") -> None:
        """Stream a text in pieces of a few words."""
        for piece in pieces(text):
            self.update(kind, content={"type": "text", "text": piece})
            self.session.tokens += 1
            self.pause()

    def think(self, text: str) -> None:
        """Stream a thought, if the person wants to see any."""
        if not self.session.thoughts:
            return
        self.say(text, kind="agent_thought_chunk")

    def plan(self, *entries: tuple[str, str]) -> None:
        """Send the whole plan, as pairs of words and status."""
        self.update(
            "plan",
            entries=[
                {"content": content, "priority": "medium", "status": status} for content, status in entries
            ],
        )

    # --- tool calls ------------------------------------------------------------------------------

    def start(self, title: str, kind: str, **values: Any) -> str:
        """Begin a tool call and return its id."""
        self.session.calls += 1
        call_id = f"call-{self.session.calls}"
        self.update("tool_call", toolCallId=call_id, title=title, kind=kind, **values)
        self.pause(2)
        return call_id

    def progress(self, call_id: str, **values: Any) -> None:
        """Change a tool call."""
        self.update("tool_call_update", toolCallId=call_id, **values)

    def ask(self, call_id: str, options: list[dict[str, str]], **call: Any) -> Reply:
        """Send a permission request for a tool call without waiting for the answer."""
        return self._wire.request(
            "session/request_permission",
            {
                "sessionId": self.session.id,
                "toolCall": {"toolCallId": call_id, **call},
                "options": options,
            },
        )

    def chosen(self, reply: Reply) -> str | None:
        """Wait for the person and give the id of the option, None for `cancelled`."""
        outcome = self.answer(reply).get("outcome") or {}
        return outcome.get("optionId") if outcome.get("outcome") == "selected" else None

    def allowed(self, call_id: str, kind: str, **call: Any) -> bool:
        """Ask for a tool call, unless its kind was allowed for the session."""
        if kind in self.session.always or self.session.mode == "auto":
            return True
        option = self.chosen(self.ask(call_id, ALLOW, kind=kind, **call))
        if option == "allow-always":
            self.session.always.add(kind)
        return option in ("allow", "allow-always")

    # --- files and commands ----------------------------------------------------------------------

    def read(self, path: Path) -> str:
        """Read a file through the client if it offers that, else from the disk."""
        if self.offers("readTextFile"):
            return str(self.call("fs/read_text_file", path=str(path)).get("content", ""))
        try:
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise RpcError(-32603, f"{path}: {error.strerror}") from error

    def write(self, path: Path, text: str) -> None:
        """Write a file through the client if it offers that, else to the disk."""
        if self.offers("writeTextFile"):
            self.call("fs/write_text_file", path=str(path), content=text)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, call_id: str, arguments: list[str]) -> tuple[int | None, str]:
        """Run Python in the session's folder and give exit code and output."""
        self.progress(call_id, status="in_progress")
        run = self._run_in_terminal if self.offers("terminal") else self._run_here
        return run(call_id, arguments)

    def _run_in_terminal(self, call_id: str, arguments: list[str]) -> tuple[int | None, str]:
        created = self.call(
            "terminal/create",
            command=sys.executable,
            args=arguments,
            cwd=str(self.session.cwd),
            env=[{"name": "PYTHONDONTWRITEBYTECODE", "value": "1"}],
            outputByteLimit=100_000,
        )
        terminal = created["terminalId"]
        try:
            self.progress(call_id, content=[{"type": "terminal", "terminalId": terminal}])
            status = self.call("terminal/wait_for_exit", terminalId=terminal)
            output = self.call("terminal/output", terminalId=terminal).get("output", "")
        finally:
            # Releasing ends the command too, if it still runs; after a cancel nobody waits for the answer.
            self._wire.request("terminal/release", {"sessionId": self.session.id, "terminalId": terminal})
        return status.get("exitCode"), str(output)

    def _run_here(self, call_id: str, arguments: list[str]) -> tuple[int | None, str]:
        process = subprocess.Popen(
            [sys.executable, "-B", *arguments],
            cwd=self.session.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        done: list[str] = []
        reader = threading.Thread(target=lambda: done.append(process.communicate()[0]), daemon=True)
        reader.start()
        while reader.is_alive():
            reader.join(POLL)
            if self.cancelled.is_set():
                process.kill()
                reader.join()
                raise CancelledTurn
        output = done[0] if done else ""
        self.progress(call_id, content=[content(f"```\n{output.rstrip()}\n```")])
        return process.returncode, output

    def wait_for_cancel(self) -> None:
        """Wait until the person stops the turn."""
        while not self.cancelled.wait(1):
            pass
        raise CancelledTurn


def content(text: str) -> Json:
    """Wrap a text as content of a tool call."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def pieces(text: str) -> Iterator[str]:
    """Cut a text into pieces of up to three words, losing nothing."""
    for match in re.finditer(r"(?:\s*\S+){1,3}\s*", text):
        yield match[0]
