"""The folded state of one prompt and what came of it; see `state` for how such values are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .about import Cost
from .blocks import Block, Diff, TextBlock
from .call_refs import NO_REFS, Refs
from .calls import Permission, Terminal, ToolCall
from .frozen import no_entries
from .items import Item, PlanEntry, PlanItem, TextItem, ToolCallItem
from .long_tuple import NO_VALUES, LongTuple

TurnStatus: TypeAlias = Literal["queued", "submitted", "streaming", "ready", "error"]


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """One prompt and everything that came of it.

    Attributes
    ----------
    session_id : str or None
    prompt : tuple of Block
        What was sent; for a replayed turn, what the agent says was sent.
    after : tuple of Item
        What came after the turn had ended.
    permissions : tuple of Permission
        In the order asked; also those of a subagent, which belong to no call of this turn.
    terminals : mapping of str to Terminal
    usage : mapping of str to number, or None
        Token counts of the answer, snake_case.
    cost : Cost or None
        What this turn added to the session's cost, if the agent tells costs.
    stop_reason : str or None
        The agent's word: end_turn, max_tokens, max_turn_requests, refusal, cancelled, or another.
    status : str
        queued (not sent yet), submitted (sent, nothing came yet), streaming, ready, error.
    error : str or None
        Why it ended in an error.
    cancel_requested : bool
        Whether we asked the agent to stop.
    replayed : bool
        Whether it comes from the replay of an older session rather than from here.
    told : bool
        Whether it is a replay of what stands in these records already; views leave it out.
    started, ended : float or None
        Seconds on the transcript's clock.
    queue_id : str or None
        Our id while and since it was queued.
    """

    session_id: str | None = None
    prompt: tuple[Block, ...] = ()
    after: tuple[Item, ...] = ()
    permissions: tuple[Permission, ...] = ()
    terminals: Mapping[str, Terminal] = field(default_factory=no_entries)
    usage: Mapping[str, float] | None = None
    cost: Cost | None = None
    stop_reason: str | None = None
    status: TurnStatus = "ready"
    error: str | None = None
    cancel_requested: bool = False
    replayed: bool = False
    told: bool = False
    started: float | None = None
    ended: float | None = None
    queue_id: str | None = None
    # The fold's own memory. The last item stands apart, so that a chunk never copies those before it.
    closed: LongTuple[Item] = NO_VALUES
    last: Item | None = None
    # Follows from the items, so it makes no difference between two turns.
    refs: Refs = field(default=NO_REFS, compare=False)
    # How much of the prompt was echoed; the id of a replayed prompt's last message.
    echo: str = ""
    prompt_id: str | None = None
    cost_before: Cost | None = None
    process: int = 0

    @property
    def items(self) -> tuple[Item, ...]:
        """What came during the turn, in order."""
        return tuple(self.closed) if self.last is None else (*self.closed, self.last)

    @property
    def active(self) -> bool:
        """Whether the agent still works on it."""
        return self.status in ("submitted", "streaming")

    @property
    def text(self) -> str:
        """The agent's messages, joined by a blank line."""
        return "\n\n".join(i.text for i in self.items if isinstance(i, TextItem) and i.kind == "message")

    @property
    def thoughts(self) -> tuple[str, ...]:
        """The agent's thoughts, one text each."""
        return tuple(i.text for i in self.items if isinstance(i, TextItem) and i.kind == "thought")

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """All tool calls, those after the turn's end included."""
        return tuple(i.call for i in (*self.items, *self.after) if isinstance(i, ToolCallItem))

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """The diffs of all tool calls."""
        return tuple(d for call in self.tool_calls for d in call.diffs)

    @property
    def plan(self) -> tuple[PlanEntry, ...]:
        """The entries of the last plan; empty if there is none."""
        plans = [i for i in (*self.items, *self.after) if isinstance(i, PlanItem)]
        return plans[-1].entries if plans else ()

    @property
    def pending(self) -> tuple[Permission, ...]:
        """The permissions that wait for an answer."""
        return tuple(p for p in self.permissions if p.outcome is None)

    def to_json(self) -> dict[str, Any]:
        """The turn's JSON form, as in `Session.to_json`."""
        from .to_json import turn_to_json

        return turn_to_json(self)

    def __repr__(self) -> str:
        prompt = " ".join("".join(b.text for b in self.prompt if isinstance(b, TextBlock)).split())
        short = prompt if len(prompt) <= 40 else prompt[:39] + "…"
        return f"<Turn {self.status}: {short!r}, {len(self.items)} items>"
