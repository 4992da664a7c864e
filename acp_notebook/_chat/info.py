"""What an empty chat says: what the agent may do here, and prompts to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_notebook._chat.link import Settings

SUGGESTIONS = (
    "What is in this folder? Give me a short tour.",
    "Find a small bug or unclear spot and propose a fix.",
    "Run the tests and explain what fails.",
)
DEMO_SUGGESTIONS = (
    "Why does the test fail? Please fix it.",
    "Ask me a question before you start.",
    "Draw me an image of this week's temperatures.",
)
ASKED = {
    "ask": "You are asked before it acts",
    "allow": "What it asks is allowed",
    "refuse": "What it asks is refused",
}


def allowed(settings: Settings) -> list[str]:
    """What the agent may do here, in short lines."""
    asked = ASKED[settings.policy.default]
    rules = len(settings.policy.rules)
    return [
        f"Work in {settings.cwd}",
        "Read and write files there" if settings.fs else "Files are not served",
        "Run commands in terminals" if settings.terminal else "Terminals are not served",
        f"{asked}, unless one of {rules} rules decides" if rules else asked,
    ]


def suggestions(*, demo: bool) -> list[str]:
    """Prompts to try."""
    return list(DEMO_SUGGESTIONS if demo else SUGGESTIONS)
