"""What folding costs, beside reading the same lines as JSON and beside what others fold with.

Run ``python benchmarks/fold.py``. Promised: linear from 1,000 to 100,000 records; at most 8 times
``json.loads`` of the same lines; at least 1,000 times as fast as the reference SDK's ``SessionAccumulator``
at 4,000 chunks.

Ours folds one record at a time, as a live chat does. The accumulator and ``use-acp`` do all of their work
again for each message: what a message costs is measured at some places of the stream, and the sum is the
area below.
"""

from __future__ import annotations

import gc
import json
import subprocess
import time
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

from report import Options, Report, percentile, ratio, run, timed
from tools import Missing, use_acp
from workloads import STREAMS, captures, transcript, updates

from acp_notebook import Record, Session, fold
from acp_notebook._fold.patches import patch

SAMPLES = 40


def cost(lines: list[str], runs: int) -> tuple[float, float]:
    """Processor seconds of reading the lines as JSON, and of folding what was read; they take turns."""
    parsed = [json.loads(each) for each in lines]

    def folded() -> None:
        session = Session()
        for each in parsed:
            session = fold(session, Record.from_line(each))

    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for work, times in zip((lambda: [json.loads(each) for each in lines], folded), took, strict=True):
            gc.collect()
            times.append(timed(work, time.process_time)[0])
    return min(took[0]), min(took[1])


def accumulator(messages: list[dict[str, Any]]) -> tuple[float, float, int]:
    """Seconds of the SDK's models, and of its accumulator; how many messages it could not read."""
    from acp.contrib.session_state import SessionAccumulator
    from acp.schema import SessionNotification
    from pydantic import ValidationError

    begin = time.process_time()
    notifications, unread = [], 0
    for message in messages:
        try:
            notifications.append(SessionNotification.model_validate(message["params"]))
        except ValidationError:
            unread += 1
    models = time.process_time() - begin
    state = SessionAccumulator()
    step = max(1, len(notifications) // SAMPLES)
    costs = []
    for index, notification in enumerate(notifications):
        if index % step == 0:
            costs.append(timed(partial(state.apply, notification), time.process_time)[0])
        else:  # the same without the copy of everything that each of them gives
            state._ensure_session(notification)  # noqa: SLF001 - nothing public leaves the copy out
            state._apply_update(notification.update)  # noqa: SLF001 - the same
    area = sum(costs) / len(costs) * len(notifications) if costs else 0.0
    return models, area, unread


def in_node(messages: list[dict[str, Any]], tool: tuple[str, Any]) -> dict[str, float]:
    """What use-acp needs in node for the same."""
    script = str(Path(__file__).parent / "js" / "use_acp.mjs")
    given = "\n".join(json.dumps(message) for message in messages)
    command = [tool[0], script, str(tool[1]), str(SAMPLES)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, timeout=300)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def beside_others(report: Report, options: Options) -> None:
    """Text, tools, mixed and recordings: ours, the SDK's accumulator, use-acp."""
    count = options.pick(4_000, 500, 200)
    try:
        tool: tuple[str, Any] | None = None if options.smoke else use_acp()
    except Missing as missing:
        tool = None
        report.note(f"use-acp: {missing}")
    recorded = [json.loads(each)["msg"] for lines in captures(1) for each in lines]
    real = [msg for msg in recorded if msg.get("method") == "session/update"][:count]
    streams = {name: updates(name, count) for name in STREAMS} | {"recorded": real}
    rows = []
    for name, messages in streams.items():
        lines = transcript(messages)
        read, folded = cost(lines, options.pick(5, 3, 1))
        models, area, unread = accumulator(messages)
        node = in_node(messages, tool) if tool else {}
        rows.append(
            {
                "stream": name,
                "messages": len(messages),
                "json.loads ms": read * 1e3,
                "ours ms": folded * 1e3,
                "ours / json": folded / read,
                "SDK models ms": models * 1e3,
                "SDK accumulator s": area,
                "SDK / ours": area / folded,
                "SDK could not read": unread,
                "use-acp store ms": node.get("store", 0) * 1e3 if node else None,
                "use-acp regroup s": node.get("draw"),
                "use-acp / ours": ratio(node["draw"] + node["store"], folded) if node else None,
            }
        )
        report.at_most(f"{name}: fold / json.loads", folded / read, 8, "×")
    report.table(f"The same {count} messages", rows)
    if count == 4_000:
        report.at_least(f"text, {count} chunks: SDK's accumulator / ours", rows[0]["SDK / ours"], 1_000, "×")


def growth(report: Report, options: Options) -> None:
    """A stream ten and a hundred times as long, as one turn and as many turns."""
    sizes = options.pick((1_000, 10_000, 100_000), (1_000, 4_000), (200, 1_000))
    rows = []
    for name, per_turn in (("text", None), ("tools", None), ("mixed", 100)):
        base = None
        for size in sizes:
            lines = transcript(updates(name, size), per_turn)
            read, folded = cost(lines, 5 if size < 50_000 else 2)
            each = folded / size * 1e6
            base = base or each
            turns = "one turn" if per_turn is None else f"{per_turn} a turn"
            rows.append(
                {
                    "stream": f"{name}, {turns}",
                    "records": size,
                    "json.loads µs": read / size * 1e6,
                    "ours µs": each,
                    "/ json": folded / read,
                    "/ shortest": each / base,
                    "patch µs": patches(lines),
                    **memory(lines),
                }
            )
        report.at_most(
            f"{rows[-1]['stream']}: a record at {sizes[-1]:,} / at {sizes[0]:,}", each / base, 1.5, "×"
        )
    report.table("Growth, a record", rows)


def patches(lines: list[str]) -> float:
    """Microseconds a record of the patch for browsers, made for every 25 records as at 500 a second."""
    records = [Record.from_line(json.loads(each)) for each in lines]
    session = Session()
    took = 0.0
    for start in range(0, len(records), 25):
        before, session = session, fold(session, records[start : start + 25])
        took += timed(partial(patch, before, session), time.process_time)[0]
    return took / len(records) * 1e6


def memory(lines: list[str]) -> dict[str, float]:
    """Bytes a record of the records, and of the session beside them; measured on 20,000 at most."""
    lines = lines[:20_000]
    gc.collect()
    tracemalloc.start()
    records = [Record.from_line(json.loads(each)) for each in lines]
    kept = tracemalloc.get_traced_memory()[0]
    session = Session()
    for record in records:
        session = fold(session, record)
    gc.collect()
    whole = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del session
    return {"record bytes": round(kept / len(lines)), "session bytes": round((whole - kept) / len(lines))}


def recordings(report: Report, options: Options) -> None:
    """What real agents wrote, each a hundred times in a row: no file may cost more each time."""
    times = options.pick(100, 5, 2)
    rows = []
    for name, repeat in (("once", 1), (f"× {times}", times)):
        lines = captures(repeat)
        if options.quick or options.smoke:
            lines = lines[:: options.pick(1, 5, 16)]
        costs = [cost(each, 3 if repeat == 1 else 1) for each in lines]
        count = sum(len(each) for each in lines)
        read, folded = sum(each[0] for each in costs), sum(each[1] for each in costs)
        rows.append(
            {
                "recordings": name,
                "records": count,
                "json.loads µs": read / count * 1e6,
                "ours µs": folded / count * 1e6,
                "/ json": folded / read,
                "worst / json": percentile([each[1] / each[0] for each in costs], 1.0),
            }
        )
    report.table(f"{len(lines)} recordings of real agents, a record", rows)
    report.at_most(f"recordings × {times}: fold / json.loads", rows[1]["/ json"], 8, "×")
    report.at_most(
        f"recordings: a record × {times} / once", rows[1]["ours µs"] / rows[0]["ours µs"], 1.5, "×"
    )


def measure(report: Report, options: Options) -> None:
    """Beside others, growth, recordings."""
    beside_others(report, options)
    growth(report, options)
    recordings(report, options)


if __name__ == "__main__":
    run(__doc__, "fold", measure)
