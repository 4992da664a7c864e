"""The chat outside JupyterLab: Notebook 7, Voila, and pages that were exported from a notebook."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import BrowserContext, expect

from tests.browser.chats import FIX, Place, cards, composer, frame, option, send, status, until
from tests.browser.conftest import Open
from tests.browser.told import assert_told_once, visible

BUSY = "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.status === 'busy'"


def test_notebook_7(open_notebook: Open, place: Place):
    """In Notebook 7 the composer, buttons during `ask`, a reload and the saved copy work as in JupyterLab."""
    notebook = open_notebook(place.chat(shown=True), f"turn = chat.ask({FIX!r})", app="notebook")
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/long 5")
    expect(view).to_contain_text("chunk 5")
    notebook.start(1)
    here = frame(notebook, 1)
    option(here, "Allow").click()
    expect(cards(here)).to_contain_text("python -m unittest -v")
    option(here, "Allow").click()
    notebook.wait(1)
    expect(here).to_contain_text("Ran 4 tests")
    expect(status(view)).to_have_text("ready")
    notebook.save()
    notebook.reload()
    expect(view).to_contain_text("Ran 4 tests")
    send(view, "/cwd")
    expect(view).to_contain_text(f"I work in {place.folder}")

    def saved() -> bool:
        html = [one.data["text/html"] for one in notebook.save().cells[0].outputs if "text/html" in one.data]
        return (
            len(html) == 1
            and str(place.folder) in html[0]
            and "Ran 4 tests" in html[0]
            and "I work in" in html[0]
        )

    until(notebook.page, saved, what="the copy was not written")


def test_notebook_7_while_another_cell_computes(open_notebook: Open, place: Place):
    """A click is answered while an ordinary cell runs."""
    loop = "end = time.monotonic() + 3\nwhile time.monotonic() < end: sum(range(1000))"
    notebook = open_notebook(place.chat(shown=True), loop, app="notebook")
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, FIX)
    expect(cards(view)).to_have_count(1)
    notebook.start(1)
    notebook.page.wait_for_function(BUSY)
    option(view, "Allow").click()
    until(notebook.page, lambda: len(place.outcomes()) == 1, 2)
    assert notebook.running(1)
    notebook.wait(1)


def test_voila(servers, context: BrowserContext, place: Place):
    """In a Voila page a prompt is sent, approved and answered."""
    server = servers("voila")
    server.write("chat.ipynb", place.chat(shown=True))
    page = context.new_page()
    page.goto(server.url("chat.ipynb"))
    view = page.locator(".acp-notebook-view .acp-frame")
    expect(composer(view)).to_be_visible(timeout=60_000)
    send(view, FIX)
    option(view, "Allow").click()
    expect(cards(view)).to_contain_text("python -m unittest -v")
    option(view, "Allow").click()
    expect(view).to_contain_text("Ran 4 tests")
    expect(status(view)).to_have_text("ready")
    expect(page.locator(".acp-notebook-twin")).to_be_hidden()


@pytest.mark.parametrize("state", [True, False], ids=["with widget state", "without"])
def test_an_exported_page_without_network_tells_the_turn_once(
    executed: Path, context: BrowserContext, tmp_path: Path, state: bool
):
    """Nbconvert's HTML, opened offline, shows the static copy and nothing of it twice."""
    book = nbformat.read(executed, as_version=4)
    assert "widgets" in book.metadata
    if not state:
        del book.metadata["widgets"]
    # The cells' code names the prompt too.
    exporter = HTMLExporter(exclude_input=True)
    html, _ = exporter.from_notebook_node(book)
    page_file = tmp_path / "page.html"
    page_file.write_text(html, encoding="utf-8")
    context.set_offline(True)
    page = context.new_page()
    page.goto(page_file.as_uri(), wait_until="domcontentloaded")
    page.locator(".acp-notebook-twin").first.wait_for()
    assert_told_once(visible(page))


@pytest.mark.parametrize("state", [True, False], ids=["with widget state", "without"])
def test_a_reopened_notebook_tells_the_turn_once(executed: Path, open_notebook: Open, servers, state: bool):
    """JupyterLab opens the executed notebook on a fresh kernel: one copy is visible, and no error."""
    book = nbformat.read(executed, as_version=4)
    if not state:
        del book.metadata["widgets"]
    for cell in book.cells:
        cell.source = "# taken out: the text of the cells names the prompt too"
    path = servers("lab").notebooks / f"reopened-{state}.ipynb"
    nbformat.write(book, path)
    notebook = open_notebook(path=path)
    expect(notebook.output(0)).to_contain_text("Ran 4 tests")
    assert_told_once(visible(notebook.page))
