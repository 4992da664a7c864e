"""Signing in from the widget, and the wire log, with an agent that insists on a sign-in."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chats import Place, frame, send
from tests.browser.conftest import Open

PROGRAM = Path(__file__).parents[1] / "agents" / "sign_in_agent.py"
BROWSER = {"id": "browser", "name": "Log in"}
TERMINAL = {"id": "terminal", "name": "Log in here", "type": "terminal", "args": ["--login"]}

pytestmark = pytest.mark.browser


def chat(place: Place, **settings: object) -> str:
    """A cell with a chat with the strict agent."""
    settings = {"mark": str(place.root / "mark"), "methods": [BROWSER, TERMINAL], **settings}
    words = [sys.executable, str(PROGRAM), json.dumps(settings)]
    return (
        "from acp_notebook import Agent, Chat\n"
        f"chat = Chat(Agent(*{words!r}, name='strict'), cwd={str(place.folder)!r}, record={str(place.file)!r})\n"
        "chat"
    )


def card(view: Locator) -> Locator:
    return view.locator(".acp-sign-in")


def test_a_click_signs_in_and_the_prompt_goes_out(open_notebook: Open, place: Place):
    """The ways are shown, the prompt waits; after a click on one it is answered, in the same process."""
    notebook = open_notebook(chat(place))
    notebook.run(0)
    view = frame(notebook, 0)
    expect(card(view)).to_contain_text("wants you to sign in")
    send(view, "Hello")
    card(view).get_by_role("button", name="Log in", exact=True).click()
    expect(view).to_contain_text("You said: Hello")
    expect(card(view)).to_be_hidden()
    assert len(place.notes("spawn")) == 1


def test_a_terminal_sign_in_is_looked_at_again(open_notebook: Open, place: Place):
    """The command stands there to be copied; before it was run, looking again says that nothing has changed."""
    notebook = open_notebook(chat(place))
    notebook.run(0)
    view = frame(notebook, 0)
    again = card(view).get_by_role("button", name="I have done that: look again")
    again.click()
    expect(card(view)).to_contain_text("The agent still asks for a sign-in.")
    command = card(view).locator("code").inner_text()
    subprocess.run(["/bin/sh", "-c", command], check=True)
    again.click()
    expect(card(view)).to_be_hidden()
    send(view, "Hello")
    expect(view).to_contain_text("You said: Hello")


def test_a_key_is_typed_and_stays_out_of_the_record(open_notebook: Open, place: Place):
    """A hidden line takes it; the agent gets it, and neither the transcript nor the saved notebook has it."""
    secret = "sk-typed-in-the-browser"
    meta = json.dumps({"api-key": {"apiKey": secret}}).encode()
    way = {"id": "typed", "name": "Key", "_meta": {"api-key": {"provider": "somebody"}}}
    notebook = open_notebook(chat(place, methods=[way], meta=hashlib.sha256(meta).hexdigest()))
    notebook.run(0)
    view = frame(notebook, 0)
    line = card(view).get_by_label("API key (somebody)")
    expect(line).to_have_attribute("type", "password")
    line.fill("wrong")
    line.press("Enter")
    expect(card(view).get_by_role("alert")).to_contain_text("Wrong")
    line.fill(secret)
    card(view).get_by_role("button", name="Sign in with this key").click()
    expect(card(view)).to_be_hidden()
    send(view, "Hello")
    expect(view).to_contain_text("You said: Hello")
    kept = [json.dumps(notebook.save())]
    kept += [file.read_text(encoding="utf-8") for file in place.root.rglob("*") if file.is_file()]
    assert any("authenticate" in text for text in kept)
    assert not any(secret in text for text in kept)


def test_the_wire_log_follows(open_notebook: Open, place: Place):
    """It opens from the menu, shows what crosses the wire as it does, filters, and closes with Escape."""
    (place.root / "mark").write_text("signed in")
    notebook = open_notebook(chat(place))
    notebook.run(0)
    view = frame(notebook, 0)
    view.locator(".acp-menu-place > button").click()
    view.get_by_role("menuitem", name="Wire log").click()
    log = view.locator(".acp-wire")
    expect(log).to_contain_text('"method":"initialize"')
    send(view, "Hello")
    expect(log).to_contain_text("You said: Hello")
    log.get_by_role("searchbox").fill("session/prompt")
    expect(log.locator(".acp-wire-line")).to_have_count(1)
    log.locator(".acp-wire-line").press("Escape")
    expect(log).to_have_count(0)
