"""Logs of other programs as records: JSON-RPC messages, bare or wrapped, with or without direction and time.

Who sent a message follows from its method, and for an answer from the request that it answers; a log may
be written from either side and name the directions as it likes.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Literal

from .plain_json import parse
from .record import Record

EXPECTED = (
    'Expected was one JSON object a line: {"t": seconds, "dir": "in" | "out" | "note", "msg": {…}}, '
    'or JSON-RPC messages ({"jsonrpc": "2.0", …}), bare or wrapped with a direction and a time'
)
"""What a file must hold, for the error about one that does not."""

_MESSAGE_KEYS = ("msg", "message", "payload", "data", "frame", "body", "json", "raw", "content", "line")
_WORD_KEYS = ("dir", "direction", "from", "sender", "source", "side", "stream", "type", "kind", "event")
_TIME_KEYS = ("t", "ts", "time", "timestamp", "at", "date", "datetime", "created")

_CLIENT_ASKS = frozenset({"initialize", "authenticate", "logout"})
_AGENT_SESSION = frozenset({"session/update", "session/request_permission"})
_AGENT_PREFIXES = ("fs/", "terminal/", "elicitation/")

_IN_WORDS = frozenset(
    [
        "in",
        "incoming",
        "inbound",
        "recv",
        "receive",
        "received",
        "read",
        "agent",
        "server",
        "stdout",
        "agent->client",
        "agent_to_client",
        "agent→client",
        "from_agent",
        "from-agent",
        "a2c",
        "<-",
        "←",
        "<",
        "<<",
    ]
)
_OUT_WORDS = frozenset(
    [
        "out",
        "outgoing",
        "outbound",
        "send",
        "sent",
        "write",
        "written",
        "client",
        "user",
        "stdin",
        "client->agent",
        "client_to_agent",
        "client→agent",
        "to_agent",
        "to-agent",
        "c2a",
        "->",
        "→",
        ">",
        ">>",
    ]
)
# Of text logs ("[client] {…}"): what stands before the message.
_PREFIX_WORD_RE = re.compile(r"<<|>>|->|<-|[→←<>]|[A-Za-z_]+")
_LONGEST_PREFIX = 200
_FRACTION_RE = re.compile(r"\.(\d+)")

Side = Literal["in", "out"]


class ForeignLog:
    """Reads the lines of one log in order; it remembers the requests that wait for an answer."""

    def __init__(self) -> None:
        self._open: dict[Side, dict[tuple[type, object], str]] = {"in": {}, "out": {}}
        self._words: dict[str, Side] = {}
        self._began: float | None = None
        self._last = 0.0

    def read(self, line: Mapping[str, Any]) -> Record | None:
        """Make a record of one parsed line; None if there is no JSON-RPC message in it."""
        msg = message_in(line)
        if msg is None:
            return None
        wrapped = msg is not line
        word = _word_of(line) if wrapped else None
        side = self._side(msg, word)
        self._remember(msg, side)
        return Record(self._time(line), side, msg)

    def follow(self, record: Record) -> None:
        """Take note of a record that needed no guess, so that a mixed file stays consistent."""
        if record.dir != "note":
            self._remember(record.msg, record.dir)
        self._last = max(self._last, record.t)

    # ---- direction

    def _side(self, msg: Mapping[str, Any], word: str | None) -> Side:
        certain = self._certain(msg)
        if certain is not None:
            if word is not None:
                self._words[word] = certain
            return certain
        if word is not None and word in self._words:
            return self._words[word]
        if word in _OUT_WORDS:
            return "out"
        return "in"

    def _certain(self, msg: Mapping[str, Any]) -> Side | None:
        method = msg.get("method")
        if not isinstance(method, str):
            return self._answer_side(msg)
        if method in _AGENT_SESSION or method.startswith(_AGENT_PREFIXES):
            return "in"
        if method in _CLIENT_ASKS or method.startswith("session/"):
            return "out"
        if method == "$/cancel_request":
            params = msg.get("params")
            return self._asked_by(_key(params.get("requestId") if isinstance(params, Mapping) else None))
        return None

    def _answer_side(self, msg: Mapping[str, Any]) -> Side | None:
        """An answer goes the other way than the request with its id."""
        key = _key(msg.get("id"))
        mine, theirs = self._open["out"].get(key), self._open["in"].get(key)
        if mine is None and theirs is None:
            return None
        if mine is None or theirs is None:
            return "out" if mine is None else "in"
        # Both sides use this id. A turn's prompt waits for long, the agent's requests within it do not.
        result = msg.get("result")
        marks = _RESULT_MARKS.get(mine)
        own = isinstance(result, Mapping) and marks is not None and bool(marks & result.keys())
        return "in" if own else "out"

    def _asked_by(self, key: tuple[type, object]) -> Side | None:
        sides: tuple[Side, ...] = ("in", "out")
        found = [side for side in sides if key in self._open[side]]
        return found[0] if len(found) == 1 else None

    def _remember(self, msg: Mapping[str, Any], side: Side) -> None:
        key, method = _key(msg.get("id")), msg.get("method")
        if msg.get("id") is None:
            return
        if isinstance(method, str):
            self._open[side][key] = method
        else:
            self._open["out" if side == "in" else "in"].pop(key, None)

    # ---- time

    def _time(self, line: Mapping[str, Any]) -> float:
        """Seconds since the first line that had a time; without one, the time of the line before."""
        moment = next((m for key in _TIME_KEYS if (m := _seconds(line.get(key))) is not None), None)
        if moment is not None:
            if self._began is None:
                # Small numbers are a clock of the log's own already.
                self._began = moment - self._last if moment > 1e8 else 0.0
            self._last = max(self._last, round(moment - self._began, 6))
        return self._last


_RESULT_MARKS: dict[str, frozenset[str]] = {
    "session/prompt": frozenset({"stopReason"}),
    "initialize": frozenset({"protocolVersion"}),
    "session/new": frozenset({"sessionId"}),
    "session/load": frozenset({"modes", "models", "configOptions"}),
    "session/resume": frozenset({"modes", "models", "configOptions"}),
    "session/list": frozenset({"sessions"}),
    "session/set_config_option": frozenset({"configOptions"}),
}


def message_in(line: Mapping[str, Any]) -> dict[str, Any] | None:
    """The JSON-RPC message of a parsed line: the line itself, or what it wraps (as JSON or as text)."""
    if _is_message(line):
        return dict(line) if not isinstance(line, dict) else line
    for key in _MESSAGE_KEYS:
        inner = line.get(key)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            try:
                inner = parse(inner)
            except (ValueError, RecursionError):
                continue
        if isinstance(inner, dict) and _is_message(inner):
            return inner
    return None


def line_of_text(text: str) -> dict[str, Any] | None:
    """A line of a text log as if it had been JSON: a message with a few words before it, else None."""
    start = text.find("{", 0, _LONGEST_PREFIX)
    if start <= 0 or '"' not in text[start : start + 3]:
        return None
    try:
        msg = parse(text[start:])
    except (ValueError, RecursionError):
        return None
    if not isinstance(msg, dict) or not _is_message(msg):
        return None
    words = [w.lower() for w in _PREFIX_WORD_RE.findall(text[:start])]
    found = next((w for w in words if w in _IN_WORDS or w in _OUT_WORDS), None)
    return {"msg": msg} if found is None else {"msg": msg, "dir": found}


def _is_message(value: Mapping[str, Any]) -> bool:
    if value.get("jsonrpc") != "2.0":
        # Some logs leave the version out; then the rest must be unmistakable.
        method = value.get("method")
        known = isinstance(method, str) and ("/" in method or method in _CLIENT_ASKS)
        return known and set(value) <= {"id", "method", "params"}
    return "method" in value or "result" in value or "error" in value


def _word_of(line: Mapping[str, Any]) -> str | None:
    for key in _WORD_KEYS:
        value = line.get(key)
        if isinstance(value, str) and 0 < len(value) <= 40:
            return value.lower()
    return None


def _key(ident: object) -> tuple[type, object]:
    usable = isinstance(ident, (int, str, float)) and not isinstance(ident, bool)
    return (type(ident), ident) if usable else (type(None), None)


def _seconds(value: object) -> float | None:
    """Seconds of a number (of seconds, or of milli-, micro- or nanoseconds since 1970) or of ISO 8601."""
    if isinstance(value, str):
        try:
            # Python 3.10 reads three or six digits behind the point; logs have up to nine.
            exact = _FRACTION_RE.sub(lambda found: "." + (found[1] + "00000")[:6], value)
            moment = dt.datetime.fromisoformat(exact.replace("Z", "+00:00"))
        except ValueError:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)).timestamp()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e20:
        return None
    seconds = float(value)
    while seconds > 1e11:
        seconds /= 1000
    return seconds
