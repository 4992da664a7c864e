"""The sessions that there are: those that the agent lists, and those of our own records."""

from __future__ import annotations

import asyncio
import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._chat import past

if TYPE_CHECKING:
    from pathlib import Path

    from acp_notebook._agent.protocol import Initialized
    from acp_notebook._chat.link import Link, Settings

PAGES = 50
"""Pages of a list that are asked for at most: a cursor that never ends must not either."""


@dataclass(frozen=True)
class SessionInfo:
    """A session that can be opened.

    Attributes
    ----------
    id : str
        The agent's id.
    title : str or None
        What the agent calls it, or the beginning of its first prompt.
    cwd : str or None
        Its folder.
    updated : str or None
        When it was last used, ISO 8601.
    source : {"agent", "record"}
        Who tells of it: the agent's list, or a transcript of ours.
    """

    id: str
    title: str | None = None
    cwd: str | None = None
    updated: str | None = None
    source: Literal["agent", "record"] = "agent"


def can_list(offers: Initialized) -> bool:
    """Whether the agent has advertised ``session/list``."""
    return "list" in offers.session


async def of_agent(link: Link, cwd: Path) -> list[SessionInfo]:
    """The agent's sessions in a folder (protocol page "Session List"); cursors are opaque and not kept.

    Raises
    ------
    AgentError
        The agent refuses.
    """
    found: list[SessionInfo] = []
    cursor: str | None = None
    for _ in range(PAGES):
        params = {"cwd": str(cwd)} if cursor is None else {"cwd": str(cwd), "cursor": cursor}
        result = await link.request("session/list", params)
        result = result if isinstance(result, dict) else {}
        listed = result.get("sessions")
        found += (
            [info for each in listed if (info := _read(each)) is not None] if isinstance(listed, list) else []
        )
        cursor = result.get("nextCursor") if isinstance(result.get("nextCursor"), str) else None
        if not cursor:
            break
    return found


async def of_records(settings: Settings) -> list[SessionInfo]:
    """The sessions of our own records with this agent in this folder, the newest first."""
    return await asyncio.to_thread(_recorded, settings)


def merged(listed: list[SessionInfo], recorded: list[SessionInfo]) -> tuple[SessionInfo, ...]:
    """Both lists as one, each session once: the agent's word goes first."""
    known = {info.id for info in listed}
    every = {info.id: info for info in reversed(recorded) if info.id not in known}
    return tuple(sorted([*listed, *every.values()], key=lambda info: info.updated or "", reverse=True))


def _read(value: Any) -> SessionInfo | None:
    if not isinstance(value, dict) or not isinstance(value.get("sessionId"), str):
        return None
    return SessionInfo(
        value["sessionId"], _text(value, "title"), _text(value, "cwd"), _text(value, "updatedAt")
    )


def _text(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) else None


def _recorded(settings: Settings) -> list[SessionInfo]:
    found: list[SessionInfo] = []
    for each in past.all_of(settings.agent, settings.cwd):
        stamp = dt.datetime.fromtimestamp(each.path.stat().st_mtime, dt.timezone.utc)
        title = each.session.title if each.session_id == each.session.session_id else None
        title = title or first_words(each)
        updated = stamp.isoformat(timespec="seconds").replace("+00:00", "Z")
        found.append(SessionInfo(each.session_id, title, str(settings.cwd), updated, "record"))
    return found


def first_words(found: past.Past) -> str | None:
    """The beginning of what was asked first in the session."""
    turns = [turn for turn in found.session.turns if turn.session_id == found.session_id]
    blocks = [block for turn in turns for block in turn.prompt]
    text = next((words for block in blocks if (words := " ".join(getattr(block, "text", "").split()))), None)
    return text if text is None or len(text) <= 80 else text[:79] + "…"
