"""The agent's side of a replay, in the place of a process.

A recorded turn goes into the log record by record: the agent's updates and requests, our answers and our
notes, as they were, so that it folds to the same state. Nothing of it is served again: no file is written,
no command runs, nobody is asked. Only the answer to the prompt takes the way of the wire.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from acp_notebook._agent import wire
from acp_notebook._agent.protocol import METHOD_NOT_FOUND, PROTOCOL_VERSION
from acp_notebook._agent.remote import WebSocketTransport
from acp_notebook._agent.transport import Exit, StdioTransport
from acp_notebook._chat import recorded
from acp_notebook._chat.replay import NOT_RECORDED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from acp_notebook._agent.transport import Transport
    from acp_notebook._chat.link import Settings
    from acp_notebook._chat.log import Log
    from acp_notebook._chat.recorded import Json
    from acp_notebook._chat.replay import Replay

_BATCH = 200
"""Records between two looks at what else there is to do."""


def transport(settings: Settings, log: Log) -> Transport:
    """Give what carries a chat's messages: to a process, or to its replay."""
    agent, replay = settings.agent, settings.replay
    if (replay is None or replay.live) and agent.url is not None:
        return WebSocketTransport(agent)
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
        self._log.set_clock(at(turn.answered))
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
            elif record.dir == "note" and isinstance(msg.get("key"), str):
                # A permission's key begins with the number of its process, which is another one here.
                msg = {**msg, "key": re.sub(r"\A\d+(?=:)", str(self._log.session.process), msg["key"])}
            self._log.replay(record.dir, msg, at(record.t))
