"""Write the golden static copies anew from the captures. Read every difference before you keep it.

Run ``python tests/golden/twin/regenerate.py`` from the root of the repository.
"""

from __future__ import annotations

from pathlib import Path

from acp_notebook import Transcript
from acp_notebook._render.twin import assemble

HERE = Path(__file__).resolve().parent
CAPTURES = HERE.parent.parent / "captures"

# An approved edit with a table in the answer; a turn stopped with a request open; a question with options.
NAMES = ("opencode-allow", "codex-cancel", "kimicode-ask-no-elicit")


def golden(name: str) -> tuple[str, str]:
    """The full copy of a capture as HTML and as Markdown."""
    return assemble(Transcript.load(CAPTURES / f"{name}.jsonl").session, "full", "golden")


def main() -> None:
    """Write all of them."""
    for name in NAMES:
        html, markdown = golden(name)
        (HERE / f"{name}.html").write_text(html, encoding="utf-8")
        (HERE / f"{name}.md").write_text(markdown, encoding="utf-8")


if __name__ == "__main__":
    main()
