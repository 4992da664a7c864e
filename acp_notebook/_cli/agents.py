"""The command `agents`: which agents are on this machine, and how to get the others."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_notebook._agent.presets import Preset
    from acp_notebook._agent.registry import Entry


def add_agents(commands: Any) -> None:
    """Add the command that lists agents."""
    parser = commands.add_parser(
        "agents",
        help="the agents that go by a short name: which are here, how to get the others",
        description="List the agents that go by a short name in Chat(...). Nothing is started or downloaded.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--registry",
        metavar="PATH_OR_URL",
        help="list the agents of this file in the form of the public ACP registry instead; an address is "
        "fetched",
    )
    parser.set_defaults(run=_agents)


def _agents(arguments: argparse.Namespace) -> int:
    if arguments.registry is not None:
        return _registry(arguments.registry, as_json=arguments.json)
    from acp_notebook._agent.presets import presets

    rows = [about(preset) for preset in presets().values()]
    if arguments.json:
        _print(*(json.dumps(row) for row in rows))
        return 0
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        how = row["found"] or f"not here; {row['install']}"
        _print(f"{row['name']:<{width}}  {row['title']:<14}  {how}")
    _print(
        "", 'In a notebook: Chat("NAME"), with the name in the first column, or any command that speaks ACP.'
    )
    return 0


def about(preset: Preset) -> dict[str, Any]:
    """What there is to say about a preset on this machine.

    Returns
    -------
    dict
        ``name``, ``title``, ``found`` (its program's path and arguments, or None), ``install``, ``home`` and
        ``download`` (the package that npx or uvx could fetch, or None).
    """
    from acp_notebook._agent.command import program

    here, there = preset.found, preset.download
    found = None
    if here is not None:
        found = " ".join((short(program(here.command[0]) or here.command[0]), *here.command[1:]))
    return {
        "name": preset.name,
        "title": preset.title,
        "found": found,
        "install": _sentence(preset.install),
        "home": preset.home,
        "download": None if there is None else there.package,
    }


def short(path: str) -> str:
    """The path with ``~`` for the home folder, whose name is nobody's business."""
    home = str(Path.home())
    return "~" + path[len(home) :] if path == home or path.startswith(home + os.sep) else path


def _sentence(install: str) -> str:
    return install if install.startswith(("see ", "comes ")) else f"to get it: {install}"


def _registry(source: str, *, as_json: bool) -> int:
    from acp_notebook._agent import registry
    from acp_notebook._render.visible import visible

    try:
        entries = registry.read(source)
    except (ValueError, OSError) as error:
        print(f"acp-notebook agents: {error}", file=sys.stderr)  # noqa: T201 - where a person looks
        return 1
    for entry in entries.values():
        ways = ", ".join(_ways(entry))
        if as_json:
            _print(json.dumps({"id": entry.id, "name": entry.name, "version": entry.version, "ways": ways}))
        else:
            name, version, title = (visible(text) for text in (entry.id, entry.version, entry.name))
            _print(f"{name:<24}  {version:<10}  {title} ({ways})")
    if not as_json:
        _print("", f"In a notebook: Chat(Agent.from_registry({source!r}, ID, download=True))")
    return 0


def _ways(entry: Entry) -> list[str]:
    return sorted(way for way in entry.distribution if way in ("npx", "uvx", "binary"))


def _print(*lines: str) -> None:
    for line in lines:
        print(line)  # noqa: T201 - the command's output
