"""Write the golden files anew from the captures. Review every difference by hand against the wire.

Run ``python tests/golden/regenerate.py`` from the root of the repository.
"""

from __future__ import annotations

import json
from pathlib import Path

from acp_notebook import Transcript

HERE = Path(__file__).resolve().parent
CAPTURES = HERE.parent / "captures"

NAMES = (
    "claude22-ask",
    "claude22-cancel",
    "claude22-planmode",
    "codex-cancel",
    "codex-longshell",
    "fast-longshell",
    "gemini-reject",
    "kimicode-allow",
    "kimicode-ask-no-elicit",
    "kimicode-error",
    "opencode-load",
    "pyd-allow",
    "quirks",
    "sdk-node-cancel",
)


def golden(name: str) -> str:
    """The text of a golden file: the folded session of a capture."""
    state = Transcript.load(CAPTURES / f"{name}.jsonl").to_json()
    return json.dumps(state, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write all of them."""
    for name in NAMES:
        (HERE / f"{name}.json").write_text(golden(name), encoding="utf-8")


if __name__ == "__main__":
    main()
