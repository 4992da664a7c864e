"""One message a line: JSON to bytes and back, safe in both directions."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_notebook._agent.protocol import JsonObject


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


# NaN, Infinity and 1e999 are no JSON for anybody we pass the message on to: they become null.
_decoder = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)
_lone = re.compile("[\ud800-\udfff]")


def decode(line: bytes) -> JsonObject | None:
    """Read one line; None if it is no JSON object.

    Broken UTF-8 and lone surrogates within an object become U+FFFD: the message may be the answer that
    somebody waits for, and no encoder after us takes half a character.
    """
    try:
        value = _decoder.decode(line.decode("utf-8", "replace").lstrip("\ufeff").strip())
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    if b"\\ud" in line or b"\\uD" in line:
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return _lone.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def encode_text(value: object) -> str:
    """Write compact JSON on one line, also for readers that break lines at U+2028 (Node's readline)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in ("\u0085", "\u2028", "\u2029"):
        if character in text:
            text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def encode(message: JsonObject) -> bytes:
    """Write one message without its line end; lone surrogates become U+FFFD."""
    text = encode_text(message)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _lone.sub("\ufffd", text).encode()
