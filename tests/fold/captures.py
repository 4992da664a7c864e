"""The captures: wire recordings of real agents, and one written by hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from acp_notebook import Record, Transcript

FOLDER = Path(__file__).resolve().parent.parent / "captures"
GOLDEN = FOLDER.parent / "golden"

REAL = sorted(p.stem for p in FOLDER.glob("*.jsonl") if p.stem != "quirks")
ALL = [*REAL, "quirks"]


def lines(name: str) -> list[dict[str, Any]]:
    """The raw lines, without any header."""
    read = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [line for line in read if "msg" in line]


@cache
def records(name: str) -> tuple[Record, ...]:
    return Transcript.load(FOLDER / f"{name}.jsonl").records
