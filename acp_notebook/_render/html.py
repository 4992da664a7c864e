"""Small helpers that write HTML. Every text and every attribute value goes through them."""

from __future__ import annotations

import re

from acp_notebook._render.visible import clean, visible

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_BLANK_LINE_RE = re.compile(r"\n(?=[ \t]*\n)")


def escape(text: str) -> str:
    """Escape running text; its control characters are written out."""
    return clean(text).translate(_ESCAPES)


def escape_visible(text: str) -> str:
    """Escape text that a person decides by, or code: nothing in it stays hidden, lines are kept."""
    return visible(text, multiline=True).translate(_ESCAPES)


def lines(text: str) -> str:
    """Escape plain text, its line breaks as ``<br>``."""
    return escape(text).replace("\n", "<br>\n")


def pre(text: str, css: str, language: str = "") -> str:
    """Return a block of code or output. `language` must be a plain word."""
    code = f'<code class="language-{language}">' if language else "<code>"
    return f'<pre class="{css}">{code}{escape_visible(text)}</code></pre>\n'


def link(href: str, inner: str) -> str:
    """Return a link around HTML. `href` must have passed `safe_link`."""
    return (
        f'<a href="{visible(href).translate(_ESCAPES)}" rel="noopener noreferrer" target="_blank">{inner}</a>'
    )


def without_blank_lines(html: str) -> str:
    """Return the same HTML without an empty line in it.

    nbconvert writes text/html into Markdown as it stands, and there an empty line ends the HTML: what
    follows, say in a ``<pre>``, would be read as Markdown.
    """
    return _BLANK_LINE_RE.sub("&#10;", html)
