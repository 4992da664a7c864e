"""A notebook with a static copy goes through nbconvert and stays readable and harmless."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from nbconvert import HTMLExporter, MarkdownExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

from acp_notebook import Transcript
from acp_notebook._render.twin import Twin, assemble
from tests.render.samples import Reader, everything
from tests.render.test_hostile import HOSTILE, assert_harmless

CAPTURE = Path(__file__).resolve().parent.parent / "captures" / "opencode-allow.jsonl"
WORDS = (
    "Please correct the spelling",
    "-teh\n+the",
    "python3 hello.py · done",
    "Done. Here is what changed:",
)


def notebook_of(twin: Twin):
    data = {"text/html": twin.html, "text/markdown": twin.markdown, "text/plain": "Chat"}
    return new_notebook(cells=[new_code_cell("chat", outputs=[new_output("display_data", data=data)])])


def real() -> Twin:
    return assemble(Transcript.load(CAPTURE).session, "text", "x")


def test_to_html_shows_the_conversation():
    """The page holds the copy as it is, each thing once, in order."""
    page, _ = HTMLExporter().from_notebook_node(notebook_of(real()))

    [copy] = re.findall(r'<div class="acp-notebook-twin .*?</style>\s*</div>', page, re.DOTALL)
    shown = Reader(copy).text
    places = [shown.index(words) for words in WORDS]
    assert places == sorted(places)
    assert all(shown.count(words) == 1 for words in WORDS)


def test_to_markdown_keeps_the_copy_one_block():
    """Markdown readers take the copy as HTML from its first line to its last: nothing in it is Markdown."""
    text, _ = MarkdownExporter().from_notebook_node(notebook_of(real()))

    blocks = [token for token in MarkdownIt("commonmark").parse(text) if "acp-notebook-twin" in token.content]
    assert [block.type for block in blocks] == ["html_block"]
    shown = Reader(blocks[0].content).text
    assert all(shown.count(words) == 1 for words in WORDS)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_stays_text_in_markdown(hostile):
    """After nbconvert to Markdown a reader finds our own HTML and nothing else: no image, no link, no script."""
    twin = assemble(everything(lambda _: hostile), "full", "x")
    text, _ = MarkdownExporter().from_notebook_node(notebook_of(twin))

    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    inline = [child.type for token in tokens for child in (token.children or ())]
    assert not {"image", "link_open", "html_inline"} & set(inline)
    [block] = [token.content for token in tokens if token.type == "html_block"]
    assert_harmless(block)
