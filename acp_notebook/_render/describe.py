"""What of a tool call matters to a person: its title, command, file or query, output."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from acp_notebook._render.visible import relative

if TYPE_CHECKING:
    from acp_notebook._fold.state import Terminal, ToolCall

_COMMAND_KEYS = ("command", "cmd", "script", "shell_command")
_PATH_KEYS = (
    "path",
    "file_path",
    "filePath",
    "filepath",
    "abs_path",
    "notebook_path",
    "directory",
    "dir",
)
_QUERY_KEYS = ("pattern", "query", "regex", "glob", "search", "q", "url", "uri", "href")
_OUTPUT_KEYS = ("formatted_output", "aggregated_output", "output", "stdout", "text", "error", "message")
_SHELL_RE = re.compile(r"(?:.*/)?(?:ba|z|da|k)?sh\Z")
_FENCE_RE = re.compile(r"\s*(`{3,})[^\n`]*\n(.*?)\n?\1\s*\Z", re.DOTALL)


def title_of(call: ToolCall, cwd: str | None) -> str:
    """Return the call's title, paths in the chat's folder written relative to it."""
    return short_title(call.title or call.name or call.kind or "Tool call", cwd)


def short_title(title: str, cwd: str | None) -> str:
    """Return a title with paths in the chat's folder written relative to it."""
    folder = (cwd or "").rstrip("/")
    return (title.replace(folder + "/", "") or title) if len(folder) > 1 else title


def kind_of(call: ToolCall) -> str:
    """Return what kind of thing a call does, if its title does not say it: ``"read"``, ``"switch mode"``."""
    kind = (call.kind or "").replace("_", " ")
    said = (call.title or call.name or kind).lower()
    return "" if kind == "other" or kind.split(" ")[0].lower() in said else kind


def command_of(call: ToolCall, terminals: Mapping[str, Terminal]) -> str | None:
    """Return the command line a call runs, as one text; None if it runs none or does not say."""
    said = _first_text(call.raw_input, _COMMAND_KEYS)
    if said is not None:
        return said
    for key in call.terminals:
        terminal = terminals.get(key)
        if terminal is not None and terminal.command:
            return shlex.join((terminal.command, *terminal.args)) if terminal.args else terminal.command
    return None


def where_of(call: ToolCall, cwd: str | None) -> str:
    """Return the query, address or files of a call; empty if its title already says it."""
    title = title_of(call, cwd)
    query = _first_text(call.raw_input, _QUERY_KEYS)
    if query is not None:
        return "" if query in title else query
    places = [(place.path, place.line) for place in call.locations]
    if not places and not call.diffs:
        said = _first_text(call.raw_input, _PATH_KEYS)
        places = [(said, None)] if said is not None else []
    diffed = {diff.path for diff in call.diffs}
    words: dict[str, None] = {}
    for path, line in places:
        short = relative(path, cwd)
        if path not in diffed and short not in title:
            words[f"{short}:{line}" if line is not None else short] = None
    shown = list(words)[:5]
    return ", ".join(shown) + (f" and {len(words) - 5} more" if len(words) > 5 else "")


def raw_output_text(raw: Any) -> str:
    """Return what a call gave back apart from its content: text where there is text, else the JSON."""
    if raw is None or isinstance(raw, str):
        return raw or ""
    if isinstance(raw, dict):
        for key in _OUTPUT_KEYS:
            value = raw.get(key)
            if isinstance(value, str) and value:
                return value
    return pretty(raw) if raw not in ({}, []) else ""


def pretty(value: Any) -> str:
    """Return JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def says_more(raw: Any) -> bool:
    """Whether a tool's input holds more than the file, query or address that its line names already."""
    if isinstance(raw, dict):
        return any(key not in {*_PATH_KEYS, *_QUERY_KEYS} for key in raw)
    return raw not in (None, "", [])


def unfence(text: str) -> str:
    """Return text that was wrapped whole into one fence without it; other text as it is."""
    found = _FENCE_RE.match(text)
    return found[2] if found is not None and found[1] not in found[2] else text


def _first_text(raw: Any, keys: Iterable[str]) -> str | None:
    if not isinstance(raw, dict):
        return None
    for key in keys:
        value = raw.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            return _joined(value)
    return None


def _joined(words: list[str]) -> str:
    """Return an argument list as one line; ``["bash", "-lc", "make"]`` reads as ``make``."""
    if len(words) == 3 and words[1] in {"-c", "-lc"} and _SHELL_RE.match(words[0]):
        return words[2]
    return shlex.join(words)
