"""What all benchmarks share: their arguments, their tables, the figures that have a bound, and one JSON.

A benchmark is a module with ``measure(report, options)``; ``run(__doc__, name, measure)`` at its end makes
it a command with ``--quick`` (a tenth), ``--smoke`` (the smallest form, for crashes only) and ``--json
PATH``. Whether a bound holds is told, never an error: machines differ, only a crash ends with another code
than 0.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import signal
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / ".cache" / "bench"
"""Where peers are installed, each in an environment of its own."""
PACKAGES = ("jupyterlab", "ipykernel", "anywidget", "pydantic", "agent-client-protocol", "rapidfuzz")


@dataclass(frozen=True)
class Options:
    """How much is measured: everything, a tenth of it (`quick`), or as little as there is (`smoke`)."""

    quick: bool = False
    smoke: bool = False
    browser: bool = True
    only: str | None = None
    profile: Path | None = None

    def pick(self, full: Any, quick: Any, smoke: Any) -> Any:
        """Give the value for this size."""
        return smoke if self.smoke else quick if self.quick else full


@dataclass
class Report:
    """What one benchmark found: tables for reading, figures with their bounds, everything as JSON."""

    name: str
    figures: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def table(self, title: str, rows: list[dict[str, Any]]) -> None:
        """Print rows, and keep them."""
        self.tables[title] = rows
        print(f"\n{title}\n{format_table(rows)}", flush=True)

    def at_most(self, what: str, value: float | None, bound: float, unit: str = "") -> None:
        """Keep a figure that may not be greater than its bound."""
        holds = None if value is None else value <= bound
        self._figure(what, value, f"≤ {bound:g} {unit}".strip(), holds)

    def at_least(self, what: str, value: float | None, bound: float, unit: str = "") -> None:
        """Keep a figure that may not be less than its bound."""
        holds = None if value is None else value >= bound
        self._figure(what, value, f"≥ {bound:g} {unit}".strip(), holds)

    def holds(self, what: str, value: Any, bound: str, holds: bool) -> None:
        """Keep a figure whose bound is said in words."""
        self._figure(what, value, bound, holds)

    def _figure(self, what: str, value: Any, bound: str, holds: bool | None) -> None:
        shown = value if value is None or isinstance(value, str) else round(value, 3)
        self.figures.append(
            {"benchmark": self.name, "figure": what, "value": shown, "bound": bound, "holds": holds}
        )

    def note(self, text: str) -> None:
        """Say something that no figure says."""
        self.notes.append(text)
        print(text, flush=True)

    def to_json(self) -> dict[str, Any]:
        """Everything, with what it ran on."""
        return {
            "benchmark": self.name,
            "figures": self.figures,
            "tables": self.tables,
            "notes": self.notes,
            "machine": machine(),
        }


def run(doc: str | None, name: str, measure: Callable[[Report, Options], None]) -> None:
    """Be the command of a benchmark."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--smoke", action="store_true", help="the smallest form: does it run at all?")
    parser.add_argument("--kernel", action="store_true", help="leave the browser out")
    parser.add_argument("--only", help="only what has this in its name")
    parser.add_argument("--json", type=Path, help="write everything there")
    parser.add_argument("--profile", type=Path, help="a folder for profiles, where the benchmark makes some")
    given = parser.parse_args()
    # Whoever is ended from outside ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    report = Report(name)
    measure(report, Options(given.quick, given.smoke, not given.kernel, given.only, given.profile))
    print("\n" + format_table(shown(report.figures)))
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(report.to_json(), indent=1) + "\n")


def shown(figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Figures as rows of a table."""
    words = {True: "yes", False: "NO", None: "not measured"}
    return [{**each, "holds": words[each["holds"]]} for each in figures]


def format_table(rows: Sequence[dict[str, Any]]) -> str:
    """Rows of equal keys as a Markdown table with even columns."""
    if not rows:
        return "(nothing)"
    names = list(dict.fromkeys(key for row in rows for key in row))
    cells = [names, *([_cell(row.get(name)) for name in names] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(names))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    return "\n".join([lines[0], "| " + " | ".join("-" * width for width in widths) + " |", *lines[1:]])


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load": [round(value, 2) for value in os.getloadavg()],
        "packages": found,
    }


# ------------------------------------------------------------------------------------------------ measuring


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> tuple[float, Any]:
    """Seconds, and what came out."""
    before = clock()
    result = work()
    return clock() - before, result


def best(work: Callable[[], Any], runs: int = 3) -> float:
    """Seconds of the best of some runs: the machine is rarely ours alone."""
    return min(timed(work)[0] for _ in range(runs))


def percentile(values: Sequence[float], part: float) -> float | None:
    """The value below which this part of all lies; None if there is none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else None


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and greatest of some values."""
    return {"median": round(statistics.median(values), 1), "max": round(max(values), 1)}


def resident(pid: int | None = None) -> float:
    """Megabytes of memory that a process has now."""
    import psutil

    return float(psutil.Process(pid).memory_info().rss) / 1e6


def line(update: dict[str, Any], session: str = "bench") -> dict[str, Any]:
    """A session update on the wire."""
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}


def ratio(value: float | None, base: float | None) -> float | None:
    """How many times `base`; None if one of them was not measured."""
    return None if value is None or not base else value / base


sys.path.insert(0, str(ROOT))
