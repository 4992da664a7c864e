"""What a turn is a list of, as frozen values: texts, tool calls, plans, notices, raw things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from .blocks import Block, TextBlock
from .calls import ToolCall
from .review import ReviewItem


@dataclass(frozen=True, slots=True)
class TextItem:
    """A message, a thought, or a user message that the agent sent. `started`, `ended` in seconds."""

    kind: Literal["user", "message", "thought"]
    blocks: tuple[Block, ...]
    message_id: str | None
    streaming: bool
    started: float
    ended: float | None = None

    @property
    def text(self) -> str:
        """All its text blocks, one after the other."""
        return "".join(b.text for b in self.blocks if isinstance(b, TextBlock))


@dataclass(frozen=True, slots=True)
class ToolCallItem:
    """A tool call in its place; `ended` when it got its final status or the turn was over."""

    kind: ClassVar[Literal["tool_call"]] = "tool_call"
    call: ToolCall
    started: float
    ended: float | None = None


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """One step of a plan; `priority` and `status` are the agent's words."""

    content: str
    priority: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class PlanItem:
    """The plan as it stands now: `entries`, or Markdown `text`, or the address `uri` of a file."""

    kind: ClassVar[Literal["plan"]] = "plan"
    plan_id: str | None
    entries: tuple[PlanEntry, ...]
    text: str | None
    uri: str | None
    started: float
    ended: float | None = None


@dataclass(frozen=True, slots=True)
class NoticeItem:
    """A line for the person, from the agent or (a turn without any content) from us.

    `severity` is info, warning, error or the agent's word. `key` ties later news to the same notice.
    """

    kind: ClassVar[Literal["notice"]] = "notice"
    severity: str
    title: str
    description: str | None
    started: float
    ended: float | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class RawItem:
    """Something kept as JSON: an elicitation, or an update or note that we do not know.

    An elicitation's `raw` is ``{"key", "request_id", "request", "response"}``, response None while it is
    open; later also ``"decided_by"`` and, for a link, ``"complete"``.
    """

    kind: Literal["elicitation", "unknown"]
    name: str
    raw: Any
    started: float
    ended: float | None = None


Item: TypeAlias = TextItem | ToolCallItem | PlanItem | NoticeItem | ReviewItem | RawItem
