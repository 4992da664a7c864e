"""What exploring a long transcript costs: 1,000 turns, 50 MB.

Run ``python benchmarks/explorer.py``; ``--quick`` takes a tenth of it, ``--kernel`` leaves the browser out.
Promised: first paint below 1 s once the cell runs, a keystroke of the search below 100 ms, a step of the
scrubber below 50 ms, no task over 50 ms while scrolling, 5 s until it is there again after a reload.
"""

from __future__ import annotations

import json
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from report import Options, Report, run, spread

SESSION = "0192-session"
TEXT = """the value of a column is read from every file and compared with its mean before the report is
written so that a test which fails shows where the reader skipped one line or parsed a date twice"""
WORDS = TEXT.split()
QUERIES = [
    "q",
    "qu",
    "question 7",
    "zzzz",
    "the",
    "module_5 twice",
    "status:failed",
    "path:module_3",
    "tool:read",
]


def write(path: Path, turns: int, size: int, seed: int = 7) -> int:
    """Write a transcript of so many turns and about so many bytes; gives its records."""
    rng = random.Random(seed)
    records = 0
    clock = 0.0
    with path.open("w", encoding="utf-8") as file:
        header = {
            "acp_notebook": 1,
            "created": "2026-01-01T00:00:00Z",
            "agent": {"name": "bench"},
            "cwd": "/p",
        }
        file.write(json.dumps(header) + "\n")
        for direction, msg, seconds in _session(rng, turns, size // turns):
            clock += seconds
            file.write(json.dumps({"t": round(clock, 4), "dir": direction, "msg": msg}) + "\n")
            records += 1
    return records


def _session(rng: random.Random, turns: int, size: int) -> Iterator[tuple[str, dict[str, Any], float]]:
    yield "out", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}, 0.1
    yield (
        "in",
        {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentInfo": {"name": "bench"}}},
        0.1,
    )
    yield "out", {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/p"}}, 0.1
    yield "in", {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": SESSION}}, 0.1
    for turn in range(turns):
        yield from _turn(rng, turn, size)


def _turn(rng: random.Random, turn: int, size: int) -> Iterator[tuple[str, dict[str, Any], float]]:
    ident = turn + 2
    prompt = [{"type": "text", "text": f"Question {turn}: {_text(rng, 80)}"}]
    params = {"sessionId": SESSION, "prompt": prompt}
    yield "out", {"jsonrpc": "2.0", "id": ident, "method": "session/prompt", "params": params}, 30.0
    left = size
    step = 0
    while left > 0:
        for _ in range(20):
            piece = _text(rng, 24)
            left -= 190
            yield "in", _update("agent_message_chunk", content={"type": "text", "text": piece}), 0.02
        output = "\n".join(_text(rng, 90) for _ in range(40))
        path = f"/p/src/module_{rng.randrange(60)}.py"
        call = {
            "toolCallId": f"c{step}",
            "title": f"Read {path}",
            "kind": rng.choice(["read", "execute", "search"]),
        }
        yield "in", _update("tool_call", **call, rawInput={"path": path}), 0.1
        content = [{"type": "content", "content": {"type": "text", "text": output}}]
        if step % 4 == 3:
            diff = {
                "type": "diff",
                "path": path,
                "oldText": output[:800],
                "newText": output[:760] + "\nnew line\n",
            }
            content = [diff]
        status = "failed" if rng.random() < 0.03 else "completed"
        done = {"toolCallId": f"c{step}", "status": status, "content": content}
        yield "in", _update("tool_call_update", **done), 0.4
        left -= len(output) + 500
        step += 1
    yield "in", {"jsonrpc": "2.0", "id": ident, "result": {"stopReason": "end_turn"}}, 0.1


def _update(update: str, **fields: Any) -> dict[str, Any]:
    params = {"sessionId": SESSION, "update": {"sessionUpdate": update, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def _text(rng: random.Random, length: int) -> str:
    words = ""
    while len(words) < length:
        words += rng.choice(WORDS) + " "
    return words[:length]


# ------------------------------------------------------------------------------------------------- the kernel


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds, and what came out."""
    before = time.perf_counter()
    result = work()
    return (time.perf_counter() - before) * 1e3, result


def memory() -> int:
    """Megabytes that the process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def kernel(path: Path) -> dict[str, Any]:
    """Open, read, search and step without a browser."""
    from acp_notebook import Transcript
    from acp_notebook._explore.explorer import Explorer
    from acp_notebook._explore.messages import parse

    before = memory()
    load, transcript = timed(lambda: Transcript.load(path))
    loaded = memory()
    read, _ = timed(transcript._reader.read)  # noqa: SLF001  # what displaying it does
    explorer = Explorer(transcript, transcript._reader)  # noqa: SLF001  # the same
    outline, state = timed(lambda: json.dumps(explorer.snapshot()))

    def ask(**message: Any) -> tuple[float, dict[str, Any]]:
        parsed = parse({"id": "1", **message})
        assert parsed is not None
        return timed(lambda: explorer._answer(parsed))  # noqa: SLF001  # without a browser

    keys = [ask(kind="search", text=text, first=0)[0] for text in QUERIES]
    rng = random.Random(1)
    count = len(transcript.records)
    jumps = [ask(kind="seek", index=rng.randrange(count))[0] for _ in range(200)]
    steps, have = [], -1
    for index in range(count // 2, count // 2 + 200):
        cost, answer = ask(kind="seek", index=index, have=have)
        have = answer["seq"]
        steps.append(cost)
    return {
        "file MB": round(path.stat().st_size / 1e6, 1),
        "records": count,
        "load ms": round(load),
        "read and index ms": round(read),
        "outline ms": round(outline),
        "outline KB": len(state) // 1000,
        "keystroke ms": spread(keys),
        "jump ms": spread(jumps),
        "step ms": spread(steps),
        "memory loaded MB": loaded - before,
        "memory indexed MB": memory() - before,
    }


# ------------------------------------------------------------------------------------------------ the browser

PAINTED = """(selector) => {
  const roots = [...document.querySelectorAll('.acp-notebook-view')].map((host) => host.shadowRoot);
  return roots.some((root) => root?.querySelector(selector));
}"""
SCROLL = """async ([pixels, frames]) => {
  const root = [...document.querySelectorAll('.acp-notebook-view')].at(-1).shadowRoot;
  const log = root.querySelector('.acp-log');
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  probe.tasks.length = 0;
  const times = [];
  let last = await frame();
  for (let step = 0; step < frames; step += 1) {
    log.scrollTop += pixels;
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  times.sort((a, b) => a - b);
  const p95 = Math.round(times[Math.floor(times.length * 0.95)]);
  return { 'p95 frame ms': p95, 'long tasks ms': probe.tasks.map((one) => Math.round(one.took)) };
}"""
FILLED = """() => {
  const root = [...document.querySelectorAll('.acp-notebook-view')].at(-1).shadowRoot;
  return root.querySelector('.acp-item') && !root.querySelector('.acp-loading');
}"""
TYPE = """async (text) => {
  const root = [...document.querySelectorAll('.acp-notebook-view')].at(-1).shadowRoot;
  const box = root.querySelector('input[type=search]');
  const count = root.querySelector('.acp-found-count');
  const costs = [];
  for (const letter of text) {
    box.value += letter;
    const begin = performance.now();
    const changed = new Promise((done, failed) => {
      const observer = new MutationObserver(() => { observer.disconnect(); done(); });
      observer.observe(root.querySelector('.acp-list-inner'), { childList: true });
      setTimeout(() => failed(new Error(`nothing new for ${box.value}`)), 30000);
    });
    box.dispatchEvent(new Event('input'));
    await changed;
    await new Promise((done) => requestAnimationFrame(done));
    costs.push(performance.now() - begin);
  }
  return costs;
}"""
MOMENTS = """async () => {
  const root = [...document.querySelectorAll('.acp-notebook-view')].at(-1).shadowRoot;
  const slider = root.querySelector('.acp-scrub');
  const where = root.querySelector('.acp-where');
  const costs = [];
  for (let step = 1; step < 40; step += 1) {
    const before = where.textContent;
    const begin = performance.now();
    slider.value = String((Number(slider.max) * ((step * 17) % 40)) / 40);
    slider.dispatchEvent(new Event('input'));
    while (where.textContent === before) await new Promise((done) => requestAnimationFrame(done));
    costs.push(performance.now() - begin);
  }
  return costs;
}"""


def browser(path: Path, turns: int, options: Options) -> dict[str, Any]:
    """Open it in JupyterLab: first paint, keystrokes, moments, scrolling, rest, reload."""
    from page import at_rest, lab

    with lab() as here:
        source = f"from acp_notebook import Transcript\nt = Transcript.load({str(path)!r})"
        notebook = here.open("explorer", source, "t")
        found = opened(
            notebook, turns, options.pick(240, 60, 30), lambda: at_rest(here, notebook.page, options)
        )
        here.close(notebook)
    return found


def opened(notebook: Any, turns: int, frames: int, at_rest: Callable[[], dict[str, int]]) -> dict[str, Any]:
    """What the browser shows, and when."""
    found: dict[str, Any] = {}
    page = notebook.page
    found["load cell s"] = round(notebook.run(0), 2)
    begin = time.perf_counter()
    notebook.start(1)
    page.wait_for_function(PAINTED, arg=".acp-explorer .acp-row", timeout=120_000)
    found["first paint s"] = round(time.perf_counter() - begin, 2)
    # The filters come when all is read.
    page.wait_for_function(PAINTED, arg=".acp-filter-chip", timeout=120_000)
    found["all read s"] = round(time.perf_counter() - begin, 2)
    notebook.wait(1)
    view = notebook.output(1).locator(".acp-explorer")
    clear = view.get_by_role("button", name="Clear")
    # While the page still digests what it was told, and its collector what that has left.
    found["keystroke at once ms"] = spread(page.evaluate(TYPE, f"question {turns - 1}"))
    clear.click()
    page.evaluate("() => new Promise((done) => setTimeout(done, 1000))")
    found["keystroke ms"] = spread(page.evaluate(TYPE, f"question {turns - 1}"))
    clear.click()
    found["scrub ms"] = spread(page.evaluate(MOMENTS))
    view.get_by_role("button", name="Back to the end").click()
    found["scroll"] = page.evaluate(SCROLL, [120, frames])
    found["scroll by most of a view"] = page.evaluate(SCROLL, [400, frames])
    found["scroll fast"] = page.evaluate(SCROLL, [1500, frames])
    page.wait_for_function(FILLED)
    page.evaluate("() => new Promise((done) => setTimeout(done, 1500))")
    found["at rest"] = at_rest()
    notebook.save()
    begin = time.perf_counter()
    notebook.reload()
    page.wait_for_function(PAINTED, arg=".acp-explorer .acp-row", timeout=120_000)
    found["reload with JupyterLab s"] = round(time.perf_counter() - begin, 2)
    return found


def measure(report: Report, options: Options) -> None:
    """Write a transcript, measure."""
    turns, size = options.pick((1_000, 50_000_000), (100, 5_000_000), (4, 200_000))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.jsonl"
        write(path, turns, size)
        found = kernel(path)
        report.table(f"{turns} turns, in the kernel", flat(found))
        report.at_most("a keystroke of the search, in the kernel", found["keystroke ms"]["max"], 100, "ms")
        report.at_most("a step of the scrubber, in the kernel", found["step ms"]["max"], 50, "ms")
        if not options.browser:
            return
        seen = browser(path, turns, options)
    report.table(f"{turns} turns, in JupyterLab", flat(seen))
    report.at_most("first paint", seen["first paint s"], 1, "s")
    report.at_most("there again after a reload", seen["reload with JupyterLab s"], 5, "s")
    report.at_most("a keystroke of the search, on the screen", seen["keystroke ms"]["max"], 100, "ms")
    report.at_most("a step of the scrubber, on the screen (median)", seen["scrub ms"]["median"], 50, "ms")
    scrolls = ("scroll", "scroll by most of a view", "scroll fast")
    tasks = [task for scroll in scrolls for task in seen[scroll]["long tasks ms"]]
    report.at_most("longest task while scrolling", max(tasks, default=0), 50, "ms")
    for what, count in seen["at rest"].items():
        report.at_most(f"{what} at rest", count, 0)


def flat(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Nested figures as rows."""
    rows = []
    for name, value in found.items():
        parts = value if isinstance(value, dict) else {"": value}
        rows += [
            {"what": f"{name} {part}".strip(), "value": str(each) if isinstance(each, list) else each}
            for part, each in parts.items()
        ]
    return rows


if __name__ == "__main__":
    run(__doc__, "explorer", measure)
