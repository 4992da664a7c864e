"""JSON as text that is safe to look at in a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

from acp_notebook._render.visible import HIDDEN

_HIDDEN_RE = re.compile(f"[{HIDDEN}]")


def _escaped(match: re.Match[str]) -> str:
    if match[0] == "\n":  # between values; within a text it is written as an escape already
        return "\n"
    return json.dumps(match[0])[1:-1]


def dump(value: Any, indent: int = 1) -> str:
    """Return JSON with every character escaped that a terminal obeys or that hides what it says.

    Ends in one line break. Reading it gives the same value as any other JSON of it.
    """
    return _HIDDEN_RE.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=indent)) + "\n"
