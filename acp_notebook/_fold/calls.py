"""Tool calls, permission requests and terminals, as frozen values.

Kinds and statuses are the agent's words, also those that the protocol does not know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .blocks import Content, Diff, DiffContent, Location
from .frozen import evolve
from .review import Hunk, Review
from .text import NO_TEXT, Text

# ---------------------------------------------------------------------------------------- permissions


@dataclass(frozen=True, slots=True)
class PermissionOption:
    """One answer that the agent offers.

    `kind` is allow_once, allow_always, reject_once, reject_always or a word that the protocol does not
    know; `id` means nothing, `name` is for the person.
    """

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Permission:
    """A permission request and how it ended.

    Attributes
    ----------
    key : str
        Unique in a transcript: ``"<process>:<request id as JSON>"``, with ``"#2"`` and so on behind it if an
        agent uses a request id again.
    request_id : int or str
        The JSON-RPC id; unique only among the open requests of one process.
    session_id, tool_call_id : str or None
        Which session asked, and for which call.
    title, kind, content, diffs, locations, raw_input
        What the request itself said about the call; it may differ from the call.
    options : tuple of PermissionOption
        In the agent's order.
    outcome : {"selected", "cancelled", None}
        None while it waits.
    option_id : str or None
        The chosen option.
    decided_by : str or None
        ``"person"``, the name of a rule, ``"policy"``, ``"cancel"``; None while it waits or if the
        transcript does not say.
    covers : str or None
        What a rule of ours would cover if the answer were to be remembered; None: it cannot be.
    remembered : str or None
        ``"chat"`` or ``"folder"`` if the person had us remember the answer.
    review : Review or None
        Its diffs by hunk, once they have been compared with the files.
    asked, answered : float, float or None
        Seconds on the transcript's clock.
    """

    key: str
    request_id: int | str
    session_id: str | None
    tool_call_id: str | None
    title: str | None
    kind: str | None
    content: tuple[Content, ...]
    locations: tuple[Location, ...]
    raw_input: Any
    options: tuple[PermissionOption, ...]
    asked: float
    outcome: Literal["selected", "cancelled"] | None = None
    option_id: str | None = None
    decided_by: str | None = None
    answered: float | None = None
    covers: str | None = None
    remembered: str | None = None
    review: Review | None = None

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks that `Chat.apply` can write; empty if there are none (yet)."""
        return () if self.review is None else self.review.hunks

    @property
    def waiting(self) -> bool:
        """Whether it still needs an answer."""
        return self.outcome is None

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """The diffs in the request's own content."""
        found = tuple(c.diff for c in self.content if isinstance(c, DiffContent))
        return tuple(evolve(d, call_id=self.tool_call_id) for d in found)

    @property
    def option(self) -> PermissionOption | None:
        """The chosen option, if one of those offered was chosen."""
        return next((o for o in self.options if o.id == self.option_id), None)

    @property
    def refused(self) -> bool:
        """Whether it ended with a ``reject_*`` option or was cancelled. An unknown kind is no refusal."""
        if self.outcome == "cancelled":
            return True
        return self.option is not None and self.option.kind.startswith("reject_")


# ----------------------------------------------------------------------------------------- tool calls

CallState: TypeAlias = Literal[
    "approval-requested",
    "output-denied",
    "output-available",
    "output-error",
    "stopped",
    "approval-responded",
    "input-available",
]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as far as it is known.

    Attributes
    ----------
    id : str
        The agent's id, unique within its turn only.
    name, title, kind : str or None
        The tool's name (few agents send it), what the agent calls this call, and its kind (read, edit,
        delete, move, search, execute, think, fetch, switch_mode, other, or an unknown word).
    status : str or None
        The agent's word: pending, in_progress, completed, failed, or an unknown one.
    state : str
        What it comes to together with permissions and the turn's end, see `CallState`.
    content : tuple of Content
        The last content sent.
    own_diffs : tuple of Diff
        The last diffs seen in its own content, also after later content dropped them, and those of `written`
        that it does not show itself.
    written : tuple of Diff
        What was written for it through the client while no diff of that file was shown, one a file.
    locations : tuple of Location
    raw_input, raw_output : object
        Any JSON value, as sent.
    permissions : tuple of Permission
        Those that asked for this call, oldest first.
    terminals : tuple of str
        Ids of the terminals it has shown; look them up in `Turn.terminals`.
    verdict : str or None
        Key of the permission that was answered last.
    """

    id: str
    name: str | None = None
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    state: CallState = "input-available"
    content: tuple[Content, ...] = ()
    own_diffs: tuple[Diff, ...] = ()
    written: tuple[Diff, ...] = ()
    locations: tuple[Location, ...] = ()
    raw_input: Any = None
    raw_output: Any = None
    permissions: tuple[Permission, ...] = ()
    terminals: tuple[str, ...] = ()
    verdict: str | None = None

    @property
    def tool_name(self) -> str:
        """The tool's name, else the kind, else the title: what rules and short messages use."""
        return self.name or self.kind or self.title or "tool"

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """The last diffs of its own content, else those of its newest permission that has some."""
        found = self.own_diffs
        if not found:
            found = next((p.diffs for p in reversed(self.permissions) if p.diffs), ())
        return tuple(evolve(d, call_id=self.id, state=self.state) for d in found)

    @property
    def finished(self) -> bool:
        """Whether the agent gave a final status."""
        return self.status in FINAL_STATUSES


FINAL_STATUSES = frozenset({"completed", "failed"})
"""Statuses after which a call does not go on (protocol schema, ``ToolCallStatus``)."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """A terminal that a tool call runs in, ours or the agent's own.

    `content` is the kept end of the output, escape sequences included; it stays after release. `exited`
    may be true while `exit_code` and `signal` are both unknown. `noted` says that the output comes from
    our own notes, which are newer than what the agent was answered.
    """

    id: str
    command: str | None = None
    args: tuple[str, ...] = ()
    cwd: str | None = None
    content: Text = NO_TEXT
    truncated: bool = False
    exit_code: int | None = None
    signal: str | None = None
    exited: bool = False
    released: bool = False
    noted: bool = False

    @property
    def output(self) -> str:
        """The kept end of the output."""
        return str(self.content)
