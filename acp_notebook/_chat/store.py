"""The transcripts in the user's data folder: what is there, and taking old ones away."""

from __future__ import annotations

import datetime as dt
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import platformdirs

from acp_notebook._fold.read import blocks
from acp_notebook._fold.transcript_file import lock
from acp_notebook._render.cut import size_words
from acp_notebook._render.facts import headline
from acp_notebook._render.visible import visible
from acp_notebook._render.words import count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acp_notebook._chat.transcript import Transcript

_LONGEST_HEADER = 1_000_000


def transcripts_folder() -> Path:
    """Where transcripts are kept unless a path is given: the user's data folder."""
    return Path(platformdirs.user_data_dir("acp-notebook", appauthor=False)) / "transcripts"


@dataclass(frozen=True)
class TranscriptFile:
    """A transcript in the data folder, as far as a quick look tells.

    Attributes
    ----------
    path : Path
    created : datetime
        When the chat began; the file's time of change if its header does not say.
    agent, cwd : str or None
        The agent's name and the folder, from the header.
    turns : int
        Prompts that were sent.
    first : str
        The beginning of the first prompt, in one line and made visible.
    size : int
        Bytes.
    """

    path: Path
    created: dt.datetime
    agent: str | None
    cwd: str | None
    turns: int
    first: str
    size: int

    def load(self) -> Transcript:
        """Read the transcript.

        Raises
        ------
        TranscriptError
            The file cannot be read any more.
        """
        from acp_notebook._chat.transcript import Transcript

        return Transcript.load(self.path)

    def __repr__(self) -> str:
        when = f"{self.created.astimezone():%Y-%m-%d %H:%M}"
        agent = visible(self.agent or "unknown agent")
        return f"<TranscriptFile {when}, {agent}, {count(self.turns, 'turn')}: {self.first!r}>"


def stored(limit: int | None = None, folder: Path | None = None) -> tuple[TranscriptFile, ...]:
    """The transcripts of a folder, newest first.

    Parameters
    ----------
    limit : int, optional
        How many at most.
    folder : Path, optional
        The user's data folder by default.
    """
    heads = (_head(path) for path in (folder or transcripts_folder()).glob("*.jsonl"))
    known = sorted(
        (head for head in heads if head is not None), key=lambda h: (h.created, h.path), reverse=True
    )
    return tuple(file for head in known[:limit] if (file := _look(head)) is not None)


class _Head(NamedTuple):
    """What the first line of a file says."""

    path: Path
    created: dt.datetime
    header: dict[str, Any]


def _head(path: Path) -> _Head | None:
    """Read a file's first line; None if it is gone."""
    try:
        with path.open("rb") as file:
            changed = os.fstat(file.fileno()).st_mtime
            header = _json(file.readline(_LONGEST_HEADER))
    except OSError:
        return None
    if "acp_notebook" not in header:
        header = {}
    return _Head(path, _created(header) or dt.datetime.fromtimestamp(changed, dt.timezone.utc), header)


def _look(head: _Head) -> TranscriptFile | None:
    """Count the prompts of a file and read the first; None if it is gone."""
    turns, first = 0, ""
    try:
        with head.path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            for line in file:
                # Parsing every line of a folder of transcripts would take minutes; prompts are few.
                if b'"out"' not in line[:80] or b'"session/prompt"' not in line[:200]:
                    continue
                if turns == 0:
                    first = _first(_json(line))
                turns += 1
    except OSError:
        return None
    agent, cwd = head.header.get("agent"), head.header.get("cwd")
    name = agent.get("name") if isinstance(agent, dict) else None
    return TranscriptFile(
        path=head.path,
        created=head.created,
        agent=name if isinstance(name, str) else None,
        cwd=cwd if isinstance(cwd, str) else None,
        turns=turns,
        first=first,
        size=size,
    )


def _json(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _first(line: dict[str, Any]) -> str:
    msg = line.get("msg")
    params = msg.get("params") if isinstance(msg, dict) else None
    return headline(blocks(params.get("prompt")) if isinstance(params, dict) else ())


def _created(header: dict[str, Any]) -> dt.datetime | None:
    try:
        moment = dt.datetime.fromisoformat(str(header.get("created")).replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)


# ------------------------------------------------------------------------------------------------ pruning


def surplus(
    files: Iterable[TranscriptFile],
    *,
    now: dt.datetime,
    older: dt.timedelta | None = None,
    size: int | None = None,
    keep: int | None = None,
) -> list[TranscriptFile]:
    """The files that limits do not leave room for, oldest first.

    Parameters
    ----------
    files : iterable of TranscriptFile
    now : datetime
    older : timedelta, optional
        Files of chats that began longer ago.
    size : int, optional
        Bytes that all files together may have; the oldest go first.
    keep : int, optional
        How many of the newest may stay.
    """
    going, total = [], 0
    for place, file in enumerate(sorted(files, key=lambda f: f.created, reverse=True)):
        total += file.size
        too_old = older is not None and now - file.created > older
        if too_old or (size is not None and total > size) or (keep is not None and place >= keep):
            going.append(file)
    return going[::-1]


def remove(file: TranscriptFile) -> str | None:
    """Delete a transcript, unless a chat is writing it; a few words if it stays."""
    try:
        fd = os.open(file.path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        return error.strerror or str(error)
    try:
        if not lock(fd):
            return "a chat is writing it"
        file.path.unlink(missing_ok=True)
    except OSError as error:  # Windows: still open somewhere
        return error.strerror or str(error)
    finally:
        os.close(fd)
    return None


def total_words(files: Iterable[TranscriptFile]) -> str:
    """``"3 transcripts, 1.2 MB"``."""
    listed = list(files)
    return f"{count(len(listed), 'transcript')}, {size_words(sum(file.size for file in listed))}"
