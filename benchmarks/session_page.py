"""The page's part of the long session: turns in JupyterLab, the first ones beside those after 1,000."""

from __future__ import annotations

import time
from typing import Any

from page import Lab, devtools, heap, lab, metrics, setup
from report import Options, Report, ratio, resident

PLAY = """
def play(count, chunks, rate):
    before = time.process_time()
    for _ in range(count):
        chat.send(json.dumps({"mode": "text", "chunks": chunks, "rate": rate})).handle.done.result()
        time.sleep(0.15 if rate else 0)
    return time.process_time() - before
"""
SCROLL = """async (pixels) => {
  const log = probe.find('.acp-log');
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  probe.tasks.length = 0;
  const times = [];
  let last = await frame();
  for (let step = 0; step < 120; step += 1) {
    log.scrollTop -= pixels;
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  times.sort((a, b) => a - b);
  log.scrollTop = log.scrollHeight;
  return [times[Math.floor(times.length * 0.95)], Math.max(0, ...probe.tasks.map((one) => one.took))];
}"""
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


def browser(report: Report, options: Options) -> None:
    """Play turns, fill the chat, play them again."""
    turns = options.pick(1_000, 1_000, 5)
    with lab() as here:
        notebook = here.open("session", setup("stream_agent.py", record="False") + PLAY, "chat")
        notebook.run(0)
        notebook.run(1)
        page = notebook.page
        page.wait_for_selector(".acp-log")
        notebook.evaluate("chat.start(); play(3, 20, 200)")
        tools = devtools(page)
        early = measured(here, notebook, tools, options)
        begin = time.perf_counter()
        notebook.evaluate(f"play({turns}, 6, 0)")
        filled = time.perf_counter() - begin
        last = notebook.evaluate("print(chat.session.turns[-1].text.split()[0])").strip()
        page.wait_for_function("(stamp) => probe.find('.acp-log').textContent.includes(stamp)", arg=last)
        late = measured(here, notebook, tools, options)
        frames, longest = page.evaluate(SCROLL, 400)
        notebook.save()
        size = notebook.path.stat().st_size / 1e6
        there = again(notebook)
        here.close(notebook)
    report.table(
        "In JupyterLab, a turn with one chunk (`end`) and what each further chunk adds",
        [
            {
                "what": each,
                "first turns": early[each],
                f"after {turns}": late[each],
                "ratio": ratio(late[each], early[each]),
            }
            for each in early
        ],
    )
    rest = {
        "seconds to fill": filled,
        "scrolling up, p95 of a frame ms": frames,
        "scrolling up, longest task ms": longest,
        "notebook saved MB": size,
        **there,
    }
    report.table("The long chat", [{"what": name, "value": value} for name, value in rest.items()])
    for part in ("kernel", "wire", "page"):
        for what in ("chunk", "end"):
            name = next(each for each in early if each.startswith(f"{part} {what}"))
            report.at_most(f"{name}, after {turns:,} / first", ratio(late[name], early[name]), 1.2, "×")
    report.at_most("notebook with the long chat", size, 1, "MB")


def measured(here: Lab, notebook: Any, tools: Any, options: Options) -> dict[str, float]:
    """What a turn of one chunk costs, what each further chunk does, and what is held."""
    count, chunks, rounds = options.pick((10, 60, 3), (10, 60, 3), (2, 10, 1))
    tries = [
        (played(here, notebook, tools, count, 1), played(here, notebook, tools, count, chunks))
        for _ in range(rounds)
    ]
    # The least of some rounds: whatever else the machine does only adds.
    short, long = (
        {name: min(one[name] for one in each) for name in each[0]} for each in zip(*tries, strict=True)
    )
    found = {}
    for name in ("kernel", "wire", "page", *WORK):
        unit, scale = ("bytes", 1) if name == "wire" else ("ms", 1_000)
        found[f"{name} end {unit}"] = short[name] * scale
        found[f"{name} chunk {unit}"] = max(0.0, long[name] - short[name]) / (chunks - 1) * scale
    found["page heap MB"] = heap(tools)
    found["page nodes"] = metrics(tools)["Nodes"]
    found["kernel MB"] = resident(notebook.kernel_pid())
    return found


def played(here: Lab, notebook: Any, tools: Any, count: int, chunks: int) -> dict[str, float]:
    """Play turns; seconds of the kernel and the page, and bytes, of one of them."""
    notebook.page.evaluate("() => new Promise((done) => setTimeout(done, 500))")
    before = metrics(tools)
    here.counted.reset()
    kernel = float(notebook.evaluate(f"print(play({count}, {chunks}, 200))"))
    notebook.page.evaluate("() => new Promise((done) => setTimeout(done, 500))")
    after = metrics(tools)
    parts = {name: (after[name] - before[name]) / count for name in WORK}
    return {
        "kernel": kernel / count,
        "wire": here.counted.bytes / count,
        "page": sum(parts.values()),
        **parts,
    }


def again(notebook: Any) -> dict[str, float]:
    """Reload the page: until the notebook is ready, and until the chat is there."""
    begin = time.perf_counter()
    notebook.reload()
    ready = time.perf_counter() - begin
    notebook.page.wait_for_function("() => window.probe.find('.acp-log .acp-turn')", timeout=60_000)
    return {
        "reload: notebook ready s": ready,
        "reload: chat there s": time.perf_counter() - begin,
        "turns drawn after it": notebook.page.evaluate("() => probe.all('.acp-turn').length"),
        "heap after it MB": heap(devtools(notebook.page)),
    }
