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

from acp_notebook._demo import scenes, settings
from acp_notebook._demo.store import Store
from acp_notebook._demo.turn import Session, Turn
from acp_notebook._demo.wire import CancelledTurn, Json, RpcError, Wire, stdio

VERSION = "1.0.0"
DEFAULT_DELAY = 0.02
CONTEXT_SIZE = 100_000
"""Tokens that the made-up context window holds."""


class DemoAgent:
    """Everything that lives as long as the process."""

    def __init__(self, wire: Wire, delay: float) -> None:
        self._wire = wire
        self._delay = delay
        self._client: Json = {}
        self._sessions: dict[str, Session] = {}
        self._store = Store()
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
        if method in ("session/new", "session/load", "session/resume"):
            session_id = str(result.get("sessionId") or params.get("sessionId"))
            commands = scenes.available_commands()
            self._tell(session_id, "available_commands_update", availableCommands=commands)

    def _tell(self, session_id: str, kind: str, **values: Any) -> None:
        update = {"sessionUpdate": kind, **values}
        self._wire.notify("session/update", {"sessionId": session_id, "update": update})

    def _answer(self, method: str, params: Json) -> Json:
        match method:
            case "initialize":
                self._client = params.get("clientCapabilities") or {}
                return {
                    "protocolVersion": 1,
                    "agentCapabilities": {
                        **self._store.capabilities(),
                        "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
                    },
                    "agentInfo": {"name": "demo-agent", "title": "Demo agent", "version": VERSION},
                    "authMethods": [],
                }
            case "session/new":
                # Ids of sessions on disk must differ from process to process.
                number = len(self._sessions) + 1
                ident = f"demo-{number}" if not self._store.keeps else f"demo-{os.getpid()}-{number}"
                session = Session(ident, Path(str(params.get("cwd") or Path.cwd())))
                self._sessions[session.id] = session
                return {"sessionId": session.id, **_offered(session)}
            case "session/load" | "session/resume":
                return self._reopen(params, replay=method == "session/load")
            case "session/list":
                return {"sessions": self._store.listed(params.get("cwd"))}
            case "session/close" | "session/delete":
                self._sessions.pop(str(params.get("sessionId")), None)
                if method == "session/delete":
                    self._store.delete(str(params.get("sessionId")))
                return {}
            case "session/set_mode":
                session = self._session(params)
                settings.set_mode(session, params.get("modeId"))
                self._tell(session.id, "config_option_update", configOptions=settings.options(session))
                return {}
            case "session/set_config_option":
                session = self._session(params)
                before = session.mode
                settings.set_option(session, params)
                if session.mode != before:
                    self._tell(session.id, "current_mode_update", currentModeId=session.mode)
                return {"configOptions": settings.options(session)}
            case _:
                raise RpcError(-32601, f"The demo agent has no method {method!r}")

    def _reopen(self, params: Json, *, replay: bool) -> Json:
        """Take up a session from disk; a load tells what was said in it."""
        cwd = Path(str(params.get("cwd") or Path.cwd()))
        session = self._store.load(str(params.get("sessionId")), cwd)
        self._sessions[session.id] = session
        for asked, answered in session.said if replay else ():
            for kind, text in (("user_message_chunk", asked), ("agent_message_chunk", answered)):
                self._tell(session.id, kind, content={"type": "text", "text": text})
        return _offered(session)

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
        session.said.append([scenes.words_of(turn.prompt), turn.text])
        self._store.save(session)
        turn.update("usage_update", used=1_000 + session.tokens, size=CONTEXT_SIZE)
        # Before the answer goes out: the next prompt may follow it at once.
        session.turn = None
        self._wire.write({"id": request_id, **answer})


def _offered(session: Session) -> Json:
    modes = {"currentModeId": session.mode, "availableModes": settings.MODES}
    return {"modes": modes, "configOptions": settings.options(session)}


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
