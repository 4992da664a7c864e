"""What a browser asks an explorer, without a browser."""

from __future__ import annotations

import json
from typing import Any

from acp_notebook import Transcript
from acp_notebook._explore.explorer import Explorer
from acp_notebook._explore.messages import parse

KINDS = {
    "turns": {"first": 0},
    "item": {"turn": 0, "item": 0, "after": False},
    "search": {"first": 0},
    "records": {"turn": 0, "first": 0},
    "rows": {"first": 0},
}


def opened(transcript: Transcript) -> Explorer:
    """An explorer that has read everything."""
    explorer = Explorer(transcript, transcript._reader)
    transcript._reader.read()
    return explorer


def shown(session: dict[str, Any]) -> list[dict[str, Any]]:
    """All turns of a session's JSON and of its subagents', but for those that are told again."""
    found: list[dict[str, Any]] = []
    for one in (session, *session["children"].values()):
        found += [one["preamble"]] if one["preamble"] is not None else []
        found += [turn for turn in one["turns"] if not turn["told"]]
    return found


def ask(explorer: Explorer, kind: str, **fields: Any) -> dict[str, Any]:
    """What the browser gets for a message, as JSON."""
    message = parse({"kind": kind, "id": "1", **KINDS.get(kind, {}), **fields})
    assert message is not None
    answer: dict[str, Any] = json.loads(json.dumps(explorer._answer(message)))
    return answer
