"""Recorded turns in the place of an agent: which transcript, which turn answers a prompt, what if none does.

How a turn is given back is in `replay_transport`, what a transcript holds in `recorded`.
"""

from __future__ import annotations

import os
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from acp_notebook._agent.command import Agent, demo_agent
from acp_notebook._chat import recorded
from acp_notebook._chat.prompt import fit
from acp_notebook._errors import AgentError, ReplayError, TranscriptError
from acp_notebook._fold.transcript import Transcript
from acp_notebook._fold.transcript_file import read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from acp_notebook._chat.log import Log
    from acp_notebook._chat.recorded import Json, Recorded, RecordedTurn

VARIABLE = "ACP_NOTEBOOK_REPLAY"
"""Environment variable: a transcript, or a folder of them, for every chat that names none."""

NOT_RECORDED = -32097
"""Error code of the answer to a prompt that is not in the transcript."""

Missing = Literal["error", "live"]


def source(given: str | os.PathLike[str] | Literal[False] | None) -> Path | None:
    """Where to replay from: what was given, else what the environment says; None for nowhere."""
    if given is False:
        return None
    path = os.environ.get(VARIABLE) if given is None else os.fspath(given)
    return Path(path).expanduser().absolute() if path else None


def agent_of(path: Path, missing: Missing = "error") -> Agent | None:
    """The agent that a transcript was recorded with; None for the demo agent, wherever its Python was.

    A transcript without a header gives an agent that can be replayed, but not started.

    Raises
    ------
    ValueError
        It might have to be started. A transcript may come from anybody: its command is only shown, never run.
    """
    agent = _named_in(path)
    if agent is not None and missing == "live":
        msg = (
            "Say which agent answers what is not in the transcript: "
            'Chat("opencode", replay=..., replay_missing="live"). The command in a transcript is never run.'
        )
        raise ValueError(msg)
    return agent


def _named_in(path: Path) -> Agent | None:
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    header = next((read_records(file)[0] for file in files if file.is_file()), None) or {}
    said = header.get("agent")
    said = said if isinstance(said, dict) else {}
    name, command = said.get("name"), said.get("command")
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        return Agent("recorded-agent", name=name if isinstance(name, str) else None)
    if tuple(command[1:]) == demo_agent().args:
        return None
    return Agent(*command, name=name if isinstance(name, str) else None)


class Replay:
    """The recorded turns of a chat that replays, and which of them were used.

    Parameters
    ----------
    path
        A transcript, or a folder of transcripts.
    cwd
        The chat's folder; paths of the recorded folder become paths in it.
    missing
        What to do about a prompt that is not recorded: ``"error"``, or ``"live"``: start the agent.

    Raises
    ------
    TranscriptError
        There is no such transcript, or it cannot be read. With ``missing="live"`` one that is not there
        yet is an empty one.
    ValueError
        `missing` is neither.
    """

    def __init__(self, path: Path, cwd: Path, missing: Missing = "error") -> None:
        if missing not in ("error", "live"):
            msg = f"replay_missing is 'error' or 'live', not {missing!r}."
            raise ValueError(msg)
        self.path = path
        self.missing = missing
        self.live = False
        self.error: ReplayError | None = None
        self.on_live: Callable[[], None] = lambda: None
        transcripts = list(_transcripts(path, missing))
        self.header = transcripts[0][1].header if transcripts else {}
        self._files: list[Recorded] = [
            recorded.read(t.records, path=str(file), old=_folder(t), new=str(cwd)) for file, t in transcripts
        ]
        self._turns = [turn for file in self._files for turn in file.turns]
        self._used: set[int] = set()
        self.sessions = tuple(session for file in self._files for session in file.sessions)

    @property
    def first(self) -> Recorded | None:
        """What the first transcript holds: how the agent introduced itself."""
        return self._files[0] if self._files else None

    def has(self, blocks: Sequence[Json]) -> bool:
        """Whether a prompt is recorded."""
        return any(recorded.same(turn.prompt, blocks) for turn in self._turns)

    def take(self, blocks: Sequence[Json]) -> RecordedTurn | None:
        """The turn of a prompt: the first that was not used yet, else the last that says the same."""
        found = [i for i, turn in enumerate(self._turns) if recorded.same(turn.prompt, blocks)]
        if not found:
            return None
        index = next((i for i in found if i not in self._used), found[-1])
        self._used.add(index)
        return self._turns[index]

    def refuse(self, blocks: Sequence[Json]) -> str:
        """What to say about a prompt that is not recorded; kept as the error that the chat raises."""
        nearest = self._nearest(recorded.words(blocks))
        self.error = ReplayError(
            recorded.words(blocks), None if nearest is None else recorded.words(nearest.prompt), self.path
        )
        return str(self.error)

    def explain(self, error: BaseException | None) -> BaseException | None:
        """The error to raise for the answer that a prompt got."""
        missed = isinstance(error, AgentError) and error.code == NOT_RECORDED
        return self.error if missed and self.error is not None else error

    def leaves(self, blocks: list[Json], takes: Collection[str], log: Log) -> bool:
        """Whether the agent itself is asked from now on, because a prompt is not recorded.

        Parameters
        ----------
        blocks
            The prompt, before it is made to fit and without the reports that go with it.
        takes
            The prompt capabilities that the recorded agent advertised.
        log
            Redacts as the recording did, and is told.
        """
        if self.live or self.missing != "live":
            return False
        told = "\n\n".join(one.text for one in log.session.reports)
        whole = [*blocks, {"type": "text", "text": told}] if told else blocks
        if self.has(log.redact({"prompt": fit(whole, takes)})["prompt"]):
            return False
        self.live = True
        self.on_live()
        text = (
            f"A prompt is not in the transcript {self.path}: the agent itself answers from here on. "
            "What was replayed before, it may know only as a summary."
        )
        log.note({"kind": "warning", "text": text})
        return True

    def answer_to(self, method: str, params: Json) -> Json | None:
        """How the agent answered another request of ours; None if it is not recorded."""
        for file in self._files:
            for asked, said, answer in file.others:
                if asked == method and _without_session(said) == _without_session(params):
                    return answer
        return None

    def _nearest(self, text: str) -> RecordedTurn | None:
        """The recorded prompt that was probably meant: the most alike of those that were not used."""
        left = [turn for i, turn in enumerate(self._turns) if i not in self._used] or self._turns
        return max(left, key=lambda turn: _likeness(text, recorded.words(turn.prompt)), default=None)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:1000], other[:1000], autojunk=False).quick_ratio()


def _transcripts(path: Path, missing: Missing) -> Iterator[tuple[Path, Transcript]]:
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise TranscriptError(path, "There is no transcript (*.jsonl) in the folder to replay from")
    for file in files:
        if missing == "live" and not file.exists():
            continue
        yield file, Transcript.load(file)


def _folder(transcript: Transcript) -> str | None:
    """The folder that a transcript was recorded in."""
    cwd = transcript.header.get("cwd") or transcript.session.cwd
    return cwd if isinstance(cwd, str) else None


def _without_session(params: Json) -> Json:
    return {key: value for key, value in params.items() if key not in ("sessionId", "cwd", "_meta")}
