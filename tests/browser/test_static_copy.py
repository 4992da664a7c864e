"""The static copy where no view is drawn: in a plain page, and in JupyterLab without the widget's model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from playwright.sync_api import BrowserContext, Page, expect

from acp_notebook import Transcript
from acp_notebook._render.twin import Twin, assemble
from tests.browser.conftest import Open
from tests.browser.server import FOLDERS, KERNEL, App, Server
from tests.render.samples import everything
from tests.render.test_hostile import HOSTILE

VIEW = "application/vnd.jupyter.widget-view+json"
CAPTURE = Path(__file__).resolve().parent.parent / "captures" / "opencode-allow.jsonl"
RERUN = """html => {
    // As JupyterLab does with the scripts of a trusted output: each is made anew, so that it runs.
    document.body.innerHTML = html;
    for (const old of document.querySelectorAll("script")) {
        const script = document.createElement("script");
        script.textContent = old.textContent;
        old.replaceWith(script);
    }
}"""


def notebook_of(*twins: Twin) -> nbformat.NotebookNode:
    """Give a notebook with a view whose model nobody has, and a copy beside it, a cell each."""
    cells = []
    for twin in twins:
        view = {
            VIEW: {"model_id": "0" * 32, "version_major": 2, "version_minor": 0},
            "text/plain": "Chat with someone, 1 turn",
        }
        copy = {"text/html": twin.html, "text/markdown": twin.markdown, "text/plain": "Chat"}
        outputs = [new_output("display_data", data=data) for data in (view, copy)]
        cells.append(new_code_cell("chat", outputs=outputs))
    made: nbformat.NotebookNode = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    return made


def hostile_copy(text: str) -> Twin:
    """Give the copy of a session that has the text in every place."""
    return assemble(everything(lambda _: text), "full", "hostile")


def assert_quiet(page: Page) -> None:
    """Nothing ran; all is unfolded, so that what would load on sight does."""
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    # Two frames on, load and error events of anything in the page have been sent.
    page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
    assert page.evaluate("() => window.pwned === undefined")
    assert page.locator("script, iframe, svg, object, [onerror], [onload]").count() == 0


def test_hostile_copies_run_nothing_and_load_nothing(context: BrowserContext):
    """As trusted HTML in a page: no script runs, nothing is fetched, no dialog opens."""
    page = context.new_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    for hostile in HOSTILE:
        html = hostile_copy(hostile).html
        page.set_content(html)
        assert_quiet(page)
        page.evaluate(RERUN, html)
        assert_quiet(page)
    assert [one for one in asked if not one.startswith("data:image/png;base64,")] == []


@pytest.mark.parametrize("trusted", [True, False])
def test_a_saved_notebook_without_the_model(
    open_notebook: Open, servers: Callable[[App], Server], trusted: bool
):
    """JupyterLab shows the copy; the dead view beside it is hidden, or one line of text."""
    server = servers("lab")
    path = server.notebooks / f"static-{trusted}.ipynb"
    real = assemble(Transcript.load(CAPTURE).session, "full", "real")
    nbformat.write(notebook_of(real, hostile_copy(HOSTILE[0])), path)
    if trusted:
        folders = {name: str(server.root / name.lower()) for name in FOLDERS}
        command = [sys.executable, "-m", "jupyter", "trust", str(path)]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **folders})

    notebook = open_notebook(path=path)

    copy = notebook.output(0).locator(".acp-notebook-twin")
    expect(copy).to_be_visible()
    for words in (
        "Please correct the spelling",
        "python3 hello.py · done",
        "+the",
        "Allowed once: Allow once",
    ):
        expect(copy).to_contain_text(words)
    if trusted:
        dead = notebook.output(0).get_by_text("Error displaying widget")
        expect(dead).to_have_count(1)
        expect(dead).to_be_hidden()
    else:
        # An untrusted view is not even tried: its one line of plain text stands there.
        expect(notebook.output(0).get_by_text("Chat with someone, 1 turn")).to_be_visible()
    assert notebook.page.evaluate("() => window.pwned === undefined")
    folded = copy.locator("details").first
    assert not folded.evaluate("element => element.open")
