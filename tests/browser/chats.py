"""What the tests of the chat share: the cells, the wire as the transcript file has it, the places in the view."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Locator, Page

from acp_notebook._demo.scratch import SAMPLE
from tests.browser.lab import Notebook

HERE = Path(__file__).parent
RAW_AGENT = HERE.parent / "kernel" / "raw_agent.py"
FIX = "Why does the test fail? Please fix it."
PATIENCE = 20.0
"""Seconds that something may take which is waited for outside the page."""


class Place:
    """A folder with the sample project, and the transcript that a chat keeps beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "weather-project"
        self.file = root / "wire.jsonl"
        self.diary = root / "diary.jsonl"
        shutil.copytree(SAMPLE, self.folder, ignore=shutil.ignore_patterns("__pycache__"))

    def chat(self, more: str = "", *, delay: float = 0, name: str = "chat", shown: bool = False) -> str:
        """Give a cell that makes a chat with the demo agent; `more` are further arguments."""
        code = (
            "import sys, time\n"
            "from acp_notebook import Agent, Chat, Policy\n"
            f"demo = Agent({sys.executable!r}, '-m', 'acp_notebook', 'demo-agent', "
            f"env={{'ACP_DEMO_DELAY': '{delay}'}}, name='demo')\n"
            f"{name} = Chat(demo, cwd={str(self.folder)!r}, record={str(self.file)!r}, {more})\n"
        )
        return code + (name if shown else "")

    def raw(self, more: str = "", *, stubborn: bool = False) -> str:
        """Give a cell that makes a chat with the agent that asks, and keeps a diary of what it gets."""
        words = [sys.executable, str(RAW_AGENT), str(self.diary), *(["stubborn"] if stubborn else [])]
        return (
            "import sys, time\n"
            "from acp_notebook import Agent, Chat, Policy\n"
            f"chat = Chat({words!r}, cwd={str(self.folder)!r}, record={str(self.file)!r}, {more})\n"
        )

    # --- the wire --------------------------------------------------------------------------------

    def messages(self, direction: str = "out") -> list[dict[str, Any]]:
        """Give what went over the wire so far, from the file that is written through."""
        if not self.file.exists():
            return []
        lines = self.file.read_bytes().split(b"\n")[:-1]
        records = [json.loads(line) for line in lines]
        return [record["msg"] for record in records if record.get("dir") == direction]

    def sent(self, method: str) -> list[dict[str, Any]]:
        """Give the messages of one method that the agent was sent."""
        return [message for message in self.messages() if message.get("method") == method]

    def outcomes(self) -> list[dict[str, Any]]:
        """Give the answers to permission requests that the agent was sent."""
        results = [message.get("result") for message in self.messages()]
        return [result["outcome"] for result in results if isinstance(result, dict) and "outcome" in result]

    def notes(self, kind: str) -> list[dict[str, Any]]:
        """Give the notes of one kind."""
        return [message for message in self.messages("note") if message.get("kind") == kind]

    def pids(self) -> list[int]:
        """Give the raw agent's process and its children."""
        lines = [json.loads(line) for line in self.diary.read_text().splitlines()]
        return [pid for line in lines for pid in line.get("pids", ())]


def until(page: Page, condition: Callable[[], object], seconds: float = PATIENCE, what: str = "") -> None:
    """Wait for something outside the page, while the page goes on; fail when it has not come in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what or "did not come in time"
        page.wait_for_timeout(20)


def alive(pids: list[int]) -> list[int]:
    """Give those processes that still run."""
    return [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie"]


def frame(notebook: Notebook, index: int) -> Locator:
    """Give the live view in a cell's output, without the saved copy beside it."""
    return notebook.output(index).locator(".acp-notebook-view .acp-frame")


def composer(view: Locator) -> Locator:
    """Give the chat's text box."""
    return view.get_by_role("textbox", name="Message to the agent")


def send(view: Locator, text: str) -> None:
    """Type a prompt and send it."""
    box = composer(view)
    box.click()
    box.fill(text)
    box.press("Enter")


def cards(view: Locator) -> Locator:
    """Give the approval cards that wait."""
    return view.locator(".acp-card:not(.acp-answered):not([hidden])")


def option(view: Locator, name: str) -> Locator:
    """Give the button of the waiting card that bears this name."""
    return cards(view).locator(".acp-option", has=view.page.get_by_text(name, exact=True))


def status(view: Locator) -> Locator:
    """Give the header's word about the state."""
    return view.locator(".acp-state-word")


def copies(notebook: Notebook, cell: int = 0) -> list[str]:
    """Save, and give the static copies that the file holds in a cell."""
    saved = [output["data"] for output in notebook.save().cells[cell].outputs if "data" in output]
    return [data["text/html"] for data in saved if "acp-notebook-twin" in data.get("text/html", "")]
