"""The demo agent's methods: sessions, prompts, cancelling.

It speaks version 1 of the Agent Client Protocol ("Initialization", "Session Setup", "Prompt Turn") on stdin
and stdout. `ACP_DEMO_DELAY` sets the seconds between two chunks (0.02 by default; tests use 0).
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

from acp_notebook._demo import scenes
from acp_notebook._demo.turn import Session, Turn
from acp_notebook._demo.wire import CancelledTurn, Json, RpcError, Wire, stdio

VERSION = "1.0.0"
DEFAULT_DELAY = 0.02
CONTEXT_SIZE = 100_000
"""Tokens that the made-up context window holds."""

MODES = [
    {"id": "ask", "name": "Ask", "description": "Ask before every edit and command"},
    {"id": "auto", "name": "Auto", "description": "Edit and run without asking"},
]


class DemoAgent:
    """Everything that lives as long as the process."""

    def __init__(self, wire: Wire, delay: float) -> None:
        self._wire = wire
        self._delay = delay
        self._client: Json = {}
        self._sessions: dict[str, Session] = {}
        self._threads: list[threading.Thread] = []

    def run(self) -> None:
        """Serve until the client closes the connection, then stop what still runs."""
        self._wire.serve(self._on_request, self._on_notification)
        for session in self._sessions.values():
            if session.turn is not None:
                session.turn.cancelled.set()
        for thread in self._threads:
            thread.join(1)

    def _on_request(self, request_id: Any, method: str, params: Json) -> None:
        try:
            if method == "session/prompt":
                self._begin(request_id, params)
                return
            result = self._answer(method, params)
        except RpcError as error:
            self._wire.write({"id": request_id, "error": {"code": error.code, "message": error.message}})
            return
        self._wire.write({"id": request_id, "result": result})
        if method == "session/new":
            self._wire.notify(
                "session/update",
                {
                    "sessionId": result["sessionId"],
                    "update": {
                        "sessionUpdate": "available_commands_update",
                        "availableCommands": scenes.available_commands(),
                    },
                },
            )

    def _answer(self, method: str, params: Json) -> Json:
        match method:
            case "initialize":
                self._client = params.get("clientCapabilities") or {}
                return {
                    "protocolVersion": 1,
                    "agentCapabilities": {
                        "loadSession": False,
                        "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
                    },
                    "agentInfo": {"name": "demo-agent", "title": "Demo agent", "version": VERSION},
                    "authMethods": [],
                }
            case "session/new":
                session = Session(
                    f"demo-{len(self._sessions) + 1}", Path(str(params.get("cwd") or Path.cwd()))
                )
                self._sessions[session.id] = session
                return {
                    "sessionId": session.id,
                    "modes": {"currentModeId": session.mode, "availableModes": MODES},
                }
            case "session/set_mode":
                session = self._session(params)
                if params.get("modeId") not in {mode["id"] for mode in MODES}:
                    raise RpcError(-32602, f"There is no mode {params.get('modeId')!r}")
                session.mode = str(params["modeId"])
                return {}
            case _:
                raise RpcError(-32601, f"The demo agent has no method {method!r}")

    def _on_notification(self, method: str, params: Json) -> None:
        session = self._sessions.get(str(params.get("sessionId")))
        if method == "session/cancel" and session is not None and session.turn is not None:
            session.turn.cancelled.set()

    def _session(self, params: Json) -> Session:
        session = self._sessions.get(str(params.get("sessionId")))
        if session is None:
            raise RpcError(-32602, f"There is no session {params.get('sessionId')!r}")
        return session

    def _begin(self, request_id: Any, params: Json) -> None:
        """Start a turn on a thread, so that a cancel can be read while it works."""
        session = self._session(params)
        if session.turn is not None:
            raise RpcError(-32600, "A turn of this session is still running")
        session.turns += 1
        turn = Turn(self._wire, session, self._client, self._delay, list(params.get("prompt") or []))
        session.turn = turn
        thread = threading.Thread(target=self._play, args=(request_id, turn), daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def _play(self, request_id: Any, turn: Turn) -> None:
        answer: Json
        try:
            scenes.play(turn)
            answer = {"result": {"stopReason": "end_turn"}}
        except CancelledTurn:
            answer = {"result": {"stopReason": "cancelled"}}
        except RpcError as error:
            answer = {"error": {"code": error.code, "message": error.message}}
        session = turn.session
        turn.update("usage_update", used=1_000 + session.tokens, size=CONTEXT_SIZE)
        # Before the answer goes out: the next prompt may follow it at once.
        session.turn = None
        self._wire.write({"id": request_id, **answer})


def main() -> int:
    """Run the agent on stdin and stdout and give the exit code."""
    text = os.environ.get("ACP_DEMO_DELAY", "")
    try:
        delay = float(text) if text else DEFAULT_DELAY
    except ValueError:
        print(f"ACP_DEMO_DELAY must be a number of seconds, not {text!r}", file=sys.stderr)  # noqa: T201
        return 2
    DemoAgent(stdio(), delay).run()
    return 0
