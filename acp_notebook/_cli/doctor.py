"""The command `doctor`: one page about this installation that can be pasted into a report.

It names variables, never their values, and writes ``~`` for the home folder.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from acp_notebook._cli.agents import about, short
from acp_notebook._cli.versions import installed, versions

PACKAGES = (
    "acp-notebook",
    "anywidget",
    "ipywidgets",
    "traitlets",
    "pydantic",
    "markdown-it-py",
    "platformdirs",
)
"""What this package cannot do without."""

FRONT_ENDS = (
    "jupyterlab",
    "notebook",
    "jupyterlab-widgets",
    "voila",
    "marimo",
    "ipykernel",
    "nbclient",
    "nbformat",
    "rapidfuzz",
    "nest-asyncio",
    "websockets",
)
"""What may be there beside it."""

PATIENCE = 30.0
"""Seconds that a kernel's Python has to say what it holds."""

LEAST_WIDGETS = (8, 1)

_ASK = (
    "import importlib.metadata as m, json, sys\n"
    "def v(n):\n"
    "    try: return m.version(n)\n"
    "    except m.PackageNotFoundError: return None\n"
    "print(json.dumps([sys.version.split()[0], {n: v(n) for n in sys.argv[1:]}]))"
)


@dataclass
class Page:
    """The page that is being written, and what is wrong so far."""

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def head(self, title: str) -> None:
        """Begin a part."""
        self.lines += ["", f"## {title}", ""]

    def say(self, text: str) -> None:
        """Write a line."""
        self.lines.append(f"- {text}")

    def wrong(self, text: str) -> None:
        """Write a line about something that has to be done."""
        self.problems.append(text)
        self.lines.append(f"- **!** {text}")


def add_doctor(commands: Any) -> None:
    """Add the command that checks this installation."""
    parser = commands.add_parser(
        "doctor",
        help="check kernel, widget manager, versions and agents: one page to paste into a report",
        description="Check this installation and print one page in Markdown. It holds names of variables, "
        "never their values. Exit code 1 if something has to be done.",
    )
    parser.set_defaults(run=_doctor)


def _doctor(_arguments: argparse.Namespace) -> int:
    from acp_notebook._fold.redact import Redactor, secrets_in

    page = examine()
    # Nothing here reads a value on purpose; an error's own words might hold one.
    clean, _ = Redactor(secrets_in(os.environ)).redact({"page": "\n".join(page.lines)})
    print(clean["page"])  # noqa: T201 - the command's output
    return 1 if page.problems else 0


def examine() -> Page:
    """Look at everything and write the page."""
    page = Page([f"# acp-notebook {installed('acp-notebook') or '(not installed)'}"])
    for part in (_machine, _packages, _widget_manager, _kernels, _agents, _variables, _places):
        try:
            part(page)
        except Exception as error:  # noqa: BLE001 - one part that fails must not hide the others
            page.wrong(f"{part.__name__[1:]} could not be looked at: {type(error).__name__}: {error}")
    page.head("Result")
    if page.problems:
        for problem in page.problems:
            page.say(problem)
    else:
        page.say("Nothing has to be done.")
    return page


def _machine(page: Page) -> None:
    page.head("Machine")
    page.say(f"{platform.system()} {platform.release()}, {platform.machine()}")
    page.say(f"Python {platform.python_version()} at {short(sys.executable)}")


def _packages(page: Page) -> None:
    page.head("Packages")
    for name in PACKAGES:
        version = installed(name)
        if version is None:
            page.wrong(f"{name} is not installed: pip install {name}")
        else:
            page.say(f"{name} {version}")
    for name in FRONT_ENDS:
        page.say(f"{name} {installed(name) or '(not here)'}")
    bundle = resources.files("acp_notebook") / "static" / "widget.js"
    if bundle.is_file():
        page.say(f"widget.js {len(bundle.read_bytes())} bytes")
    else:
        page.wrong(
            "The widget's front end was not built: install from a wheel, or run `make js` in a checkout."
        )


def _widget_manager(page: Page) -> None:
    """Whether the front end beside this Python can show widgets at all."""
    page.head("Widget manager")
    version = installed("ipywidgets")
    if version is not None and _numbers(version) < LEAST_WIDGETS:
        page.wrong(f"ipywidgets {version} is too old: pip install -U ipywidgets")
    if installed("jupyterlab") is None and installed("notebook") is None:
        page.say("No JupyterLab beside this Python; the one that is used must have jupyterlab-widgets.")
        return
    folders = [Path(root) / "labextensions" for root in _jupyter_path()]
    extension = "@jupyter-widgets/jupyterlab-manager"
    found = next((folder / extension for folder in folders if (folder / extension).is_dir()), None)
    if found is None:
        page.wrong(f"JupyterLab has no {extension}: pip install jupyterlab-widgets, then reload the page.")
        return
    about_it = json.loads((found / "package.json").read_text(encoding="utf-8"))
    page.say(f"{extension} {about_it.get('version')} in {short(str(found.parents[1]))}")


def _kernels(page: Page) -> None:
    page.head("Kernels")
    specs = _kernel_specs()
    if not specs:
        page.say("No kernels are known to this Python.")
    for name, spec in specs.items():
        argv = spec.get("argv") or [""]
        if spec.get("language") != "python":
            page.say(f"{name}: {spec.get('display_name')} (not Python)")
            continue
        _kernel(page, name, str(argv[0]))


def _kernel(page: Page, name: str, python: str) -> None:
    """What one kernel's own Python holds: it is that one in which the package must be."""
    wanted = ("ipykernel", "ipywidgets", "anywidget", "acp-notebook")
    python = sys.executable if python in ("python", "python3") else python
    try:
        run = subprocess.run(
            [python, "-c", _ASK, *wanted], capture_output=True, text=True, timeout=PATIENCE, check=True
        )
        version, holds = json.loads(run.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        page.wrong(f"Kernel {name}: {short(python)} cannot be asked ({type(error).__name__}).")
        return
    page.say(
        f"{name}: Python {version} at {short(python)}, " + ", ".join(f"{k} {v}" for k, v in holds.items())
    )
    missing = [package for package in wanted if holds.get(package) is None]
    if "acp-notebook" in missing:
        page.say(f"{name} is without acp-notebook: `Chat` cannot be imported there.")
    elif missing:
        page.wrong(
            f"Kernel {name} lacks {', '.join(missing)}: {short(python)} -m pip install {' '.join(missing)}"
        )
    if _numbers(holds.get("ipykernel") or "")[:2] == (7, 0):
        page.wrong(
            f"Kernel {name} has ipykernel 7.0, which cannot send from a thread: pip install -U ipykernel"
        )


def _agents(page: Page) -> None:
    from acp_notebook._agent.command import program
    from acp_notebook._agent.presets import DEMO, presets

    page.head("Agents")
    rows = [about(preset) for preset in presets().values()]
    found = {name: preset.found for name, preset in presets().items() if name != DEMO}
    told = versions({name: program(way.command[0]) or "" for name, way in found.items() if way is not None})
    for row in rows:
        if row["found"]:
            version = installed("acp-notebook") if row["name"] == DEMO else told.get(row["name"])
            page.say(f"{row['name']} {version or '(tells no version)'}: {row['found']}")
    page.say("not here: " + (", ".join(row["name"] for row in rows if not row["found"]) or "none"))
    page.say(
        "runners: " + ", ".join(f"{n} {'here' if program(n) else 'not here'}" for n in ("node", "npx", "uvx"))
    )


def _variables(page: Page) -> None:
    """Names only: the values of most of these are keys."""
    from acp_notebook._agent.presets import presets

    page.head("Variables that agents read")
    names = sorted({name for preset in presets().values() for name in preset.env})
    page.say("set: " + (", ".join(name for name in names if os.environ.get(name)) or "none"))
    page.say("not set: " + ", ".join(name for name in names if not os.environ.get(name)))


def _places(page: Page) -> None:
    from acp_notebook._chat.store import transcripts_folder

    page.head("Places")
    folder = transcripts_folder()
    page.say(f"transcripts in {short(str(folder))}")
    nearest = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if not os.access(nearest, os.W_OK):
        page.wrong(
            f"Transcripts cannot be written: {short(str(nearest))} is read-only. Use Chat(record=False)."
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3] if part.isdigit())


def _jupyter_path() -> list[str]:
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:
        return [str(Path(sys.prefix) / "share" / "jupyter")]
    return [str(path) for path in jupyter_path()]


def _kernel_specs() -> dict[str, dict[str, Any]]:
    try:
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        return {}
    found = KernelSpecManager().get_all_specs()
    return {name: entry["spec"] for name, entry in found.items()}
