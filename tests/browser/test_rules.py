"""What a person tells the card to remember."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.chats import FIX, Place, cards, frame, option, send, status
from tests.browser.conftest import Open


def test_allow_for_this_chat(open_notebook: Open, place: Place):
    """The card says what is covered before; afterwards such requests are not asked again, and it says why."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, FIX)
    remember = view.get_by_role("button", name="Allow for this chat")
    expect(view).to_contain_text(
        "Remembered by acp-notebook, covers: editing files anywhere in the chat's folder"
    )
    remember.click()
    expect(view).to_contain_text("the command “python -m unittest -v”")
    view.get_by_role("button", name="Allow for this chat").focus()
    view.page.keyboard.press("Enter")
    expect(status(view)).to_have_text("ready")
    send(view, FIX)
    expect(view).to_contain_text("Allowed by the rule editing files anywhere in the chat's folder")
    expect(status(view)).to_have_text("ready")
    expect(cards(view)).to_have_count(0)

    assert ["chat", "chat"] == [note["scope"] for note in place.notes("remembered")]
    assert {"allow"} == {each["optionId"] for each in place.outcomes()}


def test_always_in_this_folder(open_notebook: Open, place: Place):
    """By the keyboard; another chat in the folder is not asked about edits any more, and says why."""
    notebook = open_notebook(
        place.chat(shown=True),
        "chat.close()\n" + place.chat(name="other") + f"turn = other.send({FIX!r})\nother",
    )
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, FIX)
    expect(view).to_contain_text(
        "Remembered by acp-notebook, covers: editing files anywhere in the chat's folder"
    )
    view.get_by_role("button", name="Always in this folder").focus()
    view.page.keyboard.press("Enter")
    expect(view).to_contain_text("the command “python -m unittest -v”")
    assert ["folder"] == [note["scope"] for note in place.notes("remembered")]

    notebook.run(1)
    other = frame(notebook, 1)
    expect(other).to_contain_text("Allowed by the rule editing files anywhere in the chat's folder")
    expect(cards(other)).to_have_count(1)
    expect(cards(other)).to_contain_text("python -m unittest")
    option(other, "Refuse").click()
    expect(status(other)).to_have_text("ready")


def test_a_question_offers_nothing_to_remember(open_notebook: Open, place: Place):
    """Answers to a question cannot be remembered, so no such button is there."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/ask")
    expect(cards(view)).to_have_count(1)
    expect(view.get_by_role("button", name="Allow for this chat")).to_have_count(0)
