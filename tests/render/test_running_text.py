"""Prose in every copy and export: what reorders or hides is written out, right-to-left scripts stay as they are."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from acp_notebook import Session
from acp_notebook._render.export_html import export_html
from acp_notebook._render.export_ipynb import export_ipynb
from acp_notebook._render.export_markdown import export_markdown
from acp_notebook._render.twin import assemble
from tests.render.samples import Reader, message, session_of, turn_of

OVERRIDE = "safe\u202etxt.exe\u202c"
ENTITY = "safe&#x202e;txt.exe&#x202c;"
WRITTEN = "safe⟨U+202E⟩txt.exe⟨U+202C⟩"
HEBREW = "\u200fשלום, \u061cمرحبا! می\u200cخواهم 👩\u200d💻"


def notebook_text(session: Session) -> str:
    """The sources and outputs of the notebook."""
    cells = export_ipynb(session)["cells"]
    return "\n".join([*(cell["source"] for cell in cells), json.dumps(cells, ensure_ascii=False)])


FORMS: dict[str, Callable[[Session], str]] = {
    "copy": lambda session: Reader(assemble(session, "full", "x").html).text,
    "copy's Markdown": lambda session: assemble(session, "full", "x").markdown,
    "Markdown": export_markdown,
    "page": lambda session: Reader(export_html(session)).text,
    "notebook": notebook_text,
}
PLACES = {
    "paragraph": "see {}",
    "heading": "# see {}",
    "list": "- one\n- {}",
    "table": "| a |\n|---|\n| {} |",
    "link": "[{}](http://a.example)",
    "strong": "**{}**",
}
CODE = {"span": "`{}`", "block": "```\n{}\n```", "Python": "```python\n# {}\n```"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("said", [OVERRIDE, ENTITY], ids=["character", "entity"])
def test_an_override_is_written_out(form: str, place: str, said: str) -> None:
    """Wherever prose may hold one, also as an entity of Markdown."""
    shown = FORMS[form](session_of(turn_of(message(PLACES[place].format(said)))))
    assert WRITTEN in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", CODE)
def test_code_hides_nothing(form: str, place: str) -> None:
    """Also not the marks that prose may keep."""
    shown = FORMS[form](session_of(turn_of(message(CODE[place].format(OVERRIDE + "\u200f\u200b")))))
    assert WRITTEN + "⟨U+200F⟩⟨U+200B⟩" in shown
    assert not set("\u202e\u202c\u200f\u200b") & set(shown)


@pytest.mark.parametrize("form", FORMS)
def test_the_name_of_a_picture_hides_nothing(form: str) -> None:
    """Pictures of the web are never loaded, what they are called is told."""
    shown = FORMS[form](session_of(turn_of(message(f"![{OVERRIDE}](http://a.example/p.png)"))))
    assert WRITTEN in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("form", FORMS)
def test_prompts_and_thoughts_are_prose_too(form: str) -> None:
    """Whoever wrote them: a prompt may be pasted from anywhere."""
    session = session_of(turn_of(message(OVERRIDE, "thought"), message("done"), prompt=OVERRIDE))
    shown = FORMS[form](session)
    assert WRITTEN in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", PLACES)
def test_right_to_left_text_stays(form: str, place: str) -> None:
    """Letters, direction marks, joiners and emoji made of several characters."""
    assert HEBREW in FORMS[form](session_of(turn_of(message(PLACES[place].format(HEBREW)))))
