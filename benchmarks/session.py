"""A chat that already holds 1,000 turns: what the next chunk and the end of a turn cost, by then.

Run ``python benchmarks/session.py`` (``--kernel``: without JupyterLab). Promised: both cost at most 1.2
times what they cost in the first turns, in the kernel, on the wire and in the browser; the static copy
stays bounded.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from report import Options, Report, ratio, run

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


FIRST = slice(2, 12)


def kernel(report: Report, options: Options) -> None:
    """Fold, patch and static copy without JupyterLab: the first turns beside the last ones."""
    turns = options.pick(1_000, 200, 20)
    session, twin = Session(), TwinPieces("bench")
    rows = []
    for number in range(turns + 20):
        session, costs = turn(session, twin, number)
        rows.append(costs)
    early = {name: statistics.median(row[name] for row in rows[FIRST]) for name in rows[0]}
    late = {name: statistics.median(row[name] for row in rows[-20:]) for name in rows[0]}
    table = [
        {
            "what": name,
            "first turns": early[name],
            f"after {turns}": late[name],
            "ratio": ratio(late[name], early[name]),
        }
        for name in early
    ]
    report.table("In the kernel, processor time", table)
    for name, words in (("chunk µs", "next chunk"), ("chunk bytes", "next chunk, bytes")):
        report.at_most(f"{words}, turn {turns:,} / first", ratio(late[name], early[name]), 1.2, "×")
    for unit in ("µs", "bytes"):
        ends = [each[f"end {unit}"] + each[f"copy {unit}"] for each in (early, late)]
        report.at_most(
            f"end of a turn with its static copy, {unit}, turn {turns:,} / first", ends[1] / ends[0], 1.2, "×"
        )


def measure(report: Report, options: Options) -> None:
    """The kernel's part, then the page's."""
    kernel(report, options)
    # A chat of a tenth of the turns tells nothing about a long one in the page.
    if options.browser and not options.quick:
        from session_page import browser

        browser(report, options)


if __name__ == "__main__":
    run(__doc__, "session", measure)
