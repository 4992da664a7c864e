"""The `wrote` notes: what an agent wrote through the client without showing a diff of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from .blocks import Diff, same_file
from .calls import ToolCall
from .frozen import evolve
from .places import count, place_for, takes_items, turn_to_fill, with_turn
from .read import string
from .state import Session
from .timeline import find_call
from .tool_calls import beside, with_call

Note: TypeAlias = Mapping[str, Any]

NAME = "fs/write_text_file"
"""Name of a call that stands for a write which belongs to none of the agent's calls."""


def wrote(session: Session, note: Note, t: float) -> Session:
    """Fold a write: it becomes a diff of the call it belongs to, else a call of its own.

    Where the call shows the file's diff itself, in its content or with a permission, that one stands.
    """
    call_id, path, new = string(note.get("call_id")), string(note.get("path")), string(note.get("new"))
    if call_id is None or path is None or new is None:
        return count(session, ("note wrote",))
    diff = Diff(path, string(note.get("old")), new)
    place = place_for(session, session.session_id)
    turn = turn_to_fill(session, place)
    found = find_call(turn, call_id)
    if found is None:
        call = ToolCall(call_id, name=NAME, title=f"Write {path}", kind="edit", status="completed")
    else:
        call = found[1].call
    asked = next((p.diffs for p in reversed(call.permissions) if p.diffs), ())
    # A later write of the same file takes the place of the one before: its note tells the oldest text.
    written = (*(one for one in call.written if not same_file(one.path, path)), diff)
    told = tuple(one for one in call.own_diffs if one not in call.written) or asked
    call = evolve(call, written=written, own_diffs=beside(told, written))
    inside = takes_items(session, place, turn)
    return with_turn(session, place, with_call(turn, call, t, inside=inside))
