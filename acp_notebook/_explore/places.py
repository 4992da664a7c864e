"""Where turns stand: those of the session itself, and those of its subagents' sessions, by one number each.

A place is the turn's index in its session (-1: what came before the first prompt), plus `CHILD` times the
number of the subagent's session, counted from 1 in the order in which they were first heard of.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from acp_notebook._fold.state import Session, Turn

CHILD = 1_000_000
"""More turns than a session has."""


def split(place: int) -> tuple[int, int]:
    """The number of the session, 0 for the main one, and the turn's index in it."""
    number, index = divmod(place + 1, CHILD)
    return number, index - 1


def session_of(session: Session, place: int) -> tuple[str, Session] | None:
    """The subagent's session of a place and its id; None for the main session's places."""
    number, _ = split(place)
    return list(session.children.items())[number - 1] if number else None


def turn_at(session: Session, place: int) -> Turn | None:
    """The turn at a place; None if it is not there yet."""
    number, index = split(place)
    if number:
        if number > len(session.children):
            return None
        session = list(session.children.values())[number - 1]
    if index < 0:
        return session.preamble
    if index < len(session.closed):
        return session.closed[index]
    return session.turns[index] if index < len(session.turns) else None


class Named(NamedTuple):
    """A session by its id, what it goes by, and in how many turns."""

    id: str
    label: str
    turns: int


def whose(session: Session, place: int) -> str | None:
    """What the subagent's session of a place goes by; None for the main session's places."""
    found = session_of(session, place)
    return None if found is None else label_of(*found)


def label_of(key: str, child: Session) -> str:
    """The title of a subagent's session, else its id; one line."""
    return " ".join((child.title or "").split())[:80] or key[:80]


def sessions(session: Session, shown: Iterable[int]) -> list[Named]:
    """All sessions that have turns: the conversation's own go by a number, those of subagents by a name."""
    counts: dict[str, int] = {}
    for place in shown:
        turn = turn_at(session, place)
        key = None if turn is None else turn.session_id
        if key is not None:
            counts[key] = counts.get(key, 0) + 1
    main = [key for key in counts if key not in session.children]
    labels = {key: f"session {number}" for number, key in enumerate(main, 1)}
    labels.update({key: label_of(key, child) for key, child in session.children.items()})
    return [Named(key, labels[key], turns) for key, turns in counts.items()]
