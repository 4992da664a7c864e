"""Pages made from a notebook: every part of a turn can be read once, in order, whatever draws the page."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import BrowserContext, Locator, Route, expect
from pypdf import PdfReader

from tests.browser.chats import FIX, Place
from tests.browser.conftest import Open
from tests.browser.server import trust
from tests.browser.told import assert_told_once, visible

ROOT = Path(__file__).resolve().parents[2]
SHARE = Path(sys.prefix) / "share" / "jupyter"
HTML_MANAGER = "@jupyter-widgets/html-manager@1.0.15"
REFERENCE = "This turn is shown in the chat on this page."


@pytest.fixture(scope="session")
def embed_amd() -> Path:
    """Give the script that draws widgets in exported pages, from npm; kept beside the other modules."""
    folder = ROOT / "js" / "node_modules" / ".cache" / "html-manager"
    script = folder / "package" / "dist" / "embed-amd.js"
    if not script.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pack = ["npm", "pack", HTML_MANAGER, "--silent", "--pack-destination", str(folder)]
        subprocess.run(
            [sys.executable, "hatch_build.py", *pack], cwd=ROOT, check=True, stdout=subprocess.PIPE
        )
        (archive,) = folder.glob("*.tgz")
        with tarfile.open(archive) as packed:
            packed.extract("package/dist/embed-amd.js", folder)
    return script


def open_calls(view: Locator) -> None:
    """Open the details of every tool call. (An answered request holds its own copy of what was asked.)"""
    closed = view.locator(".acp-call > .acp-fold-head[aria-expanded=false]:visible")
    while closed.count() > 0:
        closed.first.click()


def test_an_exported_page_with_network(
    executed: Path, context: BrowserContext, embed_amd: Path, tmp_path: Path
):
    """Nbconvert's HTML draws the chat itself, read-only: the copy is hidden, the second cell points to the chat."""
    html, _ = HTMLExporter(exclude_input=True).from_notebook_node(nbformat.read(executed, as_version=4))
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    served = {
        "require.min.js": SHARE / "voila" / "templates" / "base" / "static" / "require.min.js",
        "dist/embed-amd.js": embed_amd,
        "npm/anywidget@": SHARE / "nbextensions" / "anywidget" / "index.js",
    }

    def answer(route: Route) -> None:
        script = next((path for part, path in served.items() if part in route.request.url), None)
        if script is None:
            route.abort()
        else:
            # A fresh answer each time, as a content network gives it to pages of any origin.
            headers = {"Access-Control-Allow-Origin": "*"}
            route.fulfill(path=script, content_type="text/javascript", headers=headers)

    context.route(lambda url: url.startswith("https://"), answer)
    page = context.new_page()
    page.goto(file.as_uri())
    view = page.locator(".acp-notebook-view .acp-frame")
    expect(view).to_have_count(1)
    expect(page.get_by_text(REFERENCE)).to_be_visible()
    expect(page.locator(".acp-notebook-twin")).to_be_hidden()
    expect(view.locator(".acp-reason:visible")).to_contain_text("opened without its kernel")
    open_calls(view)
    assert_told_once(visible(page), live=True)


@pytest.mark.parametrize("state", [True, False], ids=["widgets saved", "no widgets"])
def test_on_paper(executed: Path, context: BrowserContext, tmp_path: Path, state: bool):
    """Printed to PDF from nbconvert's page, offline: every part can be read once, also what is folded on screens."""
    book = nbformat.read(executed, as_version=4)
    if not state:
        del book.metadata["widgets"]
    html, _ = HTMLExporter(exclude_input=True).from_notebook_node(book)
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    context.route(lambda url: url.startswith("http"), lambda route: route.abort())
    page = context.new_page()
    page.goto(file.as_uri(), wait_until="domcontentloaded")
    paper = PdfReader(io.BytesIO(page.pdf()))
    text = " ".join(" ".join(sheet.extract_text() for sheet in paper.pages).split()).replace("ﬁ", "fi")
    assert_told_once(text)
    assert "def median(values):" in text
    assert text.count("see the cell that shows the chat.") == 1


def test_voila_tells_an_asked_turn_once(servers, context: BrowserContext, place: Place):
    """Voila runs the cells itself: the chat tells the turn, the cell that asked points to it."""
    server = servers("voila")
    server.write(
        "asked.ipynb", place.chat("policy=Policy.allow_all()", shown=True), f"turn = chat.ask({FIX!r})"
    )
    page = context.new_page()
    page.goto(server.url("asked.ipynb"))
    view = page.locator(".acp-notebook-view .acp-frame")
    expect(view).to_have_count(1, timeout=60_000)
    expect(page.get_by_text(REFERENCE)).to_be_visible()
    expect(view).to_contain_text("Ran 4 tests")
    open_calls(view)
    assert_told_once(visible(page), live=True)


@pytest.mark.parametrize(
    ("app", "trusted", "state"),
    [("lab", True, True), ("lab", True, False), ("notebook", False, True), ("notebook", True, False)],
)
def test_a_notebook_opened_again(
    executed: Path, open_notebook: Open, servers, app, trusted: bool, state: bool
):
    """Without the chat's kernel the conversation can be read once, trusted or not, with saved widgets or not.

    The turn's own cell points to it.
    """
    server = servers(app)
    book = nbformat.read(executed, as_version=4)
    if not state:
        del book.metadata["widgets"]
    for cell in book.cells:
        cell.source = "# the text of the cells names the prompt too"
    path = server.notebooks / f"again-{trusted}-{state}.ipynb"
    nbformat.write(book, path)
    if trusted:
        trust(server, path)
    notebook = open_notebook(path=path, app=app)
    expect(notebook.output(0)).to_contain_text("Ran 4 tests")
    view = notebook.page.locator(".acp-notebook-view .acp-frame")
    # The widget manager draws nothing in a notebook that is not trusted.
    live = state and trusted
    if live:
        expect(view).to_have_count(1)
        open_calls(view)
    else:
        expect(notebook.output(0).locator(".acp-notebook-twin")).to_be_visible()
    told = REFERENCE if live else "see the cell that shows the chat."
    expect(notebook.output(1)).to_contain_text(told)
    text = visible(notebook.page)
    assert_told_once(text, live=live)
    assert text.count(told) == 1
    assert "Error displaying widget" not in text
