"""Finding a call, and remembering one more, costs the same among three and among ten thousand."""

from __future__ import annotations

from acp_notebook._fold.call_refs import NO_REFS, ref_of, with_ref


def test_what_is_copied_for_a_call_stays_small():
    """A new call copies the recent ones alone: the earlier ones stay one object for many calls in a row."""
    refs, poured = NO_REFS, 0
    for number in range(1_000):
        before = refs[0]
        refs = with_ref(refs, f"call-{number}", number)
        poured += refs[0] is not before
        assert len(refs[1]) < 100
    assert 0 < poured < 50
    assert [ref_of(refs, f"call-{number}") for number in (0, 63, 64, 999)] == [0, 63, 64, 999]
    assert ref_of(refs, "call-1000") is None


def test_the_newest_call_of_an_id_counts():
    """Also when the earlier one was put away long before."""
    refs = NO_REFS
    for number in range(200):
        refs = with_ref(refs, f"call-{number}", number)
    assert ref_of(with_ref(refs, "call-0", 200), "call-0") == 200
