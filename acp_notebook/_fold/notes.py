"""Notes: what did not cross the wire but belongs to the story."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .about import AgentInfo, Exit
from .ends import end_everything
from .frozen import FrozenDict, evolve, with_key
from .items import NoticeItem
from .permissions import PERMISSION, decided, offered, permission_answered, permission_asked, remembered
from .places import active_places, count, turn_to_fill, with_turn
from .queue import edited, moved, queued, unqueued
from .read import integer, mapping, request_id, string
from .reopened import history, session_used
from .review_notes import fold_hunks
from .sign_in import noted as sign_in_noted
from .state import Session
from .terminals import append_output, ended
from .timeline import add_item
from .writes import wrote

Note: TypeAlias = Mapping[str, Any]

LAST_WORDS = "The end of the agent's error output"
"""Title of the notice in a turn that a process's end has ended; the end of the chat then need not tell it."""

LAST_LINES, LAST_CHARACTERS = 20, 2_000


CLOSED = "The connection was closed"
"""What ends with an agent behind an address."""


def fold_note(session: Session, note: Note, t: float) -> Session:
    """Fold a note; unknown kinds are counted and stay in the file."""
    kind = note.get("kind")
    rule = _NOTES.get(kind) if isinstance(kind, str) else None
    if rule is None:
        return count(session, (f"note {kind}" if isinstance(kind, str) else "note",))
    return rule(session, note, t)


def _spawn(session: Session, note: Note, t: float) -> Session:
    """The process is on its way."""
    command = note.get("command")
    words = (command,) if isinstance(command, str) else command if isinstance(command, (list, tuple)) else ()
    env = {name: text for name, text in mapping(note.get("env")).items() if isinstance(text, str)}
    command_line = tuple(w for w in words if isinstance(w, str))
    agent = evolve(session.agent or AgentInfo(), command=command_line, env=FrozenDict(env))
    return evolve(
        session,
        phase="starting",
        since=t,
        exit=None,
        agent=agent,
        cwd=string(note.get("cwd")) or session.cwd,
    )


def _exit(session: Session, note: Note, t: float) -> Session:
    """The process is gone. After we closed the chat that is no news: it did not die, it was ended."""
    if session.phase == "ended" and session.exit is None:
        return session
    stderr, reason = string(note.get("stderr")) or "", string(note.get("reason"))
    if session.agent is not None and session.agent.remote:
        # There is no process here that could end: the connection did, and its last word is no error output.
        session = end_everything(session, t, "error", f"{CLOSED} before the agent had answered.")
        return evolve(session, phase="ended", exit=Exit(None, None, "", reason or stderr or f"{CLOSED}."))
    code, signal = integer(note.get("code")), string(note.get("signal"))
    session = _last_words(session, stderr, t)
    how = f"signal {signal}" if signal else "exit code unknown" if code is None else f"exit code {code}"
    session = end_everything(
        session, t, "error", f"The agent's process ended ({how}) before it had answered."
    )
    return evolve(session, phase="ended", exit=Exit(code, signal, stderr, reason))


def _last_words(session: Session, stderr: str, t: float) -> Session:
    """The end of the error output stays with the turns that the process's end has ended."""
    words = "\n".join(stderr.strip().splitlines()[-LAST_LINES:])[-LAST_CHARACTERS:]
    if not words:
        return session
    for place in active_places(session):
        item = NoticeItem("error", LAST_WORDS, words, t, t)
        session = with_turn(session, place, add_item(turn_to_fill(session, place), item, t, inside=True))
    return session


def _closed(session: Session, note: Note, t: float) -> Session:
    """We closed the chat."""
    del note
    session = end_everything(session, t, "error", "The chat was closed before the agent had answered.")
    return evolve(session, phase="ended")


def _force_stop(session: Session, note: Note, t: float) -> Session:
    """The person gave up waiting for the agent to stop."""
    del note
    return end_everything(session, t, "ready")


def _warning(session: Session, note: Note, t: float) -> Session:
    del t
    text = string(note.get("text"))
    return session if not text else evolve(session, warnings=(*session.warnings, text))


def _noise(session: Session, note: Note, t: float) -> Session:
    """Lines on the agent's stdout that were no messages."""
    del t
    lines = integer(note.get("count"))
    more = 1 if lines is None else max(lines, 0)
    total = session.unread.get("noise", 0) + more
    return evolve(session, unread=with_key(session.unread, "noise", total)) if more else session


def _decision(session: Session, note: Note, t: float) -> Session:
    del t
    return decided(session, note)


def _asked(session: Session, note: Note, t: float) -> Session:
    """We ask a person ourselves, as an agent would."""
    ident = request_id(note.get("request_id"))
    if ident is None:
        return count(session, ("note asked",))
    return permission_asked(session, ident, mapping(note.get("params")), t)


def _answered(session: Session, note: Note, t: float) -> Session:
    """And this was the answer."""
    ident = request_id(note.get("request_id"))
    if ident is None:
        return count(session, ("note answered",))
    if ident not in session.asked or session.asked[ident][0] != PERMISSION:
        return session
    return permission_answered(session, ident, note, t)


def _offer(session: Session, note: Note, t: float) -> Session:
    del t
    return offered(session, note)


def _remembered(session: Session, note: Note, t: float) -> Session:
    del t
    return remembered(session, note)


def _terminal(session: Session, note: Note, t: float) -> Session:
    """Output or the end of a terminal that we serve, as it happened."""
    del t
    terminal_id, data = string(note.get("terminal_id")), string(note.get("data"))
    if terminal_id is None:
        return count(session, ("note terminal",))
    if data:
        session = append_output(
            session, terminal_id, data, noted=True, skipped=integer(note.get("skipped")) or 0
        )
    return ended(session, terminal_id, note.get("exit"))


def _redacted(session: Session, note: Note, t: float) -> Session:
    """Says that secrets were taken out of a message; the message itself shows where."""
    del note, t
    return session


_NOTES: dict[str, Callable[[Session, Note, float], Session]] = {
    "spawn": _spawn,
    "exit": _exit,
    "closed": _closed,
    "force_stop": _force_stop,
    "warning": _warning,
    "noise": _noise,
    "decision": _decision,
    "asked": _asked,
    "answered": _answered,
    "offer": _offer,
    "remembered": _remembered,
    "terminal": _terminal,
    "hunks": fold_hunks,
    "wrote": wrote,
    "queued": queued,
    "moved": moved,
    "edited": edited,
    "unqueued": unqueued,
    "session": session_used,
    "history": history,
    "redacted": _redacted,
    "sign_in": sign_in_noted,
}
