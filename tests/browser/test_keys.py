"""Keys and focus: the widget keeps what is its own, the notebook gets the rest."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chats import FIX, Place, cards, composer, frame, option, send, status, until
from tests.browser.conftest import Open
from tests.browser.lab import Notebook

FOCUS = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node?.className ?? 'none';
}"""
COUNT = "() => window.jupyterapp.shell.currentWidget.content.widgets.length"
DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"


def focus(notebook: Notebook) -> str:
    """Give the classes of the element that has the focus, in whichever shadow root."""
    return str(notebook.page.evaluate(FOCUS))


def opened(open_notebook: Open, place: Place, app: str = "lab") -> tuple[Notebook, Locator]:
    """Open a notebook with a displayed chat that is ready."""
    notebook = open_notebook(place.chat(shown=True), "ran = True", app=app)
    notebook.run(0)
    view = frame(notebook, 0)
    expect(status(view)).to_have_text("ready")
    return notebook, view


def test_ctrl_s_saves_from_the_composer(open_notebook: Open, place: Place):
    """Chords of the notebook pass: Ctrl+S saves it, and the draft stays."""
    notebook, view = opened(open_notebook, place)
    assert notebook.page.evaluate(DIRTY)
    before = notebook.path.read_bytes()
    composer(view).click()
    composer(view).fill("a draft")
    composer(view).press("Control+s")
    until(notebook.page, lambda: notebook.path.read_bytes() != before)
    notebook.page.wait_for_function(f"() => !({DIRTY})()")
    expect(composer(view)).to_have_value("a draft")


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_plain_keys_on_a_card_change_no_cells(open_notebook: Open, place: Place, app: str):
    """`a`, `b`, `d d` and `x` on a focused button neither insert nor delete a cell; Enter answers."""
    notebook, view = opened(open_notebook, place, app)
    send(view, FIX)
    button = option(view, "Refuse")
    button.focus()
    count = notebook.page.evaluate(COUNT)
    for key in ("a", "b", "d", "d", "x", "m", "y", "Shift+M", "Delete"):
        button.press(key)
    assert notebook.page.evaluate(COUNT) == count
    assert place.outcomes() == []
    button.press("Enter")
    expect(view).to_contain_text("Refused by you: Refuse")
    assert [each["optionId"] for each in place.outcomes()] == ["refuse"]


def test_a_number_chooses_the_option(open_notebook: Open, place: Place):
    """The number on a button answers, and after it the focus is in the next card, then in the composer."""
    notebook, view = opened(open_notebook, place)
    send(view, FIX)
    expect(cards(view)).to_have_count(1)
    option(view, "Refuse").focus()
    notebook.page.keyboard.press("1")
    expect(cards(view)).to_contain_text("python -m unittest -v")
    assert place.outcomes()[0]["optionId"] == "allow"
    cards(view).focus()
    notebook.page.keyboard.press("1")
    expect(view).to_contain_text("Ran 4 tests")
    assert focus(notebook) != ""
    assert "acp-" in focus(notebook)
    assert len(place.outcomes()) == 2


def test_after_an_answer_the_focus_is_in_the_next_card_then_in_the_composer(
    open_notebook: Open, place: Place
):
    """The focus never falls out of the widget when a button goes away."""
    notebook, view = opened(open_notebook, place)
    send(view, "/two")
    expect(cards(view)).to_have_count(2)
    first = cards(view).first.locator(".acp-option").first
    first.focus()
    first.press("Enter")
    expect(cards(view)).to_have_count(1)
    notebook.page.wait_for_function(f"() => ({FOCUS})().includes('acp-card')")
    option(view, "Allow").focus()
    option(view, "Allow").press("Enter")
    expect(cards(view)).to_have_count(0)
    notebook.page.wait_for_function(f"() => ({FOCUS})().includes('acp-box')")
    expect(view).to_contain_text("You allowed 2 of 2.")


def test_a_card_does_not_take_the_focus_from_who_types(open_notebook: Open, place: Place):
    """An approval that comes while a person types leaves the focus and the text alone."""
    notebook, view = opened(open_notebook, place)
    send(view, FIX)
    notebook.page.keyboard.type("meanwhile")
    expect(cards(view)).to_have_count(1)
    assert "acp-box" in focus(notebook)
    expect(composer(view)).to_have_value("meanwhile")


def test_shift_enter_makes_a_line_and_runs_nothing(open_notebook: Open, place: Place):
    """Shift+Enter, Ctrl+Enter and Alt+Enter in the composer are the composer's: no cell runs or appears."""
    notebook, view = opened(open_notebook, place)
    count = notebook.page.evaluate(COUNT)
    executions = notebook.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.map((cell) => cell.model.executionCount)"
    )
    box = composer(view)
    box.click()
    notebook.page.keyboard.type("one")
    box.press("Shift+Enter")
    notebook.page.keyboard.type("two")
    expect(box).to_have_value("one\ntwo")
    box.press("Alt+Enter")
    assert notebook.page.evaluate(COUNT) == count
    assert place.sent("session/prompt") == []
    box.press("Control+Enter")
    expect(view).to_contain_text("one")
    until(notebook.page, lambda: len(place.sent("session/prompt")) == 1)
    assert executions == notebook.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.map((cell) => cell.model.executionCount)"
    )


def test_enter_that_ends_a_composition_does_not_send(open_notebook: Open, place: Place):
    """Enter that takes a word from an input method sends nothing; the next Enter does."""
    notebook, view = opened(open_notebook, place)
    box = composer(view)
    box.click()
    session = notebook.page.context.new_cdp_session(notebook.page)
    session.send("Input.imeSetComposition", {"text": "にほん", "selectionStart": 3, "selectionEnd": 3})
    box.evaluate(
        """(node) => {
          const key = { key: 'Enter', code: 'Enter', bubbles: true, composed: true, cancelable: true };
          node.dispatchEvent(new KeyboardEvent('keydown', { ...key, isComposing: true }));
          node.dispatchEvent(new KeyboardEvent('keydown', { ...key, keyCode: 229 }));
        }"""
    )
    session.send("Input.insertText", {"text": "日本"})
    expect(box).to_have_value("日本")
    assert place.sent("session/prompt") == []
    box.press("Enter")
    until(notebook.page, lambda: len(place.sent("session/prompt")) == 1)
    assert place.sent("session/prompt")[0]["params"]["prompt"][0]["text"] == "日本"


def test_escape_closes_what_is_open_then_returns_to_the_notebook(open_notebook: Open, place: Place):
    """The first Esc closes the menu, the next gives the focus to the notebook, whose keys then work."""
    notebook, view = opened(open_notebook, place)
    view.get_by_role("button", name="More").click()
    menu = view.get_by_role("menu")
    expect(menu).to_be_visible()
    notebook.page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    assert "acp-" in focus(notebook)
    composer(view).click()
    notebook.page.keyboard.press("Escape")
    assert "jp-" in focus(notebook)
    count = notebook.page.evaluate(COUNT)
    notebook.page.keyboard.press("b")
    notebook.page.wait_for_function(f"() => ({COUNT})() === {count + 1}")


def test_a_click_inside_puts_the_focus_inside(open_notebook: Open, place: Place):
    """After a click on the text of an answer, plain keys do not reach the notebook."""
    notebook, view = opened(open_notebook, place)
    send(view, "/cwd")
    answer = view.locator(".acp-message").get_by_text("I work in")
    expect(answer).to_be_visible()
    composer(view).evaluate("(node) => node.blur()")
    answer.click()
    assert "acp-" in focus(notebook)
    count = notebook.page.evaluate(COUNT)
    notebook.page.keyboard.press("b")
    notebook.page.keyboard.press("a")
    assert notebook.page.evaluate(COUNT) == count


def test_stop_by_its_chord(open_notebook: Open, place: Place):
    """Ctrl+. in the view stops the turn."""
    notebook, view = opened(open_notebook, place)
    send(view, "/slow")
    expect(view).to_contain_text("until you stop me")
    notebook.page.keyboard.press("Control+.")
    expect(view).to_contain_text("Stopped by you.")
    assert len(place.sent("session/cancel")) == 1
