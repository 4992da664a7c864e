"""A streaming turn in the real JupyterLab: bytes, lag, processor time, beside how chats usually do it.

Run ``python benchmarks/stream.py [--quick]``; ``--only NAME`` takes some of its runs, ``--profile DIR``
writes profiles of the kernel and of the page. The agent writes its clock into each chunk; a chunk is on the
screen in the first frame after its text is in the shadow DOM. All ways run one after the other in one
browser. Promised (full run): text at most 1.5 times its bytes and 0.25 MB, p95 of the lag at most 100 ms,
the last chunk shown within 150 ms; tools at most 0.7 MB and 80 ms; at most 40 % of the main thread; at rest
nothing at all.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psutil
from page import HERE, Lab, at_rest, cpu, devtools, lab, metrics, setup
from profiles import kernel_profile, page_profile
from report import Options, Report, format_table, percentile, ratio, run

# The linter's semicolon after the function is no part of it.
WATCH = (HERE / "js" / "watch.js").read_text().rstrip().removesuffix(";")
STOP = "() => { cancelAnimationFrame(window.bench.frame); return window.bench; }"
QUIET = "() => Date.now() - window.bench.last > 1500"
STAMPS = "(selector) => probe.find(selector)?.textContent.match(/t\\d{13}/g)?.length ?? 0"
NAIVE = """
from naive import Naive
view = Naive(incremental={incremental}); view.follow(chat, {hz}); view
"""
WAYS = {
    "ours": ("chat", ".acp-log"),
    "whole state per chunk": (NAIVE.format(incremental=False, hz=None), ".naive"),
    "whole state at 20 Hz, appended": (NAIVE.format(incremental=True, hz=20), ".naive"),
}
Meanwhile = Callable[[Any, dict[str, Any]], None]


@dataclass(frozen=True)
class Turn:
    """One turn to measure: how it is shown, what the agent does, and what happens meanwhile."""

    name: str
    way: str
    work: dict[str, Any]
    meanwhile: Meanwhile | None = None


def turns(options: Options) -> list[Turn]:
    """All of them."""

    def size(full: int) -> int:
        return int(options.pick(full, full // 10, full // 100))

    text = {"mode": "text", "chunks": size(5_000), "rate": 500}
    tools = {"mode": "tools", "calls": size(200), "updates": 5, "rate": 200}
    fast = {"mode": "text", "chunks": size(50_000), "rate": 5_000}
    long = {"mode": "text", "chunks": size(10_000), "rate": 500}
    ways = ("ours",) if options.smoke or options.quick else tuple(WAYS)
    found = [Turn(f"text, {way}", way, text) for way in ways]
    found += [Turn(f"tools, {way}", way, tools) for way in ways]
    if not options.quick:
        # Long enough for a page to be loaded meanwhile.
        middle = {**text, "chunks": options.pick(5_000, 5_000, 50)}
        found.append(Turn("text, reload and second view", "ours", middle, reload_and_second_view))
        found.append(Turn(f"text, {long['chunks']:,} chunks", "ours", long))
    found.append(Turn("text at 5,000/s", "ours", fast, other_cell))
    return [turn for turn in found if (options.only or "") in turn.name]


def play(here: Lab, turn: Turn, options: Options) -> dict[str, Any]:
    """Play one turn in a fresh notebook and give its figures."""
    cell, selector = WAYS[turn.way]
    cells = (setup("stream_agent.py", record="False"), cell, "chat", "1 + 1")
    notebook = here.open("stream", *cells)
    page = notebook.page
    notebook.run(0)
    notebook.run(1)
    page.wait_for_selector(selector)
    notebook.evaluate("chat.start()")
    kernel, host = psutil.Process(notebook.kernel_pid()), psutil.Process(here.server.process.pid)
    tools = devtools(page)
    folder = options.profile if turn.name == "text, ours" else None
    each = turn.work["mode"] == "text"
    page.evaluate(WATCH, [selector, each])
    page.evaluate("() => { probe.tasks.length = 0; }")
    with (
        kernel_profile(notebook, folder and folder / "kernel.html") as kernel_top,
        page_profile(tools, folder and folder / "page.cpuprofile") as page_top,
    ):
        before = metrics(tools), cpu(kernel), cpu(host)
        here.counted.reset()
        logged = len(here.server.log)
        extra: dict[str, Any] = {"first": []}
        notebook.evaluate(f"turn = chat.send({json.dumps(json.dumps(turn.work))})")
        if turn.meanwhile is not None:
            turn.meanwhile(notebook, extra)
        printed = notebook.evaluate(
            "turn.handle.done.result()\n"
            "calls = len(turn.tool_calls)\n"
            "print(json.dumps([len(turn.text), calls, turn.ended - turn.started]))"
        )
        page.wait_for_function(QUIET, timeout=200_000)
        after = metrics(tools), cpu(kernel), cpu(host)
    length, calls, seconds = json.loads(printed)
    seen = page.evaluate(STOP)
    lags = [*extra.pop("first"), *seen["stamps"]]
    tasks = page.evaluate("() => probe.tasks.map((one) => one.took)")
    warned = sum("rate exceeded" in line for line in here.server.log[logged:])
    row = {
        "turn": turn.name,
        "seconds": seconds,
        "text": length,
        "calls": calls,
        "MB": here.counted.bytes / 1e6,
        "messages": here.counted.messages,
        "lag p50 ms": percentile(lags, 0.5),
        "lag p95 ms": percentile(lags, 0.95),
        "lag max ms": percentile(lags, 1.0),
        "last after ms": seen["stamps"][-1] if seen["stamps"] else None,
        "busy %": 100 * (after[0]["TaskDuration"] - before[0]["TaskDuration"]) / max(seconds, 0.01),
        "kernel s": after[1] - before[1],
        "server s": after[2] - before[2],
        "longest task ms": max(tasks, default=0),
        "rate warnings": warned,
        "shown": page.evaluate(STAMPS, selector) if each else None,
        "sent": turn.work.get("chunks"),
        **extra,
    }
    # A page that was just loaded still asks for the kernel's debugger.
    if turn.way == "ours" and turn.meanwhile is not reload_and_second_view:
        row |= {f"rest: {what}": count for what, count in at_rest(here, page, options).items()}
    for top in (format_table(page_top) if page_top else "", *kernel_top):
        print(top)
    here.close(notebook)
    return row


def reload_and_second_view(notebook: Any, extra: dict[str, Any]) -> None:
    """In the middle of the turn: the chat is shown once more, then the page is loaded anew."""
    notebook.page.wait_for_function("() => window.bench.stamps.length > 5")
    notebook.run(2)
    extra["first"] = notebook.page.evaluate(STOP)["stamps"]
    begin = time.perf_counter()
    notebook.save()
    notebook.reload()
    notebook.page.wait_for_function("() => window.probe.find('.acp-log .acp-message')")
    extra["reload s"] = time.perf_counter() - begin
    notebook.page.evaluate(WATCH, [".acp-log", True])


def other_cell(notebook: Any, extra: dict[str, Any]) -> None:
    """While it streams, another cell runs five times."""
    extra["another cell ms"] = max(notebook.run(3) for _ in range(5)) * 1e3


def judge(report: Report, rows: dict[str, dict[str, Any]], options: Options) -> None:
    """The figures that have a bound, of the runs that there are."""
    # What sends the whole state grows with the square of the text: the ratios are those of 5,000 chunks.
    whole_size = not (options.quick or options.smoke)
    text, tools = rows.get("text, ours"), rows.get("tools, ours")
    if text is not None:
        report.at_most("text: to the browser", text["MB"], 1.5 * text["text"] / 1e6 + 0.25, "MB")
        report.at_most("text: lag p95", text["lag p95 ms"], 100, "ms")
        report.at_most("text: last chunk shown after", text["last after ms"], 150, "ms")
        report.at_most("text: main thread busy", text["busy %"], 40, "%")
        whole, often = (rows.get(f"text, {way}") for way in list(WAYS)[1:])
        if whole is not None and whole_size:
            report.at_least(
                "text: bytes of whole state per chunk / ours", ratio(whole["MB"], text["MB"]), 100, "×"
            )
            lags = ratio(whole["lag p95 ms"], text["lag p95 ms"])
            report.at_least("text: lag p95 of whole state per chunk / ours", lags, 50, "×")
        if often is not None and whole_size:
            report.at_least(
                "text: bytes of whole state at 20 Hz / ours", ratio(often["MB"], text["MB"]), 20, "×"
            )
    if tools is not None:
        report.at_most("tools: to the browser", tools["MB"], 0.7, "MB")
        report.at_most("tools: lag p95", tools["lag p95 ms"], 80, "ms")
    for name, row in rows.items():
        if not name.startswith("text, ours") and row["sent"] and "whole" not in name:
            report.holds(
                f"{name}: nothing lost",
                f"{row['shown']} of {row['sent']}",
                "all",
                row["shown"] == row["sent"],
            )
        if name.endswith("chunks"):
            report.at_most(f"{name}: longest task", row["longest task ms"], 100, "ms")
        if name.endswith("5,000/s"):
            report.at_most(f"{name}: lag max", row["lag max ms"], 2_000, "ms")
            report.at_most(f"{name}: another cell", row["another cell ms"], 1_000, "ms")
            report.at_most(f"{name}: warnings about iopub rates", row["rate warnings"], 0)
        if "rest: frames" in row:
            for what in ("frames", "timers", "messages"):
                report.at_most(f"{name}: {what} at rest", row[f"rest: {what}"], 0)


def measure(report: Report, options: Options) -> None:
    """Play all turns."""
    if not options.browser:
        report.note("stream needs the browser")
        return
    rows = {}
    with lab() as here:
        for turn in turns(options):
            rows[turn.name] = play(here, turn, options)
            print({key: value for key, value in rows[turn.name].items() if value is not None}, flush=True)
    keys = (
        "turn",
        "seconds",
        "MB",
        "messages",
        "lag p50 ms",
        "lag p95 ms",
        "lag max ms",
        "last after ms",
        "busy %",
    )
    more = ("kernel s", "server s", "longest task ms", "shown", "sent", "reload s", "another cell ms")
    report.table("Streaming turns", [{key: row.get(key) for key in (*keys, *more)} for row in rows.values()])
    report.tables["everything"] = list(rows.values())
    judge(report, rows, options)


if __name__ == "__main__":
    run(__doc__, "stream", measure)
