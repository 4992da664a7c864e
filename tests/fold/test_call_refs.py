"""Finding a call, and remembering one more, costs the same among three and among ten thousand."""

from __future__ import annotations

from acp_notebook._fold.call_refs import NO_REFS, ref_of, with_ref


def test_what_is_copied_for_calls_grows_like_their_number():
    """A new call copies a few recent ones; of four thousand, each was copied a handful of times besides."""
    refs, poured = NO_REFS, 0
    for number in range(4_000):
        before = {id(mapping) for mapping in refs}
        refs = with_ref(refs, f"call-{number}", number)
        poured += sum(len(mapping) for mapping in refs if id(mapping) not in before)
        assert len(refs) < 10
    assert poured < 4_000 * (64 / 2 + 8)
    assert [ref_of(refs, f"call-{number}") for number in range(4_000)] == list(range(4_000))
    assert ref_of(refs, "call-4000") is None


def test_the_newest_call_of_an_id_counts():
    """Also when the earlier one was put away long before, and after both were poured together."""
    refs = NO_REFS
    for number in range(200):
        refs = with_ref(refs, f"call-{number}", number)
    refs = with_ref(refs, "call-0", 200)
    assert ref_of(refs, "call-0") == 200
    for number in range(201, 1_000):
        refs = with_ref(refs, f"call-{number}", number)
        assert ref_of(refs, "call-0") == 200
