"""The diffs of a chat's tool calls as the agent sent them.

The state holds them after secrets were taken out; what is written to files must be the agent's own text.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acp_notebook._client.edits import Edit
from acp_notebook._fold.blocks import same_file

if TYPE_CHECKING:
    from acp_notebook._fold.state import Permission, ToolCall

#: Characters of the diffs that are kept, of calls and of requests: the oldest go first.
KEPT = 50_000_000


class KnownEdits:
    """Remembers the newest diffs of each tool call and of each permission request."""

    def __init__(self) -> None:
        self._calls: OrderedDict[tuple[int, str], tuple[Edit, ...]] = OrderedDict()
        self._asked: OrderedDict[str, tuple[Edit, ...]] = OrderedDict()
        self._wrote: OrderedDict[tuple[int, str], tuple[Edit, ...]] = OrderedDict()
        self._deleting: set[tuple[int, str]] = set()

    def heard(self, turn: int, update: dict[str, Any]) -> None:
        """Note what an update of a tool call says; it belongs to the turn with that index."""
        call_id = update.get("toolCallId")
        if not isinstance(call_id, str):
            return
        key = turn, call_id
        if update.get("kind") == "delete":
            self._deleting.add(key)
        edits = _edits(update.get("content"), deletes=key in self._deleting)
        if edits:
            self._calls[key] = edits
            _bound(self._calls)

    def asked(self, turn: int, permission: Permission, params: dict[str, Any]) -> tuple[Edit, ...]:
        """Note what a request asks for: its own diffs, else those of its call."""
        said = params.get("toolCall")
        call = said if isinstance(said, dict) else {}
        key = turn, str(permission.tool_call_id)
        if call.get("kind") == "delete":
            self._deleting.add(key)
        edits = _edits(call.get("content"), deletes=key in self._deleting)
        edits = edits or self.of_call(turn, str(permission.tool_call_id))
        if edits:
            self._asked[permission.key] = edits
            _bound(self._asked)
        return edits

    def wrote(self, turn: int, call_id: str, edit: Edit) -> Edit:
        """Note a write that a call does not show; gives what all writes of that call did to the file."""
        before = self._wrote.pop((turn, call_id), ())
        for one in before:
            if one.path == edit.path and one.new == edit.old:
                edit = replace(edit, old=one.old)
        self._wrote[turn, call_id] = (*(one for one in before if one.path != edit.path), edit)
        _bound(self._wrote)
        return edit

    def shown(self, turn: int, call: ToolCall) -> tuple[Edit, ...]:
        """The diffs that a call shows: its own, else those of its newest request."""
        asked = (self.of_permission(permission.key) for permission in reversed(call.permissions))
        return self.of_call(turn, call.id) or next(filter(None, asked), ())

    def of_finished(self, turn: int, call: ToolCall) -> tuple[Edit, ...]:
        """All that a call did to files, as far as we know."""
        shown = self.shown(turn, call)
        silent = self._wrote.get((turn, call.id), ())
        return (*shown, *(one for one in silent if not any(same_file(one.path, two.path) for two in shown)))

    def of_call(self, turn: int, call_id: str) -> tuple[Edit, ...]:
        """The newest diffs of a call, told with it in this turn."""
        return self._calls.get((turn, call_id), ())

    def of_permission(self, key: str) -> tuple[Edit, ...]:
        """The diffs that a request asked for."""
        return self._asked.get(key, ())


def _bound(table: OrderedDict[Any, tuple[Edit, ...]]) -> None:
    """Forget the oldest entries beyond what is kept; the newest stays whatever its size."""
    size = sum(len(edit.old or "") + len(edit.new) for edits in table.values() for edit in edits)
    while size > KEPT and len(table) > 1:
        _, edits = table.popitem(last=False)
        size -= sum(len(edit.old or "") + len(edit.new) for edit in edits)


def _edits(content: object, *, deletes: bool) -> tuple[Edit, ...]:
    found: list[Edit] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict) or part.get("type") != "diff":
            continue
        path, old, new = part.get("path"), part.get("oldText"), part.get("newText")
        if isinstance(path, str) and isinstance(old, str | None) and isinstance(new, str):
            found.append(Edit(path, old, new, deletes=deletes))
    return tuple(found)
