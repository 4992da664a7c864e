"""The chat in a real JupyterLab: prompts, approvals and ends as a person meets them."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.lab import Notebook

SETUP = """
import sys
from acp_notebook import Agent, Chat, Policy
demo = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env={"ACP_DEMO_DELAY": "0"}, name="demo")
from acp_notebook._demo.scratch import scratch_copy
folder = scratch_copy()
"""
CHAT = "chat = Chat(demo, cwd=folder, record=False)\nchat"


def test_send_from_the_composer(open_notebook: Open) -> None:
    """A prompt typed into the composer is answered in place."""
    notebook = open_notebook(SETUP, CHAT)
    notebook.run(0)
    notebook.run(1)
    view = notebook.output(1)
    box = view.get_by_role("textbox")
    box.click()
    box.fill("/long 5")
    box.press("Enter")

    expect(view).to_contain_text("chunk 5")
    expect(box).to_have_value("")
