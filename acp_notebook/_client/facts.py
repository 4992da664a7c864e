"""What a permission request is about, as far as rules look at it.

Agents say it in many places: the tool's name, the kind, locations, diffs, and a raw input whose keys differ
from agent to agent. The request and the call it belongs to are read together, the request first.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_notebook._client.commands import CommandLine, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acp_notebook._fold.state import Permission, ToolCall

PATH_KEYS = (
    "path",
    "file_path",
    "filePath",
    "filepath",
    "absolute_path",
    "abs_path",
    "file",
    "notebook_path",
    "target_file",
)
COMMAND_KEYS = ("command", "cmd", "commandLine", "script", "shell_command")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a request is about.

    Attributes
    ----------
    kinds
        Tool kinds by the request and the call; usually one.
    tool_names
        Names that the tool goes by: its name, else its kind, else its title.
    paths
        Every path that the request or the call names, absolute and with links resolved.
    named
        Those of them that links lead elsewhere, as they are named: absolute, without dots. What is stricter
        looks at both, what allows at `paths` only.
    command
        The command it would run; None if it names none.
    said
        Every text in the input of what would be run, under whatever key: some agents have their own.
    """

    kinds: tuple[str, ...]
    tool_names: tuple[str, ...]
    paths: tuple[Path, ...]
    command: CommandLine | None
    said: tuple[str, ...] = ()
    named: tuple[Path, ...] = ()


def facts(permission: Permission, call: ToolCall | None, cwd: Path) -> Facts:
    """Read what a request is about.

    Parameters
    ----------
    permission
        The request.
    call
        The tool call it belongs to, as known so far.
    cwd
        Relative paths are meant from here.
    """
    sources: list[Permission | ToolCall] = [permission] if call is None else [permission, call]
    kinds = tuple(dict.fromkeys(source.kind for source in sources if source.kind))
    names = [call.name if call is not None else None, *kinds]
    tool_names = tuple(dict.fromkeys(name for name in names if name))
    if not tool_names:
        tool_names = tuple(dict.fromkeys(source.title for source in sources if source.title))
    given = dict.fromkeys(path for source in sources for path in named_by(source))
    paths = dict.fromkeys(resolve(path, cwd) for path in given)
    named = dict.fromkeys(absolute(path, cwd) for path in given)
    command = _command(sources, kinds)
    runs = "execute" in kinds or command is not None
    said = tuple(text for source in sources for text in _texts(source.raw_input)) if runs else ()
    linked = tuple(path for path in named if path not in paths)
    return Facts(kinds, tool_names, tuple(paths), command, said, linked)


def _texts(value: Any, depth: int = 8) -> Iterator[str]:
    """All texts in a JSON value, keys too, down to some depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth > 0:
        for entry in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _texts(entry, depth - 1)


def resolve(path: str, cwd: Path) -> Path:
    """The real file that a path means, links and ``..`` resolved."""
    try:
        return Path(os.path.realpath(_anchored(path, cwd)))
    except ValueError:  # no name that a file can have
        return absolute(path, cwd)


def absolute(path: str, cwd: Path) -> Path:
    """A path as it is named, without dots; links stay."""
    return Path(os.path.normpath(_anchored(path, cwd)))


def _anchored(path: str, cwd: Path) -> Path:
    bare = Path(path.removeprefix("file://"))
    try:
        return cwd / bare.expanduser()
    except RuntimeError:  # the tilde names nobody
        return cwd / bare


def named_by(source: Permission | ToolCall) -> list[str]:
    """The paths that a request or call names, as the agent sent them."""
    found = [location.path for location in source.locations]
    found += [diff.path for diff in source.diffs]
    raw = source.raw_input
    if isinstance(raw, dict):
        found += [value for key in PATH_KEYS if isinstance(value := raw.get(key), str)]
        changes = raw.get("changes")
        if isinstance(changes, dict):
            found += [key for key in changes if isinstance(key, str)]
    return [path for path in found if path and "\0" not in path]


def _command(sources: list[Permission | ToolCall], kinds: tuple[str, ...]) -> CommandLine | None:
    found: dict[tuple[tuple[str, ...], bool], CommandLine] = {}
    for source in sources:
        raw = source.raw_input
        if isinstance(raw, dict):
            for key in COMMAND_KEYS:
                value = raw.get(key)
                if value is not None and _is_command(value):
                    line = _with_arguments(value, raw)
                    found.setdefault((line.words, line.simple), line)
    lines = list(found.values())
    if len(lines) == 1:
        return lines[0]
    if lines:
        # Which of them is run is not known, so all of them can be refused and none allowed.
        return CommandLine(lines[0].words, simple=False, text="\n;".join(line.text for line in lines))
    if "execute" in kinds:
        title = next((source.title for source in sources if source.title), None)
        # A title is for people: it may leave out what matters, so it can refuse but never allow.
        if title is not None:
            return CommandLine(tuple(title.strip("` ").split()), simple=False, text=title)
    return None


def _is_command(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)


def _with_arguments(command: str | list[str], raw: dict[str, Any]) -> CommandLine:
    arguments = raw.get("args")
    if (
        isinstance(command, str)
        and isinstance(arguments, list)
        and all(isinstance(a, str) for a in arguments)
    ):
        return parse([command, *arguments])
    return parse(command)
