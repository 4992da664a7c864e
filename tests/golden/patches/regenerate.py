"""Write the golden patches anew: what a browser gets while a capture is folded.

Each file holds the state before (``before``), the patches in order (``patches``, each a list of steps) and
the state that they lead to (``after``). The tests of the TypeScript side apply them. Run
``python tests/golden/patches/regenerate.py`` from the root of the repository.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from acp_notebook import Session, Transcript, fold
from acp_notebook._fold.patches import patch

HERE = Path(__file__).resolve().parent
CAPTURES = HERE.parent.parent / "captures"
NAMES = ("claude22-cancel", "codex-longshell", "kimicode-allow", "opencode-load", "quirks")
RECORDS = 7
"""Records a patch: a batch never ends where a message does."""


def patches(name: str) -> dict[str, Any]:
    """Give the patches of a capture that is folded in batches."""
    records = list(Transcript.load(CAPTURES / f"{name}.jsonl").records)
    state = before = Session()
    batches = []
    for at in range(0, len(records), RECORDS):
        after = fold(state, records[at : at + RECORDS])
        batches.append(patch(state, after))
        state = after
    return {"before": before.to_json(), "patches": batches, "after": state.to_json()}


def main() -> None:
    """Write all of them."""
    for name in NAMES:
        text = json.dumps(patches(name), ensure_ascii=False, separators=(",", ":"))
        (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
