"""Which session the next start leads to, and what of the conversation the agent has to be told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from acp_notebook._chat import listing, past
from acp_notebook._chat.opening import Wanted
from acp_notebook._chat.recap import recap, recap_block
from acp_notebook._fold.reopened import holds, lineage

if TYPE_CHECKING:
    from pathlib import Path

    from acp_notebook._chat.link import Link, Settings
    from acp_notebook._chat.log import Log
    from acp_notebook._chat.opening import How


class History:
    """What a chat remembers between two agent processes. Lives on the agent's loop.

    Parameters
    ----------
    settings
        Agent, folder, and the session that the chat was made for.
    log
        The records so far.
    """

    def __init__(self, settings: Settings, log: Log) -> None:
        self._settings = settings
        self._log = log
        self._asked = settings.session
        self._session_id: str | None = None
        self._target: Wanted | None = None
        # What sessions have still to be told, by their ids; and what the last prompt has told.
        self._recaps: dict[str | None, str] = {}
        self._told: dict[str | None, str] = {}
        self.own: Path | None = None
        """The chat's transcript file."""

    async def wanted(self) -> Wanted | None:
        """The session to bring back, as far as our own records tell."""
        if self._target is not None:
            return self._target
        if self._session_id is not None:
            return Wanted(self._session_id) if holds(self._log.session, self._session_id) else None
        if self._asked is None:
            return None
        session_id = None if self._asked == "last" else self._asked
        found = await self.find(session_id)
        if found is not None:
            if found.path == self.own:
                # The same file goes on: what is in it is not written a second time.
                self._log.adopt(found.transcript.records)
            # Kept, for a start that is tried again.
            self._target = Wanted(found.session_id, found)
            return self._target
        return None if session_id is None else Wanted(session_id)

    def target(self, wanted: Wanted | None) -> None:
        """Let the next start lead to this session, or to a new one."""
        self._asked, self._session_id, self._target = None, None, wanted

    async def find(self, session_id: str | None) -> past.Past | None:
        """Our own record of a session, or of the last one here."""
        settings = self._settings
        return await asyncio.to_thread(past.find, settings.agent, settings.cwd, session_id, self.own)

    async def newest_of_agent(self, link: Link) -> Wanted | None:
        """The agent's own newest session here, if the last one is asked for and we have no record of any."""
        if self._asked != "last" or self._session_id is not None:
            return None
        found = await listing.of_agent(link, self._settings.cwd) if listing.can_list(link.offers) else []
        if found:
            return Wanted(max(found, key=lambda each: each.updated or "").id)
        self._log.note(
            {"kind": "session", "how": "new", "text": "There is no earlier session: a new one began."}
        )
        return None

    def entered(self, how: How, link: Link, wanted: Wanted | None) -> None:
        """The link is in a session, which goes on from the wanted one."""
        self._session_id, self._asked, self._target = link.session_id, None, None
        # One that comes back has still to be told what it had to be told before.
        if how not in ("load", "resume"):
            self._recaps.pop(link.session_id, None)
        if how == "recap" and wanted is not None:
            whole = lineage(self._log.session, wanted.session_id)
            turns = [turn for turn in self._log.session.turns if turn.session_id in whole]
            self._recaps[link.session_id] = recap(turns)

    def with_recap(self, blocks: list[dict[str, Any]], link: Link) -> list[dict[str, Any]]:
        """A prompt's blocks, and behind them what the agent does not know; once."""
        text = self._recaps.pop(link.session_id, None)
        self._told = {} if text is None else {link.session_id: text}
        return blocks if text is None else [*blocks, recap_block(text, link.offers.prompt)]

    def refused(self) -> None:
        """The agent has not taken the last prompt: the next one tells what that one told."""
        self._recaps.update(self._told)
