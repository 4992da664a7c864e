"""An agent that wants a sign-in. Its settings are JSON in the first argument:

``methods`` (its `authMethods`), ``gate`` (the method that it refuses with -32000 until somebody has signed in;
``session/new`` unless said), ``late`` (name the methods with the error only), ``mark`` (a file: signed in
is who has it; `authenticate` and the argument ``--login`` make it, `logout` removes it), ``key`` (a variable that
counts as a sign-in, too), ``fails`` (the error of `authenticate`), ``once`` (look for the mark at the start only), ``meta`` (SHA-256 of what `authenticate`
must have as `_meta`, in JSON; it is repeated in the error otherwise), ``name`` (what it calls itself), ``offers`` (goes into the answers that begin a
session), ``able`` (what it does with sessions).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

SETTINGS = json.loads(sys.argv[1])
MARK = Path(SETTINGS["mark"])
METHODS = SETTINGS.get("methods", [])
LOADED = MARK.exists()
OPTIONS = SETTINGS.get("offers", {}).get("configOptions")


class RefusedError(Exception):
    pass


def signed_in() -> bool:
    if "key" in SETTINGS and os.environ.get(SETTINGS["key"]):
        return True
    return LOADED if SETTINGS.get("once") else MARK.exists()


def answer(method: str, params: dict) -> object:
    if method == SETTINGS.get("gate", "session/new") and not signed_in():
        data = {"authMethods": METHODS} if SETTINGS.get("late") else None
        raise RefusedError({"code": -32000, "message": "Authentication required", "data": data})
    if method == "initialize":
        able = SETTINGS.get("able", [])
        capabilities = {
            "auth": {"logout": {}},
            "loadSession": "load" in able,
            "sessionCapabilities": {name: {} for name in able},
        }
        offered = [] if SETTINGS.get("late") else METHODS
        info = {"name": SETTINGS.get("name", "strict"), "version": "1"}
        return {
            "protocolVersion": 1,
            "agentInfo": info,
            "agentCapabilities": capabilities,
            "authMethods": offered,
        }
    if method in ("session/new", "session/fork", "session/load", "session/resume"):
        return {"sessionId": "s2" if method == "session/fork" else "s1", **SETTINGS.get("offers", {})}
    if method == "session/list":
        return {"sessions": [{"sessionId": "old", "cwd": params["cwd"]}]}
    if method == "session/set_config_option":
        return {"configOptions": OPTIONS}
    if method in ("session/set_mode", "session/set_model", "session/delete", "session/close", "_vendor/do"):
        return {"done": method}
    if method == "authenticate":
        if "fails" in SETTINGS:
            raise RefusedError({"code": -32603, "message": SETTINGS["fails"]})
        given = json.dumps(params.get("_meta")).encode()
        if "meta" in SETTINGS and hashlib.sha256(given).hexdigest() != SETTINGS["meta"]:
            raise RefusedError({"code": -32602, "message": f"Wrong: {params.get('_meta')}"})
        MARK.write_text("signed in")
        return {}
    if method == "logout":
        MARK.unlink()
        return {}
    if method == "session/prompt":
        text = params["prompt"][0]["text"]
        update = {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": f"You said: {text}"},
        }
        say({"method": "session/update", "params": {"sessionId": "s1", "update": update}})
        return {"stopReason": "end_turn"}
    raise RefusedError({"code": -32601, "message": method})


def say(message: dict) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    if "--login" in sys.argv:
        MARK.write_text("signed in")
        return
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        try:
            say({"id": message["id"], "result": answer(message["method"], message.get("params", {}))})
        except RefusedError as error:
            say({"id": message["id"], "error": error.args[0]})


if __name__ == "__main__":
    main()
