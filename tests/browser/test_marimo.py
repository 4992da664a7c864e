"""The chat where no IPython kernel runs: marimo's anywidget support."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.server import free_port

NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import sys

    import marimo as mo

    from acp_notebook import Agent, Chat

    env = {"ACP_DEMO_DELAY": "0"}
    demo = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env=env, name="demo")
    chat = Chat(demo, cwd=FOLDER, record=False)
    mo.ui.anywidget(chat.widget)
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Serve the notebook; gives the address once the server listens."""
    file = tmp_path / "chat.py"
    file.write_text(NOTEBOOK.replace("FOLDER", repr(str(tmp_path))))
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "marimo", "-d", "run", str(file), "--headless", "--no-token", "-p", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
        start_new_session=True,
    )
    assert server.stdout is not None
    log = []
    for line in server.stdout:
        log.append(line.decode())
        if "running on http" in log[-1]:
            break
    else:
        pytest.fail("marimo did not start:\n" + "".join(log))
    yield f"http://127.0.0.1:{port}"
    os.killpg(server.pid, signal.SIGKILL)
    server.communicate()


def test_send_and_approve_in_marimo(address: str, context: BrowserContext) -> None:
    """The widget works by anywidget alone: prompt, approval by click, streamed answer."""
    page = context.new_page()
    page.goto(address)
    box = page.get_by_role("textbox")
    box.fill("/ask")
    box.press("Enter")
    page.get_by_role("button", name="Kelvin").click()

    expect(page.get_by_role("log")).to_contain_text("Kelvin", timeout=20_000)
    expect(page.get_by_text("ready", exact=True)).to_be_visible()
