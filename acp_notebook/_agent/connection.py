"""A JSON-RPC peer that agents cannot confuse: it takes what they send in the form they send it.

Everything here happens on the loop's thread, and each line is handled to its end before the next: a
handler sees messages in the order of the wire and must not wait.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from acp_notebook._agent import protocol, wire
from acp_notebook._agent.incoming import Incoming
from acp_notebook._errors import AgentError, AgentExitedError, AuthRequiredError, ChatClosedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._agent.incoming import RequestId
    from acp_notebook._agent.protocol import JsonObject
    from acp_notebook._agent.transport import Exit, Transport

__all__ = ["Connection", "Direction", "Incoming"]

_log = logging.getLogger("acp_notebook")

Direction = Literal["in", "out"]


class Connection:
    """Speaks JSON-RPC with one agent over a transport.

    Parameters
    ----------
    transport : Transport
        Not yet started.
    tap : callable
        ``tap(direction, message)`` is called for each message in the order of the wire: for ``"in"``
        before it is handled, for ``"out"`` in the moment it is written. Messages are not to be changed.
    on_request : callable
        Called with each `Incoming`. If it raises, the agent is answered -32603.
    on_notification : callable
        Called with method and params.
    on_noise : callable
        Called with the beginning of each line that was no message.

    Attributes
    ----------
    noise : int
        Lines that were no message.
    unmatched : int
        Answers to nothing that was asked.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        tap: Callable[[Direction, JsonObject], None],
        on_request: Callable[[Incoming], None],
        on_notification: Callable[[str, JsonObject], None],
        on_noise: Callable[[str], None],
    ) -> None:
        self.transport = transport
        self.noise = 0
        self.unmatched = 0
        self._tap = tap
        self._on_request = on_request
        self._on_notification = on_notification
        self._on_noise = on_noise
        self._next_id = 0
        self._pending: dict[int, tuple[str, asyncio.Future[Any]]] = {}
        self._withdrawn: set[int] = set()
        self._open: dict[tuple[type, RequestId], Incoming] = {}
        self._end: Callable[[str], Exception] | None = None  # makes the error for a method's future

    async def start(self) -> None:
        """Start the transport; raises what that raises."""
        await self.transport.start(self._on_line)
        self.transport.exited.add_done_callback(self._on_exit)

    @property
    def ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._end is not None

    def request(self, method: str, params: JsonObject) -> asyncio.Future[Any]:
        """Write a request at once and return the future of its result.

        Cancelling the future sends ``$/cancel_request``.

        Raises
        ------
        TypeError, ValueError
            At once: the params are no JSON.
        AgentError
            From the future: the agent answered with an error; `AuthRequiredError` for -32000.
        AgentExitedError
            From the future: the agent ended before it answered.
        ChatClosedError
            From the future: we closed the connection.
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # Whoever lost interest in the answer need not be told about its failure.
        future.add_done_callback(_retrieve)
        if self._end is not None:
            future.set_exception(self._end(method))
            return future
        request_id = self._next_id
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        line = wire.encode(message)  # raises before anything is remembered
        self._next_id += 1
        self._pending[request_id] = (method, future)
        future.add_done_callback(lambda done: self._withdraw(request_id) if done.cancelled() else None)
        self._write(line, message)
        return future

    def notify(self, method: str, params: JsonObject) -> bool:
        """Write a notification at once; False if the agent takes nothing any more."""
        return self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def close(self) -> Exit:
        """End the agent in bounded time; what is still waited for fails with `ChatClosedError`."""
        self._finish(lambda _: ChatClosedError())
        return await self.transport.close()

    # ---- out

    def _send(self, message: JsonObject) -> bool:
        return self._write(wire.encode(message), message)

    def _write(self, line: bytes, message: JsonObject) -> bool:
        if self._end is not None or not self.transport.write(line):
            return False
        self._guarded(self._tap, "out", message)
        return True

    def _reply(self, incoming: Incoming, message: JsonObject) -> bool:
        key = _key(incoming.id)
        if self._open.get(key) is incoming:
            del self._open[key]
        try:
            return self._send(message)
        except (TypeError, ValueError) as error:
            # Somebody's handler gave what is no JSON. The agent must not wait for it for ever.
            text = f"the client's answer is no JSON: {error}"
            failure = {"code": protocol.INTERNAL_ERROR, "message": text}
            return self._send({"jsonrpc": "2.0", "id": incoming.id, "error": failure})

    def _withdraw(self, request_id: int) -> None:
        if self._pending.pop(request_id, None) is not None:
            self._withdrawn.add(request_id)
            self.notify("$/cancel_request", {"requestId": request_id})

    # ---- in

    def _on_line(self, line: bytes) -> None:
        message = wire.decode(line)
        if message is None or not (
            "method" in message or "result" in message or "error" in message or "id" in message
        ):
            self._count_noise(line)
            return
        method = message.get("method")
        if method is not None and not isinstance(method, str):
            self._count_noise(line)
            return
        self._guarded(self._tap, "in", message)
        if method is None:
            self._on_response(message)
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        request_id = message.get("id")
        if request_id is None:
            self._on_notified(method, params)
        else:
            self._on_asked(request_id, method, params)

    def _count_noise(self, line: bytes) -> None:
        self.noise += 1
        self._guarded(self._on_noise, line[:200].decode("utf-8", "replace").strip())

    def _on_notified(self, method: str, params: JsonObject) -> None:
        if method == "$/cancel_request":
            request_id = params.get("requestId")
            incoming = self._open.get(_key(request_id)) if _is_id(request_id) else None
            if incoming is not None:
                self._guarded(incoming.withdraw)
            return
        self._guarded(self._on_notification, method, params)

    def _on_asked(self, request_id: object, method: str, params: JsonObject) -> None:
        if not _is_id(request_id):
            # Answered all the same: JSON-RPC asks for the id as it came, or null.
            error = {
                "code": protocol.INVALID_REQUEST,
                "message": "the id of a request is a string or a number",
            }
            self._send({"jsonrpc": "2.0", "id": None, "error": error})
            return
        incoming = Incoming(request_id, method, params, self._reply)
        self._open[_key(request_id)] = incoming
        if not self._guarded(self._on_request, incoming):
            incoming.error(protocol.INTERNAL_ERROR, "the client failed to handle this request")

    def _on_response(self, message: JsonObject) -> None:
        error = message.get("error")
        request_id = self._asked_id(message.get("id"))
        if request_id is None and message.get("id") is None and error is not None and len(self._pending) == 1:
            # The agent could not read our message, not even its id; there is only one that it can mean.
            (request_id,) = self._pending
        if request_id is None:
            self.unmatched += 1
            return
        if request_id in self._withdrawn:
            self._withdrawn.discard(request_id)
            return
        _, future = self._pending.pop(request_id)
        if future.done():
            return
        if error is not None or ("error" in message and "result" not in message):
            future.set_exception(_error(error))
        else:
            # No result at all means null: JavaScript drops `result: undefined`.
            future.set_result(message.get("result"))

    def _asked_id(self, given: object) -> int | None:
        """Return which of our requests an answer's id means; some agents send numbers as text."""
        asked = _whole(given)
        if asked is None or not (asked in self._pending or asked in self._withdrawn):
            return None
        return asked

    # ---- the end

    def _on_exit(self, exited: asyncio.Future[Exit]) -> None:
        how, command = exited.result(), self.transport.command
        self._finish(lambda method: AgentExitedError(command, how.code, how.signal, how.stderr, method))

    def _finish(self, why: Callable[[str], Exception]) -> None:
        """Fail everything that is still waited for; only the first reason counts."""
        if self._end is not None:
            return
        self._end = why
        pending, self._pending = self._pending, {}
        for method, future in pending.values():
            if not future.done():
                future.set_exception(why(method))
        self._open.clear()

    @staticmethod
    def _guarded(handler: Callable[..., object], *args: object) -> bool:
        """Call a handler; an error of ours in it must not cost the connection."""
        try:
            handler(*args)
        except Exception:  # noqa: BLE001 — logged; any handler may fail in any way
            _log.exception("handling a message of the agent failed")
            return False
        return True


def _whole(given: object) -> int | None:
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 16:
        return int(given)
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _is_id(value: object) -> TypeGuard[RequestId]:
    return isinstance(value, (int, str, float)) and not isinstance(value, bool)


def _key(request_id: RequestId) -> tuple[type, RequestId]:
    return type(request_id), request_id


def _retrieve(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()


def _error(error: object) -> AgentError:
    """Read an answer's error in whatever form it came."""
    if not isinstance(error, dict):
        text = error if isinstance(error, str) else wire.encode_text(error)
        return AgentError(None, text)
    code, message = error.get("code"), error.get("message")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    if not isinstance(message, str):
        message = wire.encode_text(message if message is not None else error)
    if code == protocol.AUTH_REQUIRED:
        return AuthRequiredError(message, data=error.get("data"))
    return AgentError(code, message, error.get("data"))
