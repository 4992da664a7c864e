"""Search in a transcript: text, tools, paths and statuses; fast enough for every keystroke.

The text of a turn is kept once more in lower case, as one string with the place of each item in it: a
search is a few fast scans, and only what they hit is looked at closer.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from acp_notebook._fold.blocks import relative_path
from acp_notebook._fold.state import Session, Turn
from acp_notebook._render.visible import visible

from .entries import Entry, changed_by, entries_of, entry_of, one_line
from .places import label_of, session_of, split, turn_at
from .trail import HEAD, Ref, Trail

_WORD_RE = re.compile(r'(?:(tool|path|status|kind|turn|session):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: all of it must fit.

    Attributes
    ----------
    words : tuple of str
        Lower case; each must stand somewhere in the item's text.
    tools, paths, statuses, kinds, turns, sessions : tuple of str
        From ``tool:``, ``path:``, ``status:``, ``kind:``, ``turn:`` (counted from 1) and ``session:`` (a part
        of its id, of its title, or of "subagent").
    """

    words: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Query:
        """Read what a person typed: words, ``"a phrase"``, ``tool:bash path:src status:failed``."""
        found: dict[str, list[str]] = {}
        for match in _WORD_RE.finditer(text):
            name, phrase, word = match.groups()
            value = (word if phrase is None else phrase).lower()
            if value:
                found.setdefault(_FIELDS.get((name or "").lower(), "words"), []).append(value)
        return cls(**{name: tuple(values) for name, values in found.items()})

    @property
    def empty(self) -> bool:
        """Whether everything fits."""
        return self == Query()

    def fits(self, row: Row) -> bool:
        """Whether an item is of the wanted tool, path, status, kind and turn."""
        return (
            all(any(value in one for one in row.tools) for value in self.tools)
            and all(any(value in path for path in row.paths) for value in self.paths)
            and (not self.statuses or (row.status or "") in self.statuses)
            and (
                not self.kinds or row.kind.lower() in self.kinds or (bool(row.tools) and "tool" in self.kinds)
            )
            and (not self.turns or str(row.ref.turn + 1) in self.turns)
            and all(any(value in name for name in row.sessions) for value in self.sessions)
        )


_FIELDS = {
    "tool": "tools",
    "path": "paths",
    "status": "statuses",
    "kind": "kinds",
    "turn": "turns",
    "session": "sessions",
}


@dataclass(frozen=True, slots=True)
class Only:
    """The person's filters: an entry must be one of the named; of what names nothing any will do.

    Attributes
    ----------
    kinds, statuses, sessions : frozenset of str
        Sessions by their ids.
    path : str or None
        Only calls that change this file, whether named whole or within the session's folder.
    """

    kinds: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    path: str | None = None

    def fits(self, row: Row) -> bool:
        """Whether an item is one of the wanted; its file is not looked at."""
        return (
            (not self.kinds or row.kind in self.kinds)
            and (not self.statuses or row.status in self.statuses)
            and (not self.sessions or row.session in self.sessions)
        )


@dataclass(frozen=True, slots=True)
class Row:
    """An entry without its text; names and paths in lower case. `session` is an id, `sessions` its names."""

    ref: Ref
    kind: str
    status: str | None
    title: str
    tools: tuple[str, ...]
    paths: tuple[str, ...]
    session: str | None
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """Something that a search has found.

    Attributes
    ----------
    turn : int
        Index in `Transcript.turns`, or in the turns of `session`; -1 is what came before the first prompt.
    item : int
        Index in the turn's `items`, or in `after`; -1 is the prompt.
    after : bool
        Whether it came after the turn had ended.
    record : int
        Index in `Transcript.records` of the first record behind it.
    kind : str
        prompt, message, thought, plan, …; for a tool call its kind (read, edit, execute, …).
    status : str or None
        done, failed, refused, stopped, running, waiting; None for what has no status.
    title : str
        The first line.
    snippet : str
        The words in their surroundings.
    session : str or None
        The subagent's session that it stands in, a key of ``session.children``; None for the session itself.
    """

    turn: int
    item: int
    after: bool
    record: int
    kind: str
    status: str | None
    title: str
    snippet: str
    session: str | None = None

    def __repr__(self) -> str:
        state = f" {visible(self.status)}" if self.status else ""
        whose = "" if self.session is None else f" of subagent {visible(self.session)}"
        return f"<Match turn {self.turn}{whose} {visible(self.kind)}{state}: {self.snippet or self.title!r}>"


@dataclass(slots=True)
class _Page:
    """The text of one turn in lower case, and where each item begins in it."""

    text: str = ""
    starts: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def range(self, number: int) -> tuple[int, int]:
        """Where the text of an entry begins and ends, with the mark behind it."""
        starts = self.starts
        return starts[number], starts[number + 1] if number + 1 < len(starts) else len(self.text)

    def holds(self, number: int, words: Iterable[str]) -> bool:
        """Whether all words stand in an entry."""
        begin, end = self.range(number)
        return all(self.text.find(word, begin, end) >= 0 for word in words)


class SearchIndex:
    """The searchable text of a folded session.

    Parameters
    ----------
    session : Session
    shown : iterable of int
        The places of the turns that are searched, in the order of what is found.
    """

    def __init__(self, session: Session, shown: Iterable[int]) -> None:
        self._session = session
        turns = ((place, turn_at(session, place)) for place in shown)
        self._turns = {place: turn for place, turn in turns if turn is not None}
        self._pages = {
            place: _page(place, turn, session.cwd, session_of(session, place))
            for place, turn in self._turns.items()
        }
        # What the last words had hit: a letter more is looked for in there alone.
        self._last: tuple[tuple[str, ...], list[tuple[_Page, list[int]]]] | None = None

    def rows(self) -> Iterator[Row]:
        """Every entry, in order."""
        for page in self._pages.values():
            yield from page.rows

    def find(self, query: Query, only: Only) -> list[Row]:
        """Entries that fit, in order."""
        path = only.path
        if path is not None:
            path = relative_path(path, self._session.cwd or "")
            query = replace(query, paths=(*query.paths, path.lower()))
        return [
            row
            for row in self._with(query.words)
            if only.fits(row) and query.fits(row) and (path is None or self._edits(row, path))
        ]

    def _with(self, words: tuple[str, ...]) -> Iterator[Row]:
        """Entries in which all words stand, in order."""
        if not words:
            yield from self.rows()
            return
        last = self._last  # another thread may search as well
        if last is not None and all(any(old in word for word in words) for old in last[0]):
            narrowed = ((page, [n for n in numbers if page.holds(n, words)]) for page, numbers in last[1])
        else:
            narrowed = ((page, list(_hits(page, words))) for page in self._pages.values())
        found = [(page, numbers) for page, numbers in narrowed if numbers]
        self._last = (words, found)
        for page, numbers in found:
            for number in numbers:
                yield page.rows[number]

    def entry(self, ref: Ref) -> Entry:
        """An entry with its text."""
        return entry_of(self._turns[ref.turn], ref, self._session.cwd)

    def snippet(self, row: Row, words: Iterable[str], around: int = 50) -> str:
        """The first word that stands in an entry, in its surroundings; empty if none does."""
        page = self._pages[row.ref.turn]
        number = page.rows.index(row)
        start = page.starts[number]
        end = page.starts[number + 1] - 1 if number + 1 < len(page.starts) else len(page.text)
        places_found = [at for word in words if (at := page.text.find(word, start, end)) >= 0]
        if not places_found:
            return ""
        text = self.entry(row.ref).text
        at = min(places_found) - start
        if len(text.lower()) != len(text):
            # Lower case may be longer than the text; the place is then right in lower case only.
            text = page.text[start:end]
        first, last = max(0, at - around), at + around * 2
        middle = " ".join(text[first:last].split())
        return f"{'…' if first else ''}{middle}{'…' if last < len(text) else ''}"

    def subagent(self, row: Row) -> str | None:
        """The id of the subagent's session that an entry stands in."""
        found = session_of(self._session, row.ref.turn)
        return None if found is None else found[0]

    def _edits(self, row: Row, path: str) -> bool:
        turn = self._turns[row.ref.turn]
        if row.ref.item == HEAD:
            return False
        item = (turn.after if row.ref.after else turn.items)[row.ref.item]
        call = getattr(item, "call", None)
        cwd = self._session.cwd or ""
        return call is not None and any(relative_path(one, cwd) == path for one in changed_by(call))


def matches(index: SearchIndex, trail: Trail, query: Query, rows: Iterable[Row]) -> list[Match]:
    """Rows as a person or a program gets them."""
    return [
        Match(
            split(row.ref.turn)[1],
            row.ref.item,
            row.ref.after,
            trail.first_record(row.ref),
            row.kind,
            row.status,
            row.title,
            index.snippet(row, query.words),
            index.subagent(row),
        )
        for row in rows
    ]


def _page(place: int, turn: Turn, cwd: str | None, subagent: tuple[str, Session] | None) -> _Page:
    page = _Page()
    names = (turn.session_id or "",) if subagent is None else (subagent[0], label_of(*subagent), "subagent")
    sessions = tuple(name.lower() for name in names)
    texts: list[str] = []
    length = 0
    for entry in entries_of(turn, place, cwd):
        text = entry.text.lower()
        texts.append(text)
        page.starts.append(length)
        length += len(text) + 1
        paths = tuple(path.lower() for path in entry.paths)
        tools = tuple(tool.lower() for tool in entry.tools)
        title = entry.title or one_line(entry.kind)
        page.rows.append(
            Row(entry.ref, entry.kind, entry.status, title, tools, paths, turn.session_id, sessions)
        )
    page.text = "\0".join(texts)
    return page


def _hits(page: _Page, words: tuple[str, ...]) -> Iterator[int]:
    """The numbers of a turn's entries in which all words stand."""
    text, starts = page.text, page.starts
    # The longest word is the rarest.
    first, *others = sorted(words, key=len, reverse=True)
    if any(word not in text for word in words):
        return
    at = text.find(first)
    while at >= 0:
        # An entry without text begins where the next one does not: starts differ by one at least.
        number = bisect_right(starts, at) - 1
        if page.holds(number, others):
            yield number
        at = text.find(first, page.range(number)[1])
