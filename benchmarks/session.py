"""A chat that already holds 1,000 turns: what the next chunk and the end of a turn cost in the kernel.

Run ``python benchmarks/session.py``. Promised: both cost at most 1.2 times what they cost in turn 1; the
static copy stays bounded. The bytes are those of the patch and of the static copy's message.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from acp_notebook import Record, Session, fold
from acp_notebook._fold.patches import patch
from acp_notebook._render.twin import TwinPieces

SESSION = "bench"
CHUNKS = 60


def update(fields: dict[str, Any], t: float) -> Record:
    """A session update."""
    params = {"sessionId": SESSION, "update": fields}
    return Record(t, "in", {"jsonrpc": "2.0", "method": "session/update", "params": params})


def begin(number: int) -> list[Record]:
    """A prompt and a tool call."""
    prompt = {"sessionId": SESSION, "prompt": [{"type": "text", "text": f"question {number}"}]}
    message = {"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": prompt}
    call = {"sessionUpdate": "tool_call", "toolCallId": f"c{number}", "title": "Read a.py", "kind": "read"}
    return [Record(number, "out", message), update(call, number)]


def chunk(number: int, step: int) -> Record:
    """A piece of the answer."""
    content = {"type": "text", "text": f"word {step} of the answer. "}
    return update(
        {"sessionUpdate": "agent_message_chunk", "messageId": f"m{number}", "content": content}, number
    )


def end(number: int) -> Record:
    """The end of the turn."""
    return Record(number, "in", {"jsonrpc": "2.0", "id": number, "result": {"stopReason": "end_turn"}})


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor microseconds, and what came out."""
    before = time.process_time()
    result = work()
    return (time.process_time() - before) * 1e6, result


def turn(session: Session, twin: TwinPieces, number: int) -> tuple[Session, dict[str, float]]:
    """Play a turn; give the new state and what its chunks and its end cost."""
    session = fold(session, begin(number))
    chunks, sizes = [], []
    for step in range(CHUNKS):
        before = session
        cost, session = timed(lambda step=step, before=before: fold(before, chunk(number, step)))
        more, ops = timed(lambda before=before, after=session: patch(before, after))
        chunks.append(cost + more)
        sizes.append(len(json.dumps(ops)))
    before = session
    cost, session = timed(lambda: fold(before, end(number)))
    more, ops = timed(lambda: patch(before, session))
    copy, message = timed(lambda: twin.update(session).to_message())
    return session, {
        "chunk µs": statistics.median(chunks),
        "chunk bytes": statistics.median(sizes),
        "end µs": cost + more,
        "end bytes": len(json.dumps(ops)),
        "copy µs": copy,
        "copy bytes": len(json.dumps(message)),
    }


def main() -> None:
    """Print the first turns beside the last ones, and their ratio."""
    turns = 100 if "--quick" in sys.argv else 1000
    session, twin = Session(), TwinPieces("bench")
    rows = []
    for number in range(turns + 10):
        session, costs = turn(session, twin, number)
        rows.append(costs)
    names = list(rows[0])
    early = {name: statistics.median(row[name] for row in rows[2:12]) for name in names}
    late = {name: statistics.median(row[name] for row in rows[-10:]) for name in names}
    ratio = {name: round(late[name] / early[name], 2) for name in names}
    print(json.dumps({"turns": turns, "early": early, "late": late, "ratio": ratio}, indent=1))


if __name__ == "__main__":
    main()
