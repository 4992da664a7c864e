"""How turns end: answered, failed, stopped by force, or left behind by a process that is gone."""

from __future__ import annotations

from typing import Any, Literal

from .frozen import FrozenDict, evolve
from .notices import nothing_came
from .permissions import end_requests
from .places import active_places, turn_at, with_turn
from .review_notes import end_reviews
from .state import Session
from .timeline import end_items
from .tool_calls import settle


def end_turn(
    session: Session, place: int, t: float, status: Literal["ready", "error"] = "ready", **changes: Any
) -> Session:
    """The session in which the turn at a place is over.

    Its open permissions end cancelled, its open calls are stopped, and subagents' turns end with it. A turn
    that is over already stays as it is.
    """
    turn = turn_at(session, place)
    if turn is None or not turn.active:
        return session
    session = end_reviews(end_requests(session, t, asking=place), t, place)
    turn = turn_at(session, place)
    assert turn is not None
    if turn.last is None and status == "ready":
        turn = nothing_came(turn, t)
    turn = evolve(turn, status=status, ended=t, **changes)
    session = with_turn(session, place, end_items(turn, t, lambda item: settle(item, over=True)))
    children = {key: end_turn(child, len(child.closed), t, status) for key, child in session.children.items()}
    if any(children[key] is not child for key, child in session.children.items()):
        session = evolve(session, children=FrozenDict(children))
    return session


def end_everything(
    session: Session, t: float, status: Literal["ready", "error"], error: str | None = None
) -> Session:
    """The session in which nothing is open any more: the process is gone or is given up."""
    session = end_reviews(end_requests(session, t), t)
    for place in active_places(session):
        session = end_turn(session, place, t, status, error=error)
    return session
