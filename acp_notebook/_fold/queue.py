"""Prompts that wait for the running turn: they come, are moved, edited and taken out by notes of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from .frozen import evolve
from .places import begin_turn
from .read import blocks, integer, string
from .state import Session, Turn

Note: TypeAlias = Mapping[str, Any]


def queued(session: Session, note: Note, t: float) -> Session:
    """A prompt that waits until the running turn is over; ``at`` is its place if that is not the end."""
    del t
    turn = Turn(
        session_id=session.session_id,
        prompt=blocks(note.get("prompt")),
        status="queued",
        queue_id=_queue_id(note),
    )
    return evolve(session, queued=_put(session.queued, turn, integer(note.get("at"))))


def moved(session: Session, note: Note, t: float) -> Session:
    """A queued prompt goes to the place ``to`` among those that wait."""
    del t
    found = _find(session, note)
    if found is None:
        return session
    rest = tuple(turn for turn in session.queued if turn is not found)
    return evolve(session, queued=_put(rest, found, integer(note.get("to"))))


def edited(session: Session, note: Note, t: float) -> Session:
    """A queued prompt says something else from now on."""
    del t
    found = _find(session, note)
    if found is None:
        return session
    new = evolve(found, prompt=blocks(note.get("prompt")))
    return evolve(session, queued=tuple(new if turn is found else turn for turn in session.queued))


def unqueued(session: Session, note: Note, t: float) -> Session:
    """A queued prompt leaves the queue: sent or taken back, or (with a word about it) ended unsent.

    What ended unsent stays visible as a turn of its own, so that nobody's prompt is lost.
    """
    found = _find(session, note)
    if found is None:
        return session
    session = evolve(session, queued=tuple(turn for turn in session.queued if turn is not found))
    error, cancelled = string(note.get("error")), note.get("cancelled") is True
    if error is None and not cancelled:
        return session
    status = "ready" if error is None else "error"
    ended = evolve(found, status=status, error=error, cancel_requested=cancelled, started=t, ended=t)
    return begin_turn(session, ended)


def _find(session: Session, note: Note) -> Turn | None:
    return next((turn for turn in session.queued if turn.queue_id == _queue_id(note)), None)


def _put(turns: tuple[Turn, ...], turn: Turn, at: int | None) -> tuple[Turn, ...]:
    place = len(turns) if at is None else max(0, min(at, len(turns)))
    return (*turns[:place], turn, *turns[place:])


def _queue_id(note: Note) -> str:
    return str(note.get("id"))
