"""Text cut to a number of bytes, and the words that say so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cut:
    """Text that may have lost its start or its end.

    `dropped` is the number of characters left out, `front` whether the start of the text is what is missing.
    """

    text: str
    dropped: int = 0
    front: bool = False

    @property
    def says(self) -> str:
        """A line about what is missing; empty if nothing is."""
        if not self.dropped:
            return ""
        place = "before this" if self.front else "more"
        return f"… {self.dropped:,} characters {place} left out of this copy"


def cut(text: str, limit: int | None, *, keep_end: bool = False) -> Cut:
    """Keep at most `limit` bytes (UTF-8) of a text: its start or, for logs, its end.

    The cut is moved to a line break if one is near, so that no line is shown in half.
    """
    raw = text.encode("utf-8", "replace") if limit is not None else b""
    if limit is None or len(raw) <= limit:
        return Cut(text)
    if keep_end:
        kept = raw[-limit:].decode("utf-8", "ignore") if limit else ""
        line = kept.find("\n", 0, len(kept) // 2)
        kept = kept[line + 1 :]
    else:
        kept = raw[:limit].decode("utf-8", "ignore")
        line = kept.rfind("\n", len(kept) // 2)
        kept = kept if line < 0 else kept[:line]
    return Cut(kept, len(text) - len(kept), keep_end)


def size_words(size: int) -> str:
    """Return a size in bytes for people: ``"812 bytes"``, ``"34 KB"``, ``"1.2 MB"``."""
    if size < 1000:
        return f"{size} bytes"
    if size < 1_000_000:
        return f"{size / 1000:.0f} KB"
    return f"{size / 1_000_000:.1f} MB"
