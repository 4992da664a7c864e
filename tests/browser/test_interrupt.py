"""The interrupt of the kernel (■) while a cell waits for the agent, and Stop in the view.

Within how many seconds a cell ends is measured by the kernel's tests, which have the processors to themselves.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.chats import FIX, Place, cards, frame, option, send, status, until
from tests.browser.conftest import Open

SLOW = {"ask": "chat.ask('/slow')", "await": "await chat.send('/slow')"}
ERROR = {"ask": "KeyboardInterrupt", "await": "CancelledError"}


@pytest.mark.parametrize("way", SLOW)
def test_an_interrupt_cancels_the_turn_and_the_chat_goes_on(open_notebook: Open, place: Place, way: str):
    """The cell ends with the interrupt, queued cells do not run, the agent lives and answers again."""
    notebook = open_notebook(
        place.chat(shown=True), SLOW[way], "print('ran')", "print(chat.ask('/cwd').text)"
    )
    page = notebook.page
    notebook.run(0)
    notebook.start(1)
    expect(frame(notebook, 1)).to_contain_text("until you stop me")
    notebook.start(2)
    notebook.interrupt()
    until(page, lambda: len(place.sent("session/cancel")) == 1)
    notebook.wait(1)
    notebook.wait(2)
    names = [output.get("ename") for output in notebook.outputs(1)]
    assert ERROR[way] in names
    assert notebook.outputs(2) == []
    expect(frame(notebook, 0)).to_contain_text("Stopped by you.")
    expect(status(frame(notebook, 0))).to_have_text("ready")
    notebook.run(3)
    assert str(place.folder) in str(notebook.outputs(3))
    assert len(place.notes("spawn")) == 1
    assert place.notes("exit") == []


def test_an_interrupt_while_an_approval_waits(open_notebook: Open, place: Place):
    """The request is answered as cancelled after the cancel, and its buttons go away."""
    notebook = open_notebook(place.chat(shown=True), f"chat.ask({FIX!r})")
    notebook.run(0)
    notebook.start(1)
    view = frame(notebook, 1)
    expect(cards(view)).to_have_count(1)
    notebook.interrupt()
    notebook.wait(1)
    expect(cards(view)).to_have_count(0)
    assert place.outcomes() == [{"outcome": "cancelled"}]
    sent = place.messages()
    cancel = next(index for index, each in enumerate(sent) if each.get("method") == "session/cancel")
    assert sent[cancel + 1].get("result") == {"outcome": {"outcome": "cancelled"}}


def test_a_silent_agent_does_not_hold_the_interrupt(open_notebook: Open, place: Place):
    """Though the agent answers nothing, the cell ends; the turn can then be ended by force."""
    notebook = open_notebook(place.raw(), "chat", "chat.ask('silent')")
    notebook.run(0)
    notebook.run(1)
    view = frame(notebook, 1)
    notebook.start(2)
    expect(cards(view)).to_have_count(1)
    notebook.interrupt()
    notebook.wait(2)
    expect(status(view)).to_have_text("stopping")
    force = view.get_by_role("button", name="End this turn without waiting for the agent")
    force.click()
    expect(status(view)).to_have_text("ended")
    view.get_by_role("button", name="Restart").click()
    expect(status(view)).to_have_text("ready")
    send(view, "again")
    option(view, "Yes, do it").click()
    expect(view).to_contain_text("You said yes.")


def test_stop_in_the_view_lets_ask_return(open_notebook: Open, place: Place):
    """The Stop button ends the turn without an error: `ask` returns it."""
    notebook = open_notebook(place.chat(shown=True), "print(chat.ask('/slow').stop_reason)")
    notebook.run(0)
    notebook.start(1)
    view = frame(notebook, 0)
    view.get_by_role("button", name="Stop (Ctrl+.)").click()
    notebook.wait(1)
    streams = [output["text"] for output in notebook.outputs(1) if output["output_type"] == "stream"]
    assert streams == ["cancelled\n"]
    expect(view).to_contain_text("Stopped by you.")
