"""Small tools for values that never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class FrozenDict(dict[K, V]):
    """A dict that cannot be changed after it was made; equal to, and written to JSON like, a plain dict."""

    __slots__ = ()

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError(
            "this mapping is part of a frozen state and cannot be changed; copy it with dict(...)"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # frozen, so it may be a key like a tuple
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


def with_key(mapping: Mapping[K, V], key: K, value: V) -> FrozenDict[K, V]:
    """A copy of the mapping in which `key` has `value`."""
    return FrozenDict({**mapping, key: value})


def without_key(mapping: Mapping[K, V], key: K) -> FrozenDict[K, V]:
    """A copy of the mapping without `key`."""
    return FrozenDict({k: v for k, v in mapping.items() if k != key})


_new = object.__new__
_set = object.__setattr__


def evolve(value: T, **changes: Any) -> T:
    """A copy of a frozen slots dataclass with some fields changed.

    The same as `dataclasses.replace` without its look at every field's definition: a text chunk copies
    three such values, and that is most of what it costs.
    """
    cls = type(value)
    copy = _new(cls)
    for name in cls.__slots__:  # type: ignore[attr-defined]  # slots dataclasses only
        _set(copy, name, changes[name] if name in changes else getattr(value, name))
    return copy


EMPTY: FrozenDict[Any, Any] = FrozenDict()
"""The one empty mapping, so that empty stays the same object."""


def no_entries() -> FrozenDict[Any, Any]:
    """The empty mapping as the default of a field: Python 3.10 takes no kind of dict as a plain default."""
    return EMPTY
