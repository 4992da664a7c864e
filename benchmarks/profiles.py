"""Profiles of what a benchmark runs: the page by Chromium's profiler, the kernel by pyinstrument."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

KERNEL_BEGIN = """
from pyinstrument import Profiler
profilers = []
def begin_profile():
    profilers.append(Profiler(interval=0.001, async_mode="disabled"))
    profilers[-1].start()
def end_profile():
    profilers[-1].stop()
    return profilers[-1]
from acp_notebook._agent import loop
loop.call(begin_profile)
"""
KERNEL_END = """
done = loop.call(end_profile)
with open({path!r}, "w") as file: file.write(done.output_html())
print(done.output_text(unicode=True, show_all=False))
"""


def top(profile: dict[str, Any], count: int = 15) -> list[dict[str, Any]]:
    """Where the page's script time went: milliseconds in each function itself."""
    nodes = {node["id"]: node["callFrame"] for node in profile["nodes"]}
    took: Counter[tuple[str, str]] = Counter()
    for node, delta in zip(profile["samples"], profile["timeDeltas"], strict=True):
        frame = nodes[node]
        url = frame["url"].rsplit("/", 1)[-1][:40]
        took[frame["functionName"] or "(anonymous)", f"{url}:{frame['lineNumber'] + 1}"] += delta
    rows = took.most_common(count + 3)
    return [
        {"function": name, "where": where, "self ms": micro / 1e3}
        for (name, where), micro in rows
        if name not in ("(idle)", "(root)")
    ][:count]


@contextmanager
def page_profile(session: Any, path: Path | None) -> Iterator[list[dict[str, Any]]]:
    """Profile a page while the block runs; the list holds the top entries then."""
    found: list[dict[str, Any]] = []
    if path is None:
        yield found
        return
    session.send("Profiler.enable")
    session.send("Profiler.setSamplingInterval", {"interval": 500})
    session.send("Profiler.start")
    yield found
    profile = session.send("Profiler.stop")["profile"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(profile))
    found.extend(top(profile))


@contextmanager
def kernel_profile(notebook: Any, path: Path | None) -> Iterator[list[str]]:
    """Profile the thread of the agents in a kernel; the list holds the text then."""
    found: list[str] = []
    if path is None or importlib.util.find_spec("pyinstrument") is None:
        yield found
        return
    notebook.evaluate(KERNEL_BEGIN)
    yield found
    path.parent.mkdir(parents=True, exist_ok=True)
    found.append(notebook.evaluate(KERNEL_END.format(path=str(path))))
