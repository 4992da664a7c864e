"""An agent that keeps sessions in a folder and has settings. The word on its command line is JSON, all optional:

``store`` (folder of the sessions), ``able`` (load, resume, fork, list, close, delete), ``controls`` (options, modes,
models), ``silent`` (load replays nothing), ``paused`` (a file: a load tells its first message, and the rest
once the file exists), ``stray`` (load of an unknown session is an error of its own), ``page``
(sessions a page of the list), ``slow`` (a file: initialize is answered once it exists), ``doomed`` (a file that counts
starts; dies right after each initialize).

What a prompt does: "say …" answers that; "die" exits 3 with a word on stderr;
"later FILE" is answered at once and speaks again once the file exists;
"fail FILE" is answered with an error once the file exists; "hold" answers only after a cancel;
"mode …" changes the mode from its side; "child" speaks of a subagent; "die later" answers and then dies; "wait FILE"
answers once the file exists; anything else is answered with its number of blocks and what it remembers.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path

CONFIG = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
ABLE = CONFIG.get("able", [])
STORE = Path(CONFIG.get("store", "/nonexistent"))
MODELS = {"small": "Small", "big": "Big"}
lock = threading.Lock()


def say(**message: object) -> None:
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def update(session: str, kind: str, **fields: object) -> None:
    say(method="session/update", params={"sessionId": session, "update": {"sessionUpdate": kind, **fields}})


def chunk(session: str, text: str, kind: str = "agent_message_chunk") -> None:
    update(session, kind, content={"type": "text", "text": text})


def until(path: str) -> None:
    while not Path(path).exists():
        time.sleep(0.01)  # a look every now and then: the file is the test's signal to this process


def speak_later(session: str, path: str) -> None:
    """News of a session when the client may be in another one by then."""
    until(path)
    update(session, "current_mode_update", currentModeId="wild")
    update(session, "config_option_update", configOptions=[])
    update(session, "available_commands_update", availableCommands=[])
    update(session, "session_info_update", title="What was done before")
    update(session, "usage_update", used=1, size=2, cost={"amount": 0.5, "currency": "USD"})
    chunk(session, "By the way: it is done.")


class Session:
    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.said: list[list[str]] = []
        self.settings: dict[str, object] = {"model": "small", "mode": "ask", "loud": False}

    def file(self) -> Path:
        return STORE / f"{self.id}.json"

    def save(self) -> None:
        if STORE.is_dir():
            self.file().write_text(json.dumps(self.said))

    def options(self) -> list[dict]:
        models = [{"value": key, "name": name} for key, name in MODELS.items()]
        modes = [{"value": "ask", "name": "Ask"}, {"value": "go", "name": "Just go"}]
        found = [
            {
                "id": "model",
                "name": "Model",
                "type": "select",
                "category": "model",
                "currentValue": self.settings["model"],
                "options": [{"group": "g", "name": "House models", "options": models}],
            },
            {
                "id": "mode",
                "name": "Mode",
                "type": "select",
                "category": "mode",
                "currentValue": self.settings["mode"],
                "options": modes,
            },
        ]
        if self.settings["model"] == "big":  # an option that another one brings
            found.append(
                {"id": "loud", "name": "Loud", "type": "boolean", "currentValue": self.settings["loud"]}
            )
        return found

    def offered(self) -> dict:
        named = [{"id": "ask", "name": "Ask"}, {"id": "go", "name": "Just go"}]
        result: dict = {}
        kinds = CONFIG.get("controls", [])
        if "options" in kinds:
            result["configOptions"] = self.options()
        if "modes" in kinds:
            result["modes"] = {"currentModeId": self.settings["mode"], "availableModes": named}
        if "models" in kinds:
            models = [{"modelId": key, "name": name} for key, name in MODELS.items()]
            result["models"] = {"currentModelId": self.settings["model"], "availableModels": models}
        return result


class RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class Agent:
    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.held: list[tuple[object, str]] = []

    def serve(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            method, params = message.get("method"), message.get("params") or {}
            if method == "session/cancel":
                for request, _session in self.held:
                    say(id=request, result={"stopReason": "cancelled"})
                self.held.clear()
            elif method == "session/prompt":
                self.prompt(message["id"], params)
            elif method is not None and "id" in message:
                try:
                    say(id=message["id"], result=self.answer(method, params))
                except RpcError as error:
                    say(id=message["id"], error={"code": error.code, "message": error.message})
                if method == "initialize" and "doomed" in CONFIG:
                    print("I cannot live", file=sys.stderr, flush=True)
                    os._exit(5)
                if method in ("session/new", "session/load"):
                    commands = [
                        {"name": "plan", "description": "Make a plan", "input": {"hint": "what for"}},
                        {"name": "play", "description": "Play a game"},
                        {"name": "test", "description": "Run the tests"},
                    ]
                    update(
                        params.get("sessionId") or list(self.sessions)[-1],
                        "available_commands_update",
                        availableCommands=commands,
                    )

    def end(self, method: str, kept: Path) -> dict:
        if method == "session/close" and not kept.exists():
            raise RpcError(-32002, "Resource not found")
        if method == "session/delete":
            kept.unlink(missing_ok=True)
        return {}

    def answer(self, method: str, params: dict) -> dict:
        if method == "initialize":
            if "slow" in CONFIG:
                until(CONFIG["slow"])
            if "doomed" in CONFIG:
                with Path(CONFIG["doomed"]).open("a") as file:
                    file.write("x")
            able = {name: {} for name in ABLE if name != "load"}
            return {
                "protocolVersion": 1,
                "agentCapabilities": {"loadSession": "load" in ABLE, "sessionCapabilities": able},
                "agentInfo": {"name": "keeper", "version": "1"},
            }
        if method == "session/new":
            session = Session(f"s-{os.getpid()}-{len(self.sessions)}")
            self.sessions[session.id] = session
            return {"sessionId": session.id, **session.offered()}
        if method in ("session/load", "session/resume", "session/fork"):
            return self.reopen(method, params["sessionId"])
        if method == "session/list":
            return self.list(params)
        if method in ("session/close", "session/delete"):
            return self.end(method, STORE / f"{params['sessionId']}.json")
        session = self.sessions[params["sessionId"]]
        if method == "session/set_config_option":
            if params["configId"] == "model" and params["value"] not in MODELS:
                raise RpcError(-32602, f"There is no model {params['value']!r}")
            session.settings[params["configId"]] = params["value"]
            return {"configOptions": session.options()}
        if method == "session/set_mode":
            session.settings["mode"] = params["modeId"]
            return {}
        if method == "session/set_model":
            session.settings["model"] = params["modelId"]
            return {}
        raise RpcError(-32601, f"unknown method {method}")

    def reopen(self, method: str, session_id: str) -> dict:
        file = STORE / f"{session_id}.json"
        if not file.exists():
            raise RpcError(-32002, f"There is no session {session_id}")
        session = Session(session_id)
        session.said = json.loads(file.read_text())
        result = session.offered()
        if method == "session/fork":
            session.id = f"{session_id}-copy"
            session.save()
            result["sessionId"] = session.id
        self.sessions[session.id] = session
        if method == "session/load" and not CONFIG.get("silent"):
            for asked, answered in session.said:
                chunk(session.id, asked, "user_message_chunk")
                if "paused" in CONFIG:
                    until(CONFIG["paused"])
                chunk(session.id, answered)
        return result

    def list(self, params: dict) -> dict:
        files = sorted(STORE.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
        page, start = CONFIG.get("page", 100), int(params.get("cursor") or 0)
        listed = [
            {
                "sessionId": file.stem,
                "cwd": params["cwd"],
                "title": json.loads(file.read_text())[0][0],
                "updatedAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(file.stat().st_mtime)),
            }
            for file in files[start : start + page]
        ]
        more = start + page < len(files)
        return {"sessions": listed, **({"nextCursor": str(start + page)} if more else {})}

    def prompt(self, request: object, params: dict) -> None:
        session = self.sessions[params["sessionId"]]
        blocks = params["prompt"]
        text = blocks[0].get("text", "")
        word, _, rest = text.partition(" ")
        if word == "hold":
            chunk(session.id, "holding")
            self.held.append((request, session.id))
            return
        if word == "fail":
            until(rest)
            say(id=request, error={"code": -32603, "message": "The model is overloaded"})
            return
        if text == "die":
            print("fatal: asked to die", file=sys.stderr, flush=True)
            os._exit(3)
        if word == "wait":
            chunk(session.id, "waiting")
            until(rest)
        if word == "mode":
            session.settings["mode"] = rest
            update(session.id, "config_option_update", configOptions=session.options())
            update(session.id, "current_mode_update", currentModeId=rest)
        if word == "usage":
            update(session.id, "usage_update", used=900, size=1000, cost={"amount": 0.25, "currency": "USD"})
            update(session.id, "session_info_update", title="A chat about money")
        if word == "child":
            chunk("kid-1", "I am the helper.")
        if word == "later":
            threading.Thread(target=speak_later, args=(session.id, rest), daemon=True).start()
        known = len(session.said)
        reply = rest if word == "say" else f"{len(blocks)} blocks, I remember {known} turns"
        session.said.append([text, reply])
        session.save()
        chunk(session.id, reply)
        say(id=request, result={"stopReason": "end_turn"})
        if text == "die later":
            os._exit(4)


if __name__ == "__main__":
    Agent().serve()
