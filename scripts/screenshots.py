"""Takes the README's screenshots: the quickstart's chat in real JupyterLab, light and dark.

    python scripts/screenshots.py [FOLDER]

The pictures go to `docs/screenshots/` unless a folder is named.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser import chromium  # noqa: E402  # found through the line above
from tests.browser.lab import Notebook  # noqa: E402
from tests.browser.server import Server  # noqa: E402

CELLS = (
    "from acp_notebook import Chat\n\nchat = Chat(height='820px')\nchat",
    'turn = chat.send("Why does one of the tests fail? Please repair it.")',
)
WIDTH, HEIGHT = 1160, 1000
SCALE = 1.5
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


def shoot(browser: Browser, server: Server, name: str, theme: str, folder: Path) -> None:
    """Play the main scene in one theme and take a picture at the approval and at the end."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE, color_scheme="no-preference"
    )
    page = context.new_page()
    notebook = Notebook(server, page, server.write(f"agent-{name}.ipynb", *CELLS)).open()
    notebook.theme(theme)
    notebook.command("application:toggle-left-area")
    notebook.run(0)
    notebook.run(1)
    allow = page.locator(".acp-card:not(.acp-answered)").get_by_role("button", name="Allow").first
    allow.wait_for()
    picture(page, folder / f"approval-{name}.png")
    allow.click()
    page.locator(".acp-card:not(.acp-answered)").get_by_text("python -m unittest -v").first.wait_for()
    allow.click()
    page.get_by_role("heading", name="Done").wait_for()
    page.locator(".acp-send", has_text="Send").wait_for()
    page.locator("math").wait_for()
    # The end of the conversation, wherever the reading position stayed.
    page.get_by_role("heading", name="Done").evaluate("node => node.scrollIntoView({ block: 'center' })")
    picture(page, folder / f"answer-{name}.png")
    context.close()
    server.stop_kernels()


def picture(page: Page, path: Path) -> None:
    """Take a picture of the window once nothing moves any more."""
    page.evaluate("() => document.fonts.ready.then(() => null)")
    page.screenshot(path=path, animations="disabled", caret="hide")
    print(path)


def main() -> int:
    """Start a server and a browser, take every picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    executable = chromium.find()
    if executable is None:
        print(chromium.HELP, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        server = Server(Path(temporary), "lab")
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=executable, args=list(chromium.FLAGS))
                for name, theme in THEMES.items():
                    shoot(browser, server, name, theme, folder)
                browser.close()
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
