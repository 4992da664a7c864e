"""A tuple in pieces, for ten thousand turns and for a turn of as many items: a change copies a piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar, overload

T = TypeVar("T")

PIECE = 128


class LongTuple(Sequence[T]):
    """Values in order, frozen; values that compare equal make equal ones.

    `append` and `put` cost a piece and the row of pieces, so a few hundred references at a hundred thousand
    values; both share all other pieces with the one before, and `changes` looks at none of those.
    """

    __slots__ = ("_end", "_full")

    def __init__(self, values: Iterable[T] = ()) -> None:
        row = tuple(values)
        whole = len(row) - len(row) % PIECE
        self._full: tuple[tuple[T, ...], ...] = tuple(row[i : i + PIECE] for i in range(0, whole, PIECE))
        self._end: tuple[T, ...] = row[whole:]

    @classmethod
    def _of(cls, full: tuple[tuple[T, ...], ...], end: tuple[T, ...]) -> LongTuple[T]:
        made = cls.__new__(cls)
        made._full, made._end = full, end  # noqa: SLF001 - one of its own
        return made

    def append(self, value: T) -> LongTuple[T]:
        """The values with one more at the end."""
        end = (*self._end, value)
        return self._of(self._full, end) if len(end) < PIECE else self._of((*self._full, end), ())

    def put(self, index: int, value: T) -> LongTuple[T]:
        """The values with another one at an index from 0."""
        piece, place = divmod(index, PIECE)
        if piece == len(self._full):
            return self._of(self._full, _with(self._end, place, value))
        return self._of(_with(self._full, piece, _with(self._full[piece], place, value)), self._end)

    def changes(self, new: LongTuple[T]) -> Iterator[tuple[int, T, T]]:
        """Index, value here and value there, wherever the two hold other objects; as far as both go."""
        pieces = zip((*self._full, self._end), (*new._full, new._end), strict=False)
        for piece, (before, after) in enumerate(pieces):
            if before is not after:
                for place, (old, other) in enumerate(zip(before, after, strict=False)):
                    if old is not other:
                        yield piece * PIECE + place, old, other

    def since(self, index: int) -> tuple[T, ...]:
        """The values from an index on; looks at their own pieces alone."""
        piece, place = divmod(index, PIECE)
        return tuple(chain.from_iterable((*self._full[piece:], self._end)))[place:]

    def __len__(self) -> int:
        return len(self._full) * PIECE + len(self._end)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        if index < 0:
            index += len(self)
        if index < 0:
            raise IndexError("tuple index out of range")
        piece, place = divmod(index, PIECE)
        if piece < len(self._full):
            return self._full[piece][place]
        if piece > len(self._full):
            raise IndexError("tuple index out of range")
        return self._end[place]

    def __iter__(self) -> Iterator[T]:
        return chain(chain.from_iterable(self._full), self._end)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LongTuple):
            return NotImplemented
        return self._end == other._end and self._full == other._full

    def __hash__(self) -> int:
        return hash((self._full, self._end))

    def __repr__(self) -> str:
        return f"LongTuple({tuple(self)!r})"


def _with(row: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*row[:index], value, *row[index + 1 :])


NO_VALUES: LongTuple[Any] = LongTuple()
