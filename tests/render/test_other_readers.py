"""A saved copy where others show it: sites that sanitise HTML, and tools that compare notebooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import bleach
import pytest

from acp_notebook import Session, Transcript
from acp_notebook._render.turn_cell import turn_reference
from acp_notebook._render.twin import assemble
from tests.render.samples import Reader, everything
from tests.render.test_hostile import HOSTILE

CAPTURES = sorted((Path(__file__).resolve().parent.parent / "captures").glob("*.jsonl"))

# What GitHub lets through in a rendered file, as its published pipeline documents it: html-pipeline,
# `SanitizationFilter`. No style, no class, no script; `span` and `figure` came with its third version.
ELEMENTS = {
    "h1", "h2", "h3", "h4", "h5", "h6", "br", "b", "i", "strong", "em", "a", "pre", "code", "img", "tt",
    "div", "ins", "del", "sup", "sub", "p", "ol", "ul", "table", "thead", "tbody", "tfoot", "blockquote",
    "dl", "dt", "dd", "kbd", "q", "samp", "var", "hr", "ruby", "rt", "rp", "li", "tr", "td", "th", "s",
    "strike", "summary", "details", "caption", "abbr", "bdo", "cite", "dfn", "mark", "small", "time", "wbr",
}  # fmt: skip
ANYWHERE = ["align", "alt", "aria-label", "dir", "open", "rel", "role", "start", "title", "width"]
ATTRIBUTES = {"a": ["href"], "img": ["src"], "*": ANYWHERE}


def sanitised(html: str, *, spans: bool) -> str:
    """The HTML as such a site would send it to its readers."""
    elements = ELEMENTS | {"span", "figure", "figcaption"} if spans else ELEMENTS
    # Sites drop a style sheet with its text; bleach would keep the text.
    without = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    cleaned: str = bleach.clean(
        without, tags=elements, attributes=ATTRIBUTES, protocols={"http", "https", "mailto"}, strip=True
    )
    return cleaned


def always(text: str) -> Callable[[str], str]:
    """One text for every place."""
    return lambda _: text


def copies() -> Iterator[tuple[str, Session]]:
    """Sessions of all kinds: real ones, one with everything in it, hostile ones."""
    for path in CAPTURES:
        yield path.stem, Transcript.load(path).session
    yield "everything", everything(lambda name: f"«{name}»")
    for number, hostile in enumerate(HOSTILE):
        yield f"hostile-{number}", everything(always(hostile))


@pytest.mark.parametrize("spans", [True, False])
def test_nothing_but_colour_is_lost_where_html_is_sanitised(spans: bool) -> None:
    """Every line of every copy stands there in its order, changes with their signs, folded things folded."""
    for name, session in copies():
        html = assemble(session, "full", "x").html
        before, after = Reader(html), Reader(sanitised(html, spans=spans))
        assert after.text == before.text, name
        for tag in ("pre", "details", "summary", "li", "a", "blockquote"):
            assert [t for t, _ in after.tags].count(tag) == [t for t, _ in before.tags].count(tag), (
                name,
                tag,
            )


def test_changes_and_states_are_words_not_colours() -> None:
    """Without classes a reader still sees what was added, what was taken away, and how a call ended."""
    path = next(one for one in CAPTURES if one.stem == "opencode-allow")
    shown = Reader(sanitised(assemble(Transcript.load(path).session, "text", "x").html, spans=False)).text
    assert "-teh\n+the" in shown
    assert "python3 hello.py · done" in shown
    assert "Allowed once: Allow once" in shown


def test_the_line_of_a_turn_is_all_that_is_left_of_it() -> None:
    """It needs no style to be read."""
    html = turn_reference("x", 0, Session())["text/html"]
    assert Reader(sanitised(html, spans=False)).text == Reader(html).text


@pytest.mark.parametrize("spans", [True, False])
def test_a_site_that_shows_the_style_sheet_shows_it_last(spans: bool) -> None:
    """Some drop the tag and keep its text: then it stands after the conversation, and nothing after it."""
    session = everything(lambda name: f"«{name}»")
    html = assemble(session, "text", "x").html
    kept = bleach.clean(
        html, tags=ELEMENTS | ({"span"} if spans else set()), attributes=ATTRIBUTES, strip=True
    )
    told, sheet = Reader(kept).text.split(".acp-notebook-twin{", 1)
    assert told.strip() == Reader(html).text.strip()
    assert "«" not in sheet
