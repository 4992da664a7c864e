"""How a session was brought back, in words for the person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .ends import end_everything
from .frozen import FrozenDict, evolve, with_key
from .items import NoticeItem
from .places import PREAMBLE, begin_turn, place_for, turn_to_fill, with_turn
from .read import string
from .record import Record
from .state import Session
from .timeline import add_item

_WORDS = {
    "new": "A new session began. The agent does not know what was said before.",
    "load": "The agent loaded the session.",
    "resume": "The agent took up the session where it was; what stands above comes from our own record.",
    "fork": "The agent made a copy of the session. What is said from here on leaves the first one as it is.",
    "recap": "The agent cannot bring back the session: a new one began, and the next prompt carries a summary"
    " of this conversation from our own record.",
    "transcript": "The agent replayed nothing; what stands above comes from our own record.",
}


def session_used(session: Session, note: Mapping[str, Any], t: float) -> Session:
    """Fold which way was taken to a session: ``how`` is new, load, resume, fork, recap or transcript."""
    how = string(note.get("how")) or "other means"
    title = string(note.get("text")) or _WORDS.get(how, f"The session was opened by {how}.")
    place = place_for(session, None)
    turn = turn_to_fill(session, place)
    item = NoticeItem("info", title, string(note.get("detail")), t, t)
    began, of = string(note.get("session")), string(note.get("of"))
    if began is not None and of is not None:
        session = evolve(session, origins=with_key(session.origins, began, of))
    return with_turn(session, place, add_item(turn, item, t, inside=place == PREAMBLE))


def history(session: Session, note: Mapping[str, Any], t: float) -> Session:
    """Take over the turns of an earlier transcript, whose records the note holds.

    Its processes are counted on from ours, so that what is keyed by process stays apart. Times are those
    of the earlier transcript.
    """
    from .fold import fold  # the fold folds itself here

    lines = note.get("records")
    records = [r for line in lines if (r := _record(line)) is not None] if isinstance(lines, list) else []
    past = fold(Session(process=session.process), records)
    past = end_everything(past, t, "ready")
    if session.preamble is None:
        session = evolve(session, preamble=past.preamble)
    for turn in past.turns:
        if turn.status != "queued":
            session = begin_turn(session, turn)
    # In the order in which these records tell of them.
    children = FrozenDict({**session.children, **past.children, **session.children})
    origins = FrozenDict({**past.origins, **session.origins})
    title = session.title or past.title
    return evolve(session, process=past.process + 1, children=children, title=title, origins=origins)


def lineage(session: Session, session_id: str) -> frozenset[str]:
    """A session and those that it goes on from, by copies and summaries."""
    found = {session_id}
    while (session_id := session.origins.get(session_id, session_id)) not in found:
        found.add(session_id)
    return frozenset(found)


def holds(session: Session, session_id: str | None) -> bool:
    """Whether something was said in a session, or in one that it goes on from."""
    whole = frozenset() if session_id is None else lineage(session, session_id)
    return any(turn.session_id in whole for turn in session.turns if turn.status != "queued")


def _record(line: Any) -> Record | None:
    try:
        return Record.from_line(line) if isinstance(line, dict) else None
    except ValueError:
        return None
