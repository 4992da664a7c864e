"""Chat with coding agents that speak the Agent Client Protocol, in a notebook cell.

>>> from acp_notebook import Chat
>>> chat = Chat("opencode")
>>> chat
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_notebook._agent.command import Agent
    from acp_notebook._chat.chat import Chat
    from acp_notebook._chat.listing import SessionInfo
    from acp_notebook._chat.live_turn import LiveTurn
    from acp_notebook._chat.transcript import Transcript
    from acp_notebook._client.policy import Policy
    from acp_notebook._client.rules import Rule
    from acp_notebook._errors import (
        AcpNotebookError,
        AgentError,
        AgentExitedError,
        AgentNotFoundError,
        AgentUnreachableError,
        AuthRequiredError,
        ChatClosedError,
        ProtocolError,
        ReplayError,
        TranscriptError,
    )
    from acp_notebook._fold.fold import fold
    from acp_notebook._fold.mapping import (
        approval_status,
        decisions_from_options,
        diffs_from_content,
        diffs_to_content,
        permission_response,
        to_ui_message,
        tool_name,
    )
    from acp_notebook._fold.record import Record
    from acp_notebook._fold.state import Hunk, Review, Session, Turn

__all__ = [
    "AcpNotebookError",
    "Agent",
    "AgentError",
    "AgentExitedError",
    "AgentNotFoundError",
    "AgentUnreachableError",
    "AuthRequiredError",
    "Chat",
    "ChatClosedError",
    "Hunk",
    "LiveTurn",
    "Policy",
    "ProtocolError",
    "Record",
    "ReplayError",
    "Review",
    "Rule",
    "RulesError",
    "Session",
    "SessionInfo",
    "Transcript",
    "TranscriptError",
    "Turn",
    "approval_status",
    "decisions_from_options",
    "diffs_from_content",
    "diffs_to_content",
    "fold",
    "permission_response",
    "to_ui_message",
    "tool_name",
]

_HOMES = {
    "_agent.command": ("Agent",),
    "_chat.chat": ("Chat",),
    "_chat.listing": ("SessionInfo",),
    "_chat.live_turn": ("LiveTurn",),
    "_chat.transcript": ("Transcript",),
    "_client.policy": ("Policy",),
    "_client.rules": ("Rule",),
    "_errors": (
        "AcpNotebookError",
        "AgentError",
        "AgentExitedError",
        "AgentNotFoundError",
        "AgentUnreachableError",
        "AuthRequiredError",
        "ChatClosedError",
        "ProtocolError",
        "ReplayError",
        "RulesError",
        "TranscriptError",
    ),
    "_fold.fold": ("fold",),
    "_fold.mapping": (
        "approval_status",
        "decisions_from_options",
        "diffs_from_content",
        "diffs_to_content",
        "permission_response",
        "to_ui_message",
        "tool_name",
    ),
    "_fold.record": ("Record",),
    "_fold.state": ("Hunk", "Review", "Session", "Turn"),
    "_magics": ("load_ipython_extension",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: importing the package costs next to nothing."""
    module = _HOME.get(name)
    if module is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
