"""A whole conversation as one HTML page: no network, no script, light and dark, fit for paper."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from acp_notebook._render.export_style import STYLE
from acp_notebook._render.facts import headline, moment_words, turn_facts
from acp_notebook._render.html import escape, without_blank_lines
from acp_notebook._render.options import RenderOptions
from acp_notebook._render.session_parts import after_parts, before_parts, session_title, shown_turns
from acp_notebook._render.turn_html import parts_html, turn_html

if TYPE_CHECKING:
    from acp_notebook._fold.state import Session, Turn

IMAGE_LIMIT = 10_000_000
"""Bytes of the largest picture that is embedded."""
_OUTLINE_FROM = 4

# The page allows itself its own style sheet and embedded pictures, and nothing else: whatever might get
# past the escaping could neither run nor be fetched.
_POLICY = (
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
    f"style-src 'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'"
)


def export_html(
    session: Session, *, created: object = None, thoughts: bool = True, inputs: bool = True
) -> str:
    """Return a session as a page of its own.

    Parameters
    ----------
    session : Session
    created : object
        When it was, as in a transcript's header.
    thoughts, inputs : bool
        Whether the agent's thoughts and the inputs of tools are in it (folded).

    Returns
    -------
    str
        HTML that needs no network and no script.
    """
    options = RenderOptions(cwd=session.cwd, thoughts=thoughts, inputs=inputs, images=IMAGE_LIMIT)
    turns = shown_turns(session)
    title = escape(session_title(session))
    when = escape(moment_words(created))
    body = [f"<header>\n<h1>{title}</h1>\n{f'<p>{when}</p>' if when else ''}\n</header>\n", _outline(turns)]
    body.append(parts_html(before_parts(session, options, 0), options))
    body += [_section(index, turn, options) for index, turn in turns]
    after = parts_html(after_parts(session, options), options)
    body.append(f'<section id="afterwards">\n<h2>Afterwards</h2>\n{after}</section>\n' if after else "")
    main = without_blank_lines("".join(body))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="acp-notebook">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n"
        f'<body>\n<main class="acp-notebook-twin">\n{main}</main>\n</body>\n</html>\n'
    )


def _section(index: int, turn: Turn, options: RenderOptions) -> str:
    facts = turn_facts(turn)
    about = f" <small>{escape(facts)}</small>" if facts else ""
    number = index + 1
    head = f'<h2><a href="#turn-{number}">Turn {number}</a>{about}</h2>'
    return f'<section id="turn-{number}">\n{head}\n{turn_html(turn, options)}</section>\n'


def _outline(turns: list[tuple[int, Turn]]) -> str:
    """Return links to the turns, where there are so many that one looks for them."""
    if len(turns) < _OUTLINE_FROM:
        return ""
    entries = "".join(
        f'<li value="{index + 1}"><a href="#turn-{index + 1}">{escape(headline(turn.prompt))}</a></li>\n'
        for index, turn in turns
    )
    return f'<nav aria-label="Turns">\n<ol>\n{entries}</ol>\n</nav>\n'
