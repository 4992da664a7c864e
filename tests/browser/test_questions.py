"""Questions of an agent in the browser: forms by keyboard alone, links by a click alone, cards that are withdrawn."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from playwright.sync_api import Locator, Request, expect

from tests.browser.chats import Place, cards, frame, send, status, until
from tests.browser.conftest import Open
from tests.chat.scripts import DONE, PROMPTED, RAW_AGENT, SESSION, START, ask, tell

FORM = {
    "sessionId": SESSION,
    "mode": "form",
    "message": "How shall the report be made?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "title": {"type": "string", "title": "Title", "description": "Above the report", "minLength": 3},
            "unit": {
                "type": "string",
                "title": "Unit",
                "oneOf": [
                    {"const": "C", "title": "Celsius"},
                    {"const": "K", "title": "Kelvin", "description": "From absolute zero"},
                ],
            },
            "digits": {"type": "integer", "title": "Digits", "minimum": 0, "maximum": 6, "default": 2},
            "parts": {
                "type": "array",
                "minItems": 1,
                "title": "Parts",
                "items": {"type": "string", "enum": ["table", "plot"]},
            },
            "draft": {"type": "boolean", "title": "Draft"},
        },
        "required": ["title", "unit", "parts"],
    },
}
URL = "https://accounts.example.org@evil.example/login?state=1"
LINK = {"sessionId": SESSION, "mode": "url", "message": "Please sign in", "elicitationId": "e1", "url": URL}
OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]


def scripted(place: Place, *steps: list[Any]) -> str:
    """Give a cell that shows a chat with an agent that takes these steps in its first turn."""
    return show(place, [*PROMPTED, *steps, *DONE])


def show(place: Place, steps: list[Any]) -> str:
    """Give a cell that shows a chat with an agent that takes these steps from its start on."""
    words = [sys.executable, RAW_AGENT, json.dumps(steps)]
    return (
        "from acp_notebook import Chat\n"
        f"chat = Chat({words!r}, cwd={str(place.folder)!r}, record={str(place.file)!r})\nchat"
    )


def results(place: Place) -> dict[Any, Any]:
    """Give our answers to the agent's requests, by id."""
    return {m["id"]: m.get("result") for m in place.messages() if "method" not in m}


def permission(ident: int) -> list[Any]:
    params = {
        "sessionId": SESSION,
        "toolCall": {"toolCallId": "c", "title": f"Step {ident}"},
        "options": OPTIONS,
    }
    return ask(ident, "session/request_permission", **params)


def button(view: Locator, name: str) -> Locator:
    return cards(view).get_by_role("button", name=name, exact=True)


def test_a_form_is_filled_in_by_keyboard(open_notebook: Open, place: Place):
    """Tab goes through the fields in order; what is missing is said and gets the focus; Enter sends; then the next."""
    notebook = open_notebook(scripted(place, ask(0, "elicitation/create", **FORM), ["take", 1]))
    notebook.run(0)
    view, keys = frame(notebook, 0), notebook.page.keyboard
    send(view, "go")
    expect(cards(view)).to_contain_text("How shall the report be made?")
    expect(status(view)).to_have_text("waiting for you")
    title = view.get_by_label("Title")
    expect(title).to_have_accessible_description("Above the report")
    title.focus()
    keys.type("ab")
    keys.press("Enter")
    expect(title).to_be_focused()
    expect(title).to_have_attribute("aria-invalid", "true")
    expect(cards(view).locator(".acp-field-problem:visible")).to_have_count(3)
    keys.type("c")
    keys.press("Tab")
    expect(view.get_by_label("Celsius")).to_be_focused()
    keys.press("ArrowDown")
    expect(view.get_by_label("Kelvin")).to_be_checked()
    keys.press("Tab")
    expect(view.get_by_label("Digits")).to_be_focused()
    keys.press("ArrowUp")
    keys.press("Tab")
    keys.press("Tab")
    expect(view.get_by_label("plot")).to_be_focused()
    keys.press("Space")
    keys.press("Tab")
    keys.press("Space")
    keys.press("Enter")
    expect(cards(view)).to_have_count(0)
    expect(view).to_contain_text("Title: abc")
    expect(view.get_by_role("textbox", name="Message to the agent")).to_be_focused()
    until(notebook.page, lambda: 0 in results(place))
    content = {"title": "abc", "unit": "K", "digits": 3, "parts": ["plot"], "draft": True}
    assert results(place)[0] == {"action": "accept", "content": content}
    assert notebook.page.locator(".jp-Notebook .jp-Cell").count() == 1  # no key reached the notebook


@pytest.mark.parametrize("name", ["Decline", "Cancel"])
def test_a_form_is_declined_or_cancelled(open_notebook: Open, place: Place, name: str):
    """Without a word about its fields."""
    notebook = open_notebook(scripted(place, ask(0, "elicitation/create", **FORM), ["take", 1]))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    button(view, name).click()
    expect(cards(view)).to_have_count(0)
    until(notebook.page, lambda: 0 in results(place))
    assert results(place)[0] == {"action": name.lower()}


def test_a_link_is_opened_by_a_click_alone(open_notebook: Open, place: Place):
    """The whole address is shown, the real host marked; nothing is fetched before the click; then a tab of its own."""
    notebook = open_notebook(
        scripted(
            place,
            ask(0, "elicitation/create", **LINK),
            ["take", 1],
            tell("elicitation/complete", elicitationId="e1"),
        )
    )
    asked: list[str] = []

    def note(request: Request) -> None:
        if "example" in request.url:
            asked.append(request.url)

    context = notebook.page.context
    context.on("request", note)
    context.route(
        "**/*evil.example/**", lambda route: route.fulfill(body="signed in", content_type="text/plain")
    )
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    expect(cards(view).locator(".acp-address")).to_have_text(URL)
    expect(cards(view).locator(".acp-address strong")).to_have_text("evil.example")
    button(view, "Open").hover()
    assert asked == []
    with context.expect_page() as opened:
        button(view, "Open").click()
    opened.value.wait_for_load_state()
    assert opened.value.evaluate("window.opener") is None
    assert asked
    until(notebook.page, lambda: 0 in results(place))
    assert results(place)[0] == {"action": "accept"}
    expect(view).to_contain_text("Done")


def test_a_question_before_the_session_is_there(open_notebook: Open, place: Place):
    """A displayed chat is asked also while its session is being made, for instance to sign in."""
    link = {name: value for name, value in LINK.items() if name != "sessionId"}
    before = ask(0, "elicitation/create", requestId=1, **link)
    words = [*START[:3], before, ["take", 1], START[3], ["eof"]]
    notebook = open_notebook(show(place, words))
    notebook.run(0)
    view = frame(notebook, 0)
    expect(cards(view)).to_contain_text("Please sign in")
    button(view, "Decline").click()
    expect(status(view)).to_have_text("ready")
    assert results(place)[0] == {"action": "decline"}


def test_cards_that_the_agent_takes_back_go(open_notebook: Open, place: Place):
    """`$/cancel_request` withdraws a form and a permission; the one that stays is answered as usual."""
    steps = [ask(0, "elicitation/create", **FORM), permission(1), permission(2), tell("_x/there")]
    back = [tell("$/cancel_request", requestId=n) for n in (0, 1)]
    notebook = open_notebook(
        scripted(place, *steps, ["take", 1], *back, ["take", 3]), "chat.notify('_x/now')"
    )
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    expect(cards(view)).to_have_count(3)
    notebook.run(1)
    expect(cards(view)).to_have_count(1)
    cards(view).locator(".acp-option", has_text="Yes").click()
    until(notebook.page, lambda: 2 in results(place))
    gone = {"outcome": {"outcome": "cancelled"}}
    assert results(place) | {} == {
        **results(place),
        0: {"action": "cancel"},
        1: gone,
        2: {"outcome": {"outcome": "selected", "optionId": "y"}},
    }


def test_two_requests_for_one_call_are_two_cards(open_notebook: Open, place: Place):
    """Each with its own buttons and its own answer, under the one call."""
    notebook = open_notebook(scripted(place, permission(0), permission(1), ["take", 2]))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    expect(cards(view)).to_have_count(2)
    expect(view.locator(".acp-item-tool_call")).to_have_count(1)
    cards(view).nth(1).locator(".acp-option", has_text="No").click()
    expect(cards(view)).to_have_count(1)
    cards(view).locator(".acp-option", has_text="Yes").click()
    expect(cards(view)).to_have_count(0)
    until(notebook.page, lambda: len(results(place)) >= 2)
    chosen = {n: results(place)[n]["outcome"]["optionId"] for n in (0, 1)}
    assert chosen == {0: "y", 1: "n"}
