"""What it costs to have the package: import time, the first chat on the screen, sizes, packages added.

Run ``python benchmarks/start.py``. Promised: ``from acp_notebook import Chat`` at most 1.3 times
``import anywidget, pydantic``; a wheel of at most 1 MB; the first bundle at most 60 KB gzip; at most 6 direct
packages beside ipywidgets and anywidget.
"""

from __future__ import annotations

import compileall
import gzip
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

from report import ROOT, Options, Report, run

STATIC = ROOT / "acp_notebook" / "static"
WAYS = {
    "python alone": "pass",
    "anywidget, pydantic": "import anywidget, pydantic",
    "acp_notebook": "import acp_notebook",
    "Chat": "from acp_notebook import Chat",
    "Chat and its widget": "from acp_notebook import Chat; import acp_notebook._chat.view",
}


def imports(runs: int) -> dict[str, float]:
    """The median processor seconds of whole processes; the ways take turns: a busy moment hits all alike."""
    compileall.compile_dir(ROOT / "acp_notebook", quiet=2)  # as installing does
    took: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(runs):
        for name, code in WAYS.items():
            before = os.times()
            subprocess.run([sys.executable, "-c", code], check=True)
            after = os.times()
            used = after.children_user - before.children_user + after.children_system - before.children_system
            took[name].append(used)
    return {name: statistics.median(seconds) for name, seconds in took.items()}


def direct() -> list[str]:
    """Direct packages beside ipywidgets and anywidget."""
    required = metadata.requires("acp-notebook") or []
    names = [re.split(r"[<>=; ]", line)[0] for line in required if "extra ==" not in line]
    return sorted(set(names) - {"ipywidgets", "anywidget"})


def added() -> list[str]:
    """Packages that an environment with ipykernel, ipywidgets and anywidget does not have yet."""
    return sorted(_with_theirs("acp-notebook") - _with_theirs("ipywidgets") - _with_theirs("anywidget"))


def _with_theirs(name: str, seen: set[str] | None = None) -> set[str]:
    seen = set() if seen is None else seen
    name = re.sub(r"[-_.]+", "-", name).lower()
    if name in seen:
        return seen
    try:
        required = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return seen  # asked for elsewhere only, by a marker
    seen.add(name)
    for line in required:
        if "extra ==" not in line and not re.search(
            r"(python_version|sys_platform)\s*(<|== \"win32\")", line
        ):
            _with_theirs(re.split(r"[\[<>=!~; (]", line)[0], seen)
    return seen


def wheel() -> float:
    """Megabytes of the wheel, built from the tree as it is."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        env = {**os.environ, "ACP_NOTEBOOK_SKIP_JS": "1"}
        subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
        return next(Path(folder).glob("*.whl")).stat().st_size / 1e6


def first_chat() -> dict[str, float]:
    """Seconds until a chat of the demo agent is on the screen in JupyterLab, and until it has answered."""
    from page import lab

    found = {}
    with lab() as here:
        notebook = here.open("start", "from acp_notebook import Chat", "Chat()")
        found["cell with the import s"] = notebook.run(0)
        begin = time.perf_counter()
        notebook.start(1)
        notebook.page.wait_for_function("() => probe.find('.acp-box')")
        found["chat on the screen s"] = time.perf_counter() - begin
        box = notebook.output(1).locator(".acp-box")
        begin = time.perf_counter()
        box.fill("hello")
        box.press("Enter")
        notebook.page.wait_for_function("() => probe.find('.acp-turn .acp-message')?.textContent.length > 0")
        found["first words of the answer s"] = time.perf_counter() - begin
        here.close(notebook)
    return found


def measure(report: Report, options: Options) -> None:
    """Imports, sizes, packages, the first chat."""
    times = imports(options.pick(15, 3, 1))
    bare = times.pop("python alone")
    base = times["anywidget, pydantic"] - bare
    rows: list[dict[str, Any]] = [
        {"import": name, "ms": (took - bare) * 1e3, "ratio": (took - bare) / base if base > 0 else None}
        for name, took in times.items()
    ]
    report.table("Import, processor time over that of python alone", rows)
    report.at_most("import of Chat / anywidget, pydantic", rows[-2]["ratio"], 1.3, "×")
    size = wheel()
    weights = {
        str(file.relative_to(STATIC)): len(gzip.compress(file.read_bytes(), 6, mtime=0))
        for file in sorted(STATIC.rglob("*.js"))
    }
    files = [{"file": name, "gzip bytes": weight} for name, weight in weights.items()]
    report.table("Bundles; those in parts/ are loaded when they are needed", files)
    report.at_most("wheel", size, 1, "MB")
    report.at_most("first bundle, gzip", weights["widget.js"], 61_440, "bytes")
    names = direct()
    report.note(f"direct packages: {', '.join(names)}")
    report.note(f"packages added to ipywidgets and anywidget: {', '.join(added())}")
    report.at_most("direct packages", len(names), 6)
    if options.browser:
        seen = first_chat()
        report.table(
            "The first chat in JupyterLab", [{"what": key, "value": val} for key, val in seen.items()]
        )


if __name__ == "__main__":
    run(__doc__, "start", measure)
