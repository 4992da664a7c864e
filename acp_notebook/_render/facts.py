"""Short facts about a session and its turns, in words: when, how long, how many tokens, at what cost."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from acp_notebook._fold.state import TextBlock
from acp_notebook._render.visible import visible
from acp_notebook._render.words import count, duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_notebook._fold.state import Block, Cost, Turn

_HEADLINE = 80


def turn_facts(turn: Turn) -> str:
    """Return what a turn took: ``"12 s · 1,280 tokens · 0.01 USD"``; empty if nothing is known."""
    words = []
    if turn.started is not None and turn.ended is not None and turn.ended - turn.started >= 1:
        words.append(duration(turn.ended - turn.started))
    total = tokens(turn)
    if total:
        words.append(count(total, "token"))
    if turn.cost is not None and turn.cost.amount:
        words.append(cost_words(turn.cost))
    return " · ".join(words)


def tokens(turn: Turn) -> int | None:
    """Return how many tokens a turn took in all: as the agent says, else input and output together."""
    usage = turn.usage
    if not usage:
        return None
    if "total_tokens" in usage:
        return int(usage["total_tokens"])
    return int(usage.get("input_tokens", 0) + usage.get("output_tokens", 0))


def cost_words(cost: Cost) -> str:
    """Return an amount of money: ``"0.0169 USD"``."""
    digits = 2 if cost.amount >= 1 else 4
    return f"{cost.amount:,.{digits}f} {visible(cost.currency)}"


def moment_words(created: object) -> str:
    """Return a header's time of creation as ``"2026-03-01 10:00 UTC"``; empty if it is no time."""
    if not isinstance(created, str):
        return ""
    try:
        moment = dt.datetime.fromisoformat(created.replace("Z", "+00:00"))
    except ValueError:
        return ""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)
    return f"{zoned.astimezone(dt.timezone.utc):%Y-%m-%d %H:%M} UTC"


def headline(prompt: Sequence[Block], limit: int = _HEADLINE) -> str:
    """Return the beginning of a prompt in one line, made visible; a word for one without text."""
    text = " ".join(" ".join(block.text.split()) for block in prompt if isinstance(block, TextBlock)).strip()
    if not text:
        return "(attachments only)" if prompt else "(no prompt)"
    return visible(text if len(text) <= limit else text[: limit - 1].rstrip() + "…")
