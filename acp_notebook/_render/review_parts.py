"""A review by hunk that stands in the conversation by itself, as parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acp_notebook._render.parts import FileDiff, Note, Part
from acp_notebook._render.unified import DiffLine, unified
from acp_notebook._render.visible import relative
from acp_notebook._render.words import review_word

if TYPE_CHECKING:
    from acp_notebook._fold.state import FileReview, Hunk, Review
    from acp_notebook._render.options import RenderOptions


def review_parts(review: Review, options: RenderOptions) -> Iterator[Part]:
    """Give the hunks of a review and what became of them."""
    about = "Taking an edit back" if review.way == "take_back" else "A write of the agent, reviewed"
    yield Note("info", about, ". ".join(filter(None, (review_word(review), review.problem))))
    for file in review.files:
        yield _file(file, review, options)


def _file(file: FileReview, review: Review, options: RenderOptions) -> FileDiff:
    lines = [DiffLine("@", remark) for remark in (file.problem, file.earlier) if remark]
    for hunk in file.hunks:
        shown = unified(hunk.before + hunk.old + hunk.after, hunk.before + hunk.new + hunk.after)
        head = DiffLine("@", f"@@ -{hunk.line} +{hunk.new_line} @@{_fate(hunk, review)}")
        lines += [head, *(line for line in shown if not line.text.startswith("@@") or line.sign != "@")]
    kept, size = len(lines), 0
    for index, line in enumerate(lines):
        size += len(line.text.encode("utf-8", "replace")) + 2
        if options.diff is not None and size > options.diff:
            kept = index
            break
    return FileDiff(
        path=relative(file.path, options.cwd),
        new_file=file.kind == "create",
        added=sum(line.sign == "+" for line in lines),
        removed=sum(line.sign == "-" for line in lines),
        lines=tuple(lines[:kept]),
        dropped=len(lines) - kept,
    )


def _fate(hunk: Hunk, review: Review) -> str:
    """Say whether a hunk was taken, where some were not."""
    if review.outcome != "applied" or len(review.chosen) == len(review.hunks):
        return ""
    return " taken" if hunk.index in review.chosen else " left out"
