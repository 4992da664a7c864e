"""From the protocol to the parts that chat components render, and back: small pure functions.

`to_ui_message` speaks the message format of the AI SDK (``UIMessage`` with ``dynamic-tool`` parts), so that
any front end for that format can show a turn. Its keys are camelCase because that format's are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from .blocks import (
    BlockContent,
    Content,
    Diff,
    DiffContent,
    ImageBlock,
    TerminalContent,
    TextBlock,
    relative_path,
)
from .calls import Permission, PermissionOption, ToolCall
from .frozen import evolve
from .items import TextItem, ToolCallItem
from .read import diff as read_diff
from .read import option as read_option
from .state import Turn

Decision: TypeAlias = Literal["allow-once", "allow-session", "allow-always", "deny-once", "deny-always"]
Option: TypeAlias = PermissionOption | Mapping[str, Any]

_KINDS: dict[str, str] = {
    "allow-once": "allow_once",
    "allow-session": "allow_once",
    "allow-always": "allow_always",
    "deny-once": "reject_once",
    "deny-always": "reject_always",
}


def permission_response(decision: str, options: Iterable[Option]) -> dict[str, Any]:
    """Answer a permission request with the offered option that a decision means.

    Parameters
    ----------
    decision : str
        allow-once, allow-session, allow-always, deny-once or deny-always. ``allow-session`` selects the
        option that allows once; the rule for the rest of the session is the caller's.
    options : iterable of PermissionOption or of protocol dicts
        As offered. The first of the kind is taken; ids mean nothing.

    Returns
    -------
    dict
        The result of ``session/request_permission``: the option of that kind, or ``cancelled`` if none is
        offered (protocol page "Tool Calls").
    """
    kind = _KINDS.get(decision)
    for offered in _options(options):
        if offered.kind == kind:
            return {"outcome": {"outcome": "selected", "optionId": offered.id}}
    return {"outcome": {"outcome": "cancelled"}}


def decisions_from_options(options: Iterable[Option]) -> tuple[Decision, ...]:
    """List the decisions that the offered options allow, each once.

    Returns
    -------
    tuple of str
        In the order allow-once, allow-session, allow-always, deny-once, deny-always. ``allow-session`` is
        there whenever ``allow-once`` is.
    """
    kinds = {offered.kind for offered in _options(options)}
    order: tuple[Decision, ...] = ("allow-once", "allow-session", "allow-always", "deny-once", "deny-always")
    return tuple(decision for decision in order if _KINDS[decision] in kinds)


def _options(options: Iterable[Option]) -> list[PermissionOption]:
    read = (o if isinstance(o, PermissionOption) else read_option(o) for o in options)
    return [o for o in read if o is not None]


def tool_name(call: ToolCall | Mapping[str, Any]) -> str:
    """The name that approval rules match: the tool's name, else the kind, else the title.

    Parameters
    ----------
    call : ToolCall, or a protocol dict of a tool call
    """
    if isinstance(call, ToolCall):
        return call.tool_name
    words = (call.get(key) for key in ("name", "kind", "title"))
    return next((word for word in words if isinstance(word, str) and word), "tool")


def diffs_from_content(
    content: Iterable[Content | Mapping[str, Any]], root: str | None = None
) -> tuple[Diff, ...]:
    """Take the diffs out of a tool call's content.

    Parameters
    ----------
    content : iterable of Content, or of protocol dicts
    root : str, optional
        A folder, usually the session's ``cwd``: paths inside of it become relative to it.

    Returns
    -------
    tuple of Diff
        ``old_text`` is None for a new file.
    """
    found: list[Diff] = []
    for entry in content:
        if isinstance(entry, DiffContent):
            found.append(entry.diff)
        elif isinstance(entry, Mapping) and entry.get("type") == "diff" and (d := read_diff(entry)):
            found.append(d)
    if root is None:
        return tuple(found)
    return tuple(evolve(d, path=relative_path(d.path, root)) for d in found)


def diffs_to_content(files: Iterable[Diff]) -> list[dict[str, Any]]:
    """The way back: diffs as the protocol's content of a tool call.

    Parameters
    ----------
    files : iterable of Diff

    Returns
    -------
    list of dict
        ``{"type": "diff", "path", "oldText", "newText"}``; ``oldText`` is null for a new file.
    """
    return [{"type": "diff", "path": d.path, "oldText": d.old_text, "newText": d.new_text} for d in files]


def approval_status(part: Mapping[str, Any]) -> Literal["pending", "approved", "denied"] | None:
    """What an approval card shows for a tool part of `to_ui_message`.

    Returns
    -------
    str or None
        pending while a person is asked, then approved or denied; None if nobody was ever asked.
    """
    approval = part.get("approval")
    if part.get("state") == "approval-requested":
        return "pending"
    if not isinstance(approval, Mapping) or not isinstance(approval.get("approved"), bool):
        return None
    return "approved" if approval["approved"] else "denied"


def to_ui_message(turn: Turn, message_id: str | None = None) -> dict[str, Any]:
    """Turn a turn into one assistant message of the AI SDK.

    Messages and thoughts become ``text`` and ``reasoning`` parts, tool calls ``dynamic-tool`` parts. User
    messages, plans, notices and what changes the session's settings are left out.

    Parameters
    ----------
    turn : Turn
    message_id : str, optional
        The message's id; by default made from the turn's session and start.

    Returns
    -------
    dict
        ``{"id", "role": "assistant", "parts"}``.
    """
    parts: list[dict[str, Any]] = []
    for item in turn.items:
        if isinstance(item, TextItem) and item.kind != "user":
            parts.extend(_text_parts(item))
        elif isinstance(item, ToolCallItem):
            parts.append(_tool_part(item.call, turn))
    ident = message_id or f"{turn.session_id or 'session'}-{turn.started or 0}"
    return {"id": ident, "role": "assistant", "parts": parts}


def _text_parts(item: TextItem) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if item.text:
        kind = "reasoning" if item.kind == "thought" else "text"
        parts.append({"type": kind, "text": item.text, "state": "streaming" if item.streaming else "done"})
    for block in item.blocks:
        if isinstance(block, ImageBlock) and block.data:
            url = f"data:{block.mime_type};base64,{block.data}"
            parts.append({"type": "file", "mediaType": block.mime_type, "url": url})
    return parts


def _tool_part(call: ToolCall, turn: Turn) -> dict[str, Any]:
    part: dict[str, Any] = {
        "type": "dynamic-tool",
        "toolName": call.tool_name,
        "toolCallId": call.id,
        "state": "input-available" if call.state == "stopped" else call.state,
        "input": call.raw_input,
    }
    if call.title is not None:
        part["title"] = call.title
    if call.state == "output-available":
        part["output"] = _text_of(call, turn) if call.raw_output is None else call.raw_output
    if call.state == "output-error":
        said = call.raw_output if isinstance(call.raw_output, str) else ""
        part["errorText"] = _text_of(call, turn) or said
    permission = _decisive(call)
    if permission is not None:
        part["approval"] = {"id": call.id}
        if permission.outcome is not None:
            part["approval"]["approved"] = not permission.refused
    return part


def _decisive(call: ToolCall) -> Permission | None:
    """The permission that a card shows: the newest that waits, else the one answered last."""
    waiting = [p for p in call.permissions if p.waiting]
    if waiting:
        return waiting[-1]
    return next((p for p in call.permissions if p.key == call.verdict), None)


def _text_of(call: ToolCall, turn: Turn) -> str:
    """The text of a call's content, a terminal's output included."""
    texts: list[str] = []
    for content in call.content:
        if isinstance(content, BlockContent) and isinstance(content.block, TextBlock):
            texts.append(content.block.text)
        elif isinstance(content, TerminalContent) and content.terminal_id in turn.terminals:
            texts.append(turn.terminals[content.terminal_id].output)
    return "\n".join(texts)
