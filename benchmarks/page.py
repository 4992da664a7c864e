"""A real JupyterLab in a real Chromium, and what is measured in its page.

`lab` gives both; `Lab.open` a notebook in a fresh page whose long tasks, timers and frames are counted from
before the first script runs (``js/probe.js``). What crosses the websocket is counted by the browser itself.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Browser, Page, sync_playwright
from report import ROOT, Options

from tests.browser import chromium
from tests.browser.lab import Notebook
from tests.browser.server import Server

HERE = Path(__file__).resolve().parent
PROBE = (HERE / "js" / "probe.js").read_text()
AGENTS = HERE / "agents"
VIEW = {"width": 1300, "height": 900}


@dataclass
class Counted:
    """What has come over the websockets of a page."""

    bytes: int = 0
    messages: int = 0
    kept: list[str] = field(default_factory=list)
    """The newest ones, cut."""

    def reset(self) -> None:
        """Begin anew."""
        self.bytes = self.messages = 0
        self.kept.clear()

    def follow(self, page: Page) -> None:
        """Count what comes."""
        page.on("websocket", self._opened)

    def _opened(self, socket: Any) -> None:
        if "/channels" in socket.url:  # the others tell of the server, not of kernels
            socket.on("framereceived", self._received)

    def _received(self, payload: str | bytes) -> None:
        self.bytes += len(payload)
        self.messages += 1
        text = payload if isinstance(payload, str) else payload.decode("utf-8", "replace")
        self.kept = [*self.kept[-20:], text[:1500]]


class Lab:
    """A server and a browser."""

    def __init__(self, server: Server, browser: Browser) -> None:
        self.server = server
        self.browser = browser
        self.counted = Counted()

    def open(self, name: str, *cells: str) -> Notebook:
        """Open a notebook of these cells in a fresh page; its websocket is counted in `counted`."""
        page = self.browser.new_context(viewport=VIEW).new_page()  # type: ignore[arg-type]
        page.add_init_script(PROBE)
        self.counted = Counted()
        self.counted.follow(page)
        return Notebook(self.server, page, self.server.write(f"{name}.ipynb", *cells)).open()

    def close(self, notebook: Notebook) -> None:
        """Close the page and end its kernel."""
        notebook.page.context.close()
        self.server.stop_kernels()


@contextmanager
def lab(settings: dict[str, dict[str, Any]] | None = None) -> Iterator[Lab]:
    """JupyterLab and Chromium for as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, sync_playwright() as playwright:
        server = Server(Path(folder), "lab", settings)
        try:
            flags = [*chromium.FLAGS, "--js-flags=--expose-gc", "--enable-precise-memory-info"]
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=flags)
            try:
                yield Lab(server, browser)
            finally:
                browser.close()
                server.stop_kernels()
        finally:
            server.stop()


def setup(agent: str, **chat: str) -> str:
    """A cell that makes a chat with one of the agents here; the arguments of `Chat` as source."""
    arguments = "".join(f", {name}={value}" for name, value in chat.items())
    return (
        "import json, os, sys, threading, time\n"
        f"sys.path[:0] = [{str(HERE)!r}, {str(ROOT)!r}]\n"
        "from acp_notebook import Agent, Chat, Policy\n"
        f"agent = Agent(sys.executable, {str(AGENTS / agent)!r}, name='bench')\n"
        f"chat = Chat(agent{arguments})"
    )


def at_rest(here: Lab, page: Page, options: Options) -> dict[str, int]:
    """What happens in some seconds in which nothing does: our frames and timers, messages to the page."""
    wait = options.pick(4_000, 500, 500)
    here.counted.reset()
    page.evaluate("() => { probe.counting = true; probe.frames = probe.timers = 0; }")
    page.evaluate("(wait) => new Promise((done) => setTimeout(done, wait))", wait)
    frames, timers = page.evaluate("() => { probe.counting = false; return [probe.frames, probe.timers]; }")
    for text in here.counted.kept:
        print("at rest:", text)
    return {"frames": frames, "timers": timers, "messages": here.counted.messages}


def cpu(process: psutil.Process) -> float:
    """Processor seconds of a process."""
    times = process.cpu_times()
    return float(times.user + times.system)


def metrics(devtools: Any) -> dict[str, float]:
    """Chromium's own figures of a page: seconds of its main thread, bytes of its heap, nodes."""
    return {each["name"]: float(each["value"]) for each in devtools.send("Performance.getMetrics")["metrics"]}


def devtools(page: Page) -> Any:
    """A session with the page's developer tools."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    return session


def heap(session: Any) -> float:
    """Megabytes of the page's JavaScript after a collection."""
    session.send("HeapProfiler.collectGarbage")
    return metrics(session)["JSHeapUsedSize"] / 1e6


__all__ = ["HERE", "ROOT", "Counted", "Lab", "at_rest", "cpu", "devtools", "heap", "lab", "metrics", "setup"]
