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
from .calls import CallState, Permission, PermissionOption, Terminal, ToolCall
from .frozen import no_entries
from .items import Item, NoticeItem, PlanEntry, PlanItem, RawItem, TextItem, ToolCallItem
from .long_tuple import NO_VALUES, LongTuple
from .review import FileReview, Hunk, Report, Review, ReviewItem
from .turn import Turn, TurnStatus

if TYPE_CHECKING:
    from .record import Record

__all__ = [
    "AgentInfo",
    "AudioBlock",
    "Auth",
    "AuthMethod",
    "AuthVariable",
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
    auth : Auth or None
        How to sign in, where the agent offers that or insists on it.
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
    auth: Auth | None = None
    reports: tuple[Report, ...] = ()
    # The fold's own memory. Closed turns stand apart from the current one (the last that began).
    closed: LongTuple[Turn] = NO_VALUES
    current: Turn | None = None
    queued: tuple[Turn, ...] = ()
    phase: Literal["idle", "starting", "ready", "ended"] = "idle"
    process: int = 0
    own_ids: frozenset[str] = frozenset()
    # Session id -> the one that it goes on from, by a copy or a summary.
    origins: Mapping[str, str] = field(default_factory=no_entries)
    # Title and context of the sessions that the chat has left, by id.
    left: Mapping[str, tuple[str | None, Context | None]] = field(default_factory=no_entries)
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
