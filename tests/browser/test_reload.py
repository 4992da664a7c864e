"""The page is loaded again in the middle of a turn: nothing is lost, and what follows is saved."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.chats import FIX, Place, cards, copies, frame, option, send, status, until
from tests.browser.conftest import Open

WAYS = {
    "nothing runs": "chat.send('/long 100000'); None",
    "ask": "chat.ask('/long 100000'); None",
    "await": "await chat.send('/long 100000'); None",
}
CHUNKS = r"chunk (\d+)"


@pytest.mark.parametrize("way", WAYS)
def test_a_reload_in_the_middle_of_a_turn(open_notebook: Open, place: Place, way: str):
    """The stream goes on in the new page, its text is the kernel's, and one more turn is saved with it."""
    notebook = open_notebook(place.chat(shown=True, delay=0.04), WAYS[way])
    notebook.run(0)
    notebook.start(1)
    view = frame(notebook, 0)
    expect(view).to_contain_text("chunk 10")
    notebook.save()
    notebook.reload(idle=False)
    view = frame(notebook, 0)
    expect(view).to_contain_text("chunk 10")
    last = int(re.findall(CHUNKS, view.inner_text())[-1])
    expect(status(view)).to_have_text("working")
    # A round number: in the place of every fiftieth chunk, from the first on, stands the head of a part.
    expect(view).to_contain_text(f"chunk {last // 10 * 10 + 30}")
    view.get_by_role("button", name="Stop (Ctrl+.)").click()
    expect(status(view)).to_have_text("ready")
    words = json.loads(notebook.evaluate("import json; print(json.dumps(chat.last.text.split()))"))
    message = view.locator(".acp-turn").first.locator(".acp-message")
    assert message.inner_text().split() == [word for word in words if word != "##"]

    send(view, "/cwd")
    expect(view).to_contain_text("I work in")
    expect(status(view)).to_have_text("ready")
    until(notebook.page, lambda: "I work in" in "".join(copies(notebook)), what="the copy was not saved")
    twins = copies(notebook)
    assert len(twins) == 1
    assert " ".join(words[-2:]) in twins[0]
    assert str(place.folder) in twins[0]


def test_an_approval_that_waits_survives_a_reload(open_notebook: Open, place: Place):
    """The card is there again, its button works, and the request is answered once."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    send(frame(notebook, 0), FIX)
    expect(cards(frame(notebook, 0))).to_have_count(1)
    notebook.save()
    notebook.reload()
    view = frame(notebook, 0)
    option(view, "Refuse").click()
    expect(view).to_contain_text("Refused by you: Refuse")
    assert place.outcomes() == [{"outcome": "selected", "optionId": "refuse"}]
