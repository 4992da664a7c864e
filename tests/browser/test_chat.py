"""The chat in a real JupyterLab as a person meets it: typing, long names, and a quiet page."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.chats import Place, composer, frame, send, status
from tests.browser.conftest import Open


def test_send_from_the_composer(open_notebook: Open, place: Place):
    """A prompt typed into the composer is answered in place, and the box is empty again."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/long 5")
    expect(view).to_contain_text("chunk 5")
    expect(composer(view)).to_have_value("")
    expect(status(view)).to_have_text("ready")
    assert len(place.sent("session/prompt")) == 1
