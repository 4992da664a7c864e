"""Where a turn's tool calls stand, so that to find one costs the same among three and among ten thousand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from .frozen import EMPTY, FrozenDict, with_key

Refs: TypeAlias = tuple[Mapping[str, int], Mapping[str, int]]
"""References of calls by id, as in `timeline.find`: those from before, and the few that came since.

Both are frozen. A call copies the second alone; now and then that is poured into the first.
"""

NO_REFS: Refs = (EMPTY, EMPTY)
_FEW = 64


def ref_of(refs: Refs, call_id: str) -> int | None:
    """The reference of a call; None if the turn has none of that id."""
    before, since = refs
    ref = since.get(call_id)
    return before.get(call_id) if ref is None else ref


def with_ref(refs: Refs, call_id: str, ref: int) -> Refs:
    """The references with one more."""
    before, since = refs[0], with_key(refs[1], call_id, ref)
    return (before, since) if len(since) < _FEW else (FrozenDict({**before, **since}), EMPTY)
