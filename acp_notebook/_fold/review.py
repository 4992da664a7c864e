"""Reviews of edits by hunk, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change within a file.

    Attributes
    ----------
    index : int
        Its number in the review, from 0, over all files; what `Chat.apply` takes.
    path : str
        Of the file, as the agent sent it.
    line, new_line : int
        Number of its first line in the file before and after all hunks, from 1.
    old, new : str
        The lines that go and those that come, with their line ends; empty for none.
    before, after : str
        Unchanged lines around it that are shown, with their line ends.
    """

    index: int
    path: str
    line: int
    new_line: int
    old: str
    new: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class FileReview:
    """The hunks of one file.

    Attributes
    ----------
    path : str
    kind : {"change", "create", "delete"}
        What becomes of the file with all hunks.
    hunks : tuple of Hunk
    problem : str or None
        Why this file cannot be reviewed by hunk; it then has no hunks.
    earlier : str or None
        What is in the file already of an edit reviewed before.
    """

    path: str
    kind: Literal["change", "create", "delete"] = "change"
    hunks: tuple[Hunk, ...] = ()
    problem: str | None = None
    earlier: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """An edit that a person may accept in parts.

    Attributes
    ----------
    key : str
        Unique in a transcript; that of the permission for one that came with a request.
    way : {"permission", "write", "take_back"}
        Offered beside a request's options; a write of the agent that waits; a finished edit that is taken
        back (accepted hunks are those taken back).
    call_id : str or None
        The tool call whose edit it is.
    files : tuple of FileReview
    outcome : {"applied", "refused", "cancelled", None}
        None while it is open. applied: the hunks in `chosen` were written.
    chosen : tuple of int
        Indices of the accepted hunks.
    decided_by : str or None
        ``"person"``, ``"policy"``, a rule's name, ``"cancel"``.
    problem : str or None
        Why the last try to write failed; nothing was written then.
    """

    key: str
    way: Literal["permission", "write", "take_back"]
    call_id: str | None = None
    files: tuple[FileReview, ...] = ()
    outcome: Literal["applied", "refused", "cancelled"] | None = None
    chosen: tuple[int, ...] = ()
    decided_by: str | None = None
    problem: str | None = None

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks of all files; a hunk's place here is its index."""
        return tuple(hunk for file in self.files for hunk in file.hunks)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A review that stands in the conversation by itself: of a write, or of what is taken back."""

    kind: ClassVar[Literal["review"]] = "review"
    review: Review
    started: float
    ended: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What the agent is told with the next prompt about a review, unless the person takes it out."""

    key: str
    text: str
