"""Our own records of earlier chats: which session they are of, to go on with it or to show it again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from acp_notebook._chat.store import transcripts_folder
from acp_notebook._errors import TranscriptError
from acp_notebook._fold.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from acp_notebook._agent.command import Agent
    from acp_notebook._fold.state import Session

LARGEST = 50 * 1024 * 1024
"""Bytes of a transcript that is still read to go on with it."""

TRIED = 200
"""How many transcripts are looked at, the newest first."""


@dataclass(frozen=True)
class Past:
    """An earlier chat in its transcript.

    Attributes
    ----------
    path
        The file.
    session_id
        The agent's id of the session in question: the last one, if none was asked for.
    """

    path: Path
    session_id: str
    transcript: Transcript

    @property
    def session(self) -> Session:
        """Its state at the end."""
        return self.transcript.session

    @property
    def spoken(self) -> tuple[str, ...]:
        """The ids of all sessions in which something was said, the newest first."""
        named = [turn.session_id for turn in self.session.turns if turn.session_id is not None]
        return tuple(dict.fromkeys(reversed(named)))


def find(agent: Agent, cwd: Path, wanted: str | None, own: Path | None) -> Past | None:
    """Find the newest earlier chat with an agent in a folder. Reads files: not for the loop's thread.

    Parameters
    ----------
    agent, cwd
        As in the transcript's header.
    wanted
        The agent's id of the session; None: any in which something was said.
    own
        A transcript to look at first, wherever it is.
    """
    for path in _candidates(agent, cwd, own):
        if wanted is not None and not _mentions(path, wanted):
            continue
        past = _read(path)
        if past is not None and (wanted is None or wanted in past.spoken):
            return past if wanted is None else replace(past, session_id=wanted)
    return None


def all_of(agent: Agent, cwd: Path) -> Iterator[Past]:
    """Give the sessions of earlier chats with an agent in a folder, the newest first."""
    for path in _candidates(agent, cwd, None):
        past = _read(path)
        if past is not None:
            yield from (replace(past, session_id=session_id) for session_id in past.spoken)


def _candidates(agent: Agent, cwd: Path, own: Path | None) -> Iterator[Path]:
    if own is not None and own.is_file():
        yield own
    folder = transcripts_folder()
    files = sorted(folder.glob("*.jsonl"), key=_age, reverse=True) if folder.is_dir() else []
    for path in files[:TRIED]:
        if path != own and _is_of(path, agent, cwd):
            yield path


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _is_of(path: Path, agent: Agent, cwd: Path) -> bool:
    """Whether the header names this agent and folder."""
    try:
        with path.open("rb") as file:
            header: Any = json.loads(file.readline(1_000_000))
    except (OSError, ValueError):
        return False
    said = header.get("agent") if isinstance(header, dict) else None
    if not isinstance(said, dict) or header.get("cwd") != str(cwd):
        return False
    return bool(said.get("command") == [agent.command, *agent.args])


def _mentions(path: Path, session_id: str) -> bool:
    quoted = json.dumps(session_id, ensure_ascii=False).encode()
    try:
        return path.stat().st_size <= LARGEST and quoted in path.read_bytes()
    except OSError:
        return False


def _read(path: Path) -> Past | None:
    """The chat of a file, if something was said in it."""
    try:
        if path.stat().st_size > LARGEST:
            return None
        transcript = Transcript.load(path)
    except (OSError, TranscriptError):
        return None
    past = Past(path, transcript.session.session_id or "", transcript)
    if not past.spoken:
        return None
    return past if past.session_id in past.spoken else replace(past, session_id=past.spoken[0])
