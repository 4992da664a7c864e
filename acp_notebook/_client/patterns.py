"""Which regular expressions of an agent may be run here: those that cannot take long.

Python's matcher backtracks and holds the interpreter's lock, so one hostile pattern in a form would stop the
whole kernel. What this module does not let through is left to the agent to check.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_PATTERN = 300
#: Steps that a match may take at worst, as estimated: well under a second.
MOST_STEPS = 3_000_000
_HIGHEST_COUNT = 200

# A reference back to a group; look-around, named groups, flags.
_NEVER = re.compile(r"\\[1-9k]|\(\?(?!:)")
_COUNT = re.compile(r"\{(\d+)(,)?(\d*)\}")


@dataclass
class _Cost:
    """What a pattern may cost: repetitions without an end, and the product of the other choices."""

    loose: int = 0
    choices: int = 1

    def steps(self, length: int) -> int:
        # One more for the place where a match begins.
        return int((length + 1) ** (self.loose + 1)) * self.choices


def safe(pattern: str, length: int) -> re.Pattern[str] | None:
    """Compile a pattern if it is cheap to search for in a text of this length; else None.

    Never cheap are patterns with look-around, with references back to groups, and with a repeated group that
    itself repeats or branches.

    Parameters
    ----------
    pattern : str
        ECMA-262, as JSON Schema has it; what Python reads in another way is not told apart.
    length : int
        Characters of the text.
    """
    if len(pattern) > LONGEST_PATTERN:
        return None
    cost = _cost(pattern)
    if cost is None or cost.steps(length) > MOST_STEPS:
        return None
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError, ValueError):
        return None


def _cost(pattern: str) -> _Cost | None:
    """An upper bound of what a pattern costs; None: it may cost anything."""
    cost = _Cost()
    varied = [False]  # for each open group: whether something in it repeats or branches
    closed = False  # whether that holds for the group that has just ended
    at = 0
    while at < len(pattern):
        char, was, closed = pattern[at], closed, False
        counted = _COUNT.match(pattern, at)
        if _NEVER.match(pattern, at):
            return None
        if char == "\\":
            at += 1
        elif char == "[":
            at = _class_end(pattern, at)
        elif char == "(":
            at += 2 if pattern.startswith("(?:", at) else 0
            varied.append(False)
        elif char == ")":
            closed = varied.pop()
            if not varied:
                return None
            varied[-1] |= closed
        elif char == "|":
            varied[-1] = True
            cost.choices *= 2
        elif char in "*+?" or counted is not None:
            if was or not _add(cost, char, counted):
                return None
            varied[-1] = True
            at = at if counted is None else counted.end() - 1
        at += 1
    return cost


def _add(cost: _Cost, char: str, counted: re.Match[str] | None) -> bool:
    """Add a quantifier's cost; False if it is too much for certain."""
    if counted is None:
        cost.loose += char != "?"
        cost.choices *= 2 if char == "?" else 1
        return True
    least, comma, most = counted.groups()
    if len(least) > 3 or len(most) > 3 or max(int(least), int(most or 0)) > _HIGHEST_COUNT:
        return False
    if comma and not most:
        cost.loose += 1
    elif comma:
        cost.choices *= max(1, int(most) - int(least) + 1)
    return True


def _class_end(pattern: str, start: int) -> int:
    """The place of the bracket that ends a character class; the pattern's end if there is none."""
    # A bracket that comes first stands for itself in Python.
    at = start + 2 if pattern.startswith("^", start + 1) else start + 1
    at += pattern.startswith("]", at)
    while at < len(pattern) and pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at
