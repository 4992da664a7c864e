"""Servers and the browser live as long as the session; each test gets a fresh notebook and page."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser import chromium
from tests.browser.chats import FIX, Place
from tests.browser.lab import Notebook
from tests.browser.server import KERNEL, App, Server

HERE = Path(__file__).parent
FAILED = pytest.StashKey[bool]()
TEST_TIMEOUT = 180
NUMBERS = itertools.count(1)
expect.set_options(timeout=20_000)

Open = Callable[..., Notebook]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is here, and run it last: Playwright leaves an event loop running in this thread."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(TEST_TIMEOUT))
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Remember failures for the fixtures, which then take a picture."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Give the one Chromium of the session."""
    path = chromium.find()
    if path is None:
        pytest.fail(chromium.HELP, pytrace=False)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[App], Server]]:
    """Give a function that starts each kind of server when first asked for it."""
    running: dict[App, Server] = {}

    def get(app: App) -> Server:
        if app not in running:
            running[app] = Server(tmp_path_factory.mktemp(app), app)
        return running[app]

    yield get
    for server in running.values():
        server.stop()


@pytest.fixture(scope="session")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a notebook that nbclient ran: a chat in the first cell, `ask` in the second. Not to be written to."""
    root = tmp_path_factory.mktemp("executed")
    cells = [
        Place(root).chat("policy=Policy.allow_all()", shown=True),
        f"turn = chat.ask({FIX!r})",
    ]
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": KERNEL}
    )
    NotebookClient(book, timeout=60, resources={"metadata": {"path": str(root)}}).execute()
    path = root / "executed.ipynb"
    nbformat.write(book, path)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Give a fresh copy of the sample project and the place of a transcript."""
    return Place(tmp_path)


@pytest.fixture
def console() -> list[str]:
    """Give the lines of the browser's console, each with its level before it."""
    return []


@pytest.fixture
def context(
    browser: Browser, request: pytest.FixtureRequest, tmp_path: Path, console: list[str]
) -> Iterator[BrowserContext]:
    """Give a browser profile without history; a failed test leaves pictures and the console's lines."""
    profile = browser.new_context(viewport={"width": 1200, "height": 900})
    profile.set_default_timeout(20_000)
    profile.on("console", lambda message: console.append(f"{message.type}: {message.text}"))
    profile.on("weberror", lambda error: console.append(f"uncaught: {error.error}"))
    yield profile
    if request.node.stash.get(FAILED, False):
        for number, page in enumerate(profile.pages):
            picture = tmp_path / f"failed-{number}.png"
            page.screenshot(path=picture)
            request.node.add_report_section("teardown", "picture", str(picture))
        request.node.add_report_section("teardown", "browser console", "\n".join(console[-60:]))
    profile.close()


@pytest.fixture
def open_notebook(
    servers: Callable[[App], Server], context: BrowserContext, request: pytest.FixtureRequest
) -> Iterator[Open]:
    """Give `open_notebook(*cells, app="lab", kernel=True)`; kernels end with the test.

    `path=` opens a notebook that is already there.
    """
    used: list[Server] = []

    def open_it(*cells: str, app: App = "lab", kernel: bool = True, path: Path | None = None) -> Notebook:
        server = servers(app)
        used.append(server)
        file = path or server.write(f"test-{next(NUMBERS)}.ipynb", *cells)
        return Notebook(server, context.new_page(), file).open(kernel=kernel)

    yield open_it
    for page in context.pages:
        if not request.node.stash.get(FAILED, False):
            page.close()
    for server in used:
        server.stop_kernels()
        if request.node.stash.get(FAILED, False):
            request.node.add_report_section("teardown", "server log", "".join(server.log[-40:]))
