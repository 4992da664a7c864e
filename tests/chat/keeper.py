"""What the tests of sessions, settings and trouble share: the agent that keeps sessions, and waiting for states."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp_notebook import Agent, Chat

SCRIPT = Path(__file__).parent.parent / "agents" / "session_agent.py"


def keeper(store: Path | None = None, *able: str, **config: Any) -> Agent:
    """The agent that keeps its sessions in a folder and offers what is named."""
    if store is not None:
        store.mkdir(exist_ok=True)
        config["store"] = str(store)
    return Agent(sys.executable, str(SCRIPT), json.dumps({"able": list(able), **config}), name="keeper")


def until(chat: Chat, condition: Callable[[Chat], object], seconds: float = 15.0) -> None:
    """Wait for a state of the chat, told by its own changes."""
    changed = threading.Event()
    unsubscribe = chat._subscribe(lambda _: changed.set())
    try:
        end = time.monotonic() + seconds
        while not condition(chat):
            assert changed.wait(max(0.0, end - time.monotonic())), f"never came: {chat!r}"
            changed.clear()
    finally:
        unsubscribe()


def sent(chat: Chat, method: str) -> list[dict[str, Any]]:
    """The params of every message of a method that the agent was sent."""
    out = [record.msg for record in chat._log.records if record.dir == "out"]
    return [msg["params"] for msg in out if msg.get("method") == method]


def texts(chat: Chat) -> list[str]:
    """The first text of each turn's prompt."""
    return [str(turn.prompt[0].text) if turn.prompt else "" for turn in chat.turns]


def notices(chat: Chat) -> list[str]:
    """The titles of the notices outside of turns."""
    places = [turn for turn in (chat.session.preamble, *chat.turns) if turn is not None]
    items = [item for turn in places for item in (*turn.after, *(turn.items if not turn.prompt else ()))]
    return [item.title for item in items if item.kind == "notice"]
