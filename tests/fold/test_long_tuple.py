"""A turn's row of items behaves like a tuple, and a change copies a piece of it."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest

from acp_notebook._fold.long_tuple import NO_VALUES, PIECE, LongTuple

SIZES = [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 7]


@pytest.mark.parametrize("size", SIZES)
def test_it_holds_what_the_tuple_holds(size: int):
    """However it came to be: at once, one by one, or by putting other values."""
    plain = tuple(range(size))
    grown: LongTuple[int] = NO_VALUES
    for value in plain:
        grown = grown.append(value)
    put = LongTuple([0] * size)
    for value in plain:
        put = put.put(value, value)
    for values in (LongTuple(plain), grown, put):
        assert tuple(values) == plain
        assert tuple(reversed(values)) == plain[::-1]
        assert len(values) == size
        assert values == LongTuple(plain)
        assert hash(values) == hash(LongTuple(plain))
        assert [values[index] for index in range(-size, size)] == [*plain, *plain]
        assert values[1:-1] == plain[1:-1]
        assert pickle.loads(pickle.dumps(values)) == values
        assert [values.since(index) for index in range(size + 1)] == [plain[i:] for i in range(size + 1)]
        for beyond in (size, -size - 1, size + PIECE):
            with pytest.raises(IndexError):
                values[beyond]


@pytest.mark.parametrize("size", SIZES)
def test_one_more_value_makes_another_one(size: int):
    values = LongTuple(range(size))
    assert values != values.append(size)
    assert values.append(size) == LongTuple(range(size + 1))
    assert len(values) == size
    assert values != tuple(values)


def test_a_change_shares_the_other_pieces():
    """Of 100,000 values, at most two pieces are new after one more or another one."""
    values = LongTuple(range(100_000))
    for changed in (values.put(0, -1), values.put(70_000, -1), values.put(99_999, -1), values.append(-1)):
        held = {id(piece) for piece in (*values._full, values._end)}
        assert sum(id(piece) not in held for piece in (*changed._full, changed._end)) <= 2


@pytest.mark.parametrize(("first", "second"), [*pairwise(SIZES), (3 * PIECE + 7, 0), (5, 5), (300, 300)])
def test_changes_names_the_other_objects(first: int, second: int):
    """As far as both go, by identity: two equal objects count as another one."""
    old = LongTuple([object() for _ in range(first)])
    row = [*old[:second], *(object() for _ in range(second - first))]
    places = sorted({0, second // 2, min(first, second) - 1} & set(range(min(first, second))))
    new = LongTuple(row)
    for place in places:
        new = new.put(place, object())
    assert list(old.changes(new)) == [(place, old[place], new[place]) for place in places]
