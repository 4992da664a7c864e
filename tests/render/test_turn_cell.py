"""What stays in a turn's cell: a line that names the chat, or the turn itself; neither can be abused."""

from __future__ import annotations

import pytest

from acp_notebook import Session
from acp_notebook._render.turn_cell import reference_line, turn_copy, turn_reference
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


def test_a_copy_of_its_own() -> None:
    """The one turn, with what a chat's copy shows of it, under a line that names the chat."""
    turns = [turn_of(message(f"answer {n}"), prompt=f"question {n}") for n in range(3)]
    data = turn_copy("c1", 1, session_of(*turns))
    for text in (Reader(data["text/html"]).text, read_plainly(data["text/markdown"])):
        assert text.startswith("A turn of the chat with Demo 1.0, in /w/p\n")
        assert text.index("question 1") < text.index("answer 1")
        assert "question 0" not in text
        assert "answer 2" not in text
    [(_, attributes), *_] = Reader(data["text/html"]).tags
    assert (attributes["class"] or "").split()[:2] == ["acp-notebook-twin", "acp-notebook-twin-turn-c1-1"]
    assert data["text/html"].rstrip().endswith("</style>\n</div>")


def test_a_copy_has_a_limit_and_says_what_it_leaves_out() -> None:
    """As the chat's own."""
    turn = turn_of(*[message("word " * 5_000) for _ in range(20)])
    data = turn_copy("c1", 0, session_of(turn))
    assert sum(len(value) for value in data.values()) < 110_000
    for form in ("text/html", "text/markdown"):
        assert "left out of this copy" in data[form]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_turn_stays_text(hostile: str) -> None:
    """In a copy of its own too."""
    data = turn_copy(hostile, 0, everything(lambda _: hostile), "full")
    assert_harmless(data["text/html"])
    assert "\n\n" not in data["text/html"]
    assert_no_html(data["text/markdown"])
