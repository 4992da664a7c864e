"""What a saved notebook shows in the cell of a turn: one line, as the copy of its chat tells the turn.

Both would say everything twice on a page without widgets. The line never changes, so it is written once; it
does not promise the turn, since the chat's copy leaves out the oldest when there are too many, and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_notebook._render.html import escape
from acp_notebook._render.markdown_text import escape_text
from acp_notebook._render.twin_style import dead_view, twin_class
from acp_notebook._render.visible import visible
from acp_notebook._render.words import agent_words

if TYPE_CHECKING:
    from acp_notebook._fold.state import Session

_LIMIT = 200


def reference_line(session: Session) -> str:
    """Return the line, for ``text/plain``; it names the chat, and no turn: a queue may be ordered anew."""
    where = f", in {visible(session.cwd)}" if session.cwd else ""
    line = f"A turn of the chat with {agent_words(session)}{where}"
    line = line if len(line) <= _LIMIT else line[: _LIMIT - 1] + "…"
    return f"{line}: see the cell that shows the chat."


def turn_reference(chat_id: str, turn: int, session: Session) -> dict[str, str]:
    """Return the output that stands for the view of a turn where no widget can be drawn.

    Parameters
    ----------
    chat_id, turn
        Mark the output: ``js/src/turn_stub.ts`` hides it while the turn's own view lives.
    session
        The chat's state.
    """
    line, name = reference_line(session), f"turn-{chat_id}-{turn}"
    # As in the chat's copy: no formula, and the style last, as some viewers show it as text.
    css = f"{twin_class(name)} mathjax_ignore tex2jax_ignore"
    rule = f"<style>{dead_view(name)}</style>"
    return {
        "text/html": f'<div class="{css}">\n<p>{escape(line)}</p>\n{rule}\n</div>\n',
        "text/markdown": escape_text(line),
        "text/plain": line,
    }
