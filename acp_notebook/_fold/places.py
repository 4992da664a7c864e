"""Where a turn stands in a session, and how to put a changed one back.

A place is a turn's index among those that were sent (closed ones, then the current one), or `PREAMBLE`.
Places never shift: turns are only added, and queued ones are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable

from .frozen import FrozenDict, evolve
from .state import Session, Turn

PREAMBLE = -1


def turn_at(session: Session, place: int) -> Turn | None:
    """The turn at a place; None for a preamble or current turn that is not there yet."""
    if place == PREAMBLE:
        return session.preamble
    return session.closed[place] if place < len(session.closed) else session.current


def turn_to_fill(session: Session, place: int) -> Turn:
    """The turn at a place, or a new one without a prompt."""
    return turn_at(session, place) or Turn(process=session.process)


def with_turn(session: Session, place: int, turn: Turn) -> Session:
    """The session with another turn at a place; itself if it is the same turn."""
    if turn is turn_at(session, place):
        return session
    if place == PREAMBLE:
        return evolve(session, preamble=turn)
    if place >= len(session.closed):
        return evolve(session, current=turn)
    return evolve(session, closed=session.closed.put(place, turn))


def place_for(session: Session, session_id: str | None) -> int:
    """Where news of a session of ours belong: its running turn, else its last, else the last of all."""
    current, last = session.current, len(session.closed)
    if current is None:
        return PREAMBLE
    if current.active and session_id in (None, current.session_id):
        return last
    for place in active_places(session):
        if session_id in (None, turn_to_fill(session, place).session_id):
            return place
    if session_id not in (None, current.session_id):
        for place in range(last - 1, -1, -1):
            if session.closed[place].session_id == session_id:
                return place
    return last


def begin_turn(session: Session, turn: Turn) -> Session:
    """The session with a new current turn."""
    closed = session.closed if session.current is None else session.closed.append(session.current)
    return evolve(session, closed=closed, current=turn)


def takes_items(session: Session, place: int, turn: Turn) -> bool:
    """Whether items still belong inside the turn, rather than after it."""
    return turn.active or place == PREAMBLE or (turn.replayed and session.replaying is not None)


def active_places(session: Session) -> tuple[int, ...]:
    """Places of the turns that the agent still works on."""
    places = {info for method, info in session.sent.values() if method == "session/prompt"}
    places.add(len(session.closed))
    return tuple(p for p in sorted(places) if (turn := turn_at(session, p)) is not None and turn.active)


def count(session: Session, names: Iterable[str]) -> Session:
    """The session with one more of each name in `unread`."""
    unread = dict(session.unread)
    for name in names:
        unread[name] = unread.get(name, 0) + 1
    return session if unread == session.unread else evolve(session, unread=FrozenDict(unread))
