"""A turn as parts, in the order in which it happened; each thing once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from acp_notebook._fold.state import (
    Block,
    Item,
    NoticeItem,
    PlanItem,
    ReviewItem,
    TextBlock,
    TextItem,
    ToolCallItem,
)
from acp_notebook._render.block_parts import block_parts
from acp_notebook._render.call_parts import call_parts, decision, file_diff, request_text
from acp_notebook._render.cut import cut
from acp_notebook._render.describe import pretty, short_title
from acp_notebook._render.parts import Attachment, Call, Fold, Note, Output, Part, Prompt, Prose, Steps
from acp_notebook._render.question_parts import question_parts
from acp_notebook._render.review_parts import review_parts
from acp_notebook._render.words import duration, end_word, plan_word

if TYPE_CHECKING:
    from acp_notebook._fold.state import Permission, RawItem, Turn
    from acp_notebook._render.options import RenderOptions


def turn_parts(turn: Turn, options: RenderOptions) -> tuple[Part, ...]:
    """Give everything a turn holds.

    Parameters
    ----------
    turn
        The turn, finished or not.
    options
        What to leave out.
    """
    return tuple(_turn(turn, options))


def _turn(turn: Turn, options: RenderOptions) -> Iterator[Part]:
    yield from prompt_parts(turn.prompt, options)
    for item in turn.items:
        yield from item_parts(item, turn, options)
    yield from end_parts(turn, options)


def end_parts(turn: Turn, options: RenderOptions) -> Iterator[Part]:
    """Give what stands below a turn's items: loose requests, how it ended, what came afterwards."""
    known = {permission.key for call in turn.tool_calls for permission in call.permissions}
    for permission in turn.permissions:
        if permission.key not in known:
            yield from _loose_permission(permission, turn, options)
    if turn.error is not None:
        yield Note("error", "The turn ended in an error", turn.error)
    elif turn.status == "error":
        yield Note("error", "The turn ended in an error")
    if turn.status == "queued":
        yield Note("end", "Queued: not sent to the agent yet.")
    elif turn.active:
        yield Note("end", "Still running when this copy was made.")
    word = end_word(turn)
    if word is not None:
        yield Note("end", word)
    if turn.after:
        yield Note("after", "After the turn")
        for item in turn.after:
            yield from item_parts(item, turn, options)


def prompt_parts(blocks: Iterable[Block], options: RenderOptions) -> Iterator[Part]:
    """Give what the person sent."""
    for block in blocks:
        if isinstance(block, TextBlock):
            if block.text.strip():
                yield Prompt(cut(block.text, options.text))
        else:
            yield from block_parts(block, options)


def item_parts(item: Item, turn: Turn, options: RenderOptions) -> Iterator[Part]:
    """Give one item of a turn."""
    if isinstance(item, TextItem):
        yield from _text_item(item, options)
    elif isinstance(item, ToolCallItem):
        yield from call_parts(item.call, turn.terminals, options)
    elif isinstance(item, PlanItem):
        yield from _plan(item, options)
    elif isinstance(item, NoticeItem):
        tone = item.severity if item.severity in {"info", "warning", "error"} else "info"
        known = item.severity in {"info", "warning", "error"}
        title = item.title if known else f"{item.title} ({item.severity})"
        yield Note(tone, title, item.description or "")
    elif isinstance(item, ReviewItem):
        yield from review_parts(item.review, options)
    else:
        yield from _raw(item, options)


def _text_item(item: TextItem, options: RenderOptions) -> Iterator[Part]:
    if item.kind == "user":
        yield from prompt_parts(item.blocks, options)
        return
    if item.kind == "thought":
        if options.thoughts:
            parts = tuple(part for block in item.blocks for part in block_parts(block, options))
            spent = 0.0 if item.ended is None else item.ended - item.started
            yield Fold(f"Thought for {duration(spent)}" if spent >= 1 else "Thought", parts)
        return
    for block in item.blocks:
        yield from block_parts(block, options)


def _plan(item: PlanItem, options: RenderOptions) -> Iterator[Part]:
    if item.entries:
        yield Steps(tuple((entry.content, plan_word(entry.status)) for entry in item.entries))
    if item.text:
        yield Prose(cut(item.text, options.text), "plan")
    if item.uri:
        yield Attachment("Plan", item.uri)


def _raw(item: RawItem, options: RenderOptions) -> Iterator[Part]:
    raw = item.raw
    if item.kind == "elicitation" and isinstance(raw, dict) and isinstance(raw.get("request"), dict):
        yield from question_parts(raw, options)
        return
    label = {"review": "Review of the changes", "elicitation": "Question"}.get(item.kind)
    yield Output(label or f"Update of type {item.name}", cut(pretty(raw), options.output))


def _loose_permission(permission: Permission, turn: Turn, options: RenderOptions) -> Iterator[Part]:
    """Give a request that belongs to no call of the turn, for instance one of a subagent."""
    title = short_title(permission.title or permission.kind or "Permission request", options.cwd)
    foreign = permission.session_id is not None and permission.session_id != turn.session_id
    word = f"asked by subagent session {permission.session_id}" if foreign else "asked"
    yield Call(title, "approval-requested" if permission.waiting else "approval-responded", word)
    yield from request_text(permission, known={title}, options=options)
    for diff in permission.diffs:
        yield file_diff(diff, options)
    yield decision(permission, title, options)
