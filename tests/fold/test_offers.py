"""Notes about what a rule of ours would cover, and whether the person had us remember the answer."""

from __future__ import annotations

import pytest

from acp_notebook import fold
from tests.fold.wire import Wire


def test_what_a_rule_would_cover():
    """Is told with the request, and stays when it is answered."""
    wire = Wire().call().permission().note("offer", request_id=0, covers="reading in this folder")
    assert [p.covers for p in wire.turn.permissions] == ["reading in this folder"]
    wire.choose("yes").note("remembered", request_id=0, scope="folder")
    assert [(p.covers, p.remembered) for p in wire.turn.permissions] == [("reading in this folder", "folder")]
    assert wire.the_call.permissions == wire.turn.permissions
    assert wire.the_call.state == "approval-responded"


@pytest.mark.parametrize(("kind", "field"), [("offer", "covers"), ("remembered", "scope")])
def test_notes_that_mean_nothing(kind, field):
    """About no request that was made, or without a word; and the first word stands."""
    wire = Wire().permission().note(kind, request_id=0, **{field: "first"})
    before = wire.session
    for note in (
        {"request_id": 7, field: "x"},
        {"request_id": 0},
        {"request_id": 0, field: 5},
        {"request_id": 0, field: "x"},
    ):
        assert fold(before, wire.note(kind, **note).records[-1]) is before
    bare = Wire().permission()
    before = bare.session
    assert fold(before, bare.note(kind, request_id=0).records[-1]) is before
