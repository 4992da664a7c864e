"""A change of a file as the lines of a unified diff."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Sign = Literal["+", "-", " ", "@"]

_CONTEXT = 3
# difflib's time grows with the product of both sides; beyond this the changed middle is shown as replaced.
_MAX_PRODUCT = 4_000_000
_NO_NEWLINE = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line; sign ``@`` is the header of a hunk or a remark."""

    sign: Sign
    text: str


def split_lines(text: str) -> list[str]:
    r"""Split at ``\n`` only, line ends kept: other separators are characters of a line."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def unified(old: str | None, new: str, context: int = _CONTEXT) -> tuple[DiffLine, ...]:
    """Return the hunks that lead from `old` (None: a new file) to `new`; empty if they are equal."""
    before, after = split_lines(old or ""), split_lines(new)
    # Agents often send fragments; that both of them end in the middle of a line is no news.
    remark = bool(before and after) and before[-1].endswith("\n") != after[-1].endswith("\n")
    out: list[DiffLine] = []
    for group in _groups(_opcodes(before, after), context):
        first, last = group[0], group[-1]
        out.append(DiffLine("@", _header(first[1], last[2], first[3], last[4])))
        for tag, a0, a1, b0, b1 in group:
            if tag == "equal":
                _add(out, " ", before[a0:a1], remark)
                continue
            _add(out, "-", before[a0:a1], remark)
            _add(out, "+", after[b0:b1], remark)
    return tuple(out)


def _add(out: list[DiffLine], sign: Sign, lines: list[str], remark: bool) -> None:
    for line in lines:
        out.append(DiffLine(sign, line.removesuffix("\n")))
        if remark and not line.endswith("\n"):
            out.append(DiffLine("@", _NO_NEWLINE))


def _header(a0: int, a1: int, b0: int, b1: int) -> str:
    return f"@@ -{_range(a0, a1)} +{_range(b0, b1)} @@"


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


_Opcode = tuple[str, int, int, int, int]


def _opcodes(before: list[str], after: list[str]) -> list[_Opcode]:
    """Return difflib's opcodes, with the common start and end taken off first."""
    limit = min(len(before), len(after))
    start = 0
    while start < limit and before[start] == after[start]:
        start += 1
    end = 0
    while end < limit - start and before[-1 - end] == after[-1 - end]:
        end += 1
    a1, b1 = len(before) - end, len(after) - end
    codes: list[_Opcode] = [("equal", 0, start, 0, start)] if start else []
    if (a1 - start) * (b1 - start) > _MAX_PRODUCT:
        codes.append(("replace", start, a1, start, b1))
    elif start < a1 or start < b1:
        matcher = SequenceMatcher(None, before[start:a1], after[start:b1])
        codes += [
            (tag, i + start, j + start, k + start, m + start) for tag, i, j, k, m in matcher.get_opcodes()
        ]
    if end:
        codes.append(("equal", a1, len(before), b1, len(after)))
    return codes


def _groups(codes: list[_Opcode], context: int) -> list[list[_Opcode]]:
    """Return the changes with `context` equal lines around them, far ones apart."""
    groups: list[list[_Opcode]] = []
    group: list[_Opcode] = []
    for index, (tag, a0, a1, b0, b1) in enumerate(codes):
        if tag != "equal":
            group.append((tag, a0, a1, b0, b1))
            continue
        size, first, last = a1 - a0, index == 0, index == len(codes) - 1
        if not first and not last and size <= 2 * context:
            group.append((tag, a0, a1, b0, b1))
            continue
        if not first:
            keep = min(size, context)
            if keep:
                group.append((tag, a0, a0 + keep, b0, b0 + keep))
            groups.append(group)
            group = []
        if not last:
            keep = min(size, context)
            if keep:
                group.append((tag, a1 - keep, a1, b1 - keep, b1))
    if any(code[0] != "equal" for code in group):
        groups.append(group)
    return [one for one in groups if any(code[0] != "equal" for code in one)]
