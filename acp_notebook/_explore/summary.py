"""What a person asks first about a session: what failed, how long did I wait, which files changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from acp_notebook._fold.about import Cost
from acp_notebook._fold.blocks import TextBlock, relative_path
from acp_notebook._fold.items import Item, TextItem
from acp_notebook._fold.state import Session, Turn
from acp_notebook._render.words import count, duration

from .entries import STATES, changed_by, one_line, turn_status
from .places import split, turn_at, whose
from .spans import Span, Times, spans_of, times_of
from .usage import FileUse, ToolUse, Use


@dataclass(frozen=True, slots=True)
class FileEdits:
    """One file that calls have changed, or wanted to: `edits` counts calls, `done` those that succeeded."""

    path: str
    edits: int
    done: int


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """One turn in the outline; `session` is what the subagent's session goes by that it belongs to."""

    place: int
    session: str | None
    title: str
    status: str
    started: float | None
    times: Times
    items: int
    chars: int
    tools: int
    failed: int
    edits: int
    tokens: int
    cost: Cost | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole session in numbers.

    Attributes
    ----------
    turns : tuple of TurnSummary
    spans : tuple of Span
        Where the time went, in order.
    times : Times
    tools : mapping of str to int
        Calls by state: done, failed, refused, stopped, running, waiting.
    failed : mapping of str to int
        Failed calls by tool.
    files : tuple of FileEdits
        Most edits first.
    tool_uses : tuple of ToolUse
        Time and calls by tool, the longest first.
    file_uses : tuple of FileUse
        Files by how many calls name them, the most first.
    """

    turns: tuple[TurnSummary, ...]
    spans: tuple[Span, ...]
    times: Times
    tools: Mapping[str, int]
    failed: Mapping[str, int]
    files: tuple[FileEdits, ...]
    tool_uses: tuple[ToolUse, ...]
    file_uses: tuple[FileUse, ...]

    def line(self) -> str:
        """The three answers as one line."""
        failed = sum(self.failed.values())
        names = [f"{name} {n}×" if n > 1 else name for name, n in self.failed.items()]
        worst = f" ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})" if failed else ""
        changed = sum(one.done > 0 for one in self.files)
        return " · ".join(
            [
                f"{count(failed, 'tool call')} failed{worst}" if failed else "no tool call failed",
                f"waited {duration(self.times.waiting)} for a person",
                f"{count(changed, 'file')} changed",
            ]
        )


def summarise(session: Session, shown: Iterable[int], now: float) -> Summary:
    """Sum a session up.

    Parameters
    ----------
    session : Session
    shown : iterable of int
        The places of the turns that count. What an agent tells again on reopening its session is not
        among them: it was counted where it happened.
    now : float
        Where what has not ended is cut off, in seconds.
    """
    rows: list[TurnSummary] = []
    spans: list[Span] = []
    tools: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    files: dict[str, FileEdits] = {}
    use = Use(session.cwd or "")
    for place in shown:
        turn = turn_at(session, place)
        if turn is None:
            continue
        found = spans_of(turn, now)
        if split(place)[0] == 0:
            # A subagent works while a tool of the main session runs: that time counts once.
            spans += found
        rows.append(_turn(place, whose(session, place), turn, times_of(found)))
        for call in turn.tool_calls:
            state = STATES[call.state]
            tools[state] += 1
            if state == "failed":
                failed[one_line(call.tool_name, 40)] += 1
            # Agents name one file now by its whole path and now within the folder: it goes by the first name.
            for name, path in {relative_path(p, session.cwd or ""): p for p in changed_by(call)}.items():
                old = files.get(name, FileEdits(path, 0, 0))
                files[name] = FileEdits(old.path, old.edits + 1, old.done + (state == "done"))
        use.count(turn)
    spans.sort(key=lambda span: span.start)
    return Summary(
        tuple(rows),
        tuple(spans),
        times_of(spans),
        dict(tools),
        dict(failed.most_common()),
        tuple(sorted(files.values(), key=lambda one: (-one.edits, one.path))),
        use.tools(),
        use.files(),
    )


def _turn(place: int, session: str | None, turn: Turn, times: Times) -> TurnSummary:
    calls = turn.tool_calls
    prompt = "".join(block.text for block in turn.prompt if isinstance(block, TextBlock))
    bare = session or ("Before the first prompt" if place < 0 else "A prompt without text")
    return TurnSummary(
        place,
        session,
        one_line(prompt, 100) or bare,
        turn_status(turn),
        turn.started,
        times,
        len(turn.items) + len(turn.after),
        sum(map(_chars, turn.items)),
        len(calls),
        sum(call.state == "output-error" for call in calls),
        sum(bool(changed_by(call)) for call in calls),
        tokens_of(turn),
        turn.cost,
    )


def tokens_of(turn: Turn) -> int:
    """The agent's total, else what went in and came out; 0 if it does not say."""
    usage = turn.usage or {}
    total = usage.get("total_tokens")
    return int(usage.get("input_tokens", 0) + usage.get("output_tokens", 0) if total is None else total)


def _chars(item: Item) -> int:
    """Characters of a message; what is folded away takes no room on the screen."""
    if not isinstance(item, TextItem) or item.kind == "thought":
        return 0
    return sum(len(block.content) for block in item.blocks if isinstance(block, TextBlock))
