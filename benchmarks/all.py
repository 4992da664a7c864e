"""Every benchmark, one after the other, and one table over all of them.

Run ``python benchmarks/all.py`` (``--quick``: a tenth, ``--smoke``: the smallest form, names: only those).
Each runs as a process of its own; everything goes to ``build/bench.json``. A bound that does not hold is
said in the table; the exit code tells only whether something crashed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from report import ROOT, format_table, machine, shown

import docs

NAMES = ("fold", "session", "start", "diff", "terminal", "peers", "explorer", "stream")
"""In the order of their running: what needs a quiet machine most comes last, when nothing is cold."""
HERE = Path(__file__).resolve().parent
LONGEST = 600
"""Seconds after which one is ended; the others still run."""


def run(name: str, flags: list[str], folder: Path) -> tuple[dict[str, Any] | None, str]:
    """Run one; give its JSON, or None and what went wrong."""
    out = folder / f"{name}.json"
    out.unlink(missing_ok=True)
    command = [sys.executable, str(HERE / f"{name}.py"), *flags, "--json", str(out)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            code = process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            process.terminate()  # it ends its server and its browser
            process.wait()
            return None, f"ended after {LONGEST} s"
        except BaseException:
            process.terminate()
            raise
    return (json.loads(out.read_text()), "") if code == 0 and out.exists() else (None, f"exit code {code}")


def main() -> None:
    """Run them, print the table, write the JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--kernel", action="store_true", help="leave the browser out")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "bench.json")
    parser.add_argument("--keep", action="store_true", help="of those not named, keep the last results")
    parser.add_argument("--page", type=Path, help="write a page about this run there")
    given = parser.parse_args()
    flags = [f"--{name}" for name in ("quick", "smoke", "kernel") if getattr(given, name)]
    folder = given.json.parent / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    before, begin = machine(), time.monotonic()
    found: dict[str, Any] = {}
    crashed: list[str] = []
    names = given.names or NAMES
    for name in names:
        print(f"\n=== {name}", flush=True)
        started = time.monotonic()
        result, why = run(name, flags, folder)
        if result is None:
            crashed.append(f"{name}: {why}")
        else:
            found[name] = {**result, "seconds": round(time.monotonic() - started, 1)}
    kept = [name for name in NAMES if given.keep and name not in names and (folder / f"{name}.json").exists()]
    found |= {name: json.loads((folder / f"{name}.json").read_text()) for name in kept}
    found = dict(sorted(found.items(), key=lambda one: NAMES.index(one[0]) if one[0] in NAMES else -1))
    figures = [figure for result in found.values() for figure in result["figures"]]
    seconds = round(time.monotonic() - begin)
    whole: dict[str, Any] = {"machine": before, "flags": flags, "seconds": seconds, "crashed": crashed}
    whole |= {"figures": figures, "benchmarks": found, "kept": kept}
    given.json.write_text(json.dumps(whole, indent=1) + "\n")
    if given.page:
        docs.write(whole, given.page)
    print(
        f"\n=== all, in {seconds} s ({json.dumps(before)})\n\n{format_table(shown(figures))}\n\n{given.json}"
    )
    if crashed:
        raise SystemExit("crashed: " + "; ".join(crashed))


if __name__ == "__main__":
    main()
