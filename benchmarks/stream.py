"""A streaming turn in the real JupyterLab: bytes, lag, processor time, beside how chats usually do it.

Run ``python benchmarks/stream.py [--quick]``. The agent writes its clock into each chunk; a chunk is on
the screen in the first frame after its text is in the shadow DOM. All ways run one after the other in one
browser. Promised (full run): text at most 1.5 times its bytes and 0.25 MB, p95 of the lag at most 100 ms, the
last chunk shown within 150 ms; tools at most 0.7 MB and 80 ms; at most 40 % of the main thread.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.browser import chromium
from tests.browser.lab import Notebook
from tests.browser.server import Server

HERE = Path(__file__).resolve().parent
# The linter's semicolon after the function is no part of it.
WATCH = (HERE / "js" / "watch.js").read_text().rstrip().removesuffix(";")
STOP = "() => { cancelAnimationFrame(window.bench.frame); return window.bench; }"
SETUP = """
import sys, json
sys.path.insert(0, {here!r})
from acp_notebook import Agent, Chat, Policy
agent = Agent(sys.executable, {agent!r}, name="stream")
"""
OURS = "chat = Chat(agent, record=False); chat"
NAIVE = """
from naive import Naive
chat = Chat(agent, record=False)
view = Naive(incremental={incremental}); view.follow(chat, {hz}); view
"""
WAYS = {
    "ours": (OURS, ".acp-log"),
    "whole state per chunk": (NAIVE.format(incremental=False, hz=None), ".naive"),
    "whole state at 20 Hz, incremental": (NAIVE.format(incremental=True, hz=20), ".naive"),
}


def run(page: Page, server: Server, way: str, work: dict[str, Any]) -> dict[str, Any]:
    """Play one turn in a fresh notebook and give its figures."""
    cell, selector = WAYS[way]
    file = server.write(
        f"{way.replace(' ', '-')}-{work['mode']}.ipynb",
        SETUP.format(here=str(HERE), agent=str(HERE / "agents/stream_agent.py")),
        cell,
    )
    counted = {"bytes": 0, "messages": 0}

    def received(payload: str | bytes) -> None:
        counted["bytes"] += len(payload)
        counted["messages"] += 1

    page.on("websocket", lambda socket: socket.on("framereceived", received))
    notebook = Notebook(server, page, file).open()
    notebook.run(0)
    notebook.run(1)
    if page.locator(".jp-RenderedText[data-mime-type$=stderr]").count():
        raise SystemExit(notebook.output(1).inner_text())
    page.wait_for_selector(selector)
    notebook.evaluate("chat.start()")
    kernel = psutil.Process(notebook.kernel_pid())
    host = psutil.Process(server.process.pid)
    page.evaluate(WATCH, selector)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")
    before = busy(devtools), cpu(kernel), cpu(host)
    counted.update(bytes=0, messages=0)
    printed = notebook.evaluate(
        f"import time\nt = chat.send({json.dumps(json.dumps(work))}); t.handle.done.result()\n"
        "print(json.dumps([len(t.text), t.ended - t.started, time.time() * 1000]))"
    )
    length, seconds, ended = json.loads(printed)
    page.wait_for_function("() => Date.now() - window.bench.last > 1500", timeout=200_000)
    after = busy(devtools), cpu(kernel), cpu(host)
    seen = page.evaluate(STOP)
    lags = sorted(seen["stamps"])
    notebook.evaluate("chat.close()")
    server.stop_kernels()
    return {
        "way": way,
        "mode": work["mode"],
        "text": length,
        "seconds": round(seconds, 2),
        "MB": round(counted["bytes"] / 1e6, 3),
        "messages": counted["messages"],
        "lag p50 ms": round(statistics.median(lags)) if lags else None,
        "lag p95 ms": round(lags[int(len(lags) * 0.95)]) if lags else None,
        "lag max ms": round(lags[-1]) if lags else None,
        "last after ms": round(seen["last"] - ended),
        "busy %": round(100 * (after[0] - before[0]) / max(seconds, 0.01)),
        "kernel s": round(after[1] - before[1], 2),
        "server s": round(after[2] - before[2], 2),
        "long tasks": len([task for task in seen["tasks"] if task > 100]),
    }


def busy(devtools: Any) -> float:
    """Seconds that the page's main thread has worked."""
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


def cpu(process: psutil.Process) -> float:
    """Processor seconds of a process."""
    times = process.cpu_times()
    return float(times.user + times.system)


def main() -> None:
    """Run all ways, print a table and JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--only", help="one way")
    quick = parser.parse_args()
    factor = 10 if quick.quick else 1
    works = [
        {"mode": "text", "chunks": 5000 // factor, "rate": 500},
        {"mode": "tools", "calls": 200 // factor, "updates": 5, "rate": 200},
    ]
    fast = {"mode": "text", "chunks": 50_000 // factor, "rate": 5000}
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder), "lab")
        try:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(chromium.FLAGS))
            for work, way in [*((work, way) for work in works for way in WAYS), (fast, "ours")]:
                if quick.only and quick.only != way:
                    continue
                context = browser.new_context(viewport={"width": 1300, "height": 900})
                rows.append(run(context.new_page(), server, way, work))
                print(rows[-1], flush=True)
                context.close()
        finally:
            server.stop()
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
