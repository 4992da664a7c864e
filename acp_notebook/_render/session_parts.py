"""What a static copy says around the turns: the title, what came before, how it ended, subagents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acp_notebook._fold.items import NoticeItem
from acp_notebook._fold.notes import CLOSED, LAST_WORDS
from acp_notebook._render.cut import cut
from acp_notebook._render.parts import Fold, Note, Output, Part, Title
from acp_notebook._render.turn_parts import turn_parts
from acp_notebook._render.visible import plain_output, visible
from acp_notebook._render.words import agent_words, count

if TYPE_CHECKING:
    from acp_notebook._fold.state import Exit, Session, Turn
    from acp_notebook._render.options import RenderOptions


def session_title(session: Session) -> str:
    """Return the title line of a copy."""
    folder = f" in {visible(session.cwd)}" if session.cwd else ""
    # Without the session's own title: most agents take it from the first prompt, which then stands twice.
    return f"Chat with {agent_words(session)}{folder}"


def shown_turns(session: Session) -> list[tuple[int, Turn]]:
    """Return the turns to draw, with their indices; the counterpart of ``js/src/views/shown.ts``.

    The fold has marked as `told` what is replayed although these records hold turns of its session already.
    The history of a session that was loaded stays, whatever is said afterwards.
    """
    return [(index, turn) for index, turn in enumerate(session.turns) if not turn.told]


def before_parts(session: Session, options: RenderOptions, left_out: int) -> tuple[Part, ...]:
    """Give what stands before the first turn shown, `left_out` turns being missing."""
    parts: list[Part] = [Title(session_title(session))]
    if left_out:
        parts.append(Note("info", f"{count(left_out, 'earlier turn')} left out of this copy"))
    elif session.preamble is not None:
        parts += turn_parts(session.preamble, options)
    if not (session.closed or session.current or session.queued or session.preamble):
        parts.append(Note("end", "No messages yet."))
    return tuple(parts)


def after_parts(session: Session, options: RenderOptions) -> tuple[Part, ...]:
    """Give what stands after the last turn: warnings, subagent sessions, how the agent's process ended."""
    parts: list[Part] = [Note("warning", text) for text in session.warnings]
    for key, child in session.children.items():
        inner = tuple(part for turn in _all_turns(child) for part in turn_parts(turn, options))
        if inner:
            parts.append(Fold(f"Subagent session {key}", inner))
    if session.exit is not None:
        remote = session.agent is not None and session.agent.remote
        parts += _exit(session.exit, options, told=_tells_last_words(session), remote=remote)
    return tuple(parts)


def _all_turns(session: Session) -> Iterator[Turn]:
    if session.preamble is not None:
        yield session.preamble
    for _, turn in shown_turns(session):
        yield turn


def _tells_last_words(session: Session) -> bool:
    """Whether the turn that the end has ended shows the error output itself."""
    items = session.current.items if session.current is not None else ()
    return any(isinstance(item, NoticeItem) and item.title == LAST_WORDS for item in items)


def _exit(end: Exit, options: RenderOptions, *, told: bool, remote: bool) -> Iterator[Part]:
    # A chat that was closed, or an agent that ended without complaint, is no news.
    if end.reason is None and end.code in {None, 0} and end.signal is None:
        return
    how = f"signal {end.signal}" if end.signal is not None else f"exit code {end.code}"
    known = end.signal is not None or end.code is not None
    title = f"The agent ended ({how})" if known else CLOSED if remote else "The agent ended"
    yield Note("error", title, end.reason or "")
    stderr = plain_output(end.stderr).rstrip()
    if stderr and not told:
        yield Output("End of its error output", cut(stderr, options.output, keep_end=True))
