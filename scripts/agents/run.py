"""Runs real agents against the scripted model through `Chat`, and prints what each can.

``make agents AGENTS="pyd opencode"`` installs them by package name into ``.cache/agents`` and comes here. The
result is compared with ``expected.toml``; exit code 1 if any cell is not as written there.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from scripts.agents import install
from scripts.agents.bench import Bench
from scripts.agents.model import Model
from scripts.agents.scenarios import SCENARIOS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "agents"
PAGE = ROOT / "docs" / "agents.md"
NOTES = ("cannot", "line", "why")


def main(words: Sequence[str] | None = None) -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    agents = tomllib.loads((HERE / "agents.toml").read_text(encoding="utf-8"))
    parser.add_argument("agents", nargs="*", default=list(agents), help=f"some of {', '.join(agents)}")
    parser.add_argument("--only", nargs="*", choices=list(SCENARIOS), help="these scenarios")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keep projects and wire logs there")
    parser.add_argument("--results", metavar="FILE", type=Path, default=CACHE / "results.json")
    parser.add_argument("--page", action="store_true", help="write docs/agents.md from all results so far")
    asked = parser.parse_args(words)
    expected = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))
    results = json.loads(asked.results.read_text(encoding="utf-8")) if asked.results.exists() else {}
    good = True
    for name in asked.agents:
        install.install(CACHE, name, agents[name])
        result = results.setdefault(name, {"cells": {}})
        result["title"] = agents[name]["title"]
        result["version"] = install.version_of(CACHE, name, agents[name])
        result["date"] = dt.datetime.now(dt.timezone.utc).date().isoformat()
        for scenario in asked.only or SCENARIOS:
            cell = run(name, agents[name], scenario, expected, asked.keep)
            result["cells"][scenario] = cell
            good &= cell["ok"]
            print(f"{name:<10} {scenario:<12} {cell['seconds']:6.1f} s  {said(cell)}", flush=True)
            asked.results.parent.mkdir(parents=True, exist_ok=True)
            asked.results.write_text(json.dumps(results, indent=1), encoding="utf-8")
    print()
    print("\n".join(table({name: results[name] for name in asked.agents})))
    if asked.page:
        PAGE.write_text(page(results, expected), encoding="utf-8")
    return 0 if good else 1


def run(
    name: str, spec: Mapping[str, Any], scenario: str, expected: Mapping[str, Any], keep: Path | None
) -> dict[str, Any]:
    """One cell: the facts, and whether they are those expected."""
    folder = Path(tempfile.mkdtemp(prefix=f"acp-{name}-")) if keep is None else keep / f"{name}-{scenario}"
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with Model() as model:
        bench = Bench(name, spec, CACHE, folder, model)
        try:
            facts = SCENARIOS[scenario](bench)
        except Exception as error:  # noqa: BLE001 - a cell that breaks is a cell that fails
            facts = {"broke": f"{type(error).__name__}: {error}"}
            if keep is not None:
                (folder / "broke.txt").write_text(traceback.format_exc(), encoding="utf-8")
    if keep is None:
        bench.remove()
    return {
        "facts": facts,
        "seconds": round(time.monotonic() - begin, 1),
        **judged(name, scenario, facts, expected),
    }


def judged(name: str, scenario: str, facts: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """Whether facts are those expected, what differs, and whether the cell is a known limit of the agent."""
    wanted = {**expected["default"][scenario], **expected.get(name, {}).get(scenario, {})}
    notes = {key: wanted.pop(key) for key in NOTES if key in wanted}
    if "way" in wanted and wanted["way"] not in ("load", "resume"):
        wanted = {"way": wanted["way"]}
    wrong = {k: [wanted.get(k), facts.get(k)] for k in {*wanted, *facts} if wanted.get(k) != facts.get(k)}
    return {"ok": not wrong, "cannot": "cannot" in notes, "wrong": wrong}


def said(cell: Mapping[str, Any]) -> str:
    """A cell in words."""
    if cell["ok"]:
        return "cannot, as expected" if cell["cannot"] else "ok"
    return "WRONG " + "; ".join(
        f"{k}: expected {a!r}, got {b!r}" for k, (a, b) in sorted(cell["wrong"].items())
    )


def mark(cell: Mapping[str, Any] | None) -> str:
    """A cell in a table."""
    if cell is None:
        return ""
    return "**fails**" if not cell["ok"] else "cannot" if cell["cannot"] else "yes"


def table(results: Mapping[str, Any]) -> list[str]:
    """The matrix in Markdown: agents across, scenarios down."""
    rows = [["", *(f"{r['title']} {r['version']}" for r in results.values())]]
    rows += [[name, *(mark(r["cells"].get(name)) for r in results.values())] for name in SCENARIOS]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "| " + " | ".join("-" * w for w in widths) + " |")
    return lines


def page(results: Mapping[str, Any], expected: Mapping[str, Any]) -> str:
    """The page of the last run, for the documentation."""
    dates = sorted({result["date"] for result in results.values()})
    lines = [
        "# Agents",
        "",
        "Real agents, installed by package name and driven through `Chat` against a scripted model on the",
        f"same machine ({platform.system()}, Python {platform.python_version()}). `make agents` writes this",
        f"page; last run: {' to '.join(dict.fromkeys([dates[0], dates[-1]]))}.",
        "",
        *table(results),
        "",
        '"cannot" is an agent\'s own limit, shown on the wire and checked as well: a cell fails when its',
        "facts differ from those in `scripts/agents/expected.toml` in either direction. A cell looks at the",
        "folded state, at what crossed the wire (the option that was chosen, `cancelled`), and at the files",
        "on disk.",
        "",
        "## What the scenarios do",
        "",
        *(f"- **{name}**: {(function.__doc__ or '').strip()}" for name, function in SCENARIOS.items()),
        "",
        "## Where agents differ",
        "",
    ]
    for name, result in results.items():
        own = expected.get(name, {})
        if own:
            lines += [f"### {result['title']}", ""]
            lines += [f"- {cell}: {_difference(facts)}" for cell, facts in own.items()]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _difference(facts: Mapping[str, Any]) -> str:
    changed = ", ".join(f"{key} {_words(value)}" for key, value in facts.items() if key not in NOTES)
    notes = [str(facts[note]).replace("`", "'") for note in NOTES if note in facts]
    return " — ".join(part for part in (changed, *(f"`{note}`" for note in notes)) if part)


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    sys.exit(main())
