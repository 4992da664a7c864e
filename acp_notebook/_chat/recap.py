"""A summary of a conversation from our own records, for an agent that cannot bring it back itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._fold.blocks import TextBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_notebook._fold.state import Turn

LIMIT = 12_000
"""Characters of a recap; what is older is left out."""

_HEAD = (
    "What follows is the client's record of the conversation so far. You have no memory of it: the session "
    "that it was held in cannot be brought back. Take it as background; it asks for nothing.\n\n"
)
_URI = "acp-notebook:///earlier-conversation.md"


def recap(turns: Sequence[Turn]) -> str:
    """Tell the turns in plain words: what the person asked, what the agent did and said."""
    told: list[str] = []
    left = LIMIT
    for turn in reversed(turns):
        if turn.status == "queued" or turn.told:
            continue
        text = _turn(turn)
        if len(text) > left:
            told.append("(what was said before is left out)")
            break
        told.append(text)
        left -= len(text)
    return _HEAD + "\n\n".join(reversed(told))


def recap_block(text: str, takes: frozenset[str]) -> dict[str, Any]:
    """The recap as a content block: an embedded resource where the agent takes those, else text."""
    if "embeddedContext" not in takes:
        return {"type": "text", "text": "\n\n" + text}
    resource = {"uri": _URI, "mimeType": "text/markdown", "text": text}
    return {"type": "resource", "resource": resource}


def is_recap(block: dict[str, Any]) -> bool:
    """Whether a content block is one that `recap_block` has made."""
    resource = block.get("resource")
    if isinstance(resource, dict):
        return resource.get("uri") == _URI
    return block.get("type") == "text" and str(block.get("text")).startswith(f"\n\n{_HEAD}")


def _turn(turn: Turn) -> str:
    prompt = "\n".join(block.text for block in turn.prompt if isinstance(block, TextBlock)).strip()
    lines = [f"## The person asked\n\n{_short(prompt, 2000)}"]
    steps = [f"- {call.title or call.tool_name} ({call.state})" for call in turn.tool_calls]
    if steps:
        lines.append("## You did\n\n" + "\n".join(steps[-30:]))
    if turn.text.strip():
        lines.append(f"## You answered\n\n{_short(turn.text.strip(), 4000)}")
    if turn.error is not None:
        lines.append(f"(It ended in an error: {_short(turn.error, 300)})")
    return "\n\n".join(lines)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
