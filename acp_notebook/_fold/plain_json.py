"""JSON of other programs as values that can be passed on to anybody: all of it is JSON, and text."""

from __future__ import annotations

import json
import math
import re
from typing import Any


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


# NaN, Infinity and 1e999 are no JSON for anybody we pass the message on to: they become null.
_decoder = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)

LONE = re.compile("[\ud800-\udfff]")
"""Half surrogate pairs, which no encoder takes."""


def parse(text: str) -> Any:
    """Read one JSON value; numbers without end become null, half surrogate pairs U+FFFD.

    Raises
    ------
    ValueError
        It is no JSON.
    RecursionError
        It is nested without end.
    """
    value = _decoder.decode(text)
    return mended(value) if "\\ud" in text or "\\uD" in text else value


def parse_line(line: bytes) -> Any:
    """Read one JSON value of a file's line, as `parse`; a byte order mark is no part of it."""
    text = line.decode(json.detect_encoding(line), "surrogatepass").strip()
    # Only what begins with this byte can be half a pair in UTF-8.
    return mended(parse(text)) if b"\xed" in line and LONE.search(text) else parse(text)


def mended(value: Any) -> Any:
    """The same JSON with U+FFFD for each half surrogate pair, in keys too."""
    if isinstance(value, str):
        return LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [mended(item) for item in value]
    if isinstance(value, dict):
        return {mended(key): mended(item) for key, item in value.items()}
    return value
