"""A command that writes 100 MB with colours as fast as it can, and then 500 lines a second for a while.

The client serves the terminal. Run ``python benchmarks/terminal.py`` (``--kernel``: without JupyterLab).
Promised: the kernel's memory stays bounded, the card changes at most 20 times a second, and its end, the
agent's and the command's are the same.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from report import Options, Report, resident, run, timed

HERE = Path(__file__).resolve().parent
FLOOD = """
import sys, time
line = lambda n: f"\\x1b[3{n % 8}m{n:09d}\\x1b[0m \\x1b[1mcompiling\\x1b[0m " + "x" * 60 + "\\n"
block = "".join(line(n) for n in range(700)).encode()
left = int(sys.argv[1])
while left > 0:
    left -= sys.stdout.buffer.write(block)
begin = time.perf_counter()
for n in range(int(float(sys.argv[2]) * 500)):
    time.sleep(max(0, begin + n / 500 - time.perf_counter()))
    sys.stdout.write(line(n))
    sys.stdout.flush()
sys.stdout.write("\\x1b[32mthe last line\\x1b[0m\\n")
"""
LAST = "the last line\x1b[0m\n"
OPEN = """async () => {
  while (!probe.find('.acp-tool')) await new Promise(requestAnimationFrame);
  const node = probe.find('.acp-tool');
  node.querySelector('button, summary')?.click();
}"""
COUNT = """() => {
  probe.changes = [];
  probe.tasks.length = 0;
  const host = [...document.querySelectorAll('.acp-notebook-view')].at(-1);
  new MutationObserver((records) => {
    if (records.some(({ target }) => target.closest?.('.acp-section'))) probe.changes.push(Date.now());
  }).observe(host.shadowRoot, { childList: true, subtree: true });
}"""
SEEN = "() => probe.all('.acp-section pre').map((each) => each.textContent.slice(-80)).at(-1) ?? null"


@contextmanager
def watched(pid: int) -> Iterator[list[float]]:
    """Megabytes of a process ten times a second, while the block runs; the first is from before."""
    seen = [resident(pid)]
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            seen.append(resident(pid))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def work(size: int, paced: float) -> str:
    """The prompt; the last lines take `paced` seconds."""
    args = ["-c", FLOOD, str(size), str(paced)]
    return json.dumps({"command": sys.executable, "args": args, "every": 0.5})


def alone(size: int) -> float:
    """Seconds of the command at full speed with its output into a pipe that is only read."""
    command = [sys.executable, "-c", FLOOD, str(size), "0"]

    def read() -> None:
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            while process.stdout.read(65536):
                pass

    return timed(read)[0]


def without_browser(size: int, paced: float, record: Path) -> dict[str, Any]:
    """The chat in this process."""
    import os
    import time

    from acp_notebook import Agent, Chat

    agent = Agent(sys.executable, str(HERE / "agents" / "terminal_agent.py"), name="bench")
    chat = Chat(agent, record=str(record), cwd=str(record.parent))
    changes: list[float] = []
    outputs = {""}

    def changed(session: Any) -> None:
        terminals = [each for turn in session.turns for each in turn.terminals.values()]
        if terminals and terminals[-1].output[-100:] not in outputs:
            outputs.add(terminals[-1].output[-100:])
            changes.append(time.time() * 1000)

    chat.start()
    chat._subscribe(changed)  # noqa: SLF001 - a benchmark looks inside
    with watched(os.getpid()) as seen:
        turn = chat.send(work(size, paced))
        turn.handle.done.result()
    terminal = next(iter(turn.terminals.values()))
    found = {"said": turn.text, "kernel": seen, "card": terminal.output[-80:], "changes": changes}
    chat.close()
    return found


def in_browser(size: int, paced: float, record: Path) -> dict[str, Any]:
    """The chat in JupyterLab."""
    from page import lab, setup

    with lab() as here:
        cells = (setup("terminal_agent.py", cwd=repr(str(record.parent)), record=repr(str(record))), "chat")
        notebook = here.open("terminal", *cells)
        notebook.run(0)
        notebook.run(1)
        notebook.evaluate("chat.start()")
        page = notebook.page
        page.wait_for_function("() => document.querySelector('.acp-notebook-view')?.shadowRoot")
        page.evaluate(COUNT)
        kernel = notebook.kernel_pid()
        here.counted.reset()
        with watched(kernel) as seen:
            notebook.evaluate(f"turn = chat.send({json.dumps(work(size, paced))})")
            page.evaluate(OPEN)
            notebook.evaluate("turn.handle.done.result()")
        page.wait_for_function(f"() => (({SEEN})() ?? '').includes('the last line')", timeout=10_000)
        found = {
            "said": notebook.evaluate("print(turn.text)"),
            "kernel": seen,
            "card": page.evaluate(SEEN),
            "changes": page.evaluate("() => probe.changes"),
            "MB": here.counted.bytes / 1e6,
            "tasks": page.evaluate("() => probe.tasks.map((one) => one.took)"),
        }
        here.close(notebook)
    return found


def measure(report: Report, options: Options) -> None:
    """Run it once; tell what each side saw."""
    size, paced = options.pick((100_000_000, 5.0), (10_000_000, 1.0), (2_000_000, 0.2))
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "terminal.jsonl"
        found = (in_browser if options.browser else without_browser)(size, paced, record)
        written = record.stat().st_size / 1e6
    said = json.loads(found["said"])
    base = alone(size)
    times = [at // 1000 for at in found["changes"]]
    most = max((times.count(second) for second in set(times)), default=None)
    seconds = said["seconds"] - paced
    row = {
        "MB written": size / 1e6,
        "seconds at full speed": seconds,
        "only read s": base,
        "MB/s": size / 1e6 / seconds,
        "then seconds of 500 lines": paced,
        "agent: largest output KB": said["largest"] / 1e3,
        "agent: asked ms (median)": statistics.median(said["asked"]) * 1e3,
        "agent: asked ms (max)": max(said["asked"]) * 1e3,
        "card: changes": len(times),
        "card: most in a second": most,
        "to the browser MB": found.get("MB"),
        "longest task ms": max(found.get("tasks", []), default=None),
        "kernel MB before": found["kernel"][0],
        "kernel MB most": max(found["kernel"]),
        "kernel MB after": found["kernel"][-1],
        "transcript MB": written,
    }
    report.table(
        f"{size / 1e6:g} MB with colours through a terminal",
        [{"what": k, "value": v} for k, v in row.items()],
    )
    if most is not None:
        report.at_most("card: changes in the busiest second", most, 20)
    same = said["tail"].endswith(LAST) and "the last line" in found["card"]
    report.holds("the end is right for the agent and on the card", "yes" if same else "no", "yes", same)
    report.at_most("kernel's memory: most over before", max(found["kernel"]) - found["kernel"][0], 64, "MB")
    report.at_most("transcript", written, 64, "MB")


if __name__ == "__main__":
    run(__doc__, "terminal", measure)
