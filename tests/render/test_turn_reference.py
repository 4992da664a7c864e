"""The line in a turn's cell: names the chat, repeats nothing of the turn, and cannot be abused."""

from __future__ import annotations

import pytest

from acp_notebook import Session
from acp_notebook._render.turn_reference import reference_line, turn_reference
from acp_notebook._render.twin import assemble
from acp_notebook._render.visible import visible
from tests.render.samples import Reader, everything, message, session_of, turn_of
from tests.render.test_hostile import HOSTILE, assert_harmless, assert_no_html, read_plainly


def test_every_form_is_the_same_line() -> None:
    """HTML, Markdown and plain text name the chat as its own copy does, and where to look."""
    session = session_of(turn_of(message("an answer"), prompt="a question"))
    line = "A turn of the chat with Demo 1.0, in /w/p: see the cell that shows the chat."
    data = turn_reference("c1", 3, session)
    assert reference_line(session) == line
    assert data["text/plain"] == line
    assert read_plainly(data["text/markdown"]).strip() == line
    assert Reader(data["text/html"]).text.strip() == line
    assert Reader(assemble(session).html).text.strip().startswith("Chat with Demo 1.0 in /w/p")
    assert reference_line(Session()) == "A turn of the chat with an agent: see the cell that shows the chat."


def test_it_is_small_and_marked_for_its_own_view() -> None:
    """Twenty turns make a notebook hardly longer; the class is no other turn's and no chat's."""
    data = turn_reference("c1", 3, session_of())
    assert sum(len(value) for value in data.values()) < 800
    [(_, attributes), *_] = Reader(data["text/html"]).tags
    assert (attributes["class"] or "").split()[0] == "acp-notebook-twin-turn-c1-3"
    assert "acp-notebook-twin " not in data["text/html"]
    assert ":has(+ .jp-OutputArea-child .acp-notebook-twin-turn-c1-3)" in data["text/html"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_stay_text(hostile: str) -> None:
    """The agent's name and the folder are the only foreign words in it."""
    data = turn_reference(hostile, 0, everything(lambda _: hostile))
    assert_harmless(data["text/html"])
    assert "\n\n" not in data["text/html"]
    assert_no_html(data["text/markdown"])
    assert data["text/plain"] == visible(data["text/plain"])
    assert len(data["text/plain"]) < 300
