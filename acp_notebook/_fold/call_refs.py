"""Where a turn's tool calls stand, so that to find one costs the same among three and among ten thousand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from .frozen import EMPTY, FrozenDict, with_key

Refs: TypeAlias = tuple[Mapping[str, int], ...]
"""References of calls by id, as in `timeline.find`: the oldest first, each mapping larger than the next.

All are frozen. A call copies the last alone, which is small. A full one is poured into the one before it if
that is no larger, and so on: of ten thousand calls each was copied a dozen times.
"""

NO_REFS: Refs = (EMPTY,)
_FEW = 64


def ref_of(refs: Refs, call_id: str) -> int | None:
    """The reference of a call; None if the turn has none of that id."""
    for mapping in reversed(refs):
        if (ref := mapping.get(call_id)) is not None:
            return ref
    return None


def with_ref(refs: Refs, call_id: str, ref: int) -> Refs:
    """The references with one more."""
    *before, last = refs
    last = with_key(last, call_id, ref)
    if len(last) < _FEW:
        return (*before, last)
    while before and len(before[-1]) <= len(last):
        last = FrozenDict({**before.pop(), **last})
    return (*before, last, EMPTY)
