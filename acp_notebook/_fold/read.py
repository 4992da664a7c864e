"""Reads the protocol's JSON into values and never fails: any JSON may stand anywhere.

A block or content that does not fit its type is kept raw. A field of the wrong type counts as absent, and
its name is added to the `unread` list that the caller hands in (protocol schema: malformed optional fields
take their default, malformed list items are skipped).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

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
from .calls import PermissionOption
from .frozen import FrozenDict
from .items import PlanEntry
from .text import Text

T = TypeVar("T")
Json = Mapping[str, Any]


def string(value: object) -> str | None:
    """The value if it is a string, else None."""
    return value if isinstance(value, str) else None


_MOST = 2**63
"""JSON's whole numbers have no end; those beyond this are no counts, and no float holds the longest."""


def integer(value: object) -> int | None:
    """The value if it is a whole number, else None; true and false are no numbers."""
    fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MOST
    return value if isinstance(value, int) and fits else None


def number(value: object) -> float | None:
    """The value if it is a number, else None; true, false, NaN and what is beyond all counts are none."""
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _MOST
    return value if isinstance(value, (int, float)) and fits else None


def mapping(value: object) -> Json:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def request_id(value: object) -> int | str | None:
    """A JSON-RPC id: int or str. True equals 1 in Python and must not be taken for it."""
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def many(value: object, read: Callable[[Json], T | None], unread: list[str], name: str) -> tuple[T, ...]:
    """Read a list of objects; what does not fit is skipped and named in `unread`."""
    if not isinstance(value, list):
        if value is not None:
            unread.append(name)
        return ()
    found = []
    for entry in value:
        one = read(entry) if isinstance(entry, dict) else None
        if one is None:
            unread.append(name)
        else:
            found.append(one)
    return tuple(found)


# --------------------------------------------------------------------------------------------- blocks


def block(value: object) -> Block:
    """Read a content block; an unknown or malformed one keeps its raw form."""
    if isinstance(value, dict):
        kind = value.get("type")
        read = _BLOCKS.get(kind) if isinstance(kind, str) else None
        found = read(value) if read is not None else None
        if found is not None:
            return found
        return UnknownBlock(string(kind) or "unknown", value)
    return UnknownBlock("unknown", value)


def blocks(value: object) -> tuple[Block, ...]:
    """Read a list of content blocks."""
    return tuple(block(v) for v in value) if isinstance(value, list) else ()


def _text(value: Json) -> Block | None:
    text = value.get("text")
    return TextBlock(Text(text)) if isinstance(text, str) else None


def _image(value: Json) -> Block | None:
    data, mime_type, uri = string(value.get("data")), string(value.get("mimeType")), string(value.get("uri"))
    if mime_type is None or (data is None and uri is None):
        return None
    return ImageBlock(mime_type, data or "", uri)


def _audio(value: Json) -> Block | None:
    data, mime_type = string(value.get("data")), string(value.get("mimeType"))
    return None if data is None or mime_type is None else AudioBlock(mime_type, data)


def _resource_link(value: Json) -> Block | None:
    uri = string(value.get("uri"))
    if uri is None:
        return None
    return ResourceLinkBlock(
        uri,
        string(value.get("name")) or uri,
        string(value.get("title")),
        string(value.get("description")),
        string(value.get("mimeType")),
        integer(value.get("size")),
    )


def _resource(value: Json) -> Block | None:
    inner = mapping(value.get("resource"))
    uri, text, blob = string(inner.get("uri")), string(inner.get("text")), string(inner.get("blob"))
    if uri is None or (text is None and blob is None):
        return None
    return ResourceBlock(uri, string(inner.get("mimeType")), text, blob)


_BLOCKS: dict[str, Callable[[Json], Block | None]] = {
    "text": _text,
    "image": _image,
    "audio": _audio,
    "resource_link": _resource_link,
    "resource": _resource,
}

# ----------------------------------------------------------------------------- content of a tool call


def content(value: object) -> Content:
    """Read one entry of a tool call's content; an unknown or malformed one keeps its raw form."""
    if not isinstance(value, dict):
        return UnknownContent("unknown", value)
    kind = value.get("type")
    if kind == "content" and isinstance(value.get("content"), dict):
        return BlockContent(block(value["content"]))
    if kind == "diff" and (found := diff(value)) is not None:
        return DiffContent(found)
    if kind == "terminal" and isinstance(value.get("terminalId"), str):
        return TerminalContent(value["terminalId"])
    return UnknownContent(string(kind) or "unknown", value)


def diff(value: Json) -> Diff | None:
    """Read a diff. Null, absent and empty old texts all mean a new file: agents send either."""
    path, new = string(value.get("path")), string(value.get("newText"))
    return None if path is None or new is None else Diff(path, string(value.get("oldText")) or None, new)


def location(value: Json) -> Location | None:
    """Read a location."""
    path = string(value.get("path"))
    return None if path is None else Location(path, integer(value.get("line")))


def option(value: Json) -> PermissionOption | None:
    """Read an option of a permission request; without a name its id has to do."""
    ident = string(value.get("optionId"))
    if ident is None:
        return None
    return PermissionOption(ident, string(value.get("name")) or ident, string(value.get("kind")) or "unknown")


def plan_entry(value: object) -> PlanEntry:
    """Read an entry of a plan; one of another shape shows its JSON."""
    shape = mapping(value)
    text = string(value) or string(shape.get("content"))
    if text is None:
        text = json.dumps(value, ensure_ascii=False)
    return PlanEntry(text, string(shape.get("priority")), string(shape.get("status")))


def call_fields(value: Json, unread: list[str]) -> dict[str, Any]:
    """The fields of a tool call that a message carries; absent and null ones are left out.

    Source: protocol page "Tool Calls", "only the fields being changed need to be included"; the schema
    reads null as unchanged.
    """
    fields: dict[str, Any] = {}
    for name in ("name", "title", "kind", "status"):
        found = value.get(name)
        if isinstance(found, str):
            fields[name] = found
        elif found is not None:
            unread.append(f"tool_call.{name}")
    for key, name in (("rawInput", "raw_input"), ("rawOutput", "raw_output")):
        if value.get(key) is not None:
            fields[name] = value[key]
    if isinstance(listed := value.get("content"), list):
        fields["content"] = tuple(content(v) for v in listed)
    elif listed is not None:
        unread.append("tool_call.content")
    if isinstance(value.get("locations"), list):
        fields["locations"] = many(value["locations"], location, unread, "tool_call.locations")
    elif value.get("locations") is not None:
        unread.append("tool_call.locations")
    return fields


def error_text(error: object) -> str:
    """What a JSON-RPC error says, whatever its shape."""
    if isinstance(error, str):
        return error
    shape = mapping(error)
    message = string(shape.get("message"))
    data = shape.get("data")
    details = string(data) or string(mapping(data).get("details")) or string(mapping(data).get("message"))
    if message and details and details not in message:
        return f"{message}: {details}"
    return message or details or f"error without a message: {error!r}"


def usage(value: object) -> Mapping[str, float] | None:
    """Token counts with snake_case names; None if there are none."""
    counts = {_snake(k): v for k, v in mapping(value).items() if number(v) is not None}
    return FrozenDict(counts) if counts else None


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


MESSAGE_KINDS: dict[str, Literal["user", "message", "thought"]] = {
    "user_message_chunk": "user",
    "agent_message_chunk": "message",
    "agent_thought_chunk": "thought",
}
