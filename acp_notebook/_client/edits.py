"""What an edit that an agent tells us means for a file as it is now: a plan by hunks, or why there is none.

An agent's `oldText` may be the whole file or a part of it, and the file may have changed meanwhile. A plan is
made only where there is one reading; everything else is a `MismatchError` with a sentence for the person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from acp_notebook._client.hunks import Span, apply_spans, find_spans, split_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

CONTEXT = 3
"""Unchanged lines shown around a hunk, and needed around one that is taken back."""


class MismatchError(Exception):
    """The edit cannot be carried out on the file as it is; the message says why."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A diff as the agent sent it. `old`: None or empty for a new file; `deletes`: the call deletes files.

    `whole`: we saw both texts ourselves, they are those of the whole file and None alone stands for no file.
    """

    path: str
    old: str | None
    new: str
    deletes: bool = False
    whole: bool = False


def excerpt(edit: Edit, most: int) -> Edit | None:
    """The edit in so many characters: whole, else its changed lines as a fragment, else None."""
    old, new = edit.old or "", edit.new
    if len(old) + len(new) <= most:
        return edit
    spans = find_ends(split_lines(old), split_lines(new))
    old, new = ("".join(lines) for lines in spans)
    return Edit(edit.path, old, new) if edit.old and len(old) + len(new) <= most else None


def find_ends(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Both texts without the lines that they begin and end with alike, but for a few around the change."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[~i] != new[~i]), shorter - head)
    first, rest = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    return old[first : len(old) - rest], new[first : len(new) - rest]


@dataclass(frozen=True)
class Plan:
    """A change of a whole file by hunks. None stands for "there is no file"."""

    before: str | None
    after: str | None
    ready: tuple[Span, ...] | None = field(default=None, compare=False)

    @cached_property
    def old(self) -> list[str]:
        """The lines before."""
        return split_lines(self.before or "")

    @cached_property
    def new(self) -> list[str]:
        """The lines after."""
        return split_lines(self.after or "")

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The hunks in order. An empty file that comes or goes is a hunk of no lines."""
        if self.ready is not None:
            return self.ready
        found = find_spans(self.old, self.new)
        return found or ((Span(0, 0, 0, 0),) if self.before != self.after else ())

    def result(self, chosen: Collection[int]) -> str | None:
        """The file with the chosen hunks only."""
        if not chosen:
            return self.before
        if len(set(chosen)) == len(self.spans):
            return self.after
        return "".join(apply_spans(self.old, self.new, self.spans, chosen))

    def places(self, chosen: Collection[int]) -> tuple[int, ...]:
        """The lines, counted from 1, at which the chosen hunks stand in the result."""
        found: list[int] = []
        shift = 1
        for index, span in enumerate(self.spans):
            if index in chosen:
                found.append(span.a0 + shift)
                shift += (span.b1 - span.b0) - (span.a1 - span.a0)
        return tuple(found)

    def hunks(self) -> Iterator[dict[str, Any]]:
        """The hunks as they stand in a note: texts of both sides with some lines around them."""
        edge = 0
        for index, span in enumerate(self.spans):
            following = self.spans[index + 1].a0 if index + 1 < len(self.spans) else len(self.old)
            yield {
                "line": span.a0 + 1,
                "new_line": span.b0 + 1,
                "old": "".join(self.old[span.a0 : span.a1]),
                "new": "".join(self.new[span.b0 : span.b1]),
                "before": "".join(self.old[max(edge, span.a0 - CONTEXT) : span.a0]),
                "after": "".join(self.old[span.a1 : min(following, span.a1 + CONTEXT)]),
            }
            # Lines between two close hunks are shown once, after the first.
            edge = min(following, span.a1 + CONTEXT)


def plan_edit(edit: Edit, now: str | None) -> Plan:
    """What carrying out an edit does to the file as it is now.

    Raises
    ------
    MismatchError
        The file is not as the edit says, or what it says can be read in two ways.
    """
    if not edit.old:
        if now:
            done = " It holds this text already." if now == edit.new else ""
            raise MismatchError(f"This is to be a new file, but there is one by now.{done}")
        return _changed(Plan(now, edit.new))
    if now is None:
        raise MismatchError("The file is not there.")
    start, old, new = _locate(edit.old, edit.new, now)
    after: str | None = now[:start] + new + now[start + len(old) :]
    if after == "":
        if not edit.deletes:
            raise MismatchError("Nothing is left of the file; whether it is deleted is not said.")
        after = None
    return _changed(Plan(now, after))


def _changed(plan: Plan) -> Plan:
    if plan.before == plan.after:
        raise MismatchError("This changes nothing.")
    return plan


def _locate(old: str, new: str, now: str) -> tuple[int, str, str]:
    """Where the one occurrence of the old text begins, and both texts with the file's own line ends."""
    if old == now:
        return 0, old, new
    count = _count(now, old)
    if count == 0 and "\n" in old and _all_crlf(now) and "\r" not in old + new:
        # Some agents tell diffs without carriage returns; a file that has them everywhere leaves no doubt.
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
        count = _count(now, old)
    if count == 0:
        raise MismatchError("The file does not hold the text that this edit replaces; it has changed.")
    if count > 1:
        raise MismatchError("The text that this edit replaces stands in the file more than once.")
    return now.find(old), old, new


def _count(text: str, part: str) -> int:
    """Up to two occurrences, overlapping ones too."""
    first = text.find(part)
    return 0 if first < 0 else 1 if text.find(part, first + 1) < 0 else 2


def _all_crlf(text: str) -> bool:
    return "\r\n" in text and text.count("\n") == text.count("\r\n") == text.count("\r")


def plan_back(edit: Edit, now: str | None) -> Plan:
    """What taking a finished edit back does to the file as it is now; hunks it no longer holds are left out.

    Raises
    ------
    MismatchError
        The file no longer holds the edit.
    """
    if edit.whole and now == edit.new:
        return _changed(Plan(now, edit.old))
    if edit.deletes and not edit.new and edit.old:
        if now:
            raise MismatchError("The agent deleted the file, but there is one by now.")
        return Plan(now, edit.old)
    if now is None:
        raise MismatchError("The file is not there any more.")
    if not edit.old:
        if now != edit.new:
            raise MismatchError("The file has changed since the agent made it.")
        return Plan(now, None)
    if not edit.new:
        raise MismatchError("This edit only removed text; where it stood cannot be told any more.")
    try:
        start, new, old = _locate(edit.new, edit.old, now)
    except MismatchError:
        return _back_by_hunk(edit.old, edit.new, now)
    return _changed(Plan(now, now[:start] + old + now[start + len(new) :]))


def _back_by_hunk(old_text: str, new_text: str, now: str) -> Plan:
    """Take back those hunks that stand in the file once, with the lines around them as they were."""
    old, new, held = split_lines(old_text), split_lines(new_text), split_lines(now)
    found: list[tuple[int, int, list[str]]] = []
    for span in find_spans(old, new):
        before = new[max(0, span.b0 - CONTEXT) : span.b0]
        inside = new[span.b0 : span.b1]
        block = [*before, *inside, *new[span.b1 : span.b1 + CONTEXT]]
        at = _only(held, block)
        if at is None:
            continue
        start = at + len(before)
        end, lines = start + len(inside), old[span.a0 : span.a1]
        if _fits(held, start, end, lines):
            found.append((start, end, lines))
    found.sort(key=lambda one: one[0])
    spans: list[Span] = []
    after: list[str] = []
    at = 0
    for start, end, lines in found:
        if start < at:
            continue
        after += held[at:start]
        spans.append(Span(start, end, len(after), len(after) + len(lines)))
        after += lines
        at = end
    if not spans:
        raise MismatchError("The file no longer holds this edit.")
    return Plan(now, "".join([*after, *held[at:]]), tuple(spans))


def _only(lines: list[str], block: list[str]) -> int | None:
    """Where the one occurrence of a block of lines begins; None if there is none or a choice."""
    if not block:
        return None
    first, size = block[0], len(block)
    places = [i for i, line in enumerate(lines) if line == first and lines[i : i + size] == block]
    return places[0] if len(places) == 1 else None


def _fits(lines: list[str], start: int, end: int, put: list[str]) -> bool:
    """Whether no two lines would run into one: only a file's last line may lack its line feed."""
    ends_open = bool(put) and not put[-1].endswith("\n")
    begins_open = start > 0 and not lines[start - 1].endswith("\n")
    return not (ends_open and end < len(lines)) and not (begins_open and bool(put))


@dataclass(frozen=True, slots=True)
class Version:
    """A change that we made to a file for the person.

    Texts before and after, hunks taken and offered, and the lines at which those taken stand in the file.
    """

    before: str | None
    after: str | None
    taken: int
    offered: int
    lines: tuple[int, ...] = ()

    def told(self) -> str:
        """Which hunks of it are in the file, as a sentence."""
        some = ", ".join(map(str, self.lines[:20])) + (", …" if len(self.lines) > 20 else "")
        where = f" (at line{'s' if len(self.lines) > 1 else ''} {some})" if self.lines else ""
        return f"{self.taken} of the {self.offered} hunks that were offered before are in the file{where}."


def plan_again(edit: Edit, now: str | None, versions: Collection[Version]) -> tuple[Plan, str | None]:
    """As `plan_edit`, for a file that we changed before: agents repeat an edit as if nothing had happened.

    Returns
    -------
    Plan, str or None
        From the file as it is now, and a sentence about the hunks that are in it already.

    Raises
    ------
    MismatchError
        As `plan_edit`.
    """
    if not versions or list(versions)[-1].after != now:
        return plan_edit(edit, now), None
    last = list(versions)[-1]
    earlier = last.told()
    try:
        return plan_edit(edit, now), earlier
    except MismatchError as error:
        for version in reversed(list(versions)):
            try:
                told = plan_edit(edit, version.before)
            except MismatchError:
                continue
            return _changed(Plan(now, told.after)), earlier
        raise error from None
