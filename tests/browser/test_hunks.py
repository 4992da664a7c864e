"""Edits accepted in parts, with the keyboard, in JupyterLab."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.chats import Place, cards, frame, send, until
from tests.browser.conftest import Open

RAW = Path(__file__).parent.parent / "agents" / "raw_agent.py"
OLD = "".join(f"value_{i} = {i}\n" for i in range(60))
NEW = (
    OLD.replace("value_3 = 3\n", "value_3 = 33\n")
    .replace("value_20 = 20\n", "value_20 = 20\nextra = None\n")
    .replace("value_50 = 50\n", "")
)
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def cell(place: Place, steps: list[Any], more: str = "") -> str:
    """A cell that makes and shows a chat with an agent that follows these steps after the prompt."""
    script = [
        ["take", 1],
        ["answer", 0, {"result": {"protocolVersion": 1}}],
        ["take", 1],
        ["answer", 1, {"result": {"sessionId": "s"}}],
        ["take", 1],
        *steps,
        ["answer", 2, {"result": {"stopReason": "end_turn"}}],
        ["eof"],
    ]
    file = place.root / "script.json"
    file.write_text(json.dumps(script))
    return (
        "from acp_notebook import Chat\n"
        f"words = [{sys.executable!r}, {str(RAW)!r}, {f'@{file}'!r}]\n"
        f"chat = Chat(words, cwd={str(place.folder)!r}, record={str(place.file)!r}, {more})\nchat"
    )


def asks(ident: int, file: Path, call: str, old: str = OLD, new: str = NEW) -> list[Any]:
    content = [{"type": "diff", "path": str(file), "oldText": old, "newText": new}]
    about = {"toolCallId": call, "title": "Edit settings.py", "kind": "edit", "content": content}
    params = {"sessionId": "s", "toolCall": about, "options": OPTIONS}
    message = {"jsonrpc": "2.0", "id": ident, "method": "session/request_permission", "params": params}
    return [["say", message], ["take", 1]]


def settings(place: Place, text: str = OLD) -> Path:
    file = place.folder / "settings.py"
    file.write_text(text)
    return file


def here(view: Locator) -> Locator:
    """The hunk with the focus."""
    return view.locator(".acp-hunk:focus")


def test_a_held_write_by_keys(open_notebook: Open, place: Place):
    """The keys move, choose and apply; the choice is written, told, and the report can be taken out."""
    file = settings(place)
    params = {"sessionId": "s", "path": str(file), "content": NEW}
    write = {"jsonrpc": "2.0", "id": 7, "method": "fs/write_text_file", "params": params}
    notebook = open_notebook(cell(place, [["say", write], ["take", 1]], "review=True"))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    card = cards(view)
    expect(card).to_contain_text("Write settings.py?")
    expect(card.locator(".acp-hunks-count")).to_have_text("3 of 3 hunks")
    card.locator(".acp-hunk-body").first.click()
    keys = notebook.page.keyboard
    keys.press("r")
    expect(here(view)).to_have_attribute("aria-label", "Hunk 2 of 3, line 22, accepted")
    keys.press("j")
    keys.press("r")
    expect(card.locator(".acp-hunks-apply")).to_have_text("Write 1 of 3 hunks")
    keys.press("k")
    expect(here(view)).to_contain_text("extra = None")
    keys.press("s")
    expect(card.locator(".acp-hunk-pair").first).to_be_visible()
    keys.press("s")
    assert file.read_text() == OLD
    keys.press("Enter")
    expect(view.locator(".acp-decision-word")).to_have_text("1 of 3 hunks written by you: settings.py")
    assert file.read_text() == OLD.replace("value_20 = 20\n", "value_20 = 20\nextra = None\n")
    report = view.locator(".acp-report")
    expect(report).to_contain_text("kept 1 of 3 hunks")
    view.get_by_role("button", name="Do not tell").click()
    expect(report).to_be_hidden()


def test_beside_a_request_that_comes_again(open_notebook: Open, place: Place):
    """The first time hunks are opened by a button, the second time they stand there with what is in already."""
    file = settings(place)
    notebook = open_notebook(cell(place, [*asks(7, file, "c"), *asks(8, file, "d")]))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    expect(cards(view)).to_have_count(1)
    view.get_by_role("button", name="Choose hunks").click()
    expect(here(view)).to_have_count(1)
    keys = notebook.page.keyboard
    keys.press("R")
    keys.press("j")
    keys.press("a")
    keys.press("Enter")
    again = view.locator(".acp-card:not(.acp-answered)", has_text="1 of the 3 hunks")
    expect(again.locator(".acp-hunk")).to_have_count(2)
    assert "extra = None" in file.read_text()
    expect(view.locator(".acp-decision-word").first).to_contain_text("1 of 3 hunks written by you")
    again.locator(".acp-hunk-body").first.click()
    keys.press("Shift+Enter")
    until(notebook.page, lambda: file.read_text() == NEW)
    until(notebook.page, lambda: place.sent("session/cancel"))
    assert [each["optionId"] for each in place.outcomes()] == ["no", "no"]


def test_an_edit_is_taken_back(open_notebook: Open, place: Place):
    """From the step itself; the review gets the focus."""
    file = settings(place)
    content = [{"type": "diff", "path": str(file), "oldText": OLD, "newText": NEW}]
    start = {
        "sessionUpdate": "tool_call",
        "toolCallId": "c",
        "title": "Edit",
        "kind": "edit",
        "content": content,
    }
    end = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
    tell = [
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": one}}
        for one in (start, end)
    ]
    notebook = open_notebook(cell(place, [["say", tell[0]], ["write", str(file), NEW], ["say", tell[1]]]))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    step = view.locator(".acp-call")
    expect(step).to_contain_text("done")
    step.locator(".acp-fold-head").first.click()
    view.get_by_role("button", name="Take back…").click()
    expect(here(view)).to_have_count(1)
    keys = notebook.page.keyboard
    keys.press("R")
    keys.press("a")
    keys.press("Enter")
    expect(view.locator(".acp-decision-word")).to_have_text("1 of 3 hunks taken back by you: settings.py")
    assert file.read_text() == NEW.replace("value_3 = 33\n", "value_3 = 3\n")


def test_a_write_that_the_agent_did_not_show_is_taken_back(open_notebook: Open, place: Place):
    """It stands in the turn as a step of its own, with its diff; what is left of it is what the file holds."""
    file = settings(place)
    params = {"sessionId": "s", "path": str(file), "content": NEW}
    write = {"jsonrpc": "2.0", "id": 7, "method": "fs/write_text_file", "params": params}
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "All written."}}
    says = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}
    notebook = open_notebook(cell(place, [["say", write], ["take", 1], ["say", says]]))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    step = view.locator(".acp-call")
    expect(step).to_contain_text("settings.py")
    expect(step).to_contain_text("+2 −2")
    expect(view).to_contain_text("All written.")
    assert file.read_text() == NEW
    step.locator(".acp-fold-head").first.click()
    expect(step).to_contain_text("value_3 = 33")
    view.get_by_role("button", name="Take back…").click()
    apply = view.locator(".acp-hunks-apply")
    expect(apply).to_have_text("Take back 3 of 3 hunks")
    apply.click()
    expect(view.locator(".acp-decision-word")).to_have_text("3 of 3 hunks taken back by you: settings.py")
    assert file.read_text() == OLD


def test_a_long_file_does_not_hold_up_the_page(open_notebook: Open, place: Place):
    """20,000 lines with an edit every 50: the hunks open at once and only those in view are drawn."""
    old = "".join(f"line {i}\n" for i in range(20_000))
    new = "".join(f"changed {i}\n" if i % 50 == 25 else f"line {i}\n" for i in range(20_000))
    file = settings(place, old)
    notebook = open_notebook(cell(place, asks(7, file, "c", old, new)))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    view.get_by_role("button", name="Choose hunks").wait_for()
    page = notebook.page
    page.evaluate(
        """() => {
          window.longest = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
          }).observe({ entryTypes: ["longtask"] });
        }"""
    )
    view.get_by_role("button", name="Choose hunks").click()
    expect(view.locator(".acp-hunks-count")).to_have_text("400 of 400 hunks")
    expect(here(view)).to_contain_text("changed 25")
    assert view.locator(".acp-hunk-body > *").count() < 2_000
    last = view.locator(".acp-hunk").last
    last.scroll_into_view_if_needed()
    expect(last).to_contain_text("changed 19975")
    assert page.evaluate("window.longest") < 1_000
