"""Content blocks, diffs and the content of tool calls, as frozen values.

Whatever an agent sends that the protocol does not know is kept as raw JSON (`UnknownBlock`,
`UnknownContent`).
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from .text import Text

# --------------------------------------------------------------------------------------------- blocks


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Text, Markdown by convention. Grows while its item streams."""

    type: ClassVar[Literal["text"]] = "text"
    content: Text
    """The shared view behind `text`."""

    @property
    def text(self) -> str:
        """The text as one string."""
        return str(self.content)


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """A picture: base64 `data` of the given type, or only an address."""

    type: ClassVar[Literal["image"]] = "image"
    mime_type: str
    data: str
    uri: str | None = None


@dataclass(frozen=True, slots=True)
class AudioBlock:
    """A sound: base64 `data` of the given type."""

    type: ClassVar[Literal["audio"]] = "audio"
    mime_type: str
    data: str


@dataclass(frozen=True, slots=True)
class ResourceLinkBlock:
    """A link to a resource that the agent can read by itself. `size` is in bytes."""

    type: ClassVar[Literal["resource_link"]] = "resource_link"
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class ResourceBlock:
    """A resource with its content: `text`, or base64 `blob`."""

    type: ClassVar[Literal["resource"]] = "resource"
    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None


@dataclass(frozen=True, slots=True)
class UnknownBlock:
    """A block of a type that we do not know, or a malformed one, as it was sent."""

    type: str
    raw: Any


Block: TypeAlias = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock | UnknownBlock

# ----------------------------------------------------------------------------- content of a tool call


@dataclass(frozen=True, slots=True)
class Diff:
    """A change of one file.

    Attributes
    ----------
    path : str
        As the agent sent it: absolute by the protocol, relative from some agents.
    old_text : str or None
        The text that is replaced, which may be a fragment of the file; None for a new file (agents send
        null, nothing, or an empty text).
    new_text : str
        What stands there afterwards.
    call_id : str or None
        The tool call it belongs to; set on the diffs that a call, permission or turn hands out.
    state : str or None
        The state of that call.
    """

    path: str
    old_text: str | None
    new_text: str
    call_id: str | None = None
    state: str | None = None

    def relative(self, root: str | os.PathLike[str]) -> str:
        """The path relative to a folder, with forward slashes; unchanged if it lies outside of it."""
        return relative_path(self.path, os.fspath(root))


def same_file(a: str, b: str) -> bool:
    """Whether two paths, as they were sent, name one file; by text alone, one of them may be relative."""
    a, b = a.replace("\\", "/").removeprefix("./"), b.replace("\\", "/").removeprefix("./")
    return a == b or (bool(a and b) and (a.endswith(f"/{b}") or b.endswith(f"/{a}")))


def relative_path(path: str, root: str) -> str:
    """`path` relative to `root` if it lies inside, else `path`; by text alone, no file is looked at."""
    clean, base = path.replace("\\", "/"), root.replace("\\", "/")
    if not base or (not clean.startswith("/") and clean[1:3] != ":/"):
        return clean
    clean, base = posixpath.normpath(clean), posixpath.normpath(base)
    if not clean.startswith(base.rstrip("/") + "/"):
        return path
    return clean[len(base.rstrip("/")) + 1 :]


@dataclass(frozen=True, slots=True)
class BlockContent:
    """A block that a tool call produced."""

    type: ClassVar[Literal["content"]] = "content"
    block: Block


@dataclass(frozen=True, slots=True)
class DiffContent:
    """A diff that a tool call makes or proposes."""

    type: ClassVar[Literal["diff"]] = "diff"
    diff: Diff


@dataclass(frozen=True, slots=True)
class TerminalContent:
    """A terminal shown inside a tool call; look it up in `Turn.terminals`."""

    type: ClassVar[Literal["terminal"]] = "terminal"
    terminal_id: str


@dataclass(frozen=True, slots=True)
class UnknownContent:
    """Content of a type that we do not know, or malformed content, as it was sent."""

    type: str
    raw: Any


Content: TypeAlias = BlockContent | DiffContent | TerminalContent | UnknownContent


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file that a tool call works on; `line` counts from 1."""

    path: str
    line: int | None = None
