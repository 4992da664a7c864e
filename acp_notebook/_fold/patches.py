"""The steps that lead from the JSON form of one state to that of a later one.

Values that are the same object need no look: what a patch costs depends on what changed. A text that grew
gives one ``app`` with what was appended. Operations are those of `js/src/wire.ts`, paths lead through the
JSON form of `Session`, and turn indices are absolute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from .blocks import TextBlock
from .calls import Permission, Terminal, ToolCall
from .items import TextItem, ToolCallItem
from .long_tuple import LongTuple
from .review import ReviewItem
from .state import Session, Turn
from .text import Text
from .to_json import TABLES, to_json

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]
Op: TypeAlias = list[Json]
Walk: TypeAlias = Callable[[Any, Any, Path, list[Op]], None]


def patch(old: Session, new: Session) -> list[Op]:
    """The operations that turn ``old.to_json()`` into ``new.to_json()``.

    Parameters
    ----------
    old, new : Session
        Any two states; it is cheap if `new` was folded from `old`.

    Returns
    -------
    list of list
        Operations as JSON, in order: ``["set", path, value]``, ``["app", path, text]``,
        ``["trim", path, n]`` (UTF-16 units), ``["push", path, values]``, ``["cut", path, length]``,
        ``["del", path]``.
    """
    ops: list[Op] = []
    _walk(old, new, (), ops)
    return ops


def _walk(old: Any, new: Any, path: Path, ops: list[Op]) -> None:
    """Add what leads from one value to another at a path."""
    if old is new:
        return
    kind = type(new)
    if type(old) is not kind or kind not in _DEEP:
        if old != new or kind is not type(old):
            ops.append(["set", list(path), to_json(new)])
        return
    deep = _DEEP[kind]
    if kind is TextItem and old.kind != new.kind:
        # The kind decides what a view makes of an item; such a change is another item in its place.
        ops.append(["set", list(path), to_json(new)])
        return
    for key, get in TABLES[kind].items():
        if (walk := deep.get(key)) is not None:
            walk(old, new, (*path, key), ops)
        elif (value := get(new)) != (before := get(old)) or type(value) is not type(before):
            ops.append(["set", [*path, key], value])


def _part(name: str) -> Walk:
    """Walk into a field that holds a value or None."""
    return lambda old, new, path, ops: _walk(getattr(old, name), getattr(new, name), path, ops)


def _whole(name: str) -> Walk:
    """Set a field anew if it changed; looks at identity first."""

    def walk(old: Any, new: Any, path: Path, ops: list[Op]) -> None:
        before, after = getattr(old, name), getattr(new, name)
        if before is not after and before != after:
            ops.append(["set", list(path), to_json(after)])

    return walk


def _list(name: str) -> Walk:
    """Walk into a field that holds a tuple of values."""
    return lambda old, new, path, ops: _entries(getattr(old, name), getattr(new, name), path, ops)


def _entries(old: Sequence[Any], new: Sequence[Any], path: Path, ops: list[Op], first: int = 0) -> None:
    """Walk into two rows of values, which begin at the index `first`."""
    if old is new:
        return
    for index, (before, after) in enumerate(zip(old, new, strict=False), first):
        if before is not after:
            _walk(before, after, (*path, index), ops)
    if len(new) < len(old):
        ops.append(["cut", list(path), first + len(new)])
    elif len(new) > len(old):
        ops.append(["push", list(path), [to_json(v) for v in new[len(old) :]]])


def _map(name: str) -> Walk:
    """Walk into a field that holds a mapping of values."""

    def walk(old: Any, new: Any, path: Path, ops: list[Op]) -> None:
        before: Mapping[str, Any] = getattr(old, name)
        after: Mapping[str, Any] = getattr(new, name)
        if before is after:
            return
        ops.extend(["del", [*path, key]] for key in before if key not in after)
        for key, value in after.items():
            if key in before:
                _walk(before[key], value, (*path, key), ops)
            else:
                ops.append(["set", [*path, key], to_json(value)])

    return walk


def _text(old: Any, new: Any, path: Path, ops: list[Op]) -> None:
    before: Text = old.content
    after: Text = new.content
    if before is after:
        return
    grown = after.since(before)
    if grown is None:
        if before != after:
            ops.append(["set", list(path), str(after)])
        return
    cut, more = grown
    if cut:
        ops.append(["trim", list(path), _utf16_length(str(before)[:cut])])
    if more:
        ops.append(["app", list(path), more])


def _utf16_length(text: str) -> int:
    return len(text) + sum(c > "\uffff" for c in text)


def _turns(old: Session, new: Session, path: Path, ops: list[Op]) -> None:
    """Walk into the turns."""
    _long(
        old.closed,
        (*_one(old.current), *old.queued),
        new.closed,
        (*_one(new.current), *new.queued),
        path,
        ops,
    )


def _items(old: Turn, new: Turn, path: Path, ops: list[Op]) -> None:
    """Walk into the items of a turn."""
    _long(old.closed, _one(old.last), new.closed, _one(new.last), path, ops)


def _one(value: Any) -> tuple[Any, ...]:
    return () if value is None else (value,)


def _long(
    old: LongTuple[Any],
    old_rest: tuple[Any, ...],
    new: LongTuple[Any],
    rest: tuple[Any, ...],
    path: Path,
    ops: list[Op],
) -> None:
    """Walk into a long row and what follows it; of the long part only pieces with a change are looked at."""
    size = len(old)
    if size > len(new):
        _entries((*old, *old_rest), (*new, *rest), path, ops)
        return
    for index, before, after in old.changes(new):
        _walk(before, after, (*path, index), ops)
    _entries(old_rest, (*new.since(size), *rest), path, ops, size)


_DEEP: dict[type, dict[str, Walk]] = {
    Session: {
        **{key: _part(key) for key in ("agent", "models", "context", "preamble", "exit")},
        **{key: _whole(key) for key in ("auth", "commands", "modes", "options", "unread", "reports")},
        "turns": _turns,
        "children": _map("children"),
        "warnings": _list("warnings"),
    },
    Turn: {
        **{key: _whole(key) for key in ("usage", "cost", "prompt")},
        "items": _items,
        **{key: _list(key) for key in ("after", "permissions")},
        "terminals": _map("terminals"),
    },
    TextItem: {"blocks": _list("blocks")},
    TextBlock: {"text": _text},
    ToolCallItem: {"call": _part("call")},
    ToolCall: {"locations": _whole("locations")},
    Permission: {key: _whole(key) for key in ("locations", "options", "review")},
    ReviewItem: {"review": _whole("review")},
    Terminal: {"output": _text},
}
"""Values that are walked into, and how; other values are set whole."""


# ------------------------------------------------------------------------------------------------ apply


def apply(state: Json, ops: Sequence[Op]) -> Json:
    """The JSON form after the operations; for tests and for readers without the fold.

    Parameters
    ----------
    state : object
        The JSON form before; it is not changed.
    ops : sequence of list
        What `patch` returned.
    """
    root = {"": _copied(state)}
    for op in ops:
        name, path, values = op[0], ["", *op[1]], op[2:]
        last = path.pop()
        holder: Any = root
        for step in path:
            holder = holder[step]
        _APPLY[name](holder, last, *values)
    return root[""]


def _copied(value: Json) -> Json:
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    return [_copied(v) for v in value] if isinstance(value, list) else value


def _set(holder: Any, key: Any, value: Json) -> None:
    holder[key] = _copied(value)


def _append(holder: Any, key: Any, text: str) -> None:
    holder[key] += text


def _trim(holder: Any, key: Any, units: int) -> None:
    encoded = holder[key].encode("utf-16-le", "surrogatepass")[2 * units :]
    holder[key] = encoded.decode("utf-16-le", "surrogatepass")


def _push(holder: Any, key: Any, values: Sequence[Json]) -> None:
    holder[key].extend(_copied(v) for v in values)


def _cut(holder: Any, key: Any, length: int) -> None:
    del holder[key][length:]


def _delete(holder: Any, key: Any) -> None:
    del holder[key]


_APPLY: dict[str, Callable[..., None]] = {
    "set": _set,
    "app": _append,
    "trim": _trim,
    "push": _push,
    "cut": _cut,
    "del": _delete,
}
