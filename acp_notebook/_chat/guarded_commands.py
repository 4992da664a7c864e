"""Serves ``terminal/create``: a command that names a rules file starts only if a person agrees.

Agents need not ask before they start a command here, and a rules file is never changed unasked. So the client
asks itself: the card is that of any permission, its request and answer are notes.
"""

from __future__ import annotations

import asyncio
import secrets
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acp_notebook._agent.protocol import INVALID_PARAMS, REQUEST_CANCELLED, RpcError
from acp_notebook._client.commands import parse
from acp_notebook._client.rules import RULES_FILE, names_rules_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from acp_notebook._chat.log import Log
    from acp_notebook._chat.permits import Permits
    from acp_notebook._client.terminals import Terminals

_OPTIONS = [
    {"optionId": "allow", "name": "Run", "kind": "allow_once"},
    {"optionId": "reject", "name": "Refuse", "kind": "reject_once"},
]


class OwnRequest:
    """A permission request that the client makes itself; stands where one of the agent's would."""

    def __init__(self, log: Log, params: dict[str, Any]) -> None:
        # No agent can know it, so none can use it for a request of its own.
        self.id = f"acp-notebook:{secrets.token_hex(8)}"
        self.outcome: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self.on_cancel: Callable[[], None] | None = None
        self._log = log
        log.note({"kind": "asked", "request_id": self.id, "params": params})

    def respond(self, result: Any) -> bool:
        """Take the broker's answer; the outcome is the option's id, None if it was cancelled."""
        self._log.note({"kind": "answered", "request_id": self.id, "result": result})
        if not self.outcome.done():
            self.outcome.set_result(result["outcome"].get("optionId"))
        return True

    def error(self, code: int, message: str, data: object = None) -> bool:
        """As `respond`, for a request that could not be folded; ours always can."""
        raise AssertionError(code, message, data)


class GuardedCommands:
    """Starts commands, after asking where that is due. Lives on the agent's loop.

    Parameters
    ----------
    terminals
        Start them.
    permits
        Ask.
    log
        The records.
    cwd
        The chat's folder, resolved.
    """

    def __init__(self, terminals: Terminals, permits: Permits, log: Log, cwd: Path) -> None:
        self._terminals = terminals
        self._permits = permits
        self._log = log
        self._cwd = cwd

    async def create(self, params: dict[str, Any]) -> dict[str, Any]:
        """Serve a request.

        Raises
        ------
        RpcError
            As `Terminals.create`; -32602 if the command was refused, -32800 if nobody is to decide any more.
        """
        if not self.may_ask(params):
            return await self._terminals.create(params)
        await self._ask(params)
        # From here on it is a start as any other, which nothing breaks off half-way.
        return await asyncio.shield(self._terminals.create(params))

    def may_ask(self, params: dict[str, Any]) -> bool:
        """Whether a command may have to wait for a person."""
        words = [params.get("command"), *_list(params.get("args"))]
        if not all(isinstance(word, str) for word in words):
            return False  # refused anyway
        folder = params.get("cwd")
        line = parse([str(word) for word in words])
        # A shell puts variables where their names stand.
        values = [
            str(one["value"]) for one in _list(params.get("env")) if isinstance(one, dict) and "value" in one
        ]
        line = replace(line, words=(*line.words, *values))
        return names_rules_file(line, self._cwd, folder if isinstance(folder, str) else None)

    async def _ask(self, params: dict[str, Any]) -> None:
        what = {"command": shlex.join([params["command"], *_list(params.get("args"))])}
        what.update((key, params[key]) for key in ("cwd", "env") if params.get(key))
        call = {
            "title": "Run a command that names a rules file",
            "kind": "execute",
            "rawInput": what,
            # Whatever it is called in the command, this is the file that rules have to look at.
            "locations": [{"path": str(self._cwd / RULES_FILE)}],
        }
        session = params.get("sessionId") or self._log.session.session_id
        request = OwnRequest(self._log, {"sessionId": session, "toolCall": call, "options": _OPTIONS})
        try:
            self._permits.ask(request)
            outcome = await request.outcome
        finally:
            if request.on_cancel is not None:  # it waits, or did
                request.on_cancel()
        if outcome is None:
            raise RpcError(REQUEST_CANCELLED, "The turn was cancelled; the command was not started.")
        if outcome != "allow":
            raise RpcError(INVALID_PARAMS, "The user refused this command; it was not started.")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
