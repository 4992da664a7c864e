"""Settings, slash commands, the queue and the list of sessions in a real JupyterLab, with an agent that keeps both."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.chats import Place, composer, frame, send, status
from tests.browser.conftest import Open

AGENT = Path(__file__).parent.parent / "agents" / "session_agent.py"
ABLE = ["load", "resume", "fork", "list", "delete"]


def keeper(place: Place, more: str = "", **config: object) -> str:
    """Give a cell that makes and shows a chat with the keeper."""
    store = place.root / "store"
    store.mkdir(exist_ok=True)
    word = json.dumps({"store": str(store), "able": ABLE, "controls": ["options"], **config})
    return (
        "from acp_notebook import Agent, Chat\n"
        f"agent = Agent({sys.executable!r}, {str(AGENT)!r}, {word!r}, name='keeper')\n"
        f"chat = Chat(agent, cwd={str(place.folder)!r}, record={str(place.file)!r}, {more})\n"
        "chat"
    )


def selector(view: Locator, name: str) -> Locator:
    """Give the choice of that name in the header."""
    return view.locator(".acp-controls > .acp-select").and_(view.get_by_label(name, exact=True))


def test_model_and_mode_in_the_header(open_notebook: Open, place: Place):
    """Chosen by keyboard or mouse, from either side; another model brings a setting of its own."""
    notebook = open_notebook(keeper(place))
    notebook.run(0)
    view = frame(notebook, 0)
    expect(selector(view, "Model")).to_have_value("small")
    selector(view, "Model").select_option("big")
    view.get_by_role("button", name="Settings of this session").click()
    loud = view.get_by_role("checkbox", name="Loud")
    loud.check()
    expect(loud).to_be_checked()
    view.page.keyboard.press("Escape")
    expect(view.get_by_role("dialog", name="Settings of this session")).to_be_hidden()
    send(view, "mode go")
    expect(selector(view, "Mode")).to_have_value("go")
    sent = [each["params"] for each in place.sent("session/set_config_option")]
    assert [(each["configId"], each["value"]) for each in sent] == [("model", "big"), ("loud", True)]
    view.page.set_viewport_size({"width": 700, "height": 800})
    expect(selector(view, "Model")).to_be_hidden()
    view.get_by_role("button", name="Settings of this session").click()
    expect(view.get_by_role("dialog", name="Settings of this session").get_by_label("Model")).to_have_value(
        "big"
    )
    box = view.locator(".acp-settings").bounding_box()
    outer = view.bounding_box()
    assert box is not None
    assert outer is not None
    assert outer["x"] <= box["x"]
    assert box["x"] + box["width"] <= outer["x"] + outer["width"] + 1


def test_slash_commands_by_keyboard(open_notebook: Open, place: Place):
    """The list narrows, arrows and Tab take, Escape closes it alone, Enter then sends."""
    notebook = open_notebook(keeper(place))
    notebook.run(0)
    view = frame(notebook, 0)
    expect(status(view)).to_have_text("ready")
    box = composer(view)
    box.click()
    keyboard = view.page.keyboard
    keyboard.type("/p")
    listed = view.locator(".acp-command")
    expect(listed).to_have_count(2)
    keyboard.press("ArrowDown")
    expect(view.locator(".acp-command[aria-selected=true]")).to_contain_text("/play")
    keyboard.press("Escape")
    expect(listed).to_have_count(0)
    expect(box).to_be_focused()
    keyboard.type("l")
    expect(listed).to_have_count(2)
    keyboard.press("Tab")
    expect(box).to_have_value("/plan ")
    keyboard.type("the week")
    keyboard.press("Enter")
    expect(view).to_contain_text("I remember 0 turns")
    assert place.sent("session/prompt")[0]["params"]["prompt"][0]["text"] == "/plan the week"
    assert len(notebook.save().cells) == 1


def test_a_subagent_stands_apart_and_nested(open_notebook: Open, place: Place):
    """Its session is a line of its own that opens; nothing of it is in the turn, and what comes later is added."""
    notebook = open_notebook(keeper(place))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "child one")
    send(view, "child two")
    expect(view.locator(".acp-turn").last).to_contain_text("I remember 1 turns")
    expect(view.locator(".acp-turn").filter(has_text="I am the helper.")).to_have_count(0)
    child = view.locator(".acp-children .acp-child")
    expect(child).to_have_count(1)
    expect(child).to_contain_text("Subagent: kid-1")
    expect(view.get_by_text("I am the helper.")).to_have_count(0)
    child.get_by_role("button").first.click()
    expect(view.locator(".acp-children").get_by_text("I am the helper.")).to_have_count(2)
    send(view, "child three")
    expect(view.locator(".acp-children").get_by_text("I am the helper.")).to_have_count(3)


def test_the_queue_is_ordered_changed_and_sent(open_notebook: Open, place: Place):
    """Move, change, Stop and send; after a stop it waits for Send now; drafts outlive a reload."""
    notebook = open_notebook(keeper(place))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "hold on")
    expect(status(view)).to_contain_text("working")
    for text in ("say one", "say two"):
        send(view, text)
    rows = view.locator(".acp-queue-row")
    expect(rows).to_have_count(2)
    rows.nth(1).get_by_role("button", name="Move up").click()
    expect(rows.nth(0)).to_contain_text("say two")
    rows.nth(1).get_by_role("button", name="Change").click()
    edit = view.get_by_role("textbox", name="Text of the waiting message").and_(view.locator(":visible"))
    edit.fill("say three")
    edit.press("Enter")
    expect(rows.nth(1)).to_contain_text("say three")
    view.get_by_role("button", name="Stop", exact=False).last.click()
    expect(view.locator(".acp-queue").first).to_contain_text("Not sent yet")
    assert len(place.sent("session/prompt")) == 1
    composer(view).fill("a draft")
    view.get_by_role("button", name="Send now").click()
    expect(view.locator(".acp-turn").last).to_contain_text("three")
    expect(composer(view)).to_have_value("a draft")
    texts = [each["params"]["prompt"][0]["text"] for each in place.sent("session/prompt")]
    assert texts == ["hold on", "say two", "say three"]
    composer(view).fill("")
    send(view, "hold again")
    expect(status(view)).to_contain_text("working")
    composer(view).fill("say urgent")
    view.get_by_role("button", name="Stop and send").click()
    expect(view.locator(".acp-turn").last).to_contain_text("urgent")
    expect(status(view)).to_have_text("ready")
    composer(view).fill("half a thought")
    notebook.save()
    notebook.reload()
    expect(composer(frame(notebook, 0))).to_have_value("half a thought")


def test_sessions_are_picked(open_notebook: Open, place: Place):
    """New, and back to the first by the list: its replay is not shown twice; a copy; deleting asks first."""
    notebook = open_notebook(keeper(place))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "say first")
    expect(status(view)).to_have_text("ready")

    def picker() -> Locator:
        view.get_by_role("button", name="More").click()
        view.get_by_role("menuitem", name="Sessions").click()
        return view.get_by_role("dialog", name="Sessions")

    picker().get_by_role("button", name="New session").click()
    expect(view).to_contain_text("A new session began.")
    send(view, "say second")
    expect(view.locator(".acp-turn").last).to_contain_text("second")
    expect(status(view)).to_have_text("ready")
    found = picker()
    expect(found.locator(".acp-session-open")).to_have_count(2)
    found.get_by_role("button", name="say first", exact=False).first.click()
    expect(found).to_have_count(0)
    send(view, "what")
    expect(view.locator(".acp-turn").last).to_contain_text("I remember 1 turns")
    expect(view.locator(".acp-prompt", has_text="say first")).to_have_count(1)
    assert len(place.sent("initialize")) == 1
    found = picker()
    found.get_by_role("button", name="Go on with a copy: say first").click()
    expect(found).to_have_count(0)
    expect(view).to_contain_text("copy of the session")
    assert len(place.sent("session/fork")) == 1
    found = picker()
    delete = found.get_by_role("button", name="Delete: say second")
    delete.click()
    found.get_by_role("button", name="Delete for good: say second").click()
    expect(found.locator(".acp-session-open")).to_have_count(2)
    view.page.keyboard.press("Escape")
    expect(found).to_have_count(0)


def test_last_picks_up_after_a_kernel_restart(open_notebook: Open, place: Place):
    """`session="last"` in the new kernel shows what was said, and the agent remembers it."""
    notebook = open_notebook(keeper(place, "session='last'"))
    notebook.run(0)
    send(frame(notebook, 0), "say before")
    expect(frame(notebook, 0)).to_contain_text("before")
    expect(status(frame(notebook, 0))).to_have_text("ready")
    notebook.restart()
    notebook.run(0)
    view = frame(notebook, 0)
    expect(view).to_have_count(1)
    expect(view.locator(".acp-turn", has_text="say before")).to_have_count(1)
    send(view, "what")
    expect(view.locator(".acp-turn").last).to_contain_text("I remember 1 turns")
