"""The text that grows: views share what they have in common and never change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from acp_notebook._fold.text import NO_TEXT, Text


def test_appending_leaves_older_views_alone():
    """Each view keeps what it saw."""
    a = Text("ab")
    b = a.append("cd")
    c = b.append("ef")
    assert (str(a), str(b), str(c)) == ("ab", "abcd", "abcdef")
    assert (len(a), len(b), len(c)) == (2, 4, 6)
    assert c.append("") is c


def test_two_histories_part_ways():
    """Appending to an older view copies."""
    a = Text("ab").append("cd")
    one, two = a.append("1"), a.append("2")
    assert (str(one), str(two), str(a)) == ("abcd1", "abcd2", "abcd")
    assert str(one.append("!")) == "abcd1!"
    assert str(two.append("?")) == "abcd2?"
    assert NO_TEXT.append("x") != NO_TEXT.append("y")


def test_what_was_appended_since():
    """For a view of the same history; not for another one, nor backwards."""
    a = Text("ab")
    b = a.append("cd").append("ef")
    assert b.since(a) == (0, "cdef")
    assert b.since(b) == (0, "")
    assert a.since(b) is None
    assert Text("abcd").since(a) is None
    fork = a.append("x")
    assert fork.since(b) is None


def test_only_the_end_is_kept():
    """At most the limit stays; a cut takes a quarter more, so that it is rare."""
    text = Text("0123").append_bounded("4567", 8)
    assert (str(text), text.dropped) == ("01234567", 0)
    cut = text.append_bounded("89", 8)
    assert (str(cut), cut.dropped, len(cut)) == ("456789", 4, 6)
    assert cut.since(text) == (4, "89")
    assert str(text) == "01234567"
    longer = cut.append_bounded("ab", 8).append_bounded("cd", 8)
    assert str(longer) == "89abcd"
    assert longer.since(cut) == (4, "abcd")
    assert longer.since(text) == (8, "89abcd")
    assert longer.append_bounded("x" * 20, 8).since(text) is None
    assert cut.append("!").since(cut) is None
    fresh = Text("01234567").append_bounded("89", 8)
    assert fresh.append("!").since(fresh) == (0, "!")


def test_equality():
    """By content; with nothing but texts."""
    assert Text("ab").append("c") == Text("abc")
    assert Text("ab") != Text("ac")
    assert Text("ab") != Text("abc")
    assert Text("ab") != "ab"
    assert hash(Text("ab").append("c")) == hash(Text("abc"))
    assert repr(Text("ab")) == "Text('ab')"


@given(st.lists(st.tuples(st.integers(0, 30), st.text(max_size=5))), st.integers(4, 12))
def test_any_history_of_appends(steps, limit):
    """Whatever is appended to whichever view, each view equals the plain text it stands for."""
    views = [(Text(), "", 0)]
    for index, more in steps:
        text, plain, dropped = views[index % len(views)]
        whole = plain + more
        cut = len(whole) - limit * 3 // 4 if len(whole) > limit else 0
        views.append((text.append_bounded(more, limit), whole[cut:], dropped + cut))
    for view, plain, dropped in views:
        assert (str(view), len(view), view.dropped) == (plain, len(plain), dropped)
    for new, new_plain, _ in views:
        for old, old_plain, _ in views:
            grown = new.since(old)
            if grown is not None:
                assert old_plain[grown[0] :] + grown[1] == new_plain
