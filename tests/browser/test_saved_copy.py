"""The page's own part of the saved copy: it writes it, hides it while a view lives, and keeps its model current."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser.chats import Place, composer, copies, send, until
from tests.browser.conftest import Open

DIRTY = "() => window.jupyterapp.shell.currentWidget.content.model.dirty"


def test_the_page_writes_the_saved_copy_also_after_a_reload(open_notebook: Open, place: Place):
    """At the end of a turn there is something to save, and the file has it, once; it is hidden while the view lives."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = notebook.output(0)
    send(view, "/long 5")
    expect(view).to_contain_text("chunk 5")
    until(
        notebook.page,
        lambda: ["chunk 5" in one for one in copies(notebook, 0)] == [True],
        what="no copy written",
    )
    expect(notebook.page.locator(".acp-notebook-twin")).to_be_hidden()
    assert "older than what is shown" not in view.inner_text()

    notebook.reload()
    expect(view).to_contain_text("chunk 5")
    assert not notebook.page.evaluate(DIRTY)
    send(view, "/long 7")
    expect(view).to_contain_text("chunk 7")
    notebook.page.wait_for_function(DIRTY)
    expect(notebook.page.locator(".acp-notebook-twin")).to_be_hidden()
    saved: Any = notebook.save()
    [copy] = [one for one in saved.cells[0].outputs if "text/html" in one.data]
    for text in ("/long 5", "chunk 5", "/long 7", "chunk 7"):
        assert text in copy.data["text/html"], text
        assert text in copy.data["text/markdown"], text


def test_turns_that_the_chats_copy_has_no_room_for(open_notebook: Open, place: Place):
    """Get copies in their own cells, hidden while their views live; what the chat's copy tells is a line there."""
    ask = "turn = chat.ask('/cwd number {}: ' + 'word ' * 7_000)"
    notebook = open_notebook(place.chat(shown=True), *[ask.format(number) for number in range(1, 5)])
    for cell in range(5):
        notebook.run(cell)

    def saved(cell: int) -> str:
        return copies(notebook, cell)[-1]

    page = notebook.page
    until(page, lambda: "number 4" in saved(0), what="the chat's copy was not written")
    until(page, lambda: "number 2" in saved(2), what="the turn's own copy was not written")
    assert [f"number {number}" in saved(0) for number in range(1, 5)] == [False, False, True, True]
    assert [f"number {number}" in saved(number) for number in range(1, 5)] == [True, True, False, False]
    drawn = page.locator("[class*=acp-notebook-twin]")
    assert [copy.is_visible() for copy in drawn.all()] == [False] * 5


def test_parts_are_loaded_and_code_goes_into_a_cell(open_notebook: Open, place: Place):
    """A formula becomes MathML by the part that the kernel sends; code goes into a new cell below."""
    notebook = open_notebook(place.chat("policy=Policy.allow_all()", shown=True))
    notebook.run(0)
    view = notebook.output(0)
    send(view, "Please fix the failing test.")
    expect(view.locator("math").first).to_be_visible()
    button = view.locator("[data-acp=insert]").first
    code = (
        view.locator(".acp-code", has=view.page.locator("[data-acp=insert]"))
        .first.locator("code")
        .inner_text()
    )
    button.click()
    expect(notebook.cell(1)).to_be_visible()
    source = notebook.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.cells.get(1).sharedModel.source"
    )
    assert source.strip() == code.strip()
    composer(view).click()
    composer(view).press("Escape")
    inside = (
        "() => document.activeElement.closest('.jp-Notebook') !== null && !document.activeElement.shadowRoot"
    )
    assert notebook.page.evaluate(inside)
