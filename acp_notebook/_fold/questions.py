"""Questions that an agent asks in forms or by links, read from their items (protocol page "elicitation")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from .frozen import no_entries
from .items import RawItem
from .permissions import ELICITATION
from .places import turn_at
from .read import mapping, string
from .timeline import find

if TYPE_CHECKING:
    from .state import Session


@dataclass(frozen=True, slots=True)
class Question:
    """A question that waits for a person.

    Attributes
    ----------
    key : str
        Unique in a transcript.
    request_id : int or str
        The JSON-RPC id of the request.
    mode : str
        ``"form"`` (fill in what `schema` describes) or ``"url"`` (do something at `url`).
    message : str
        The agent's words.
    schema : mapping
        The form: a JSON Schema object with flat properties. Empty for a link.
    url : str or None
        The link, as the agent sent it.
    session_id, tool_call_id : str or None
        Where it comes from, if the agent says so.
    """

    key: str
    request_id: int | str
    mode: Literal["form", "url"]
    message: str
    schema: Mapping[str, Any] = field(default_factory=no_entries, repr=False)
    url: str | None = None
    session_id: str | None = None
    tool_call_id: str | None = None


def open_questions(session: Session) -> tuple[Question, ...]:
    """The questions that wait for an answer, oldest first."""
    waiting = []
    for method, info in session.asked.values():
        if method == ELICITATION:
            place, key, _ = info
            turn = turn_at(session, place)
            found = turn and find(turn, RawItem, partial(_is_question, key))
            if found:
                waiting.append(found[1])
    return tuple(read_question(item) for item in sorted(waiting, key=lambda item: item.started))


def _is_question(key: str, item: RawItem) -> bool:
    return item.kind == "elicitation" and bool(item.raw["key"] == key)


def read_question(item: RawItem) -> Question:
    """The question of an item; what the agent left out or sent in another form counts as absent."""
    raw, request = item.raw, item.raw["request"]
    return Question(
        key=raw["key"],
        request_id=raw["request_id"],
        mode="url" if request.get("mode") == "url" else "form",
        message=string(request.get("message")) or "",
        schema=mapping(request.get("requestedSchema")),
        url=string(request.get("url")),
        session_id=string(request.get("sessionId")),
        tool_call_id=string(request.get("toolCallId")),
    )
