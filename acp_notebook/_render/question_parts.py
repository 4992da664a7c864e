"""A question of the agent (form or link) as parts: what was asked, and the answer in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from acp_notebook._render.cut import cut
from acp_notebook._render.describe import pretty
from acp_notebook._render.parts import Note, Output, Part

if TYPE_CHECKING:
    from acp_notebook._render.options import RenderOptions

_WORDS = {"decline": "Declined", "cancel": "Withdrawn unanswered"}


def question_parts(raw: Mapping[str, Any], options: RenderOptions) -> Iterator[Part]:
    """Give a question from the `raw` of its item."""
    request, response = _object(raw.get("request")), raw.get("response")
    said = [text for text in (request.get("message"), request.get("url")) if isinstance(text, str)]
    yield Note("info", "The agent asked", "\n".join(said))
    if response is not None:
        yield Output(
            "Answer", cut(_answer(_object(response), request) or pretty(response), options.output), open=True
        )


def _answer(response: Mapping[str, Any], request: Mapping[str, Any]) -> str | None:
    """Return the answer as a line for each field under its title; None if it is of no known kind."""
    action = response.get("action")
    if action != "accept":
        return _WORDS.get(action) if isinstance(action, str) else None
    if request.get("mode") == "url":
        return "Opened"
    fields = _object(_object(request.get("requestedSchema")).get("properties"))
    return "\n".join(
        f"{_title(name, fields)}: {_value(value)}" for name, value in _object(response.get("content")).items()
    )


def _title(name: str, fields: Mapping[str, Any]) -> str:
    title = _object(fields.get(name)).get("title")
    return title if isinstance(title, str) and title else name


def _value(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else pretty(value)


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
