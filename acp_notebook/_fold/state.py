"""The folded state: a session, its turns, their items. Frozen values; an unchanged part is the same object.

Made by `fold` alone, starting from ``Session()``. The fields below the comment "the fold's own memory" are
no part of the public form. All values, the smaller ones too, can be imported from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .about import (
    AgentInfo,
    Command,
    ConfigChoice,
    ConfigOption,
    Context,
    Cost,
    Exit,
    Models,
    Named,
)
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
from .calls import CallState, Permission, PermissionOption, Terminal, ToolCall
from .frozen import no_entries
from .items import Item, NoticeItem, PlanEntry, PlanItem, RawItem, TextItem, ToolCallItem
from .review import FileReview, Hunk, Report, Review, ReviewItem

if TYPE_CHECKING:
    from .record import Record

__all__ = [
    "AgentInfo",
    "AudioBlock",
    "Block",
    "BlockContent",
    "CallState",
    "Command",
    "ConfigChoice",
    "ConfigOption",
    "Content",
    "Context",
    "Cost",
    "Diff",
    "DiffContent",
    "Exit",
    "FileReview",
    "Hunk",
    "ImageBlock",
    "Item",
    "Location",
    "Models",
    "Named",
    "NoticeItem",
    "Permission",
    "PermissionOption",
    "PlanEntry",
    "PlanItem",
    "RawItem",
    "Report",
    "ResourceBlock",
    "ResourceLinkBlock",
    "Review",
    "ReviewItem",
    "Session",
    "SessionStatus",
    "Terminal",
    "TerminalContent",
    "TextBlock",
    "TextItem",
    "ToolCall",
    "ToolCallItem",
    "Turn",
    "TurnStatus",
    "UnknownBlock",
    "UnknownContent",
]

# ----------------------------------------------------------------------------------------------- turn

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
    closed: tuple[Item, ...] = ()
    last: Item | None = None
    # How much of the prompt was echoed; the id of a replayed prompt's last message.
    echo: str = ""
    prompt_id: str | None = None
    cost_before: Cost | None = None
    process: int = 0

    @property
    def items(self) -> tuple[Item, ...]:
        """What came during the turn, in order."""
        return self.closed if self.last is None else (*self.closed, self.last)

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


# -------------------------------------------------------------------------------------------- session

SessionStatus: TypeAlias = Literal["idle", "starting", "ready", "working", "waiting", "stopping", "ended"]


@dataclass(frozen=True, slots=True, repr=False)
class Session:
    """A conversation, folded from records.

    Attributes
    ----------
    session_id : str or None
    agent : AgentInfo or None
    cwd : str or None
        The session's folder.
    title : str or None
    commands : tuple of Command
    modes, mode : tuple of Named, str or None
    options : tuple of ConfigOption
    models : Models or None
    context : Context or None
    preamble : Turn or None
        What came before the first prompt, as a turn without a prompt.
    children : mapping of str to Session
        Subagent sessions by id.
    warnings : tuple of str
    unread : mapping of str to int
        Counts of what was skipped or not understood, by name.
    exit : Exit or None
    since : float or None
        When the start that is on its way began, seconds on the transcript's clock.
    reports : tuple of Report
        What the agent is told with the next prompt about reviews of its edits.
    """

    session_id: str | None = None
    agent: AgentInfo | None = None
    cwd: str | None = None
    title: str | None = None
    commands: tuple[Command, ...] = ()
    modes: tuple[Named, ...] = ()
    mode: str | None = None
    options: tuple[ConfigOption, ...] = ()
    models: Models | None = None
    context: Context | None = None
    preamble: Turn | None = None
    children: Mapping[str, Session] = field(default_factory=no_entries)
    warnings: tuple[str, ...] = ()
    unread: Mapping[str, int] = field(default_factory=no_entries)
    exit: Exit | None = None
    since: float | None = None
    reports: tuple[Report, ...] = ()
    # The fold's own memory. Closed turns stand apart from the current one (the last that began).
    closed: tuple[Turn, ...] = ()
    current: Turn | None = None
    queued: tuple[Turn, ...] = ()
    phase: Literal["idle", "starting", "ready", "ended"] = "idle"
    process: int = 0
    own_ids: frozenset[str] = frozenset()
    # Open requests: id -> (method, what the answer will need), one table a direction.
    sent: Mapping[int | str, tuple[str, Any]] = field(default_factory=no_entries)
    asked: Mapping[int | str, tuple[str, Any]] = field(default_factory=no_entries)
    # Key of an open review -> its place, and its way.
    open_reviews: Mapping[str, tuple[int, str]] = field(default_factory=no_entries)
    # Permission key without its counter -> how many there were, and where the last of them is.
    keys: Mapping[str, tuple[int, int]] = field(default_factory=no_entries)
    # Terminal id -> indices of the turns that show it, for the running process.
    terminal_turns: Mapping[str, tuple[int, ...]] = field(default_factory=no_entries)
    # The session whose history is being replayed, the place of the first replayed turn, and whether these
    # records hold that history already.
    replaying: tuple[str | None, int, bool] | None = None
    # Updates of a session that an open request may be about to name.
    held: tuple[Record, ...] = ()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Closed turns, then the current one, then queued ones."""
        current = () if self.current is None else (self.current,)
        return (*self.closed, *current, *self.queued)

    @property
    def running(self) -> tuple[Turn, ...]:
        """The turns that the agent works on; more than one only if several sessions are prompted at once."""
        sent = sorted(info for method, info in self.sent.values() if method == "session/prompt")
        earlier = [self.closed[place] for place in sent if place < len(self.closed)]
        current = () if self.current is None else (self.current,)
        return tuple(turn for turn in (*earlier, *current) if turn.active)

    @property
    def pending(self) -> tuple[Permission, ...]:
        """The permissions that wait for an answer, oldest first."""
        if not any(method == "session/request_permission" for method, _ in self.asked.values()):
            return ()
        places = [self.preamble, *self.closed, self.current]
        waiting = [p for turn in places if turn is not None for p in turn.permissions if p.outcome is None]
        return tuple(sorted(waiting, key=lambda p: p.asked))

    @property
    def waits_for(self) -> str | None:
        """What a start waits for: ``spawn`` or the method not answered yet; None if nothing starts."""
        if self.phase != "starting":
            return None
        return next((method for method, _ in self.sent.values() if method in OPENING), "spawn")

    @property
    def reviews(self) -> tuple[Review, ...]:
        """The reviews that stand by themselves and wait for a person, oldest first."""
        if not self.open_reviews:
            return ()
        places = [turn for turn in (self.preamble, *self.closed, self.current) if turn is not None]
        items = [i for turn in places for i in (*turn.items, *turn.after) if isinstance(i, ReviewItem)]
        return tuple(i.review for i in sorted(items, key=lambda i: i.started) if i.review.outcome is None)

    @property
    def status(self) -> SessionStatus:
        """idle, starting, ready, working, waiting (for a person), stopping, or ended."""
        if self.phase == "ended":
            return "ended"
        running = self.running
        if any(turn.cancel_requested for turn in running):
            return "stopping"
        if any(method in ASKS_A_PERSON for method, _ in self.asked.values()):
            return "waiting"
        if any(way == "write" for _, way in self.open_reviews.values()):
            return "waiting"
        if running:
            return "working"
        return self.phase

    def to_json(self) -> dict[str, Any]:
        """The one JSON form of the state: golden files, the widget's state and exports all use it."""
        from .to_json import session_to_json

        return session_to_json(self)

    def __repr__(self) -> str:
        name = self.agent.name if self.agent else None
        return f"<Session {self.status}: {len(self.turns)} turns, agent {name!r}>"


OPENING = frozenset(
    {"initialize", "authenticate", "session/new", "session/load", "session/resume", "session/fork"}
)
"""Requests of ours that a start consists of."""

ASKS_A_PERSON = frozenset({"session/request_permission", "elicitation/create"})
"""Requests of the agent that wait for a person."""
