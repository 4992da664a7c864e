"""One message a line: JSON to bytes and back, safe in both directions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from acp_notebook._fold import plain_json

if TYPE_CHECKING:
    from acp_notebook._agent.protocol import JsonObject


def decode(line: bytes) -> JsonObject | None:
    """Read one line; None if it is no JSON object.

    Broken UTF-8 and lone surrogates within an object become U+FFFD: the message may be the answer that
    somebody waits for, and no encoder after us takes half a character.
    """
    try:
        value = plain_json.parse(line.decode("utf-8", "replace").lstrip("\ufeff").strip())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


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
        return plain_json.LONE.sub("\ufffd", text).encode()
