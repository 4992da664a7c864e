"""What it costs to have the package: import time, sizes, packages added.

Run ``python benchmarks/start.py``. Promised: importing and making a chat at most 1.3 times
``import anywidget, pydantic``; the first bundle at most 60 KB gzip; at most 6 direct packages beside
ipywidgets and anywidget.
"""

from __future__ import annotations

import gzip
import json
import re
import statistics
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WAYS = {
    "python alone": "pass",
    "anywidget, pydantic": "import anywidget, pydantic",
    "acp_notebook": "import acp_notebook",
    "Chat": "from acp_notebook import Chat",
    "Chat and its widget": "from acp_notebook import Chat; import acp_notebook._chat.view",
}


def measure(runs: int) -> dict[str, float]:
    """The median seconds of whole processes; the ways take turns, so that a busy moment hits all alike."""
    took: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(runs):
        for name, code in WAYS.items():
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            took[name].append(time.perf_counter() - begin)
    return {name: statistics.median(seconds) for name, seconds in took.items()}


def direct() -> list[str]:
    """Direct packages beside ipywidgets and anywidget."""
    required = metadata.requires("acp-notebook") or []
    names = [re.split(r"[<>=; ]", line)[0] for line in required if "extra ==" not in line]
    return sorted(set(names) - {"ipywidgets", "anywidget"})


def main() -> None:
    """Print a table and JSON."""
    runs = 3 if "--quick" in sys.argv else 11
    times = measure(runs)
    bare = times.pop("python alone")
    base = times["anywidget, pydantic"] - bare
    static = ROOT / "acp_notebook" / "static"
    sizes = {
        str(file.relative_to(static)): len(gzip.compress(file.read_bytes()))
        for file in sorted(static.rglob("*.js"))
    }
    result = {
        "import ms": {name: round((took - bare) * 1000) for name, took in times.items()},
        "ratio": {name: round((took - bare) / base, 2) for name, took in times.items()},
        "gzip bytes": sizes,
        "direct packages": direct(),
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
