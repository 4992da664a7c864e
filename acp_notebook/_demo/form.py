"""The scene that asks in a form."""

from __future__ import annotations

from typing import Any

from acp_notebook._demo.turn import Turn

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {
            "type": "string",
            "title": "Title",
            "description": "Stands above the report",
            "minLength": 3,
        },
        "unit": {
            "type": "string",
            "title": "Unit",
            "oneOf": [
                {"const": "°C", "title": "Degrees Celsius"},
                {"const": "K", "title": "Kelvin", "description": "Counted from absolute zero"},
            ],
        },
        "digits": {"type": "integer", "title": "Digits", "minimum": 0, "maximum": 6, "default": 1},
        "days": {
            "type": "array",
            "title": "Days",
            "items": {"type": "string", "enum": ["Saturday", "Sunday"]},
        },
        "contact": {"type": "string", "title": "Contact", "format": "email"},
    },
    "required": ["title", "unit"],
}


def form(turn: Turn, argument: str) -> None:
    """Ask for several things at once, where the client shows forms."""
    del argument
    if not turn.offers("elicitation"):
        turn.say("This client shows no forms, so I leave the report as it is.")
        return
    turn.say("I can write a report about this week. Please tell me how.")
    reply = turn.call(
        "elicitation/create", mode="form", message="How shall the report be made?", requestedSchema=SCHEMA
    )
    if reply.get("action") != "accept":
        turn.say("Then I write no report.")
        return
    answers = "\n".join(f"- {name}: {value}" for name, value in (reply.get("content") or {}).items())
    turn.say(f"Thank you, this is what I use:\n\n{answers}\n")
