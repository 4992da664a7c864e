"""The one JSON form of the state, as `js/src/wire.ts` writes it down.

Each value has a table: JSON key -> how to get its JSON. `patches` walks the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from .about import AgentInfo, Command, ConfigChoice, ConfigOption, Context, Cost, Exit, Models, Named
from .auth import Auth, AuthMethod, AuthVariable
from .blocks import (
    AudioBlock,
    Block,
    BlockContent,
    Content,
    Diff,
    DiffContent,
    ImageBlock,
    Location,
    ResourceBlock,
    ResourceLinkBlock,
    TerminalContent,
    TextBlock,
    UnknownBlock,
    UnknownContent,
)
from .calls import Permission, PermissionOption, Terminal, ToolCall
from .items import Item, NoticeItem, PlanEntry, PlanItem, RawItem, TextItem, ToolCallItem
from .review import FileReview, Hunk, Report, Review, ReviewItem
from .state import Session, Turn

Json: TypeAlias = Any
Getter: TypeAlias = Callable[[Any], Json]


def block_to_json(block: Block) -> dict[str, Json]:
    """The JSON form of a content block."""
    if isinstance(block, UnknownBlock):
        return {"type": block.type, "raw": block.raw}
    return {"type": block.type, **_encode(block)}


def contents_to_json(contents: Iterable[Content]) -> list[Json]:
    """The JSON form of a content list; diffs become their index among the diffs."""
    out: list[Json] = []
    diffs = 0
    for content in contents:
        if isinstance(content, DiffContent):
            out.append({"type": "diff", "diff": diffs})
            diffs += 1
        elif isinstance(content, BlockContent):
            out.append({"type": "content", "block": block_to_json(content.block)})
        elif isinstance(content, TerminalContent):
            out.append({"type": "terminal", "terminal_id": content.terminal_id})
        else:
            out.append({"type": content.type, "raw": content.raw})
    return out


def item_to_json(item: Item) -> dict[str, Json]:
    """The JSON form of an item."""
    return _encode(item)


def turn_to_json(turn: Turn) -> dict[str, Json]:
    """The JSON form of a turn."""
    return _encode(turn)


def session_to_json(session: Session, first: int = 0) -> dict[str, Json]:
    """The JSON form of a session; of its turns those from the index `first` on."""
    turns = [turn_to_json(turn) for turn in session.turns[first:]]
    rest = {key: get(session) for key, get in TABLES[Session].items() if key != "turns"}
    return {"version": 1, **rest, "turns": turns}


def to_json(value: Any) -> Json:
    """The JSON form of any value of the state."""
    if isinstance(value, Session):
        return session_to_json(value)
    if isinstance(value, (TextBlock, ImageBlock, AudioBlock, ResourceLinkBlock, ResourceBlock, UnknownBlock)):
        return block_to_json(value)
    if isinstance(value, (BlockContent, DiffContent, TerminalContent, UnknownContent)):
        return contents_to_json((value,))[0]
    if type(value) in TABLES:
        return _encode(value)
    if isinstance(value, tuple):
        return [to_json(v) for v in value]
    if isinstance(value, Mapping):
        return {k: to_json(v) for k, v in value.items()}
    return value


def _encode(value: Any) -> dict[str, Json]:
    return {key: get(value) for key, get in TABLES[type(value)].items()}


def _plain(name: str) -> Getter:
    return lambda value: getattr(value, name)


def _deep(name: str) -> Getter:
    return lambda value: to_json(getattr(value, name))


def _table(plain: str = "", deep: str = "", **special: Getter) -> dict[str, Getter]:
    """A table from names of plain fields, names of fields that hold values, and getters of their own."""
    table = {name: _plain(name) for name in plain.split()}
    table.update({name: _deep(name) for name in deep.split()})
    table.update(special)
    return table


def _diffs(value: Iterable[Diff]) -> list[Json]:
    return [_encode(d) for d in value]


_TIMES = "started ended"

TABLES: dict[type, dict[str, Getter]] = {
    TextBlock: _table("text"),
    ImageBlock: _table("mime_type data uri"),
    AudioBlock: _table("mime_type data"),
    ResourceLinkBlock: _table("uri name title description mime_type size"),
    ResourceBlock: _table("uri mime_type text blob"),
    Diff: _table("path old_text new_text"),
    Location: _table("path line"),
    PermissionOption: _table("id name kind"),
    Permission: _table(
        "key request_id session_id tool_call_id title kind raw_input"
        " outcome option_id decided_by asked answered covers remembered",
        "locations options review",
        content=lambda p: contents_to_json(p.content),
        diffs=lambda p: _diffs(p.diffs),
    ),
    Hunk: _table("index path line new_line old new before after"),
    FileReview: _table("path kind problem earlier", "hunks"),
    Review: _table("key way call_id outcome decided_by problem", "files", chosen=lambda r: list(r.chosen)),
    ReviewItem: _table(f"kind {_TIMES}", "review"),
    Report: _table("key text"),
    ToolCall: _table(
        "id name tool_name title kind status state raw_input raw_output",
        "locations",
        content=lambda c: contents_to_json(c.content),
        diffs=lambda c: _diffs(c.own_diffs),
        permissions=lambda c: [p.key for p in c.permissions],
        terminals=lambda c: list(c.terminals),
    ),
    Terminal: _table(
        "id command cwd output truncated exit_code signal exited released", args=lambda t: list(t.args)
    ),
    TextItem: _table(f"kind streaming message_id {_TIMES}", "blocks"),
    ToolCallItem: _table(f"kind {_TIMES}", "call"),
    PlanEntry: _table("content priority status"),
    PlanItem: _table(f"kind plan_id text uri {_TIMES}", "entries"),
    NoticeItem: _table(f"kind severity title description {_TIMES}"),
    RawItem: _table(f"kind name raw {_TIMES}"),
    Cost: _table("amount currency"),
    Turn: _table(
        "session_id stop_reason status active error cancel_requested replayed told started ended",
        "prompt items after permissions terminals usage cost",
    ),
    AgentInfo: _table("name title version protocol_version capabilities", "command auth_methods"),
    Command: _table("name description hint"),
    Named: _table("id name description"),
    Models: _table("current", "available"),
    ConfigChoice: _table("value name description group"),
    ConfigOption: _table("id name description category type value", "choices"),
    Context: _table("used size", "cost"),
    Exit: _table("code signal stderr reason"),
    AuthVariable: _table("name label secret optional"),
    AuthMethod: _table("id name description kind command link meta", "variables fields"),
    Auth: _table("required message running error logout", "methods"),
    Session: _table(
        "session_id status cwd title mode waits_for since",
        "agent auth commands modes options models context preamble turns children warnings unread exit"
        " reports",
    ),
}
"""How each value becomes JSON: key -> getter, see `js/src/wire.ts`."""
