"""A whole conversation as one Markdown document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_notebook._render.facts import moment_words, turn_facts
from acp_notebook._render.markdown_text import escape_text
from acp_notebook._render.options import RenderOptions
from acp_notebook._render.parts import Title
from acp_notebook._render.session_parts import after_parts, before_parts, session_title, shown_turns
from acp_notebook._render.turn_markdown import parts_markdown, turn_markdown

if TYPE_CHECKING:
    from acp_notebook._fold.state import Session


def export_markdown(
    session: Session, *, created: object = None, thoughts: bool = True, inputs: bool = True
) -> str:
    """Return a session as Markdown (CommonMark with tables) that holds no HTML of an agent.

    Parameters
    ----------
    session : Session
    created : object
        When it was, as in a transcript's header.
    thoughts, inputs : bool
        Whether the agent's thoughts and the inputs of tools are in it.

    Returns
    -------
    str
        Ends in one line break. Pictures are described, not embedded.
    """
    options = RenderOptions(cwd=session.cwd, thoughts=thoughts, inputs=inputs)
    pieces = [f"# {escape_text(session_title(session))}", _italic(moment_words(created))]
    pieces.append(parts_markdown(p for p in before_parts(session, options, 0) if not isinstance(p, Title)))
    for index, turn in shown_turns(session):
        facts = turn_facts(turn)
        pieces.append(f"## Turn {index + 1}{f' · {escape_text(facts)}' if facts else ''}")
        pieces.append(turn_markdown(turn, options).rstrip("\n"))
    after = parts_markdown(after_parts(session, options))
    if after:
        pieces += ["## Afterwards", after]
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def _italic(text: str) -> str:
    return f"*{escape_text(text)}*" if text else ""
