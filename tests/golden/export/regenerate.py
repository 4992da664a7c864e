"""Write the golden exports anew from the captures. Read every difference before you keep it.

Run ``python tests/golden/export/regenerate.py`` from the root of the repository.
"""

from __future__ import annotations

from pathlib import Path

from acp_notebook import Transcript

HERE = Path(__file__).resolve().parent
CAPTURES = HERE.parent.parent / "captures"

# An approved edit, a new file and a command; two turns with tokens and cost, one stopped; every oddity.
NAMES = ("opencode-allow", "claude22-cancel", "quirks")


def golden(name: str) -> dict[str, str]:
    """The exports of a capture by format; of the page what stands below its head."""
    t = Transcript.load(CAPTURES / f"{name}.jsonl")
    t = Transcript(t.records, {**t.header, "created": "2026-03-01T10:00:00+01:00"})
    made = {to: t.to_text(to) for to in ("md", "html", "ipynb")}
    made["html"] = made["html"].partition("<body>\n")[2].removesuffix("</body>\n</html>\n")
    return made


def main() -> None:
    """Write all of them."""
    for name in NAMES:
        for to, text in golden(name).items():
            (HERE / f"{name}.{to}").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
