"""Screenshots of the views on hand-made states, without Jupyter: ``python js/demo/shots.py OUT [NAME ...]``.

Needs the built bundle (``npm run build``), playwright and a Chromium.
"""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import sys
import threading
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
STATES = (
    "empty",
    "streaming",
    "thinking",
    "work",
    "approval_diff",
    "approval_command",
    "answered",
    "opened",
    "errors",
    "long_names",
    "many",
    "hostile",
    "ended",
    "readonly",
    "queued",
    "hunks",
    "hunks_beside",
)
SIZES = (360, 760, 1400)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the repository without a log line for each request."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (named by the base class)
        """Say nothing."""


def open_all(page: Page) -> None:
    """Open every fold, some of which hold others."""
    for _ in range(3):
        page.evaluate(
            """() => {
              const closed = '.acp-fold-head[aria-expanded=false], .acp-diff:not([open]) > summary';
              for (const head of root.querySelectorAll(closed)) head.click();
            }"""
        )


def main() -> None:
    """Take one picture for each state, theme and width."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    names = sys.argv[2:] or list(STATES)
    handler = functools.partial(Quiet, directory=str(ROOT))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        for theme in ("light", "dark"):
            for width in SIZES:
                page = browser.new_page(viewport={"width": width, "height": 900})
                page.on("pageerror", lambda error: print("page error:", error))
                page.on("console", lambda said: print(said.type, said.text) if said.type == "error" else None)
                for name in names:
                    url = f"http://127.0.0.1:{server.server_port}/js/demo/index.html"
                    height = "850px" if name in {"opened", "answered", "hunks", "hunks_beside"} else "70vh"
                    page.goto(f"{url}?state={name}&theme={theme}&height={height}")
                    page.wait_for_selector("body[data-ready]")
                    if name == "opened":
                        open_all(page)
                    if name == "hunks_beside":
                        page.evaluate("() => root.querySelector('.acp-hunk-offer > button').click()")
                        page.wait_for_function("() => root.querySelector('.acp-hunks')")
                    if name != "readonly":  # without a kernel formulas stay source
                        page.wait_for_function("() => !root.querySelector('.acp-math-source')")
                    page.evaluate(DRAWN)
                    page.screenshot(path=out / f"{name}-{theme}-{width}.png", full_page=True)
                page.close()
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()
