"""Writes through ``fs/write_text_file`` that nobody reviewed: kept, so that they can be seen and taken back.

Most agents show such a write as the diff of a tool call, before it or after. Where one does not, a `wrote`
note tells both texts: as the diff of the call that wrote, or as a call of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acp_notebook._client.edits import Edit, MismatchError, excerpt, plan_edit
from acp_notebook._client.facts import named_by
from acp_notebook._client.swap import locate
from acp_notebook._fold.blocks import same_file

if TYPE_CHECKING:
    from acp_notebook._chat.known_edits import KnownEdits
    from acp_notebook._chat.log import Log
    from acp_notebook._client.files import Written
    from acp_notebook._client.roots import Roots
    from acp_notebook._fold.state import ToolCall

#: Characters of both texts that a note holds; of more only the changed lines, and none of changes that long.
TOLD = 200_000

_MAY_WRITE = (None, "edit", "move", "delete", "other")
_SAYS = ("agent_message_chunk", "agent_thought_chunk")


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A write whose call may still come; `owner` is the call that it belongs to if none does.

    One that was `reviewed` stands in the turn already, so without a call it is not told.
    """

    edit: Edit
    owner: str | None
    reviewed: bool


class PlainWrites:
    """Finds out which call a write belongs to. Lives on the agent's loop.

    Parameters
    ----------
    log, edits
        Where notes go, and what can be taken back is kept.
    roots
        What paths mean.
    """

    def __init__(self, log: Log, edits: KnownEdits, roots: Roots) -> None:
        self._log = log
        self._edits = edits
        self._roots = roots
        self._waiting: list[_Waiting] = []
        self._count = 0

    def wrote(self, name: str, written: Written, *, reviewed: bool = False) -> None:
        """A file was written, after a review or without; `name` is its path as the agent sent it."""
        if written.before == written.after or not written.known:
            return
        edit = Edit(name, written.before, written.after, whole=True)
        calls = self._calls()
        if any(self._shows(call, edit) for call in calls):
            return
        going = [call for call in calls if not call.finished]
        naming = next((call for call in reversed(going) if self._names(call, edit)), None)
        if naming is not None:
            self._note(naming.id, edit)
            return
        # Of calls that name no file, the only one may be meant; but what names it may still come.
        may = [call for call in going if call.kind in _MAY_WRITE and not named_by(call)]
        self._waiting.append(_Waiting(edit, may[0].id if len(may) == 1 else None, reviewed))
        if not self._running():
            self.flush()

    def before(self, message: dict[str, Any]) -> None:
        """A message of the agent is about to be kept; for an answer or a word of it no write waits."""
        if not self._waiting:
            return
        params = message.get("params")
        update = params.get("update") if isinstance(params, dict) else None
        says = isinstance(update, dict) and update.get("sessionUpdate") in _SAYS
        if "method" not in message or says:
            self.flush()

    def heard(self, method: str, params: object) -> None:
        """News of a call: it may be the one that a write waits for."""
        update = params.get("update") if method == "session/update" and isinstance(params, dict) else None
        if not self._waiting or not isinstance(update, dict):
            return
        call = next((call for call in self._calls() if call.id == update.get("toolCallId")), None)
        if call is None:
            return
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if self._shows(call, one.edit):
                continue
            if self._names(call, one.edit) or (call.id == one.owner and call.finished):
                self._note(call.id, one.edit)
            else:
                self._waiting.append(one)

    def flush(self) -> None:
        """For what still waits no other call comes."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if one.owner is not None or not one.reviewed:
                self._note(one.owner or self._new_id(), one.edit)

    def _new_id(self) -> str:
        self._count += 1
        return f"acp-notebook:write-{self._count}"

    def _note(self, call_id: str, edit: Edit) -> None:
        session = self._log.session
        place = len(session.closed) if session.current is not None else -1
        edit = self._edits.wrote(place, call_id, edit)
        told = excerpt(edit, TOLD)
        if told is not None:
            texts = {"path": told.path, "old": told.old, "new": told.new}
            self._log.note({"kind": "wrote", "call_id": call_id, **texts})

    def _running(self) -> bool:
        current = self._log.session.current
        return current is not None and current.active

    def _calls(self) -> tuple[ToolCall, ...]:
        current = self._log.session.current
        return current.tool_calls if current is not None and self._running() else ()

    def _shows(self, call: ToolCall, edit: Edit) -> bool:
        """Whether a call shows this change itself; while it goes on, any diff of the file is its."""
        for shown in self._edits.shown(len(self._log.session.closed), call):
            if not self._same(shown.path, edit.path):
                continue
            if not call.finished or shown.new == edit.new:
                return True
            try:
                if plan_edit(shown, edit.old).after == edit.new:
                    return True
            except MismatchError:
                continue
        return False

    def _names(self, call: ToolCall, edit: Edit) -> bool:
        return any(self._same(path, edit.path) for path in named_by(call))

    def _same(self, path: str, written: str) -> bool:
        """Whether a path that a call names is that of a write, also by a link or with dots."""
        if same_file(path, written):
            return True
        try:
            return locate(self._roots, path) == locate(self._roots, written)
        except MismatchError:
            return False
