"""JSON-RPC over lines on stdin and stdout, with blocking requests that a cancelled turn leaves at once."""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

Json = dict[str, Any]


class CancelledTurn(Exception):  # noqa: N818  # not an error: the person pressed Stop
    """Raised inside a scene once the client has sent `session/cancel`."""


class RpcError(Exception):
    """Raised when the other side answers with an error, and by handlers to answer with one."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Reply:
    """The answer to one request of ours, which may still be on its way."""

    def __init__(self) -> None:
        self.arrived = threading.Event()
        self.message: Json = {}

    def result(self) -> Json:
        """Give the result of an arrived answer, or raise its error."""
        error = self.message.get("error")
        if error is not None:
            raise RpcError(int(error.get("code", -32603)), str(error.get("message", "")))
        result = self.message.get("result")
        return result if isinstance(result, dict) else {}


class Wire:
    """Both directions of one connection; any thread may write.

    Parameters
    ----------
    source, sink
        Where lines come from and go to.
    """

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source = source
        self._sink = sink
        self._lock = threading.Lock()
        self._ids = itertools.count()
        self._replies: dict[int, Reply] = {}

    def write(self, message: Json) -> None:
        """Write one message; without a reader on the other side the process ends."""
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            try:
                self._sink.write(line.encode() + b"\n")
                self._sink.flush()
            except (BrokenPipeError, ValueError):
                os._exit(0)

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self.write({"method": method, "params": params})

    def request(self, method: str, params: Json) -> Reply:
        """Send a request and return without waiting for its answer."""
        reply = Reply()
        number = next(self._ids)
        self._replies[number] = reply
        self.write({"id": number, "method": method, "params": params})
        return reply

    def serve(
        self, on_request: Callable[[Any, str, Json], None], on_notification: Callable[[str, Json], None]
    ) -> None:
        """Read until the other side closes; answers to our requests are sorted in on the way."""
        for line in self._source:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except ValueError:
                self.write({"id": None, "error": {"code": -32700, "message": "This line is not JSON"}})
                continue
            if not isinstance(message, dict):
                continue
            method = message.get("method")
            if method is None:
                reply = self._replies.pop(message.get("id", -1), None)
                if reply is not None:
                    reply.message = message
                    reply.arrived.set()
            elif "id" in message:
                on_request(message["id"], str(method), message.get("params") or {})
            else:
                on_notification(str(method), message.get("params") or {})


def stdio() -> Wire:
    """Give the connection over this process's stdin and stdout; stray prints go to stderr from here on."""
    sink = sys.stdout.buffer
    sys.stdout = sys.stderr
    return Wire(sys.stdin.buffer, sink)
