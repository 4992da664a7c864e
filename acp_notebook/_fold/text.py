"""Text that grows at its end and is shared between all states that have seen a part of it.

A streaming answer arrives in thousands of pieces and every state must keep what it saw. Views share one
list of pieces; each remembers how many of them are its own. Appending to the newest view is O(1); appending
to an older one (two histories that part ways) copies, so that no view ever changes.
"""

from __future__ import annotations


class _Line:
    """What the views of one growing text share: how far the newest of them has come, in characters."""

    __slots__ = ("end",)

    def __init__(self, end: int) -> None:
        self.end = end


class Text:
    """A frozen view of an append-only text.

    ``str(text)`` joins the pieces on demand and keeps the result; ``len`` counts characters.
    """

    __slots__ = ("count", "dropped", "joined", "length", "line", "parts")

    line: _Line
    parts: list[str]
    count: int
    joined: str | None
    dropped: int
    """Characters cut from the start so far (only `append_bounded` cuts)."""
    length: int
    """Characters in this view."""

    def __init__(self, text: str = "") -> None:
        self.line = _Line(len(text))
        self.parts = [text] if text else []
        self.count = len(self.parts)
        self.joined = text
        self.dropped = 0
        self.length = len(text)

    def append(self, more: str) -> Text:
        """Give this text with `more` at its end; itself if `more` is empty."""
        if not more:
            return self
        end = self.dropped + self.length
        line, parts = self.line, self.parts
        if line.end != end or len(parts) != self.count:
            line, parts = _Line(end), parts[: self.count]
        parts.append(more)
        line.end = end + len(more)
        return _view(line, parts, self.length + len(more), self.dropped)

    def append_bounded(self, more: str, limit: int) -> Text:
        """Like `append`, but at most `limit` characters stay, the last ones.

        A cut goes down to three quarters of the limit, so that it is rare and its cost is shared by
        everything that was appended in between.
        """
        grown = self.append(more)
        if grown.length <= limit:
            return grown
        kept = str(grown)[-(limit * 3 // 4) :]
        return _view(grown.line, [kept], len(kept), grown.dropped + grown.length - len(kept))

    def since(self, older: Text) -> tuple[int, str] | None:
        """How this text grew out of an older view of it.

        Returns
        -------
        tuple of int and str, or None
            How many characters of `older` are gone from its start, and what was appended; None if this
            text did not grow out of `older` or nothing of it is left.
        """
        cut = self.dropped - older.dropped
        if self.line is not older.line or cut < 0 or cut > older.length:
            return None
        new = self.dropped + self.length - older.dropped - older.length
        if new < 0:
            return None
        if self.parts is older.parts:
            return 0, "".join(self.parts[older.count : self.count])
        return cut, str(self)[self.length - new :]

    def __str__(self) -> str:
        if self.joined is None:
            self.joined = "".join(self.parts[: self.count])
        return self.joined

    def __len__(self) -> int:
        return self.length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        return self is other or (self.length == other.length and str(self) == str(other))

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        return f"Text({str(self)!r})"


_new = object.__new__


def _view(line: _Line, parts: list[str], length: int, dropped: int) -> Text:
    view = _new(Text)
    view.line = line
    view.parts = parts
    view.count = len(parts)
    view.joined = None
    view.dropped = dropped
    view.length = length
    return view


NO_TEXT = Text()
"""The empty text, for defaults."""
