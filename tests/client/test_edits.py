"""An agent's edit against the file as it is: one reading, or a refusal that says why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_notebook._client.edits import Edit, MismatchError, Plan, Version, plan_again, plan_back, plan_edit

OLD = "one\ntwo\nthree\nfour\nfive\nsix\n"
NEW = "ONE\ntwo\nthree\nfour\nfive\nSIX\n"


def test_a_whole_file() -> None:
    """Both hunks, and each alone."""
    plan = plan_edit(Edit("f", OLD, NEW), OLD)
    assert plan.result({0, 1}) == NEW
    assert plan.result(set()) == OLD
    assert plan.result({1}) == OLD.replace("six", "SIX")
    first, second = plan.hunks()
    assert first == {
        "line": 1,
        "new_line": 1,
        "old": "one\n",
        "new": "ONE\n",
        "before": "",
        "after": "two\nthree\nfour\n",
    }
    assert second["before"] == "five\n", "a line is shown once"


def test_a_fragment_is_located_also_in_the_middle_of_a_line() -> None:
    """The rest of the file stays as it is."""
    assert plan_edit(Edit("f", "wo\nth", "WO\nTH"), OLD).after == "one\ntWO\nTHree\nfour\nfive\nsix\n"


@pytest.mark.parametrize(
    ("edit", "now", "why"),
    [
        (Edit("f", "aa", "b"), "aaa", "more than once"),
        (Edit("f", "gone", "b"), OLD, "changed"),
        (Edit("f", "one", "b"), None, "not there"),
        (Edit("f", None, "text"), "other", "there is one by now"),
        (Edit("f", "", "text"), "text", "already"),
        (Edit("f", None, ""), "", "changes nothing"),
        (Edit("f", OLD, OLD), OLD, "changes nothing"),
        (Edit("f", OLD, ""), OLD, "not said"),
        (Edit("f", "one\ntwo", "x\ny"), "one\r\ntwo\nthree\r\n", "changed"),
        (Edit("f", "one\ntwo", "x\r\ny"), "one\r\ntwo\r\n", "changed"),
    ],
)
def test_what_cannot_be_read_in_one_way_is_refused(edit: Edit, now: str | None, why: str) -> None:
    """Ambiguous, changed, missing or in the way: a sentence, and no plan."""
    with pytest.raises(MismatchError, match=why):
        plan_edit(edit, now)


@pytest.mark.parametrize("old", [None, ""])
def test_a_new_file(old: str | None) -> None:
    """Null, nothing and an empty text mean the same; an empty file there is no obstacle."""
    assert plan_edit(Edit("f", old, "text"), None) == Plan(None, "text")
    assert plan_edit(Edit("f", old, "text"), "") == Plan("", "text")
    empty = plan_edit(Edit("f", old, ""), None)
    assert len(empty.spans) == 1
    assert empty.result({0}) == ""
    assert empty.result(()) is None


def test_a_deletion() -> None:
    """Only where the call says that it deletes."""
    plan = plan_edit(Edit("f", OLD, "", deletes=True), OLD)
    assert plan.after is None
    assert plan.result({0}) is None


def test_carriage_returns_that_the_agent_left_out() -> None:
    """In a file that has them at every line there is no doubt, and they come back."""
    plan = plan_edit(Edit("f", "two\nthree", "2\n3"), "one\r\ntwo\r\nthree\r\n")
    assert plan.after == "one\r\n2\r\n3\r\n"


def test_no_line_feed_at_the_end() -> None:
    """A last line without one stays without, or gets it, as the edit says."""
    assert plan_edit(Edit("f", "b", "c"), "a\nb").after == "a\nc"
    assert plan_edit(Edit("f", "a\nb", "a\nb\n"), "a\nb").after == "a\nb\n"


def test_taking_back() -> None:
    """Whole or by hunk: the old text again."""
    plan = plan_back(Edit("f", OLD, NEW), NEW)
    assert plan.after == OLD
    assert plan.result({0}) == NEW.replace("ONE", "one")
    assert plan_back(Edit("f", "three", "3"), "one\ntwo\n3\n").after == "one\ntwo\nthree\n"


def test_taking_back_a_new_and_a_deleted_file() -> None:
    """The one goes, the other comes again; neither if the file is another by now."""
    assert plan_back(Edit("f", None, "text"), "text").after is None
    assert plan_back(Edit("f", "text", "", deletes=True), None).after == "text"
    with pytest.raises(MismatchError, match="changed since"):
        plan_back(Edit("f", None, "text"), "text and more")
    with pytest.raises(MismatchError, match="there is one by now"):
        plan_back(Edit("f", "text", "", deletes=True), "other")
    with pytest.raises(MismatchError, match="only removed text"):
        plan_back(Edit("f", "text", ""), "other")
    with pytest.raises(MismatchError, match="not there"):
        plan_back(Edit("f", "old", "new"), None)


def test_taking_back_what_a_changed_file_still_holds() -> None:
    """A hunk counts if it stands in the file once, with its surroundings as they were."""
    old = "".join(f"{i}\n" for i in range(30))
    new = old.replace("5\n6\n", "five\nsix\n", 1).replace("20\n", "twenty\n")
    now = "first\n" + new.replace("19\n", "nineteen\n")
    plan = plan_back(Edit("f", old, new), now)
    assert len(plan.spans) == 1
    assert plan.after == now.replace("five\nsix\n", "5\n6\n")
    with pytest.raises(MismatchError, match="no longer holds"):
        plan_back(Edit("f", old, new), "something else\n")


def test_a_line_without_an_end_never_runs_into_the_next() -> None:
    """Taking back the last line of a file that has grown since would join two lines: that hunk stays."""
    old = "1\n2\n3\n4\n5\n6\n7\n8\n9\nend"
    new = old.replace("1\n", "ONE\n", 1).replace("end", "END\n")
    now = new.replace("5\n", "five\n") + "more\n"
    assert plan_back(Edit("f", old, new), now).after == now.replace("ONE", "1")


def test_an_edit_that_comes_again_is_shown_against_the_file_as_it_is() -> None:
    """Only what is not in yet, and a sentence about the rest."""
    edit = Edit("f", OLD, NEW)
    half = plan_edit(edit, OLD).result({0})
    plan, earlier = plan_again(edit, half, [Version(OLD, half, 1, 2)])
    assert [hunk["new"] for hunk in plan.hunks()] == ["SIX\n"]
    assert plan.after == NEW
    assert earlier is not None
    assert earlier.startswith("1 of the 2 hunks")
    fragment, _ = plan_again(Edit("f", "one\ntwo", "1\n2"), half, [Version(OLD, half, 1, 2)])
    assert fragment.before == half
    with pytest.raises(MismatchError, match="changed"):
        plan_again(edit, f"{half}more\n", [Version(OLD, half, 1, 2)])
    with pytest.raises(MismatchError, match="changes nothing"):
        plan_again(edit, NEW, [Version(OLD, half, 1, 2), Version(half, NEW, 1, 1)])


def test_which_hunks_are_in_is_told_by_their_lines() -> None:
    """In the file as it is now: hunks before them may have moved them; long lists are cut."""
    plan = plan_edit(Edit("f", "a\nb\nc\nd\n", "a\nB\nB\nc\nD\n"), "a\nb\nc\nd\n")
    assert [plan.places(chosen) for chosen in ({0, 1}, {1}, {0})] == [(2, 5), (4,), (2,)]
    assert Version("", "", 1, 2, (4,)).told().endswith("are in the file (at line 4).")
    assert Version("", "", 2, 2, (2, 5)).told().endswith("(at lines 2, 5).")
    assert Version("", "", 30, 40, tuple(range(30))).told().endswith("19, …).")


LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c\n", "}\n"]), max_size=12).map("".join)


@given(LINES, LINES, LINES, LINES)
def test_taking_back_undoes_an_edit_or_is_refused(head: str, old: str, new: str, tail: str) -> None:
    """Where the edit's text can be found, what comes back is a text that the edit leads from."""
    edit = Edit("f", old, new)
    try:
        done = plan_edit(edit, head + old + tail).after
        back = plan_back(edit, done)
    except MismatchError:
        return
    if back.ready is None:
        assert back.after == head + old + tail or old == "" or done is None or done.count(new) != 1
