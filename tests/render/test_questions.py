from __future__ import annotations

import pytest

from acp_notebook._fold.items import RawItem
from acp_notebook._fold.long_tuple import LongTuple
from acp_notebook._fold.state import Turn
from acp_notebook._render.options import RenderOptions
from acp_notebook._render.parts import Note, Output
from acp_notebook._render.turn_parts import turn_parts

SCHEMA = {"properties": {"c": {"title": "Colour"}, "t": {"type": "array"}, "n": 5}}
FORM = {"mode": "form", "message": "Which?", "requestedSchema": SCHEMA}
LINK = {"mode": "url", "message": "Sign in", "url": "https://example.org/"}


def parts(request, response):
    item = RawItem("elicitation", "elicitation/create", {"request": request, "response": response}, 0.0, 1.0)
    return [
        p
        for p in turn_parts(Turn(closed=LongTuple((item,))), RenderOptions())
        if isinstance(p, (Note, Output))
    ]


@pytest.mark.parametrize(
    ("request_", "response", "asked", "answer"),
    [
        (FORM, {"action": "accept", "content": {"c": "Red", "t": ["a", "b"], "n": 1}}, "Which?", "Colour: Red\nt: a, b\nn: 1"),
        (FORM, {"action": "decline"}, "Which?", "Declined"),
        (FORM, {"action": "cancel"}, "Which?", "Withdrawn unanswered"),
        (LINK, {"action": "accept"}, "Sign in\nhttps://example.org/", "Opened"),
        ({"message": 5}, {"action": "dance"}, "", '"dance"'),
        (FORM, {"error": {"code": 1}}, "Which?", '"code"'),
    ],
)  # fmt: skip
def test_a_question_and_its_answer_are_told_in_words(request_, response, asked, answer):
    """Fields by their titles, a link in full; what is of no known kind as it is."""
    note, output = parts(request_, response)
    assert (note.title, note.text) == ("The agent asked", asked)
    assert answer in output.text.text


def test_an_open_question_has_no_answer():
    """Only what was asked is told."""
    [note] = parts(FORM, None)
    assert note.text == "Which?"
