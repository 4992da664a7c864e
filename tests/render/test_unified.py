"""Diff lines: what they say leads from the old text to the new one."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_notebook._render.unified import split_lines, unified

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "d e", "\x0c", "\u2028"]), max_size=30).map("\n".join)


@given(TEXTS, TEXTS, st.integers(0, 4))
def test_the_hunks_lead_from_old_to_new(old, new, context):
    """Applied by their headers to the old text, the hunks give the new one."""
    before = split_lines(old)
    out: list[str] = []
    place, last = 0, ""
    for line in unified(old, new, context):
        if line.text.startswith("@@ "):
            start, _, length = line.text.split()[1][1:].partition(",")
            begin = int(start) - (0 if length == "0" else 1)
            out += before[place:begin]
            place = begin
        elif line.sign == "@":
            # The remark is about the line above it, which is no part of the new text if it was removed.
            if last != "-":
                out[-1] = out[-1].removesuffix("\n")
        elif line.sign == "+":
            out.append(line.text + "\n")
        else:
            assert before[place].removesuffix("\n") == line.text
            place += 1
            if line.sign == " ":
                out.append(line.text + "\n")
        last = line.sign
    out += before[place:]
    assert "".join(out).rstrip("\n") == new.rstrip("\n")


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (None, "a\n", ["@@ -0,0 +1 @@", "+a"]),
        ("a\n", "", ["@@ -1 +0,0 @@", "-a"]),
        ("a", "b", ["@@ -1 +1 @@", "-a", "+b"]),
        ("a\n", "a", ["@@ -1 +1 @@", "-a", "+a", "\\ No newline at end of file"]),
        ("same\n", "same\n", []),
    ],
)
def test_small_diffs(old, new, lines):
    """New files, emptied files, fragments without line ends."""
    assert [("" if one.sign == "@" else one.sign) + one.text for one in unified(old, new)] == lines


def test_far_changes_are_hunks_of_their_own():
    """Two changes with many equal lines between them do not show these."""
    old = [f"{n}\n" for n in range(100)]
    new = ["x\n", *old[1:99], "y\n"]

    hunks = [line.text for line in unified("".join(old), "".join(new)) if line.sign == "@"]

    assert hunks == ["@@ -1,4 +1,4 @@", "@@ -97,4 +97,4 @@"]


def test_large_hostile_texts_are_compared_in_bounded_time():
    """Thousands of equal and different lines do not hang the copy."""
    began = time.process_time()
    unified("a\nb\n" * 20_000, "b\na\n" * 20_000)
    unified("".join(f"{n}\n" for n in range(20_000)), "".join(f"{n}\n" for n in range(20_000, 0, -1)))
    assert time.process_time() - began < 10
