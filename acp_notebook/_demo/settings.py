"""What a person can set in a session of the demo agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_notebook._demo.wire import RpcError

if TYPE_CHECKING:
    from acp_notebook._demo.turn import Session
    from acp_notebook._demo.wire import Json

MODES = [
    {"id": "ask", "name": "Ask", "description": "Ask before every edit and command"},
    {"id": "auto", "name": "Auto", "description": "Edit and run without asking"},
]
PACES = {"quick": 1.0, "slow": 5.0}
"""How many times as long the agent waits between two chunks."""


def options(session: Session) -> list[Json]:
    """Give the config options of a session: a mode, a pace, and whether it thinks aloud."""
    modes = [
        {"value": mode["id"], "name": mode["name"], "description": mode["description"]} for mode in MODES
    ]
    paces = [{"value": name, "name": name.capitalize()} for name in PACES]
    return [
        _select("mode", "Mode", "mode", session.mode, modes),
        _select("pace", "Pace", "model_config", session.pace, paces),
        {
            "id": "thoughts",
            "name": "Think aloud",
            "type": "boolean",
            "category": "thought_level",
            "currentValue": session.thoughts,
        },
    ]


def _select(ident: str, name: str, category: str, value: str, choices: list[Json]) -> Json:
    return {
        "id": ident,
        "name": name,
        "type": "select",
        "category": category,
        "currentValue": value,
        "options": choices,
    }


def set_option(session: Session, params: Json) -> None:
    """Set an option, or answer -32602 if there is no such option or value."""
    match params.get("configId"), params.get("value"):
        case "mode", str(value):
            set_mode(session, value)
        case "pace", str(value) if value in PACES:
            session.pace = value
        case "thoughts", bool(value):
            session.thoughts = value
        case name, value:
            raise RpcError(-32602, f"There is no option {name!r} with a value {value!r}")


def set_mode(session: Session, mode: object) -> None:
    """Change the mode, or answer -32602 if there is no such mode."""
    if mode not in {each["id"] for each in MODES}:
        raise RpcError(-32602, f"There is no mode {mode!r}")
    session.mode = str(mode)
