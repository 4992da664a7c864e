"""What the agent is told about a person's choice of hunks, in words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from acp_notebook._fold.state import FileReview, Hunk, Review

#: Characters of the hunks that are quoted in one report.
QUOTED = 4_000


def report(review: Review, chosen: Collection[int], by: str = "person") -> str | None:
    """The paragraph for the next prompt; None if there is nothing to tell.

    Of a write that was accepted whole its success says everything. One that was refused whole is told only if
    a person did so: the answer says that it failed, but agents forget that with the turn.

    Parameters
    ----------
    review : Review
    chosen : collection of int
        The hunks that were accepted (or taken back).
    by : str
        Who decided.
    """
    lines = [line for file in review.files for line in _file(review.way, file, chosen)]
    if not lines:
        return None
    if review.way == "write" and (len(chosen) == len(review.hunks) or (not chosen and by != "person")):
        return None
    return "\n".join([_HEADS[review.way], *lines])


_HEADS = {
    "permission": "I reviewed an edit that you asked permission for. In its place, the hunks that I accepted"
    " were written to the file for you. Read a file again before you edit it.",
    "write": "I reviewed what you wrote hunk by hunk, and only the accepted hunks are in the file."
    " Read a file again before you edit it.",
    "take_back": "I took back parts of an edit of yours. Read a file again before you edit it.",
}


def _file(way: str, file: FileReview, chosen: Collection[int]) -> Iterable[str]:
    if not file.hunks:
        return
    taken = [hunk for hunk in file.hunks if hunk.index in chosen]
    left = [hunk for hunk in file.hunks if hunk.index not in chosen]
    if way == "take_back":
        if taken:
            yield f"- {file.path}: taken back {_which(taken, file)}" + (
                f", kept {_which(left, file)}" if left else ""
            )
            yield from _quoted(taken)
        return
    kept = f"kept {_which(taken, file)}" if taken else "kept nothing"
    yield f"- {file.path}: {kept}" + (f", did not take {_which(left, file)}" if left else "")
    yield from _quoted(left)


def _which(hunks: list[Hunk], file: FileReview) -> str:
    if len(hunks) == len(file.hunks):
        return "everything"
    lines = ", ".join(str(hunk.line) for hunk in hunks[:20]) + (", …" if len(hunks) > 20 else "")
    return f"{len(hunks)} of {len(file.hunks)} hunks (at {'line' if len(hunks) == 1 else 'lines'} {lines})"


def _quoted(hunks: list[Hunk]) -> Iterable[str]:
    """The hunks as a diff, as far as there is room."""
    room = QUOTED
    for hunk in hunks:
        old = [f"  -{line}" for line in hunk.old.splitlines()]
        new = [f"  +{line}" for line in hunk.new.splitlines()]
        text = "\n".join([f"  @@ line {hunk.line} @@", *old, *new])
        if len(text) > room:
            yield "  …"
            return
        room -= len(text)
        yield text
