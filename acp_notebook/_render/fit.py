"""A turn rendered so that it fits: first with less of the long things, then without its oldest parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from acp_notebook._render.parts import Note, Part, Prompt
from acp_notebook._render.turn_html import part_html, wrap_turn
from acp_notebook._render.turn_markdown import part_markdown
from acp_notebook._render.turn_parts import turn_parts
from acp_notebook._render.words import count

if TYPE_CHECKING:
    from acp_notebook._fold.state import Turn
    from acp_notebook._render.options import RenderOptions


@dataclass(frozen=True, slots=True)
class Rendered:
    """The same content as HTML (no empty line in it) and as Markdown."""

    html: str = ""
    markdown: str = ""

    @property
    def size(self) -> int:
        """Bytes of both together."""
        return len(self.html.encode()) + len(self.markdown.encode())

    def __add__(self, other: Rendered) -> Rendered:
        gap = "\n" if self.markdown and other.markdown else ""
        return Rendered(self.html + other.html, self.markdown + gap + other.markdown)


def render_turn(turn: Turn, options: RenderOptions, limit: int | None = None) -> Rendered:
    """Render a turn in at most `limit` bytes, HTML and Markdown together; what is missing is said."""
    for tried in _tighter(options):
        rendered = whole_turn(turn, tried, limit)
        if rendered is not None:
            return rendered
    assert limit is not None
    return _latest(turn_parts(turn, tried), tried, limit)


def whole_turn(turn: Turn, options: RenderOptions, limit: int | None = None) -> Rendered | None:
    """Render a turn with just these options; None as soon as it is clear that it takes more than `limit`."""
    pieces, size = [], 0
    for part in turn_parts(turn, options):
        pieces.append(_one(part, options))
        size += pieces[-1].size
        if limit is not None and size > limit:
            return None
    rendered = _joined(pieces)
    return rendered if limit is None or rendered.size <= limit else None


def render_parts(parts: tuple[Part, ...], options: RenderOptions) -> Rendered:
    """Render parts as one turn."""
    return _joined([_one(part, options) for part in parts])


def _one(part: Part, options: RenderOptions) -> Rendered:
    return Rendered(part_html(part, options), part_markdown(part))


def _joined(pieces: list[Rendered]) -> Rendered:
    markdown = "\n\n".join(piece.markdown for piece in pieces if piece.markdown)
    return Rendered(wrap_turn("".join(piece.html for piece in pieces)), markdown + "\n" if markdown else "")


def _tighter(options: RenderOptions) -> Iterator[RenderOptions]:
    yield options
    for output, text, diff in ((400, 20_000, 8_000), (0, 4_000, 2_000)):
        yield replace(
            options,
            thoughts=False,
            inputs=False,
            images=0,
            output=_least(options.output, output),
            text=_least(options.text, text),
            diff=_least(options.diff, diff),
        )


def _least(limit: int | None, other: int) -> int:
    return other if limit is None else min(limit, other)


def _latest(parts: tuple[Part, ...], options: RenderOptions, limit: int) -> Rendered:
    """Keep the prompt and as many of the last parts as fit, with a line about those between."""
    first = _one(parts[0], options) if parts and isinstance(parts[0], Prompt) else Rendered()
    # Room for the turn's own element, the line about what is missing, and empty lines that became entities.
    left = limit - first.size - 600
    kept: list[Rendered] = []
    for part in reversed(parts[1:] if first.size else parts):
        piece = _one(part, options)
        # An empty line of HTML grows by four bytes when it is written as an entity.
        left -= piece.size + 4 * piece.html.count("\n\n") + 2
        if left < 0:
            break
        kept.append(piece)
    dropped = len(parts) - len(kept) - (1 if first.size else 0)
    note = Note("info", f"{count(dropped, 'earlier step')} of this turn left out of this copy")
    return _joined([first, _one(note, options), *reversed(kept)])
