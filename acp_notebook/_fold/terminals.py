"""Terminals: those we serve, and those that agents report in `_meta` without asking us.

Keyed by id within a process. A terminal belongs to every turn that shows it, so each piece of news goes to
all of them; its output stays after release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .calls import Terminal
from .frozen import evolve, with_key
from .places import place_for, turn_at, turn_to_fill, with_turn
from .read import integer, mapping, string
from .state import Session
from .text import NO_TEXT

KEPT = 262_144
"""Characters of output that are kept of one terminal, at most."""

News: TypeAlias = Callable[[Session, str], Session]


def show_terminal(session: Session, place: int, terminal_id: str) -> Session:
    """The session with a terminal known to the turn at a place."""
    places = session.terminal_turns.get(terminal_id, ())
    if place in places:
        return session
    terminal = Terminal(terminal_id)
    if places and (other := turn_at(session, places[-1])) is not None:
        terminal = other.terminals[terminal_id]
    turn = turn_to_fill(session, place)
    session = with_turn(
        session, place, evolve(turn, terminals=with_key(turn.terminals, terminal_id, terminal))
    )
    return evolve(session, terminal_turns=with_key(session.terminal_turns, terminal_id, (*places, place)))


def change_terminal(session: Session, terminal_id: str, **changes: Any) -> Session:
    """The session with changed fields of a terminal in every turn that shows it."""
    if terminal_id not in session.terminal_turns:
        session = show_terminal(session, place_for(session, None), terminal_id)
    for place in session.terminal_turns[terminal_id]:
        turn = turn_at(session, place)
        assert turn is not None
        old = turn.terminals[terminal_id]
        new = evolve(old, **changes)
        if new != old:
            terminals = with_key(turn.terminals, terminal_id, new)
            session = with_turn(session, place, evolve(turn, terminals=terminals))
    return session


def known_terminal(session: Session, terminal_id: str) -> Terminal:
    """What is known about a terminal of the running process."""
    places = session.terminal_turns.get(terminal_id, ())
    turn = turn_at(session, places[-1]) if places else None
    return Terminal(terminal_id) if turn is None else turn.terminals[terminal_id]


def append_output(
    session: Session, terminal_id: str, data: str, *, noted: bool = False, skipped: int = 0
) -> Session:
    """The session with more output of a terminal; only the end is kept.

    `skipped` characters before it were not noted, which stands in their place.
    """
    old = known_terminal(session, terminal_id)
    if skipped > 0:
        data = f"\n[{skipped:,} characters are left out here]\n{data}"
    content = old.content.append_bounded(data, KEPT)
    return change_terminal(
        session,
        terminal_id,
        content=content,
        truncated=old.truncated or content.dropped > old.content.dropped,
        noted=old.noted or noted,
    )


def ended(session: Session, terminal_id: str, status: object) -> Session:
    """The session with a terminal's exit, in the words of the protocol, of `_meta` or of our notes."""
    if isinstance(status, int):
        status = {"code": status}
    if not isinstance(status, dict):
        return session
    codes = (integer(status.get(key)) for key in ("exitCode", "exit_code", "code"))
    return change_terminal(
        session,
        terminal_id,
        exited=True,
        exit_code=next((c for c in codes if c is not None), None),
        signal=string(status.get("signal")),
    )


# ---------------------------------------------------------------------------------- what the client serves


def created(session: Session, params: Mapping[str, Any], result: Mapping[str, Any], place: int) -> Session:
    """The session after our answer to `terminal/create`."""
    terminal_id = string(result.get("terminalId"))
    if terminal_id is None:
        return session
    args = params.get("args")
    return change_terminal(
        show_terminal(session, place, terminal_id),
        terminal_id,
        command=string(params.get("command")),
        args=tuple(a for a in args if isinstance(a, str)) if isinstance(args, list) else (),
        cwd=string(params.get("cwd")),
    )


def output_answered(session: Session, terminal_id: str, result: Mapping[str, Any]) -> Session:
    """The session after our answer to `terminal/output`: all output so far, unless notes told it before."""
    old = known_terminal(session, terminal_id)
    output = string(result.get("output"))
    if output is not None and not old.noted:
        so_far = old.output
        grown = old.content.append_bounded(output[len(so_far) :], KEPT)
        content = grown if output.startswith(so_far) else NO_TEXT.append_bounded(output, KEPT)
        session = change_terminal(
            session,
            terminal_id,
            content=content,
            truncated=bool(result.get("truncated")) or content.dropped > 0,
        )
    return ended(session, terminal_id, result.get("exitStatus"))


# ------------------------------------------------------------------------------- what agents put in `_meta`


def terminal_news(meta: object) -> list[tuple[str, News]]:
    """The news of terminals in the `_meta` of a tool call: ids, and what to do with the session for each.

    Not part of the protocol; two widely used agents report their own terminals in this way, with an id that
    was never created by `terminal/create`.
    """
    news: list[tuple[str, News]] = []
    fields = mapping(meta)
    for key, read in _META.items():
        entry = fields.get(key)
        if isinstance(entry, dict) and isinstance(terminal_id := entry.get("terminal_id"), str):
            news.append((terminal_id, read(entry)))
    return news


def _info(entry: Mapping[str, Any]) -> News:
    known = {"cwd": string(entry.get("cwd")), "command": string(entry.get("command"))}
    changes = {name: value for name, value in known.items() if value is not None}
    return lambda session, terminal_id: change_terminal(session, terminal_id, **changes)


def _output(entry: Mapping[str, Any]) -> News:
    return lambda session, terminal_id: append_output(session, terminal_id, string(entry.get("data")) or "")


def _exit(entry: Mapping[str, Any]) -> News:
    return lambda session, terminal_id: ended(session, terminal_id, dict(entry))


_META: dict[str, Callable[[Mapping[str, Any]], News]] = {
    "terminal_info": _info,
    "terminal_output": _output,
    "terminal_output_delta": _output,
    "terminal_exit": _exit,
}
