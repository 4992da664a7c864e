"""Approvals: the button works while cells run, whichever way they wait, and says afterwards who decided."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.chats import FIX, Place, cards, frame, option, send, status, until
from tests.browser.conftest import Open

WAYS = {"ask": f"turn = chat.ask({FIX!r})", "await": f"turn = await chat.send({FIX!r})"}


@pytest.mark.parametrize("shown", [True, False], ids=["displayed", "never displayed"])
@pytest.mark.parametrize("way", WAYS)
def test_approve_by_click_while_the_cell_waits(open_notebook: Open, place: Place, way: str, shown: bool):
    """The turn shows in the cell that waits for it, and its buttons work there: the cell ends, the edit is made."""
    notebook = open_notebook(
        place.chat(shown=shown), WAYS[way], "print(turn.stop_reason, len(turn.permissions))"
    )
    notebook.run(0)
    notebook.start(1)
    here = frame(notebook, 1)
    expect(cards(here)).to_have_count(1)
    expect(here).to_contain_text(FIX)
    expect(cards(here)).to_contain_text("return (ordered[middle - 1] + ordered[middle]) / 2")
    assert notebook.running(1)
    option(here, "Allow").click()
    expect(cards(here)).to_contain_text("python -m unittest -v")
    expect(here.locator(".acp-decision-word")).to_have_text("Allowed by you: Allow")
    assert notebook.running(1)
    option(here, "Allow").click()
    notebook.wait(1)
    expect(here).to_contain_text("Ran 4 tests")
    expect(cards(here)).to_have_count(0)
    notebook.run(2)
    assert notebook.outputs(2)[0]["text"] == "end_turn 2\n"
    assert [each["optionId"] for each in place.outcomes()] == ["allow", "allow"]
    assert "return (ordered[middle - 1]" in (place.folder / "weather" / "stats.py").read_text()
    if shown:
        expect(frame(notebook, 0)).to_contain_text("Allowed by you: Allow")


def test_refuse(open_notebook: Open, place: Place):
    """Refusing sends the option that refuses; the file stays and the view says who refused."""
    notebook = open_notebook(place.chat(shown=True), WAYS["ask"])
    notebook.run(0)
    notebook.start(1)
    before = (place.folder / "weather" / "stats.py").read_bytes()
    option(frame(notebook, 1), "Refuse").click()
    notebook.wait(1)
    for view in (frame(notebook, 0), frame(notebook, 1)):
        expect(view).to_contain_text("Refused by you: Refuse")
        expect(view).to_contain_text("The change was not made")
    assert place.outcomes() == [{"outcome": "selected", "optionId": "refuse"}]
    assert (place.folder / "weather" / "stats.py").read_bytes() == before


def test_a_click_is_answered_while_an_ordinary_cell_computes(open_notebook: Open, place: Place):
    """A training loop in another cell does not hold the answer back until its end."""
    loop = "end = time.monotonic() + 3\nwhile time.monotonic() < end: sum(range(1000))"
    notebook = open_notebook(place.chat(shown=True), loop)
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, FIX)
    expect(cards(view)).to_have_count(1)
    notebook.start(1)
    notebook.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.status === 'busy'"
    )
    option(view, "Allow").click()
    until(notebook.page, lambda: len(place.outcomes()) == 1, 2)
    expect(cards(view)).to_contain_text("python -m unittest -v")
    assert notebook.running(1)
    assert notebook.wait(1) < 30


def test_two_requests_of_one_turn_wait_side_by_side(open_notebook: Open, place: Place):
    """Each card is answered for itself, in any order."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/two")
    expect(cards(view)).to_have_count(2)
    expect(status(view)).to_have_text("waiting for you")
    cards(view).nth(1).get_by_text("Refuse", exact=True).click()
    expect(cards(view)).to_have_count(1)
    option(view, "Allow").click()
    expect(view).to_contain_text("You allowed 1 of 2.")
    by_id = {
        m["id"]: m["result"]["outcome"]["optionId"]
        for m in place.messages()
        if "outcome" in (m.get("result") or {})
    }
    asked = [m["id"] for m in place.messages("in") if m.get("method") == "session/request_permission"]
    assert [by_id[each] for each in asked] == ["allow", "refuse"]


def test_a_question_shows_its_own_text_and_afterwards_the_answer(open_notebook: Open, place: Place):
    """Options that are no yes or no have their own names, and the answer is told by its name."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/ask")
    expect(cards(view)).to_contain_text("The measurements are in degrees Celsius")
    option(view, "Kelvin").click()
    expect(view).to_contain_text("Answered by you: Kelvin")
    expect(view).to_contain_text("the report will use Kelvin")
