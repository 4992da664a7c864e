"""What a transcript holds for a replay: its turns, and how the agent answered everything else.

Pure: records in, values out. The agent's requests, our answers and our notes stay as they were, so that a
replayed turn folds to the same state; what is changed is said in `Moved`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from acp_notebook._chat.recap import is_recap
from acp_notebook._fold.record import Record

Json = dict[str, Any]

OPENING = ("session/new", "session/load", "session/resume", "session/fork")
"""Requests of ours that give a session."""

# Notes about the process and the queue of the recorded chat; the chat that replays makes its own.
_OWN_NOTES = frozenset(
    {"spawn", "exit", "closed", "queued", "unqueued", "requeued", "force_stop", "session", "history"}
)
# What may differ without making it another prompt: a linked file's size changes with every edit.
_INCIDENTAL = frozenset({"_meta", "annotations", "size"})


@dataclass(frozen=True)
class RecordedTurn:
    """A prompt, what happened until its answer, and the answer.

    Attributes
    ----------
    prompt
        Content blocks as they were sent, moved into the folder of the chat that replays.
    records
        What came between, and after the answer until the next prompt.
    until
        How many of them came before the answer.
    answer
        The agent's response.
    started, answered
        Seconds on the recorded clock.
    path
        The transcript's file, for messages.
    """

    prompt: list[Json]
    records: tuple[Record, ...]
    until: int
    answer: Json
    started: float
    answered: float
    path: str


@dataclass(frozen=True)
class Recorded:
    """Everything that a transcript holds for a replay.

    Attributes
    ----------
    turns
        Those that the agent has answered, in order.
    opening
        The agent's answers to `initialize` and to what gave the first session, by method.
    before
        What came before the first prompt: commands, modes.
    others
        Our further requests and their answers: (method, params, response).
    sessions
        Ids of the chat's own sessions, in order; those of subagents are not among them.
    """

    turns: tuple[RecordedTurn, ...]
    opening: Mapping[str, Json]
    before: tuple[Record, ...]
    others: tuple[tuple[str, Json, Json], ...]
    sessions: tuple[str, ...]


@dataclass
class _Reader:
    """Goes through records once; `open` is the prompt that waits for its answer."""

    path: str
    move: Callable[[Any], Any]

    def read(self, records: Iterable[Record]) -> Recorded:
        turns: list[RecordedTurn] = []
        opening: dict[str, Json] = {}
        others: list[tuple[str, Json, Json]] = []
        before: list[Record] = []
        asked: dict[object, tuple[str, Json]] = {}
        sessions: dict[str, None] = {}
        prompt: Record | None = None
        held: list[Record] = []
        answer: tuple[Record, int] | None = None

        def close() -> None:
            if prompt is not None and answer is not None:
                turns.append(self._turn(prompt, held, *answer))

        for record in records:
            msg, method = record.msg, record.msg.get("method")
            if record.dir == "out" and isinstance(method, str) and "id" in msg:
                params = msg.get("params")
                asked[_ident(msg)] = (method, params if isinstance(params, dict) else {})
                _name(sessions, params)
                if method == "session/prompt":
                    close()
                    prompt, held, answer = record, [], None
                    continue
            if record.dir == "in" and method is None and _ident(msg) in asked:
                method, params = asked.pop(_ident(msg))
                _name(sessions, msg.get("result"))
                if prompt is not None and answer is None and _ident(msg) == _ident(prompt.msg):
                    answer = (record, len(held))
                    continue
                if method == "initialize" or method in OPENING:
                    opening.setdefault(method, msg)
                else:
                    others.append((method, params, msg))
                if prompt is None:
                    continue
            if _is_kept(record) and not (record.dir == "in" and _is_history(asked)):
                (before if prompt is None else held).append(record)
        close()
        return Recorded(tuple(turns), opening, tuple(self._moved(before)), tuple(others), tuple(sessions))

    def _turn(self, prompt: Record, held: list[Record], answer: Record, until: int) -> RecordedTurn:
        params = prompt.msg.get("params")
        blocks = params.get("prompt") if isinstance(params, dict) else None
        return RecordedTurn(
            self.move(blocks if isinstance(blocks, list) else []),
            tuple(self._moved(held)),
            until,
            self.move(answer.msg),
            prompt.t,
            answer.t,
            self.path,
        )

    def _moved(self, records: Iterable[Record]) -> Iterator[Record]:
        return (Record(r.t, r.dir, self.move(r.msg)) for r in records)


def read(records: Iterable[Record], *, path: str, old: str | None, new: str) -> Recorded:
    """Take apart what a chat recorded.

    Parameters
    ----------
    records
        Of one transcript, in order.
    path
        Its file, for messages.
    old, new
        The folder that it was recorded in and the one it is replayed in: paths in texts move along.
    """
    return _Reader(path, moved(old, new)).read(records)


def _is_kept(record: Record) -> bool:
    """Whether a record belongs to what is replayed: not the opening, not the recorded chat's own notes."""
    if record.dir == "note":
        # That something was told to the agent, the chat notes itself when it sends it.
        return record.msg.get("kind") not in _OWN_NOTES and record.msg.get("event") != "told"
    method = record.msg.get("method")
    return method != "initialize" and method not in OPENING


def _is_history(asked: Mapping[object, tuple[str, Json]]) -> bool:
    """Whether the agent is telling what was said before, because we have asked it to."""
    return any(method in ("session/load", "session/resume") for method, _ in asked.values())


def _name(sessions: dict[str, None], where: object) -> None:
    if isinstance(where, dict) and isinstance(where.get("sessionId"), str):
        sessions[where["sessionId"]] = None


def _ident(msg: Json) -> object:
    return json.dumps(msg.get("id"))


def moved(old: str | None, new: str) -> Callable[[Any], Any]:
    """Make a function that gives JSON in which paths in one folder are paths in another."""
    # Shorter ones, as "/" or "C:\\", stand in everything.
    if old is None or old == new or len(old) < 4:
        return lambda value: value
    pairs = {old: new}
    if PurePath(old).is_absolute() and PurePath(new).is_absolute():
        pairs.setdefault(PurePath(old).as_uri(), PurePath(new).as_uri())
    longest = sorted(pairs, key=len, reverse=True)
    pattern = re.compile(f"(?:{'|'.join(map(re.escape, longest))})(?![\\w-]|\\.\\w)")

    def text(value: str) -> str:
        return pattern.sub(lambda found: pairs[found[0]], value)

    def move(value: Any) -> Any:
        if isinstance(value, str):
            return text(value)
        if isinstance(value, list):
            return [move(entry) for entry in value]
        if isinstance(value, dict):
            return {key: move(entry) for key, entry in value.items()}
        return value

    return move


def same(one: Iterable[Json], other: Iterable[Json]) -> bool:
    """Whether two prompts say the same."""
    return bool(_essence(_own(one)) == _essence(_own(other)))


def _own(blocks: Iterable[Json]) -> list[Json]:
    """The blocks of the person, without the summary that a restarted agent was given beside them."""
    return [block for block in blocks if not is_recap(block)]


def _essence(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _essence(entry) for key, entry in value.items() if key not in _INCIDENTAL}
    if isinstance(value, list):
        return [_essence(entry) for entry in value]
    return value


def words(blocks: Iterable[Json]) -> str:
    """A prompt as text for a message: what is no text by its type and name."""
    told = []
    for block in blocks:
        kind = str(block.get("type"))
        if kind == "text":
            told.append(str(block.get("text", "")))
        else:
            name = block.get("name") or block.get("uri") or block.get("mimeType") or ""
            told.append(f"[{kind} {name}]".replace(" ]", "]"))
    return "\n".join(told)
