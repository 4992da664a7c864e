"""Everything in a session that can be searched for or filtered, in order: prompts and items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acp_notebook._fold.blocks import Block, BlockContent, ResourceBlock, ResourceLinkBlock, TextBlock
from acp_notebook._fold.calls import ToolCall
from acp_notebook._fold.items import Item, NoticeItem, PlanItem, RawItem, TextItem, ToolCallItem
from acp_notebook._fold.state import Turn
from acp_notebook._fold.to_json import item_to_json
from acp_notebook._render.describe import command_of, pretty, raw_output_text, title_of, unfence

from .places import split
from .trail import HEAD, Ref

STATES = {
    "approval-requested": "waiting",
    "output-denied": "refused",
    "output-available": "done",
    "output-error": "failed",
    "stopped": "stopped",
    "approval-responded": "running",
    "input-available": "running",
}
"""A word for each state of a tool call, as `status:` of a search and the filters have it."""

_CHANGES = frozenset({"edit", "delete", "move"})

_KIND = 60
_MOST = 200_000
"""Characters of JSON that are looked at in one input or output."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be found.

    Attributes
    ----------
    ref : Ref
    kind : str
        prompt, message, thought, user, plan, notice, elicitation, review, unknown; for a tool call its kind
        (read, edit, execute, …, "other" if the agent gave none).
    status : str or None
        done, failed, refused, stopped, running, waiting; None for what has no status.
    title : str
        One line.
    tools : tuple of str
        Names that a tool call goes by; empty for other things.
    paths : tuple of str
        Files of a tool call, as the agent wrote them.
    text : str
        All of its text.
    """

    ref: Ref
    kind: str
    status: str | None
    title: str
    tools: tuple[str, ...]
    paths: tuple[str, ...]
    text: str


def entries_of(turn: Turn, place: int, cwd: str | None) -> Iterator[Entry]:
    """The prompt and the items of a turn."""
    if split(place)[1] >= 0 and (turn.prompt or not split(place)[0]):
        yield entry_of(turn, Ref(place), cwd)
    for after, items in ((False, turn.items), (True, turn.after)):
        for index, item in enumerate(items):
            yield _entry(Ref(place, index, after), item, turn, cwd)


def entry_of(turn: Turn, ref: Ref, cwd: str | None) -> Entry:
    """One of the entries of a turn."""
    if ref.item == HEAD:
        prompt = blocks_text(turn.prompt)
        return Entry(ref, "prompt", turn_status(turn), one_line(prompt), (), (), prompt)
    return _entry(ref, (turn.after if ref.after else turn.items)[ref.item], turn, cwd)


def turn_status(turn: Turn) -> str:
    """How a turn ended, in the words of `STATES`."""
    if turn.status == "error":
        return "failed"
    if turn.pending:
        return "waiting"
    if turn.active or turn.status == "queued":
        return "running"
    return {"cancelled": "stopped", "refusal": "refused"}.get(turn.stop_reason or "", "done")


def one_line(text: str, most: int = 120) -> str:
    """The beginning of a text as one line."""
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def blocks_text(blocks: tuple[Block, ...]) -> str:
    """The text of content blocks."""
    parts = []
    for block in blocks:
        if isinstance(block, TextBlock):
            parts.append(block.text)
        elif isinstance(block, ResourceBlock):
            parts += [block.uri, block.text or ""]
        elif isinstance(block, ResourceLinkBlock):
            parts += [block.name, block.uri]
        else:
            parts.append(f"[{block.type}]")
    return "\n".join(parts)


def paths_of(call: ToolCall) -> tuple[str, ...]:
    """The files that a call touches, each once."""
    asked = [d.path for p in call.permissions for d in p.diffs]
    paths = [d.path for d in call.diffs] + asked + [place.path for place in call.locations]
    if not paths and isinstance(call.raw_input, dict):
        said = [call.raw_input.get(key) for key in ("path", "file_path", "filePath", "filepath")]
        paths = [path for path in said if isinstance(path, str) and path]
    return tuple(dict.fromkeys(paths))


def changed_by(call: ToolCall) -> tuple[str, ...]:
    """The files that a call changes: those of its diffs; some agents name an edited file and show no diff."""
    paths = tuple(dict.fromkeys(diff.path for diff in call.diffs))
    return paths or (paths_of(call) if call.kind in _CHANGES else ())


def _entry(ref: Ref, item: Item, turn: Turn, cwd: str | None) -> Entry:
    if isinstance(item, TextItem):
        text = blocks_text(item.blocks)
        return Entry(ref, item.kind, None, one_line(text), (), (), text)
    if isinstance(item, ToolCallItem):
        call = item.call
        tools = tuple(filter(None, (call.name, call.kind, call.tool_name)))
        title = one_line(title_of(call, cwd))
        text = _call_text(call, turn)
        return Entry(
            ref, one_line(call.kind or "other", _KIND), STATES[call.state], title, tools, paths_of(call), text
        )
    if isinstance(item, PlanItem):
        text = "\n".join([item.text or "", *(entry.content for entry in item.entries)]).strip()
        return Entry(ref, "plan", None, one_line(text), (), (), text)
    if isinstance(item, NoticeItem):
        text = "\n".join(filter(None, (item.title, item.description)))
        return Entry(ref, "notice", None, one_line(text), (), (), text)
    text = _json(item_to_json(item))
    title = item.name if isinstance(item, RawItem) else item.kind
    return Entry(ref, item.kind, None, one_line(title), (), (), text)


def _call_text(call: ToolCall, turn: Turn) -> str:
    parts = [call.title or "", call.tool_name, command_of(call, turn.terminals) or "", *paths_of(call)]
    if call.raw_input is not None:
        parts.append(call.raw_input if isinstance(call.raw_input, str) else _json(call.raw_input))
    said = unfence(blocks_text(tuple(c.block for c in call.content if isinstance(c, BlockContent))))
    parts.append(said)
    terminals = [turn.terminals[name].output for name in call.terminals if name in turn.terminals]
    parts += terminals
    # What came back often says the same a second time.
    if not said and not any(terminals):
        parts.append(raw_output_text(call.raw_output)[:_MOST])
    for diff in call.diffs:
        parts += [diff.old_text or "", diff.new_text]
    parts += [o.name for p in call.permissions for o in p.options if o.id == p.option_id]
    return "\n".join(filter(None, parts))


def _json(raw: object) -> str:
    return pretty(raw)[:_MOST]
