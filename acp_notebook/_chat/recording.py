"""Keeping a chat's records in a file, and keeping secrets out of them."""

from __future__ import annotations

import datetime as dt
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_notebook._agent.command import environment
from acp_notebook._chat.store import transcripts_folder
from acp_notebook._chat.transcript import Transcript
from acp_notebook._errors import TranscriptError
from acp_notebook._fold.redact import (
    Redactor,
    secrets_in,
    secrets_in_addresses,
    secrets_of_options,
    secrets_of_servers,
)
from acp_notebook._fold.transcript_file import TranscriptWriter

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from acp_notebook._agent.command import Agent
    from acp_notebook._chat.replay import Replay
    from acp_notebook._fold.record import Record


class Recording:
    """The transcript of one chat. A file that cannot be written is a warning, never a broken chat.

    Parameters
    ----------
    record
        True: a file of its own in the user's data folder. A path: that file. False: no file.
    agent, cwd
        For the file's header.
    mcp_servers
        Whose headers and variables hold secrets.
    replay
        A replay is kept only in a path of its own; else nothing is written until the agent itself is asked.
    """

    def __init__(
        self,
        record: bool | str | os.PathLike[str],
        agent: Agent,
        cwd: Path,
        mcp_servers: Sequence[dict[str, Any]] = (),
        replay: Replay | None = None,
    ) -> None:
        self._created = dt.datetime.now(dt.timezone.utc)
        self._agent = agent
        self._cwd = cwd
        known = (
            secrets_in(environment(agent)),
            secrets_of_servers(mcp_servers),
            secrets_of_options(agent.args),
            secrets_in_addresses((*agent.args, agent.url or "")),
            # A scheme such as "Bearer" is too short to be taken for a secret.
            tuple(part for value in agent.headers.values() for part in (value, *value.split())),
        )
        self._redactor = Redactor(secret for found in known for secret in found)
        self._writer: TranscriptWriter | None = None
        self._held: list[Record] | None = None
        self.path = self._place(record)
        self.warn: Callable[[str], None] = lambda _text: None
        if replay is not None and (record is True or self.path == replay.path):
            self._held = []
            # What is replayed from a file is in it.
            replay.on_live = self._release if record is True else self._drop

    def _place(self, record: bool | str | os.PathLike[str]) -> Path | None:
        if record is False:
            return None
        if record is not True:
            return Path(record).expanduser().absolute()
        stamp = self._created.strftime("%Y-%m-%d-%H%M%S")
        # Two kernels may make a chat in the same moment.
        return transcripts_folder() / f"{stamp}-{secrets.token_hex(3)}.jsonl"

    @property
    def header(self) -> dict[str, Any]:
        """The header line of the file."""
        agent = self._agent
        return self.redact(
            {
                "acp_notebook": 1,
                "created": self._created.isoformat(timespec="milliseconds"),
                "agent": {"name": agent.name, "command": [agent.command, *agent.args]},
                "cwd": str(self._cwd),
            }
        )

    def keep_secret(self, texts: Iterable[str]) -> None:
        """Take these texts too out of every message from now on."""
        self._redactor = self._redactor.and_of(texts)

    def redact(self, msg: dict[str, Any]) -> dict[str, Any]:
        """The message without values of variables, headers and tokens."""
        redacted, _ = self._redactor.redact(msg)
        return redacted

    def write(self, record: Record) -> None:
        """Append a record to the file, which is made with the first one."""
        if self.path is None:
            return
        if self._held is not None:
            self._held.append(record)
            return
        try:
            if self._writer is None:
                self._writer = self._open(self.path)
            self._writer.write(record)
        except (TranscriptError, OSError) as error:
            path, self.path = self.path, None
            self.warn(
                f"The transcript {path} cannot be written ({error}); this chat is not recorded any more."
            )

    def _open(self, path: Path) -> TranscriptWriter:
        if path.parent == transcripts_folder():
            # Others need not even see when one has talked to an agent.
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return TranscriptWriter(path, self.header)

    def _release(self) -> None:
        held, self._held = self._held or [], None
        for record in held:
            self.write(record)

    def _drop(self) -> None:
        self._held = None

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def transcript(self, records: Sequence[Record]) -> Transcript:
        """The records so far as a transcript."""
        return Transcript(tuple(records), header=self.header)
