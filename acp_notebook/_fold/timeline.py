"""The ordered items of one turn: adding, finding, replacing, ending."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .blocks import Block, TextBlock
from .call_refs import NO_REFS, ref_of, with_ref
from .frozen import evolve
from .items import Item, TextItem, ToolCallItem
from .long_tuple import LongTuple
from .state import Turn

I = TypeVar("I", bound=Item)  # noqa: E741  # the usual name of a type variable for items


def add_item(turn: Turn, item: Item, t: float, *, inside: bool) -> Turn:
    """The turn with one more item, in `items` or (not inside) in `after`.

    The item before ends. The last text item streams until another one comes or the turn ends.
    """
    if not inside:
        turn = evolve(turn, after=(*turn.after, _ended(item, t)))
        return _with_ref(turn, item, ~(len(turn.after) - 1))
    closed = turn.closed if turn.last is None else turn.closed.append(_left_behind(turn.last, t))
    if isinstance(item, TextItem):
        closed = _still(closed)
    status = "streaming" if turn.status == "submitted" else turn.status
    turn = evolve(turn, closed=closed, last=item if turn.active else _ended(item, t), status=status)
    return _with_ref(turn, item, len(closed))


def _with_ref(turn: Turn, item: Item, ref: int) -> Turn:
    """The turn in which a tool call can be found by its id."""
    if not isinstance(item, ToolCallItem):
        return turn
    return evolve(turn, refs=with_ref(turn.refs, item.call.id, ref))


def _left_behind(item: Item, t: float) -> Item:
    """An item that another one follows: a text cannot grow any more, a call or plan can."""
    return evolve(item, ended=t) if isinstance(item, TextItem) and item.ended is None else item


def _ended(item: Item, t: float) -> Item:
    return evolve(item, ended=t) if item.ended is None else item


def _still(closed: LongTuple[Item]) -> LongTuple[Item]:
    """The items with no text streaming among them; at most the last text does."""
    for index in range(len(closed) - 1, -1, -1):
        item = closed[index]
        if isinstance(item, TextItem):
            return closed.put(index, evolve(item, streaming=False))
    return closed


def add_text(
    turn: Turn, kind: Any, message_id: str | None, block: Block, t: float, *, inside: bool, join: bool = True
) -> Turn:
    """The turn with a block of a message: joined to the last item if that is of the same message.

    Text grows the last text block; other blocks stand in order.
    """
    last = turn.last if inside else next(reversed(turn.after), None)
    if not (join and isinstance(last, TextItem) and last.kind == kind and last.message_id == message_id):
        item = TextItem(kind, (block,), message_id, turn.active, t)
        return add_item(turn, item, t, inside=inside)
    blocks = join_blocks(last.blocks, block)
    grown = TextItem(last.kind, blocks, message_id, turn.active, last.started, None if turn.active else t)
    if inside:
        return evolve(turn, last=grown)
    return evolve(turn, after=(*turn.after[:-1], grown))


def join_blocks(blocks: tuple[Block, ...], block: Block) -> tuple[Block, ...]:
    """The blocks with one more at the end; text grows a text that stands last."""
    last = blocks[-1]
    if isinstance(block, TextBlock) and isinstance(last, TextBlock):
        return (*blocks[:-1], TextBlock(last.content.append(str(block.content))))
    return (*blocks, block)


def find(turn: Turn, kind: type[I], fits: Callable[[I], bool]) -> tuple[int, I] | None:
    """The newest item of a kind that fits, and its reference.

    A reference is the index in `items`, or ``~index`` in `after`.
    """
    for index in range(len(turn.after) - 1, -1, -1):
        item = turn.after[index]
        if isinstance(item, kind) and fits(item):
            return ~index, item
    if isinstance(turn.last, kind) and fits(turn.last):
        return len(turn.closed), turn.last
    for index in range(len(turn.closed) - 1, -1, -1):
        item = turn.closed[index]
        if isinstance(item, kind) and fits(item):
            return index, item
    return None


def find_call(turn: Turn, call_id: str) -> tuple[int, ToolCallItem] | None:
    """The item of a tool call, and its reference."""
    ref = ref_of(turn.refs, call_id)
    if ref is None:
        return None
    if ref < 0:
        item: Item | None = turn.after[~ref]
    else:
        item = turn.last if ref == len(turn.closed) else turn.closed[ref]
    assert isinstance(item, ToolCallItem), "references lead to calls"
    return ref, item


def put(turn: Turn, ref: int, item: Item) -> Turn:
    """The turn with another item at a reference; itself if that equals the one there."""
    if ref < 0:
        index = ~ref
        if turn.after[index] == item:
            return turn
        return evolve(turn, after=(*turn.after[:index], item, *turn.after[index + 1 :]))
    if ref == len(turn.closed):
        return turn if turn.last == item else evolve(turn, last=item)
    if turn.closed[ref] == item:
        return turn
    return evolve(turn, closed=turn.closed.put(ref, item))


def remove(turn: Turn, ref: int) -> Turn:
    """The turn without the item at a reference; what stood behind it has another reference now."""
    if ref < 0:
        index = ~ref
        turn = evolve(turn, after=turn.after[:index] + turn.after[index + 1 :])
    else:
        items = turn.items[:ref] + turn.items[ref + 1 :]
        turn = evolve(turn, closed=LongTuple(items[:-1]), last=items[-1] if items else None)
    turn = evolve(turn, refs=NO_REFS)
    for index, item in enumerate(turn.items):
        turn = _with_ref(turn, item, index)
    for index, item in enumerate(turn.after):
        turn = _with_ref(turn, item, ~index)
    return turn


def end_items(turn: Turn, t: float, settle: Callable[[ToolCallItem], ToolCallItem]) -> Turn:
    """The turn with every item ended; `settle` says what becomes of a tool call."""

    def ended(item: Item) -> Item:
        if isinstance(item, ToolCallItem):
            item = settle(item)
        elif isinstance(item, TextItem) and item.streaming:
            item = evolve(item, streaming=False)
        return _ended(item, t)

    return evolve(
        turn,
        closed=LongTuple(ended(i) for i in turn.closed),
        last=None if turn.last is None else ended(turn.last),
    )
