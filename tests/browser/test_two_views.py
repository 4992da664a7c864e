"""One chat in two places: both show the same, and of two clicks at once one counts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chats import FIX, Place, cards, frame, option, send, status
from tests.browser.conftest import Open

CLICK = """(node, at) => {
  globalThis.clicked ??= [];
  setTimeout(() => {
    const card = node.closest('.acp-card');
    globalThis.clicked.push(card.isConnected && !card.classList.contains('acp-answered'));
    node.click();
  }, at - performance.timeOrigin - performance.now());
}"""


def click_both(first: Locator, second: Locator) -> None:
    """Click both in the same moment, in two tabs or in one: each while its view still waits for an answer."""
    views = [first, second]
    # Both are told early enough: telling takes time on a busy machine.
    at = max(view.page.evaluate("() => performance.timeOrigin + performance.now()") for view in views) + 1_000
    for handle in [view.element_handle() for view in views]:
        handle.evaluate(CLICK, at)
    wanted = 2 if first.page == second.page else 1
    for view in views:
        view.page.wait_for_function("(wanted) => globalThis.clicked?.length === wanted", arg=wanted)
        assert all(view.page.evaluate("() => globalThis.clicked"))


@pytest.mark.parametrize("where", ["two cells", "two tabs"])
def test_two_clicks_at_once_are_one_answer(open_notebook: Open, place: Place, where: str):
    """Both views show the request; one answer goes to the agent, and both say who decided."""
    notebook = open_notebook(place.chat(shown=True), "chat")
    notebook.run(0)
    one = frame(notebook, 0)
    if where == "two cells":
        notebook.run(1)
        other = frame(notebook, 1)
    else:
        notebook.save()
        other = frame(open_notebook(path=notebook.path), 0)
    send(one, FIX)
    expect(cards(one)).to_have_count(1)
    expect(cards(other)).to_have_count(1)
    click_both(option(one, "Allow"), option(other, "Refuse"))
    expect(one.locator(".acp-decision-word")).to_have_count(1)
    expect(other.locator(".acp-decision-word")).to_have_count(1)
    words = one.locator(".acp-decision-word").inner_text()
    assert words in ("Allowed by you: Allow", "Refused by you: Refuse")
    assert other.locator(".acp-decision-word").inner_text() == words
    assert [each["optionId"] for each in place.outcomes()] == [words.rpartition(" ")[2].lower()]


def test_a_turn_started_in_one_tab_streams_in_the_other(open_notebook: Open, place: Place):
    """Two tabs follow one conversation, and both reach its end."""
    notebook = open_notebook(place.chat(shown=True, delay=0.01))
    notebook.run(0)
    one = frame(notebook, 0)
    expect(status(one)).to_have_text("ready")
    notebook.save()
    other = frame(open_notebook(path=notebook.path), 0)
    send(other, "/long 60")
    for view in (one, other):
        expect(view).to_contain_text("chunk 60.")
        expect(status(view)).to_have_text("ready")
    assert one.locator(".acp-message").inner_text() == other.locator(".acp-message").inner_text()
