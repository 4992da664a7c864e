"""Hunks of a change: found, chosen, applied."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_notebook._client import hunks
from acp_notebook._client.hunks import Span, apply_spans, find_spans, split_lines

# Few different lines, so that they repeat; all kinds of ends and separators inside.
LINE = st.sampled_from(
    ["a", "b", "", "  a", "}", "  }", "{", "a\r", "a\u2028b", "\x0b", "\x85", "\x00", "é", "\U0001f600"]
)
TEXT = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(LINE, max_size=30),
    st.sampled_from(["", "\n", "\r\n"]),
)


@pytest.fixture(params=["rapidfuzz", "difflib"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to compare a stretch without anchors."""
    if request.param == "difflib":
        monkeypatch.setattr(hunks, "LCSseq", None)
    else:
        pytest.importorskip("rapidfuzz")
    return str(request.param)


def spans_of(old: str, new: str) -> tuple[list[str], list[str], tuple[Span, ...]]:
    a, b = split_lines(old), split_lines(new)
    return a, b, find_spans(a, b)


@given(TEXT, TEXT)
def test_all_hunks_give_the_new_text_and_none_the_old(old: str, new: str) -> None:
    """Whatever the texts: lines of any kind, with and without an end."""
    a, b, spans = spans_of(old, new)
    assert "".join(a) == old
    assert "".join(b) == new
    assert "".join(apply_spans(a, b, spans, range(len(spans)))) == new
    assert "".join(apply_spans(a, b, spans, ())) == old


@given(TEXT, TEXT, st.data())
def test_a_choice_changes_the_chosen_lines_alone_and_the_rest_can_follow(
    old: str, new: str, data: st.DataObject
) -> None:
    """Outside the chosen hunks the old bytes stand, inside the new ones; the others lead on to the new text."""
    a, b, spans = spans_of(old, new)
    chosen = data.draw(st.sets(st.sampled_from(range(len(spans))))) if spans else set()
    made = apply_spans(a, b, spans, chosen)
    rest, at, i = [], 0, 0
    for index, span in enumerate(spans):
        assert made[at : at + span.a0 - i] == a[i : span.a0] == b[span.b0 - (span.a0 - i) : span.b0]
        at += span.a0 - i
        size = span.b1 - span.b0 if index in chosen else span.a1 - span.a0
        expected = b[span.b0 : span.b1] if index in chosen else a[span.a0 : span.a1]
        assert made[at : at + size] == expected
        if index not in chosen:
            rest.append(Span(at, at + size, span.b0, span.b1))
        at, i = at + size, span.a1
    assert made[at:] == a[i:]
    assert "".join(apply_spans(made, b, rest, range(len(rest)))) == new
    assert split_lines("".join(made)) == made, "a line without an end never runs into the next"


@given(TEXT, TEXT)
def test_hunks_are_parted_by_equal_lines_that_are_not_all_braces(old: str, new: str) -> None:
    """Two hunks side by side would be one, and a lone brace between two belongs to both."""
    a, b, spans = spans_of(old, new)
    for one, two in pairwise(spans):
        between = a[one.a1 : two.a0]
        assert between == b[one.b1 : two.b0]
        assert any(line.strip() not in {"{", "}"} for line in between)


def test_an_inserted_function_begins_with_its_head(engine: str) -> None:
    """Of two places that mean the same, the one at a blank line and a shallow indent is taken."""
    first, last = "def a():\n    return 1\n\n", "def c():\n    return 3\n"
    middle = "def b():\n    return 2\n\n"
    a, b, [span] = spans_of(first + last, first + middle + last)
    assert "".join(b[span.b0 : span.b1]) == middle
    a, b, [span] = spans_of(first + middle + last, first + last)
    assert "".join(a[span.a0 : span.a1]) == middle


def test_an_inserted_block_ends_with_its_own_brace(engine: str) -> None:
    """Not with the brace of the block before it."""
    one, two = "f {\n  a\n}\n", "g {\n  b\n}\n"
    for rest in ("", "h {\n  c\n}\n"):
        _, b, [span] = spans_of(one + rest, one + two + rest)
        assert "".join(b[span.b0 : span.b1]) == two


def test_a_hunk_moves_up_to_a_shallower_line(engine: str) -> None:
    """But not up to the hunk before: two stay two."""
    spans = spans_of("p\nq\ntop\nz\n", "P\nq\ntop\n  x\ntop\nz\n")[2]
    assert spans == (Span(0, 1, 0, 1), Span(2, 2, 2, 4))


def test_lone_braces_do_not_part_a_rewritten_block(engine: str) -> None:
    """What was rewritten around a closing brace is one decision."""
    old = "if (a) {\n  one\n}\nelse two\nend\n"
    new = "if (b) {\n  three\n}\nelse four\nend\n"
    assert len(spans_of(old, new)[2]) == 1


def test_line_ends_are_changes_too(engine: str) -> None:
    """A carriage return or a missing line feed at the end is a difference of that line."""
    assert spans_of("a\r\nb\r\n", "a\nb\r\n")[2] == (Span(0, 1, 0, 1),)
    assert spans_of("a\nb", "a\nb\n")[2] == (Span(1, 2, 1, 2),)
    assert split_lines("a\u2028b\x0bc\rd") == ["a\u2028b\x0bc\rd"]
    assert split_lines("") == []


@pytest.mark.parametrize("repeated", [False, True])
def test_twenty_thousand_lines_take_no_half_second(repeated: bool) -> None:
    """Edits every 50 lines; with lines that repeat this is rapidfuzz's work."""
    if repeated:
        pytest.importorskip("rapidfuzz")
    old = [f"value = {i % 7 if repeated else i}\n" for i in range(20_000)]
    new = [f"changed {i}\n" if i % 50 == 25 else line for i, line in enumerate(old)]
    start = time.process_time()
    spans = find_spans(old, new)
    assert time.process_time() - start < 0.5
    assert len(spans) == 400
    assert apply_spans(old, new, spans, range(400)) == new


def test_what_would_take_for_ever_is_one_hunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without anchors and beyond the bounds a stretch counts as rewritten: coarse, right, and at once."""
    old, new = ["x\n", "y\n"] * 10_000, ["y\n", "y\n", "x\n"] * 8_000
    monkeypatch.setattr(hunks, "LCSseq", None)
    start = time.process_time()
    spans = find_spans(old, new)
    assert time.process_time() - start < 0.5
    assert apply_spans(old, new, spans, range(len(spans))) == new


def test_huge_lines(engine: str) -> None:
    """A line of megabytes is a line."""
    long = "x" * 3_000_000
    _, _, spans = spans_of(f"a\n{long}\nb", f"a\n{long}y\nb")
    assert spans == (Span(1, 2, 1, 2),)
