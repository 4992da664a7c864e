"""Hunks of a change of text: finding them, and applying some of them. Pure.

Lines end at line feeds only and keep them, so that carriage returns, other line separators and a missing
line feed at the end are part of a line like any other character. Lines that are unique on both sides anchor
the comparison; what lies between two anchors goes to rapidfuzz (C++) where it is installed, else to difflib.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

LCSseq: Any
try:
    from rapidfuzz.distance import LCSseq
except ImportError:  # the extra `diff` is not installed; difflib does the same, slower
    LCSseq = None

#: Cells of the comparison table of a stretch without anchors; beyond, the stretch counts as rewritten.
CELLS = 400_000_000
#: Pairs of equal lines that difflib may look at in such a stretch; it needs seconds for more.
PAIRS = 1_000_000
#: Lines that a hunk may be moved up or down.
REACH = 100

_BRACES = frozenset("{}[]();,")


@dataclass(frozen=True, slots=True)
class Span:
    """A change: lines `a0` up to `a1` of the old text became `b0` up to `b1` of the new one (from 0)."""

    a0: int
    a1: int
    b0: int
    b1: int


def split_lines(text: str) -> list[str]:
    r"""The lines of a text with their line feeds; ``"".join`` gives the text back."""
    lines = text.split("\n")
    last = lines.pop()
    return [*(line + "\n" for line in lines), *((last,) if last else ())]


def find_spans(old: Sequence[str], new: Sequence[str]) -> tuple[Span, ...]:
    """The hunks that lead from old to new lines, in order; between two of them is at least one equal line.

    Hunks begin and end at blank lines or shallow indents where repeated lines leave a choice, and a lone
    brace never parts two of them.
    """
    ids: dict[str, int] = {}
    a = [ids.setdefault(line, len(ids)) for line in old]
    b = [ids.setdefault(line, len(ids)) for line in new]
    spans: list[Span] = []
    i = j = 0
    for x, y, length in _joined(_matches(a, b)):
        if x > i or y > j:
            spans.append(Span(i, x, j, y))
        i, j = x + length, y + length
    if i < len(a) or j < len(b):
        spans.append(Span(i, len(a), j, len(b)))
    return tuple(_slid(_merged(spans, old), old, new))


def apply_spans(
    old: Sequence[str], new: Sequence[str], spans: Sequence[Span], chosen: Collection[int]
) -> list[str]:
    """The old lines with the chosen hunks, given by their index, replaced by the new ones."""
    out: list[str] = []
    at = 0
    for index, span in enumerate(spans):
        if index in chosen:
            out += old[at : span.a0]
            out += new[span.b0 : span.b1]
            at = span.a1
    out += old[at:]
    return out


# ---------------------------------------------------------------------------------------------- matching


def _matches(a: list[int], b: list[int]) -> Iterator[tuple[int, int, int]]:
    """Equal stretches ``(place in a, place in b, length)`` in order, not yet joined."""
    stack = [(0, len(a), 0, len(b))]
    while stack:
        a0, a1, b0, b1 = stack.pop()
        if a0 < 0:  # a finished stretch that had to wait for those before it
            yield ~a0, b0, b1
            continue
        head = 0
        while a0 + head < a1 and b0 + head < b1 and a[a0 + head] == b[b0 + head]:
            head += 1
        if head:
            yield a0, b0, head
            a0, b0 = a0 + head, b0 + head
        tail = 0
        while a1 - tail > a0 and b1 - tail > b0 and a[a1 - tail - 1] == b[b1 - tail - 1]:
            tail += 1
        if tail:
            stack.append((~(a1 - tail), 0, b1 - tail, tail))
            a1, b1 = a1 - tail, b1 - tail
        if a0 == a1 or b0 == b1:
            continue
        anchors = _anchors(a, b, a0, a1, b0, b1)
        if not anchors:
            yield from _lcs(a, b, a0, a1, b0, b1)
            continue
        edges = [(a0, b0), *anchors, (a1, b1)]
        # The last part lies at the bottom of the stack: each part begins with its anchor.
        for (x, y), (x1, y1) in reversed(list(pairwise(edges))):
            stack.append((x, x1, y, y1))


def _anchors(a: list[int], b: list[int], a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int]]:
    """Lines that stand once on each side, as the longest list in which both sides go up."""
    in_a, in_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    where = {line: j for j, line in enumerate(b[b0:b1], b0) if in_b[line] == 1 and in_a.get(line) == 1}
    ends: list[int] = []
    rows: list[tuple[int, int, int]] = []
    holders: list[int] = []
    for i in range(a0, a1):
        j = where.get(a[i])
        if j is None:
            continue
        rank = bisect_left(ends, j)
        rows.append((i, j, holders[rank - 1] if rank else -1))
        if rank == len(ends):
            ends.append(j)
            holders.append(len(rows) - 1)
        else:
            ends[rank] = j
            holders[rank] = len(rows) - 1
    out: list[tuple[int, int]] = []
    at = holders[-1] if holders else -1
    while at >= 0:
        i, j, at = rows[at]
        out.append((i, j))
    return out[::-1]


def _lcs(a: list[int], b: list[int], a0: int, a1: int, b0: int, b1: int) -> Iterator[tuple[int, int, int]]:
    left, right = a[a0:a1], b[b0:b1]
    counts = Counter(right)
    pairs = sum(counts[line] for line in left)
    if not pairs:
        return
    if LCSseq is not None:
        if len(left) * len(right) > CELLS:
            return
        for op in LCSseq.opcodes(left, right):
            if op.tag == "equal":
                yield a0 + op.src_start, b0 + op.dest_start, op.src_end - op.src_start
    elif pairs <= PAIRS:
        from difflib import SequenceMatcher

        for i, j, length in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
            if length:
                yield a0 + i, b0 + j, length


def _joined(matches: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    held: tuple[int, int, int] | None = None
    for i, j, length in matches:
        if held is not None and held[0] + held[2] == i and held[1] + held[2] == j:
            held = (held[0], held[1], held[2] + length)
            continue
        if held is not None:
            yield held
        held = (i, j, length)
    if held is not None:
        yield held


# ---------------------------------------------------------------------------------------------- borders


def _merged(spans: list[Span], old: Sequence[str]) -> list[Span]:
    """Hunks that only lone braces part are one."""
    out: list[Span] = []
    for span in spans:
        if out and all(_is_brace(line) for line in old[out[-1].a1 : span.a0]):
            out[-1] = Span(out[-1].a0, span.a1, out[-1].b0, span.b1)
        else:
            out.append(span)
    return out


def _is_brace(line: str) -> bool:
    bare = line.strip()
    return bare != "" and _BRACES.issuperset(bare)


def _slid(spans: list[Span], old: Sequence[str], new: Sequence[str]) -> list[Span]:
    """Pure insertions and deletions at the best of the places that mean the same."""
    out: list[Span] = []
    for index, span in enumerate(spans):
        # One equal line stays between two hunks.
        low = out[-1].a1 + 1 if out else 0
        high = spans[index + 1].a0 - 1 if index + 1 < len(spans) else len(old)
        if span.a0 == span.a1:
            shift = _best(new, span.b0, span.b1, span.a0 - low, high - span.a0)
        elif span.b0 == span.b1:
            shift = _best(old, span.a0, span.a1, span.a0 - low, high - span.a1)
        else:
            shift = 0
        out.append(Span(span.a0 + shift, span.a1 + shift, span.b0 + shift, span.b1 + shift))
    return out


def _best(lines: Sequence[str], start: int, end: int, up: int, down: int) -> int:
    shifts = [0]
    for k in range(1, min(up, REACH) + 1):
        if lines[start - k] != lines[end - k]:
            break
        shifts.append(-k)
    for k in range(min(down, REACH)):
        if lines[start + k] != lines[end + k]:
            break
        shifts.append(k + 1)
    if len(shifts) == 1:
        return 0
    return min(shifts, key=lambda k: (_cost(lines, start + k) + _cost(lines, end + k), -k))


def _cost(lines: Sequence[str], at: int) -> int:
    """How bad a border before the line `at` is: deep, in the middle of a block, at a blank line."""
    if at >= len(lines):
        return 0
    line = lines[at].strip()
    below = next((text for text in lines[at : at + 5] if text.strip()), "")
    indent = len(below) - len(below.lstrip(" \t"))
    begins = at == 0 or not lines[at - 1].strip()
    return 4 * min(indent, 100) + (0 if begins else 2) + (0 if line else 1)
