"""Reviews by hunk: offered, decided, told to the agent."""

from __future__ import annotations

from typing import Any

from acp_notebook._fold.items import RawItem
from acp_notebook._fold.review import Report, ReviewItem
from acp_notebook._render.options import RenderOptions
from acp_notebook._render.words import decision_word

from .wire import Wire

HUNK = {"line": 3, "new_line": 4, "old": "a\n", "new": "b\n", "before": "x\n", "after": "y\n"}
FILES = [
    {"path": "/p/f", "kind": "change", "hunks": [HUNK, {"old": "c"}]},
    {"path": "/p/g", "kind": "create", "hunks": [{"new": "d"}], "earlier": "1 of the 2"},
    {"path": "/p/h", "kind": "delete", "hunks": [], "problem": "changed"},
]


def offered(wire: Wire, key: str = "r1", way: str = "write", **more: Any) -> Wire:
    return wire.note("hunks", event="offered", key=key, way=way, files=FILES, **more)


def items(wire: Wire) -> list[ReviewItem]:
    turns = [t for t in (wire.session.preamble, *wire.session.turns) if t is not None]
    return [i for t in turns for i in (*t.items, *t.after) if isinstance(i, ReviewItem)]


def test_a_write_waits_as_an_item():
    """The session waits for a person until it is decided."""
    wire = offered(Wire(), call_id="c")
    [item] = items(wire)
    review = item.review
    assert (review.key, review.way, review.call_id, review.outcome, item.ended) == (
        "r1",
        "write",
        "c",
        None,
        None,
    )
    assert [(h.index, h.path, h.line, h.old, h.new) for h in review.hunks] == [
        (0, "/p/f", 3, "a\n", "b\n"),
        (1, "/p/f", 1, "c", ""),
        (2, "/p/g", 1, "", "d"),
    ]
    assert (review.hunks[0].new_line, review.hunks[0].before, review.hunks[0].after) == (4, "x\n", "y\n")
    assert [(f.kind, f.problem, f.earlier) for f in review.files] == [
        ("change", None, None),
        ("create", None, "1 of the 2"),
        ("delete", "changed", None),
    ]
    assert wire.session.status == "waiting"
    assert wire.session.reviews == (review,)
    wire.note("hunks", event="failed", key="r1", problem="it changed")
    assert items(wire)[0].review.problem == "it changed"
    assert items(wire)[0].ended is None
    assert wire.session.status == "waiting"

    wire.note("hunks", event="decided", key="r1", outcome="applied", chosen=[0, 2, "x"], by="person")
    [item] = items(wire)
    assert (item.review.outcome, item.review.chosen, item.review.decided_by) == ("applied", (0, 2), "person")
    assert item.review.problem is None
    assert item.ended is not None
    assert wire.session.status == "working"
    assert wire.session.reviews == ()


def test_refused_and_unknown_outcomes():
    """What is neither applied nor refused was given up."""
    wire = offered(Wire())
    wire.note("hunks", event="decided", key="r1", outcome="refused", chosen=None)
    assert items(wire)[0].review.outcome == "refused"
    wire = offered(Wire()).note("hunks", event="decided", key="r1", outcome="?")
    assert items(wire)[0].review.outcome == "cancelled"


def test_a_decision_counts_once():
    """What comes after it finds nothing open."""
    wire = offered(Wire()).note("hunks", event="decided", key="r1", outcome="refused")
    before = wire.session
    assert wire.note("hunks", event="decided", key="r1", outcome="applied").session == before
    assert wire.note("hunks", event="failed", key="other", problem="x").session == before


def test_taking_back_waits_for_nobody():
    """The person began it; it stands behind the turn and outlives the agent."""
    wire = offered(Wire().end(), way="take_back")
    assert wire.session.status == "ready"
    assert [i.kind for i in wire.turn.after] == ["review"]
    assert [r.way for r in wire.session.reviews] == ["take_back"]
    wire.note("exit", code=0)
    assert wire.session.reviews[0].outcome is None
    wire.note("hunks", event="decided", key="r1", outcome="applied", chosen=[0])
    assert items(wire)[0].review.outcome == "applied"


def test_open_writes_end_with_their_turn():
    """However it ends; other turns' writes are left alone."""
    for end in (lambda w: w.end(), lambda w: w.note("exit", code=1), lambda w: w.note("closed")):
        wire = offered(Wire())
        end(wire)
        [item] = items(wire)
        assert (item.review.outcome, item.review.decided_by) == ("cancelled", "cancel")
        assert wire.session.reviews == ()
    wire = offered(Wire(prompt=None), "r0").prompt("go")
    wire = offered(wire, "r2").end()
    assert [r.key for r in wire.session.reviews] == ["r0"]
    wire.note("closed")
    assert wire.session.reviews == ()


def test_an_order_over_turns():
    """Open reviews come oldest first, wherever they stand."""
    wire = offered(Wire(prompt=None), "r0", "take_back").prompt("go")
    offered(wire, "r1", "take_back").end()
    assert [r.key for r in wire.session.reviews] == ["r0", "r1"]


def test_a_review_beside_a_permission():
    """Is a field of the permission, in its turn and its call; another key changes nothing."""
    wire = Wire().permission(7, "other").choose("yes", 7).permission(0, "c")
    [permission] = wire.session.pending
    before = wire.session
    assert permission.review is None
    assert permission.hunks == ()
    assert offered(wire, "nobody", "permission").session == before
    assert wire.note("hunks", event="decided", key=permission.key, outcome="applied").session == before
    offered(wire, permission.key, "permission", call_id="c")
    [permission] = wire.session.pending
    assert permission.review is not None
    assert permission.review.call_id == "c"
    assert wire.turn.tool_calls[1].permissions == (permission,)
    assert len(permission.hunks) == 3
    wire.note("hunks", event="failed", key=permission.key, problem="changed")
    assert wire.session.pending[0].review.problem == "changed"
    wire.note("hunks", event="decided", key=permission.key, outcome="applied", chosen=[1], by="person")
    wire.note("decision", request_id=0, by="person")
    wire.choose("no")
    other, permission = wire.turn.permissions
    assert other.review is None
    assert permission.review.chosen == (1,)
    assert permission.refused
    assert decision_word(permission) == "1 of 3 hunks applied by you; the agent was answered: Reject"
    wire.end().prompt("next").note("hunks", event="failed", key=permission.key, problem="late")
    assert wire.session.turns[0].permissions[1].review.problem == "late"


def test_a_permission_before_the_first_prompt():
    """Its review is found in the preamble too."""
    wire = Wire(prompt=None).permission(0, "c")
    offered(wire, wire.session.pending[0].key, "permission")
    assert len(wire.session.pending[0].hunks) == 3


def test_reports_wait_for_the_next_prompt():
    """One a review, the newest; told or taken out they are gone."""
    wire = Wire().note("hunks", event="report", key="a", text="first")
    wire.note("hunks", event="report", key="b", text="second")
    assert wire.session.reports == (Report("a", "first"), Report("b", "second"))
    wire.note("hunks", event="report", key="a", text="third").note("hunks", event="report", key="c", text="")
    assert wire.session.reports == (Report("b", "second"), Report("a", "third"))
    wire.note("hunks", event="told", key="b")
    assert wire.session.reports == (Report("a", "third"),)
    assert wire.note("hunks", event="untold", key="a").session.reports == ()


def test_notes_in_another_form_stay_as_they_are():
    """An event that we do not know, or no key: an item with the raw note."""
    for note in ({"event": "offered"}, {"event": "new", "key": "a"}, {"key": "a"}):
        [item] = Wire().note("hunks", **note).turn.items
        assert isinstance(item, RawItem)
        assert item.raw == {"kind": "hunks", **note}


def test_any_form_of_files():
    """What is no list of files with lists of hunks holds none."""
    wire = Wire().note("hunks", event="offered", key="r", way="write", files="x")
    assert items(wire)[0].review.files == ()
    wire = Wire().note(
        "hunks", event="offered", key="r", files=[1, {"hunks": "x"}, {"hunks": [0], "path": 2}]
    )
    review = items(wire)[0].review
    assert [len(f.hunks) for f in review.files] == [0, 0, 1]
    assert review.files[2].path == ""
    assert review.hunks[0].line == review.hunks[0].new_line == 1


def test_the_json_form_and_patches():
    """The browser gets the whole review, and a change of it as one step."""
    from acp_notebook._fold.patches import apply, patch

    wire = offered(Wire())
    before = wire.session
    after = wire.note("hunks", event="decided", key="r1", outcome="applied", chosen=[2]).session
    assert apply(before.to_json(), patch(before, after)) == after.to_json()
    [item] = after.to_json()["turns"][0]["items"]
    assert item["kind"] == "review"
    assert item["review"]["chosen"] == [2]
    assert item["review"]["files"][1] == {
        "path": "/p/g",
        "kind": "create",
        "problem": None,
        "earlier": "1 of the 2",
        "hunks": [
            {
                "index": 2,
                "path": "/p/g",
                "line": 1,
                "new_line": 1,
                "old": "",
                "new": "d",
                "before": "",
                "after": "",
            }
        ],
    }
    told = wire.note("hunks", event="report", key="r1", text="t").session
    assert apply(after.to_json(), patch(after, told)) == told.to_json()
    assert told.to_json()["reports"] == [{"key": "r1", "text": "t"}]


def test_the_static_copy_says_what_became_of_it():
    """Which hunks there were, and how many were taken."""
    from acp_notebook._render.turn_markdown import turn_markdown

    wire = offered(Wire()).note(
        "hunks", event="decided", key="r1", outcome="applied", chosen=[2], by="person"
    )
    text = turn_markdown(wire.turn, RenderOptions())
    assert "1 of 3 hunks applied by you" in text
    assert "@@ -3 +4 @@ left out" in text
    assert "@@ -1 +1 @@ taken" in text
    assert "@@ changed" not in text
    assert "\nchanged\n" in text
    assert "1 of the 2" in text
    assert "-a" in text
    assert "+b" in text
    back = offered(Wire(), way="take_back").note("hunks", event="decided", key="r1", outcome="refused")
    assert "Nothing taken back" in turn_markdown(back.turn, RenderOptions())
