"""Writes wire logs by hand: each method appends one record, a tenth of a second after the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_notebook import Record, Session, fold
from acp_notebook._fold.state import ToolCall, Turn

MAIN = "main-session"

OPTIONS = (
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "ever", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
)


class Wire:
    """A wire log in the making.

    By default a session is open and a prompt was sent, with request id 100.
    """

    def __init__(self, *, opened: bool = True, prompt: str | None = "hello") -> None:
        self.records: list[Record] = []
        if opened:
            self.initialize()
            self.new()
        if prompt is not None:
            self.prompt(prompt)

    # One record each.

    def add(self, direction: Any, msg: Any) -> Wire:
        self.records.append(Record(round(len(self.records) * 0.1, 1), direction, msg))
        return self

    def ask(self, ident: Any, method: str, params: Any) -> Wire:
        """A request of ours."""
        return self.add("out", {"jsonrpc": "2.0", "id": ident, "method": method, "params": params})

    def told(self, ident: Any, result: Any) -> Wire:
        """The agent's answer to it."""
        return self.add("in", {"jsonrpc": "2.0", "id": ident, "result": result})

    def failed(self, ident: Any, error: Any) -> Wire:
        """The agent's error instead."""
        return self.add("in", {"jsonrpc": "2.0", "id": ident, "error": error})

    def asks(self, ident: Any, method: str, params: Any) -> Wire:
        """A request of the agent."""
        return self.add("in", {"jsonrpc": "2.0", "id": ident, "method": method, "params": params})

    def answer(self, ident: Any, result: Any) -> Wire:
        """Our answer to it."""
        return self.add("out", {"jsonrpc": "2.0", "id": ident, "result": result})

    def tells(self, method: str, params: Any) -> Wire:
        """A notification of the agent."""
        return self.add("in", {"jsonrpc": "2.0", "method": method, "params": params})

    def note(self, kind: str, /, **fields: Any) -> Wire:
        return self.add("note", {"kind": kind, **fields})

    def update(self, kind: Any, session: Any = MAIN, /, **fields: Any) -> Wire:
        return self.tells(
            "session/update", {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
        )

    # Frequent ones.

    def initialize(self, **result: Any) -> Wire:
        return self.ask(0, "initialize", {"protocolVersion": 1}).told(0, {"protocolVersion": 1, **result})

    def new(self, session: str = MAIN, ident: int = 1, **result: Any) -> Wire:
        self.ask(ident, "session/new", {"cwd": "/home/user/project", "mcpServers": []})
        return self.told(ident, {"sessionId": session, **result})

    def prompt(
        self, text: str = "hello", ident: Any = 100, session: str = MAIN, extra: Sequence[Any] = ()
    ) -> Wire:
        blocks = [{"type": "text", "text": text}, *extra]
        return self.ask(ident, "session/prompt", {"sessionId": session, "prompt": blocks})

    def end(self, reason: Any = "end_turn", ident: Any = 100, **more: Any) -> Wire:
        return self.told(ident, {"stopReason": reason, **more})

    def cancel(self, session: str = MAIN) -> Wire:
        return self.add(
            "out", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}
        )

    def message(self, text: str, ident: str | None = None, session: Any = MAIN) -> Wire:
        return self.chunk("agent_message_chunk", {"type": "text", "text": text}, ident, session)

    def thought(self, text: str, ident: str | None = None) -> Wire:
        return self.chunk("agent_thought_chunk", {"type": "text", "text": text}, ident)

    def user(self, text: str, ident: str | None = None) -> Wire:
        return self.chunk("user_message_chunk", {"type": "text", "text": text}, ident)

    def chunk(self, kind: str, content: Any, ident: str | None = None, session: Any = MAIN) -> Wire:
        more = {} if ident is None else {"messageId": ident}
        return self.update(kind, session, content=content, **more)

    def call(self, ident: str = "call", *, start: bool = True, session: Any = MAIN, **fields: Any) -> Wire:
        kind = "tool_call" if start else "tool_call_update"
        return self.update(kind, session, toolCallId=ident, **fields)

    def permission(
        self,
        request: Any = 0,
        call: str | None = "call",
        *,
        options: Any = OPTIONS,
        session: Any = MAIN,
        **said: Any,
    ) -> Wire:
        about = said if call is None else {"toolCallId": call, **said}
        params = {"sessionId": session, "toolCall": about, "options": list(options)}
        return self.asks(request, "session/request_permission", params)

    def choose(self, option: str, request: Any = 0) -> Wire:
        return self.answer(request, {"outcome": {"outcome": "selected", "optionId": option}})

    def withdraw(self, request: Any = 0) -> Wire:
        return self.answer(request, {"outcome": {"outcome": "cancelled"}})

    # What comes of it.

    @property
    def session(self) -> Session:
        return fold(Session(), self.records)

    @property
    def turn(self) -> Turn:
        return self.session.turns[-1]

    @property
    def the_call(self) -> ToolCall:
        (call,) = self.turn.tool_calls
        return call

    def kinds(self) -> list[str]:
        return [item.kind for item in self.turn.items]


def text_content(text: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": text}}


def diff(path: str = "/p/a.py", old: Any = "a", new: str = "b") -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}
