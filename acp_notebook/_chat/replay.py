"""An agent that is a transcript: prompts equal to recorded ones are answered as they were then.

A recorded turn goes into the log record by record: the agent's updates and requests, our answers and our
notes, as they were, so that it folds to the same state. Nothing of it is served again: no file is written,
no command runs, nobody is asked. Only the answer to the prompt takes the way of the wire.
"""

from __future__ import annotations

import asyncio
import os
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._agent import wire
from acp_notebook._agent.command import Agent, demo_agent
from acp_notebook._agent.protocol import METHOD_NOT_FOUND, PROTOCOL_VERSION
from acp_notebook._agent.transport import Exit, StdioTransport
from acp_notebook._chat import recorded
from acp_notebook._chat.prompt import fit
from acp_notebook._errors import AgentError, ReplayError, TranscriptError
from acp_notebook._fold.transcript import Transcript
from acp_notebook._fold.transcript_file import read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from acp_notebook._agent.transport import Transport
    from acp_notebook._chat.link import Settings
    from acp_notebook._chat.log import Log
    from acp_notebook._chat.recorded import Json, Recorded, RecordedTurn

VARIABLE = "ACP_NOTEBOOK_REPLAY"
"""Environment variable: a transcript, or a folder of them, for every chat that names none."""

NOT_RECORDED = -32097
"""Error code of the answer to a prompt that is not in the transcript."""

_BATCH = 200
"""Records between two looks at what else there is to do."""

Missing = Literal["error", "live"]


def source(given: str | os.PathLike[str] | Literal[False] | None) -> Path | None:
    """Where to replay from: what was given, else what the environment says; None for nowhere."""
    if given is False:
        return None
    path = os.environ.get(VARIABLE) if given is None else os.fspath(given)
    return Path(path).expanduser().absolute() if path else None


def agent_of(path: Path) -> Agent | None:
    """The agent that a transcript was recorded with; None for the demo agent, wherever its Python was.

    A transcript without a header gives an agent that can be replayed, but not started.
    """
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
            The prompt, before it is made to fit.
        takes
            The prompt capabilities that the recorded agent advertised.
        log
            Redacts as the recording did, and is told.
        """
        if self.live or self.missing != "live":
            return False
        if self.has(log.redact({"prompt": fit(blocks, takes)})["prompt"]):
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


def transport(settings: Settings, log: Log) -> Transport:
    """Give what carries a chat's messages: to a process, or to its replay."""
    agent, replay = settings.agent, settings.replay
    if replay is None or replay.live:
        return StdioTransport(agent, cwd=settings.cwd)
    return ReplayTransport(replay, log, (agent.command, *agent.args))


class ReplayTransport:
    """The agent's side of a replay, in the place of a process. Belongs to the loop's thread.

    Parameters
    ----------
    replay
        What is recorded.
    log
        Where recorded turns go.
    command
        What errors call the agent by.
    """

    exited: asyncio.Future[Exit]
    command: tuple[str, ...]

    def __init__(self, replay: Replay, log: Log, command: tuple[str, ...]) -> None:
        self.command = command
        self.exited = asyncio.get_running_loop().create_future()
        self._replay = replay
        self._log = log
        self._on_line: Callable[[bytes], None] = lambda _: None
        self._playing: set[asyncio.Task[None]] = set()
        self._plays = 0
        self._session_id = replay.sessions[0] if replay.sessions else "replay"

    async def start(self, on_line: Callable[[bytes], None]) -> None:
        """Begin."""
        self._on_line = on_line

    def write(self, line: bytes) -> bool:
        """Take one message of ours; the answer comes when the connection has taken note of it."""
        if self.exited.done():
            return False
        message = wire.decode(line)
        if message is not None and message.get("id") is not None and isinstance(message.get("method"), str):
            asyncio.get_running_loop().call_soon(self._asked, message)
        return True

    def stderr_tail(self) -> str:
        """Return nothing: a transcript has no error output."""
        return ""

    async def close(self) -> Exit:
        """End; a turn that is being replayed stays as far as it is."""
        for task in tuple(self._playing):
            task.cancel()
        if not self.exited.done():
            self.exited.set_result(Exit(None, None, ""))
        return self.exited.result()

    # ---- our requests

    def _asked(self, message: Json) -> None:
        if self.exited.done():
            return
        method, params = message["method"], message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "session/prompt":
            task = asyncio.get_running_loop().create_task(self._prompt(message["id"], params), name="replay")
            self._playing.add(task)
            task.add_done_callback(self._playing.discard)
        elif method == "initialize":
            self._answer(message["id"], self._opening("initialize", {"protocolVersion": PROTOCOL_VERSION}))
        elif method in recorded.OPENING:
            self._opened(message["id"], method, params)
        else:
            answer = self._replay.answer_to(method, params)
            text = f"{method} is not in the transcript {self._replay.path}."
            self._answer(message["id"], answer or {"error": {"code": METHOD_NOT_FOUND, "message": text}})

    def _opening(self, method: str, default: Json) -> Json:
        first = self._replay.first
        found = None if first is None else first.opening.get(method)
        return {"result": default} if found is None else found

    def _opened(self, ident: object, method: str, params: Json) -> None:
        """Give the session that was recorded, whichever way the chat asks for one."""
        found = self._opening(method, self._opening("session/new", {})["result"])
        result = found.get("result")
        given = params.get("sessionId") if method != "session/new" else None
        if isinstance(result, dict):
            name = given or result.get("sessionId")
            self._session_id = name if isinstance(name, str) else self._session_id
            found = {"result": {**result, "sessionId": self._session_id}}
        self._answer(ident, found)
        first = self._replay.first
        if first is not None and first.before:
            start = self._log.now()
            self._keep(first.before, lambda _: start, {})

    def _answer(self, ident: object, body: Json) -> None:
        part = {key: value for key, value in body.items() if key in ("result", "error")}
        self._on_line(wire.encode({"jsonrpc": "2.0", "id": ident, **part}))

    # ---- turns

    async def _prompt(self, ident: object, params: Json) -> None:
        blocks = self._log.redact(params).get("prompt")
        blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
        turn = self._replay.take(blocks)
        if turn is None:
            error = {"code": NOT_RECORDED, "message": self._replay.refuse(blocks)}
            self._answer(ident, {"error": error})
            return
        start = self._log.records[-1].t if self._log.records else 0.0
        ids: dict[str, str] = {}
        self._plays += 1

        def at(t: float) -> float:
            return start + t - turn.started

        for first in range(0, turn.until, _BATCH):
            self._keep(turn.records[first : min(first + _BATCH, turn.until)], at, ids)
            await asyncio.sleep(0)
        self._log.advance(at(turn.answered))
        self._answer(ident, turn.answer)
        self._keep(turn.records[turn.until :], at, ids)

    def _keep(self, records: Sequence[Any], at: Callable[[float], float], ids: dict[str, str]) -> None:
        """Put recorded messages into the log, in the running session and with ids of their own."""
        for record in records:
            msg = record.msg
            params = msg.get("params")
            if isinstance(params, dict) and params.get("sessionId") in self._replay.sessions:
                msg = {**msg, "params": {**params, "sessionId": self._session_id}}
            if record.dir == "out" and "method" in msg and "id" in msg:
                # Our own requests then: the connection counts on and might use the same number now.
                ids[repr(msg["id"])] = f"replay-{self._plays}-{len(ids)}"
                msg = {**msg, "id": ids[repr(msg["id"])]}
            elif record.dir == "in" and "method" not in msg and repr(msg.get("id")) in ids:
                msg = {**msg, "id": ids[repr(msg.get("id"))]}
            self._log.replay(record.dir, msg, at(record.t))
