"""What folding costs: a chunk of a long answer, beside reading its line as JSON, and a patch for the browser.

Run ``python benchmarks/fold.py``. Promised: the same cost a chunk at 2,000 and at 40,000 chunks, and at most
8 times ``json.loads`` of the same lines.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any

from acp_notebook import Record, Session, fold
from acp_notebook._fold.patches import patch

SESSION = "0192-session"


def lines(chunks: int, turns_before: int, items: int) -> tuple[list[str], list[str]]:
    """The lines that lead up to a stream, and the stream: `chunks` pieces of one message."""
    said: list[tuple[str, dict[str, Any]]] = []
    for turn in range(turns_before + 1):
        prompt = {"sessionId": SESSION, "prompt": [{"type": "text", "text": "go on"}]}
        said.append(("out", {"jsonrpc": "2.0", "id": turn, "method": "session/prompt", "params": prompt}))
        if turn < turns_before:
            said.append(("in", update({"sessionUpdate": "tool_call", "toolCallId": f"{turn}", "title": "x"})))
            said.append(("in", {"jsonrpc": "2.0", "id": turn, "result": {"stopReason": "end_turn"}}))
    said += [
        ("in", update({"sessionUpdate": "tool_call", "toolCallId": f"call-{i}", "title": "x"}))
        for i in range(items)
    ]
    stream = [("in", update(chunk(f"word {i} "))) for i in range(chunks)]
    return [line(i, *s) for i, s in enumerate(said)], [line(i, *s) for i, s in enumerate(stream)]


def line(index: int, direction: str, msg: dict[str, Any]) -> str:
    """One line of a transcript."""
    return json.dumps({"t": index / 100, "dir": direction, "msg": msg})


def update(fields: dict[str, Any]) -> dict[str, Any]:
    """A session update with these fields."""
    params = {"sessionId": SESSION, "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def chunk(text: str) -> dict[str, Any]:
    """A piece of a message."""
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def timed(work: Callable[[], Any], runs: int = 5) -> float:
    """Seconds of the best of some runs: the machine is rarely ours alone."""
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def measure(chunks: int, turns_before: int = 0, items: int = 0) -> tuple[float, float, float]:
    """Microseconds a chunk for reading, folding, and patching every 50 chunks."""
    before, stream = lines(chunks, turns_before, items)
    base = fold(Session(), [Record.from_line(json.loads(text)) for text in before])
    records = [Record.from_line(json.loads(text)) for text in stream]

    def sync() -> None:
        shown = session = base
        for start in range(0, len(records), 50):
            session = fold(session, records[start : start + 50])
            patch(shown, session)
            shown = session

    read = timed(lambda: [json.loads(text) for text in stream])
    folded = timed(lambda: fold(base, records))
    synced = timed(sync)
    return read / chunks * 1e6, folded / chunks * 1e6, (synced - folded) / chunks * 1e6


def main() -> None:
    """Print the table."""
    print("chunks  turns before  items before   json.loads   fold      ratio   patch (a chunk, µs)")
    for chunks, turns, items in ((2_000, 0, 0), (40_000, 0, 0), (2_000, 2_000, 0), (2_000, 0, 2_000)):
        read, folded, patched = measure(chunks, turns, items)
        print(
            f"{chunks:6}  {turns:12}  {items:12}   {read:8.2f} µs  {folded:6.2f} µs"
            f"  {folded / read:6.2f}  {patched:6.2f}"
        )


if __name__ == "__main__":
    main()
