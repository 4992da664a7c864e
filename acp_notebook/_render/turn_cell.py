"""What a saved notebook shows in the cell of a turn.

One line, as the copy of its chat tells the turn: both would say everything twice on a page without widgets.
When the chat's copy has no room for the turn any more, the cell gets a copy of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_notebook._render.html import escape, without_blank_lines
from acp_notebook._render.markdown_text import escape_text
from acp_notebook._render.twin import piece
from acp_notebook._render.twin_style import dead_view, style, twin_class
from acp_notebook._render.visible import visible
from acp_notebook._render.words import agent_words

if TYPE_CHECKING:
    from acp_notebook._fold.state import Session
    from acp_notebook._render.twin import Mode

_LINE_LIMIT = 200
_COPY_LIMIT = 100_000
"""Bytes of a turn's own copy, HTML and Markdown together."""


def turn_title(session: Session) -> str:
    """Return which chat a turn belongs to; not which turn it is, since a queue may be ordered anew."""
    where = f", in {visible(session.cwd)}" if session.cwd else ""
    title = f"A turn of the chat with {agent_words(session)}{where}"
    return title if len(title) <= _LINE_LIMIT else title[: _LINE_LIMIT - 1] + "…"


def reference_line(session: Session) -> str:
    """Return the line, for ``text/plain``."""
    return f"{turn_title(session)}: see the cell that shows the chat."


def turn_reference(chat_id: str, turn: int, session: Session) -> dict[str, str]:
    """Return the output that stands for the view of a turn where no widget can be drawn.

    Parameters
    ----------
    chat_id, turn
        Mark the output: ``js/src/turn_stub.ts`` hides it while the turn's own view lives.
    session
        The chat's state.
    """
    line, name = reference_line(session), _name(chat_id, turn)
    rule = f"<style>{dead_view(name)}</style>"
    return {
        "text/html": f'<div class="{_css(name)}">\n<p>{escape(line)}</p>\n{rule}\n</div>\n',
        "text/markdown": escape_text(line),
        "text/plain": line,
    }


def turn_copy(chat_id: str, turn: int, session: Session, mode: Mode = "text") -> dict[str, str]:
    """Return the same output with the turn itself, for one that the chat's copy leaves out.

    Parameters
    ----------
    chat_id, turn, session
        As for `turn_reference`; `turn` is an index in ``session.turns``.
    mode
        See `twin_options`.
    """
    title, name = turn_title(session), _name(chat_id, turn)
    told = piece(session.turns[turn], mode, cwd=session.cwd, limit=_COPY_LIMIT)
    body = without_blank_lines(told.html)
    head = f'<div class="acp-notebook-twin {_css(name)}">\n<p class="acp-title">{escape(title)}</p>\n'
    return {
        "text/html": f"{head}{body}{style(name)}</div>\n",
        "text/markdown": f"{escape_text(title)}\n\n{told.markdown}",
        "text/plain": title,
    }


def _name(chat_id: str, turn: int) -> str:
    return f"turn-{chat_id}-{turn}"


def _css(name: str) -> str:
    # As in the chat's copy: no formula, and the style last, as some viewers show it as text.
    return f"{twin_class(name)} mathjax_ignore tex2jax_ignore"
