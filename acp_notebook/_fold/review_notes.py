"""The `hunks` notes: a review is offered, decided, told to the agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .calls import Permission
from .frozen import evolve, with_key, without_key
from .items import RawItem
from .permissions import change_permission
from .places import PREAMBLE, place_for, takes_items, turn_at, turn_to_fill, with_turn
from .read import integer, mapping, string
from .review import FileReview, Hunk, Report, Review, ReviewItem
from .state import Session
from .timeline import add_item, find, put

Note: TypeAlias = Mapping[str, Any]


def fold_hunks(session: Session, note: Note, t: float) -> Session:
    """Fold a `hunks` note; one without an event that we know is kept as it is."""
    key = string(note.get("key"))
    rule = _EVENTS.get(str(note.get("event")))
    if rule is not None and key is not None:
        return rule(session, key, note, t)
    place = place_for(session, session.session_id)
    turn = turn_to_fill(session, place)
    item = RawItem("unknown", "hunks", note, t, t)
    return with_turn(session, place, add_item(turn, item, t, inside=takes_items(session, place, turn)))


def _offered(session: Session, key: str, note: Note, t: float) -> Session:
    """A review is there to be decided: beside a permission's options, or as an item of its own."""
    way = string(note.get("way"))
    files = _files(note.get("files"))
    if way == "permission":
        review = Review(key, "permission", string(note.get("call_id")), files)
        found = _permission(session, key)
        return session if found is None else change_permission(session, found[0], key, review=review)
    review = Review(key, "take_back" if way == "take_back" else "write", string(note.get("call_id")), files)
    place = place_for(session, session.session_id)
    turn = turn_to_fill(session, place)
    item = ReviewItem(review, t)
    session = with_turn(session, place, add_item(turn, item, t, inside=takes_items(session, place, turn)))
    return evolve(session, open_reviews=with_key(session.open_reviews, key, (place, review.way)))


def _decided(session: Session, key: str, note: Note, t: float) -> Session:
    """Hunks were written, or everything was refused or given up."""
    outcome = string(note.get("outcome"))
    changes = {
        "outcome": outcome if outcome in ("applied", "refused") else "cancelled",
        "chosen": _numbers(note.get("chosen")),
        "decided_by": string(note.get("by")),
        "problem": string(note.get("problem")),
    }
    return _change(session, key, changes, t)


def _failed(session: Session, key: str, note: Note, t: float) -> Session:
    """Nothing could be written; the review stays open and says why."""
    del t
    return _change(session, key, {"problem": string(note.get("problem"))}, None)


def _report(session: Session, key: str, note: Note, t: float) -> Session:
    del t
    text = string(note.get("text"))
    others = tuple(report for report in session.reports if report.key != key)
    return session if not text else evolve(session, reports=(*others, Report(key, text)))


def _told(session: Session, key: str, note: Note, t: float) -> Session:
    """A report goes out with a prompt, or was taken out."""
    del note, t
    return evolve(session, reports=tuple(report for report in session.reports if report.key != key))


_EVENTS: dict[str, Callable[[Session, str, Note, float], Session]] = {
    "offered": _offered,
    "decided": _decided,
    "failed": _failed,
    "report": _report,
    "told": _told,
    "untold": _told,
}


def end_reviews(session: Session, t: float, place: int | None = None) -> Session:
    """The session in which the writes that wait, all or those of one turn, have ended cancelled."""
    for key, (where, way) in session.open_reviews.items():
        if way == "write" and place in (None, where):
            session = _change(session, key, {"outcome": "cancelled", "decided_by": "cancel"}, t)
    return session


def _change(session: Session, key: str, changes: Mapping[str, Any], ended: float | None) -> Session:
    """The session with a changed review; it leaves the open ones when it ends."""
    opened = session.open_reviews.get(key)
    if opened is None:
        asked = _permission(session, key)
        if asked is None or asked[1].review is None:
            return session
        return change_permission(session, asked[0], key, review=evolve(asked[1].review, **changes))
    place = opened[0]
    turn = turn_at(session, place)
    assert turn is not None
    found = find(turn, ReviewItem, lambda item: item.review.key == key)
    assert found is not None
    ref, item = found
    item = evolve(item, review=evolve(item.review, **changes), ended=ended)
    session = with_turn(session, place, put(turn, ref, item))
    if ended is None:
        return session
    return evolve(session, open_reviews=without_key(session.open_reviews, key))


def _permission(session: Session, key: str) -> tuple[int, Permission] | None:
    """The permission of a key, and the place of its turn."""
    places: list[int] = [*range(len(session.closed), PREAMBLE, -1), PREAMBLE]
    for place in places:
        turn = turn_at(session, place)
        for permission in turn.permissions if turn is not None else ():
            if permission.key == key:
                return place, permission
    return None


def _files(value: object) -> tuple[FileReview, ...]:
    files: list[FileReview] = []
    index = 0
    for said in value if isinstance(value, list) else ():
        file = mapping(said)
        path = string(file.get("path")) or ""
        hunks: list[Hunk] = []
        listed = file.get("hunks")
        for one in listed if isinstance(listed, list) else ():
            hunks.append(_hunk(index, path, mapping(one)))
            index += 1
        kind = file.get("kind")
        files.append(
            FileReview(
                path,
                "create" if kind == "create" else "delete" if kind == "delete" else "change",
                tuple(hunks),
                string(file.get("problem")),
                string(file.get("earlier")),
            )
        )
    return tuple(files)


def _hunk(index: int, path: str, said: Mapping[str, Any]) -> Hunk:
    line, new_line = integer(said.get("line")), integer(said.get("new_line"))
    texts = [string(said.get(name)) or "" for name in ("old", "new", "before", "after")]
    return Hunk(index, path, line or 1, new_line or 1, *texts)


def _numbers(value: object) -> tuple[int, ...]:
    found = (integer(one) for one in (value if isinstance(value, list) else ()))
    return tuple(one for one in found if one is not None)
