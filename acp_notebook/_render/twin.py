r"""The static twin of a chat: what a saved notebook shows where no widget can be drawn.

It is made of pieces, one a turn, so that a browser can keep it up to date by replacing what changed::

    html     = head + "".join(piece.html for the turns from `first` on) + tail
    markdown = "\n".join(piece.markdown for the same turns)

What stands before the first turn (a title in Markdown, what came before the first prompt) belongs to the
first piece shown, what stands after the last (how the agent ended, subagent sessions) to the last piece. Once
turns are left out, the line about them is a piece of its own, in the place of the last of those: it changes
with every turn, and what stands beside it would cross the wire again each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from acp_notebook._render.fit import Rendered, render_parts, render_turn
from acp_notebook._render.html import escape, without_blank_lines
from acp_notebook._render.options import RenderOptions
from acp_notebook._render.session_parts import after_parts, before_parts, session_title
from acp_notebook._render.twin_row import TwinRow
from acp_notebook._render.twin_style import style, twin_class
from acp_notebook._render.visible import visible
from acp_notebook._render.words import agent_words

if TYPE_CHECKING:
    from acp_notebook._fold.state import Session, Turn

Mode = Literal["text", "full"]

TWIN_LIMIT = 200_000
"""Bytes of a whole twin, HTML and Markdown together."""
_EDGE_LIMIT = 20_000
"""Bytes of what stands before the first and after the last turn, each."""
_PLAIN_LIMIT = 200


class Twin(NamedTuple):
    """A whole twin in both forms."""

    html: str
    markdown: str


class Piece(NamedTuple):
    """One turn of a twin; `turn` is its index in ``session.turns``."""

    turn: int
    html: str
    markdown: str


@dataclass(frozen=True, slots=True)
class TwinUpdate:
    """What a browser that holds the earlier pieces needs, see ``twin`` in ``js/src/wire.ts``."""

    reset: bool
    head: str
    tail: str
    first: int
    pieces: tuple[Piece, ...]
    told: int
    """The first turn that is not left out; for the kernel alone."""

    def whole(self) -> Twin:
        """Return the twin; only an update that says `reset` has all of it."""
        html = self.head + "".join(one.html for one in self.pieces) + self.tail
        return Twin(html, "\n".join(one.markdown for one in self.pieces if one.markdown))

    def to_message(self) -> dict[str, Any]:
        """Return the message for the browser."""
        return {
            "kind": "twin",
            "reset": self.reset,
            "head": self.head,
            "tail": self.tail,
            "first": self.first,
            "pieces": [piece._asdict() for piece in self.pieces],
        }


def twin_options(mode: Mode = "text", cwd: str | None = None) -> RenderOptions:
    """Return what a twin shows: ``"full"`` adds thoughts, tool inputs and pictures of up to 100 KB."""
    full = mode == "full"
    return RenderOptions(
        cwd=cwd,
        thoughts=full,
        inputs=full,
        images=100_000 if full else 0,
        output=2048,
        text=40_000,
        diff=20_000,
    )


def head(chat_id: str, session: Session) -> str:
    """Return the start of a twin's HTML: the element that everything is in, and the title."""
    # Neither MathJax nor its successor may read a dollar sign of an agent's as a formula.
    css = f"acp-notebook-twin {twin_class(chat_id)} mathjax_ignore tex2jax_ignore"
    return f'<div class="{css}">\n<p class="acp-title">{escape(session_title(session))}</p>\n'


def tail(chat_id: str) -> str:
    """Return the end of a twin's HTML: the style sheet (last, as some viewers show it as text)."""
    return f"{style(chat_id)}</div>\n"


def piece(turn: Turn, mode: Mode = "text", *, cwd: str | None = None, limit: int | None = None) -> Rendered:
    """Return one turn as a twin shows it.

    Parameters
    ----------
    turn
        The turn, finished or not.
    mode
        See `twin_options`.
    cwd
        The session's folder, for relative paths.
    limit
        Bytes that HTML and Markdown may have together; what does not fit is left out, with a line about it.
    """
    return render_turn(turn, twin_options(mode, cwd), limit)


def assemble(session: Session, mode: Mode = "text", chat_id: str = "", *, limit: int = TWIN_LIMIT) -> Twin:
    """Return the whole twin.

    Parameters
    ----------
    session
        The state to show.
    mode
        See `twin_options`.
    chat_id
        Which chat's twin it is: goes into the class of its element.
    limit
        Bytes of both forms together; the oldest turns are left out first.
    """
    return TwinPieces(chat_id, mode, limit=limit).update(session).whole()


def plain_line(session: Session) -> str:
    """Return one readable line about a chat, for ``text/plain`` beside its view.

    It stays in a saved notebook as it was when the view was displayed, so it tells nothing that changes.
    """
    line = f"Chat with {agent_words(session)}"
    if session.cwd:
        line += f", in {visible(session.cwd)}"
    return line if len(line) <= _PLAIN_LIMIT else line[: _PLAIN_LIMIT - 1] + "…"


class TwinPieces:
    """The pieces of one chat's twin, kept between updates: an unchanged turn is rendered once.

    Parameters
    ----------
    chat_id
        Goes into the class of the twin's element.
    mode
        See `twin_options`.
    limit
        Bytes of the whole twin, HTML and Markdown together.
    """

    def __init__(self, chat_id: str, mode: Mode = "text", *, limit: int = TWIN_LIMIT) -> None:
        self._chat_id = chat_id
        self._mode = mode
        self._limit = limit
        self._options = twin_options(mode)
        self._row = TwinRow(self._options, limit)
        self._sent: dict[int, Piece] | None = None
        self._edges: set[int] = set()

    def update(self, session: Session) -> TwinUpdate:
        """Return what changed since the last update; the first one holds everything and says `reset`."""
        if session.cwd != self._options.cwd:
            self._options = twin_options(self._mode, session.cwd)
            self._edges |= set(self._row.indices)
            self._row = TwinRow(self._options, self._limit)
        start, end = head(self._chat_id, session), tail(self._chat_id)
        after = _edge(after_parts(session, self._options), self._options)
        turns, row = session.turns, self._row
        # The line about what is left out is counted as if it were there.
        around = self._before(session, len(turns)).size + after.size + len((start + end).encode())
        row.fit(turns, self._limit - around)
        told = row.indices[0] if row.indices else 0
        missing = told - sum(map(_is_told, turns[:told]))
        edges = self._at_edges(self._before(session, missing), after, line=missing > 0)
        reset = self._sent is None
        sent = {} if self._sent is None else self._sent
        changed = []
        for index in sorted(edges.keys() | (row.kept.keys() if reset else row.changed | self._edges)):
            piece = edges.get(index) or self._kept(index)
            if piece is None and sent.pop(index, None) is not None:
                # Left out now, or a queued prompt that was taken back.
                changed.append(Piece(index, "", ""))
            elif piece is not None and sent.get(index) != piece:
                sent[index] = piece
                changed.append(piece)
        self._sent, self._edges = sent, set(edges)
        row.changed.clear()
        first = min(edges)
        return TwinUpdate(reset, start, end, first, tuple(one for one in changed if one.turn >= first), told)

    def everything(self, session: Session) -> TwinUpdate:
        """Return all pieces, for a browser that has none to build on."""
        self._sent = None
        return self.update(session)

    def _before(self, session: Session, left_out: int) -> Rendered:
        return _edge(before_parts(session, self._options, left_out), self._options)

    def _kept(self, index: int) -> Piece | None:
        kept = self._row.kept.get(index)
        return None if kept is None else Piece(index, kept.html, kept.whole.markdown)

    def _at_edges(self, before: Rendered, after: Rendered, *, line: bool) -> dict[int, Piece]:
        """Return the first and the last piece, and the line about what is left out."""
        row = self._row
        if not row.indices:
            return {0: _piece(0, before + after)}
        first, last = row.indices[0], row.indices[-1]
        found = {first - 1: _piece(first - 1, before)} if line else {}
        for index in (first, last):
            whole = row.kept[index].whole
            if index == last:
                whole += after
            if index == first and not line:
                whole = before + whole
            found[index] = _piece(index, whole)
        return found


_is_told = attrgetter("told")


def _edge(parts: tuple[Any, ...], options: RenderOptions) -> Rendered:
    return render_parts(parts, options) if parts else Rendered()


def _piece(turn: int, rendered: Rendered) -> Piece:
    return Piece(turn, without_blank_lines(rendered.html), rendered.markdown)
