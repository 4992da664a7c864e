"""What a turn consists of for a reader, before it becomes HTML or Markdown.

`turn_parts` decides what is said, in which words and order; the writers (`turn_html`, `turn_markdown`) only
decide how it looks. Texts in here are as the agent sent them; the writers escape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from acp_notebook._render.cut import Cut
from acp_notebook._render.unified import DiffLine


@dataclass(frozen=True, slots=True)
class Title:
    """The title line of a copy; a twin's HTML has it in its head already."""

    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Plain text of the person."""

    text: Cut


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown of the agent: its answer, the text of a request."""

    text: Cut
    role: Literal["message", "request", "plan"] = "message"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A named resource; `address` as sent, `text` its content if that is shown."""

    name: str
    address: str
    about: str = ""
    text: Cut | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, embedded by `address` (a checked ``data:`` address) or only described."""

    about: str
    address: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """The line of a tool call. `kind` and `where` (file, query) are empty if the title says them."""

    title: str
    state: str
    word: str
    where: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line."""

    text: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A change of one file. `dropped` lines are left out after `lines`."""

    path: str
    new_file: bool
    added: int
    removed: int
    lines: tuple[DiffLine, ...]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """Preformatted text under a label, folded unless `open`."""

    label: str
    text: Cut
    open: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """How a permission request ended, or that it waits; `about` is its own title if that says more."""

    word: str
    refused: bool
    about: str = ""


@dataclass(frozen=True, slots=True)
class Steps:
    """A plan: pairs of a step and its state in words."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A line about the conversation. `tone` is info, warning, error or end."""

    tone: str
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Parts that are folded under one line."""

    summary: str
    parts: tuple[Part, ...]


Part: TypeAlias = (
    Title
    | Prompt
    | Prose
    | Attachment
    | Picture
    | Call
    | Command
    | FileDiff
    | Output
    | Decision
    | Steps
    | Note
    | Fold
)
