"""Chats with the agent of raw lines: scripts for one turn, and what came over the wire."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from acp_notebook import Agent, Chat

RAW_AGENT = str(Path(__file__).parents[1] / "agents" / "raw_agent.py")
SESSION = "s1"


def answer(index: int, result: Any) -> list[Any]:
    """The step that answers the message taken as number `index`."""
    return ["answer", index, {"result": result}]


def ask(ident: Any, method: str, /, **params: Any) -> list[Any]:
    """The step of a request."""
    return ["say", {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}]


def tell(method: str, /, **params: Any) -> list[Any]:
    """The step of a notification."""
    return ["say", {"jsonrpc": "2.0", "method": method, "params": params}]


START: tuple[list[Any], ...] = (
    ["take", 1],
    answer(0, {"protocolVersion": 1}),
    ["take", 1],
    answer(1, {"sessionId": SESSION}),
)
"""An agent that starts: two messages taken."""

PROMPTED: tuple[list[Any], ...] = (*START, ["take", 1])
"""... and got a prompt, the message number 2."""

DONE: tuple[list[Any], ...] = (answer(2, {"stopReason": "end_turn"}), ["eof"])
"""The turn ends, and the agent waits for its own end."""


def scripted(*steps: list[Any]) -> Agent:
    """An agent that takes these steps."""
    return Agent(sys.executable, RAW_AGENT, json.dumps(steps), name="raw")


def turn(*steps: list[Any]) -> Agent:
    """An agent that takes these steps between a prompt and its answer."""
    return scripted(*PROMPTED, *steps, *DONE)


def replies(chat: Chat) -> dict[Any, dict[str, Any]]:
    """Our answers to the agent's requests, by id."""
    sent = (record.msg for record in chat._log.records if record.dir == "out")
    return {msg["id"]: msg for msg in sent if "method" not in msg}
