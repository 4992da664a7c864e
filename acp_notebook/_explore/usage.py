"""Which tools took how long, and which files were touched how often: what the explorer plots."""

from __future__ import annotations

from dataclasses import dataclass

from acp_notebook._fold.blocks import relative_path
from acp_notebook._fold.calls import ToolCall
from acp_notebook._fold.items import ToolCallItem
from acp_notebook._fold.rows import waited
from acp_notebook._fold.state import Turn

from .entries import changed_by, one_line, paths_of

_NAME = 60


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool: `working` and `waiting` (for a person) are seconds of its calls that ended."""

    name: str
    calls: int
    failed: int
    working: float
    waiting: float


@dataclass(frozen=True, slots=True)
class FileUse:
    """One file: how many calls name it, and how many of those change something."""

    path: str
    calls: int
    edits: int


class Use:
    """Counts turn by turn.

    Parameters
    ----------
    cwd : str
        The session's folder: a file goes by its path in there.
    """

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._tools: dict[str, ToolUse] = {}
        self._files: dict[str, FileUse] = {}

    def count(self, turn: Turn) -> None:
        """Count the calls of a turn."""
        for item in (*turn.items, *turn.after):
            if isinstance(item, ToolCallItem):
                self._tool(item, timed=not turn.replayed)
                self._paths(item.call)

    def _tool(self, item: ToolCallItem, *, timed: bool) -> None:
        name = one_line(item.call.tool_name, _NAME)
        old = self._tools.get(name, ToolUse(name, 0, 0, 0.0, 0.0))
        # What is replayed took its time in another record.
        took = item.ended - item.started if timed and item.ended is not None else 0.0
        wait = min(waited(item.call.permissions) or 0.0, took)
        self._tools[name] = ToolUse(
            name,
            old.calls + 1,
            old.failed + (item.call.state == "output-error"),
            old.working + took - wait,
            old.waiting + wait,
        )

    def _paths(self, call: ToolCall) -> None:
        changes = bool(changed_by(call))
        for path in dict.fromkeys(relative_path(one, self._cwd) for one in paths_of(call)):
            old = self._files.get(path, FileUse(path, 0, 0))
            self._files[path] = FileUse(path, old.calls + 1, old.edits + changes)

    def tools(self) -> tuple[ToolUse, ...]:
        """All tools, those that took longest first."""
        return tuple(sorted(self._tools.values(), key=lambda t: (-t.working - t.waiting, -t.calls, t.name)))

    def files(self) -> tuple[FileUse, ...]:
        """All files, the most touched first."""
        return tuple(sorted(self._files.values(), key=lambda one: (-one.calls, one.path)))
