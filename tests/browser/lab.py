"""A notebook open in JupyterLab or Notebook 7, driven through the page's own application object.

Nothing here sleeps or tries twice. Cells are run by command, whose promise resolves at the end of the cell:
Shift+Enter before the kernel is connected runs nothing and says nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Locator, Page

from tests.browser.server import Server

TIMEOUT = 60_000
"""Milliseconds that opening a notebook or running a cell may take."""

READY = """() => {
  const panel = window.jupyterapp?.shell.currentWidget;
  const session = panel?.context?.sessionContext;
  const kernel = session?.session?.kernel;
  return Boolean(panel?.context.isReady && session.isReady && kernel?.connectionStatus === 'connected'
    && kernel.status === 'idle');
}"""
LOADED = "() => Boolean(window.jupyterapp?.shell.currentWidget?.context?.isReady)"
START = """(index) => {
  const content = window.jupyterapp.shell.currentWidget.content;
  const started = performance.now();
  content.activeCellIndex = index;
  content.deselectAll();
  window.testRuns ??= {};
  window.testRuns[index] = null;
  void window.jupyterapp.commands.execute('notebook:run-cell')
    .then(() => { window.testRuns[index] = performance.now() - started; });
}"""
ENDED = "(index) => window.testRuns[index] !== null"
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => null)"
COMMAND = "([name, args]) => window.jupyterapp.commands.execute(name, args).then(() => null)"
EVALUATE = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code, store_history: false, stop_on_error: false });
  const out = [];
  future.onIOPub = (message) => {
    if (message.header.msg_type === 'stream') out.push(message.content.text);
    if (message.header.msg_type === 'error') out.push(message.content.traceback.join('\\n'));
  };
  const reply = await future.done;
  return [reply.content.status, out.join('')];
}"""
OUTPUTS = """(index) =>
  window.jupyterapp.shell.currentWidget.content.widgets[index].model.sharedModel.getOutputs()"""
KERNEL = "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.id"
RESTART = "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.restart()"
STATUS = (
    "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session?.kernel?.status ?? 'none'"
)


class Notebook:
    """One notebook in one page."""

    def __init__(self, server: Server, page: Page, path: Path) -> None:
        self.server = server
        self.page = page
        self.path = path

    # --- opening ---------------------------------------------------------------------------------

    def open(self, *, kernel: bool = True) -> Notebook:
        """Go to the notebook and wait until its kernel is connected and idle."""
        self.page.goto(self.server.url(self.path.name))
        self.page.wait_for_function(READY if kernel else LOADED, timeout=TIMEOUT)
        return self

    def reload(self, *, idle: bool = True) -> Notebook:
        """Load the page again; with `idle=False` a cell may still be running."""
        self.page.goto(self.server.url(self.path.name, reset=False))
        self.page.wait_for_function(READY if idle else LOADED, timeout=TIMEOUT)
        return self

    # --- cells -----------------------------------------------------------------------------------

    def start(self, index: int) -> None:
        """Start a cell and return at once."""
        self.page.evaluate(START, index)

    def wait(self, index: int, timeout: float = TIMEOUT) -> float:
        """Wait for the end of a started cell and give the seconds that it took."""
        self.page.wait_for_function(ENDED, arg=index, timeout=timeout)
        milliseconds: float = self.page.evaluate("(index) => window.testRuns[index]", index)
        return milliseconds / 1000

    def run(self, index: int, timeout: float = TIMEOUT) -> float:
        """Run a cell to its end and give the seconds that it took."""
        self.start(index)
        return self.wait(index, timeout)

    def running(self, index: int) -> bool:
        """Say whether a started cell has not ended yet."""
        return not self.page.evaluate(ENDED, index)

    def run_all(self) -> None:
        """Run all cells to the end of the last one."""
        self.page.evaluate(RUN_ALL)

    def cell(self, index: int) -> Locator:
        """Give the cell's element."""
        return self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{index}']")

    def output(self, index: int) -> Locator:
        """Give the element with the cell's outputs."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """Give the outputs of the cell's model, as they would be saved."""
        found: list[dict[str, Any]] = self.page.evaluate(OUTPUTS, index)
        return found

    # --- kernel ----------------------------------------------------------------------------------

    def evaluate(self, code: str) -> str:
        """Run code in the kernel beside the cells and give what it printed; an error raises.

        It waits until the running cell has ended.
        """
        status, text = self.page.evaluate(EVALUATE, code)
        assert status == "ok", text
        return str(text)

    def kernel_pid(self) -> int:
        """Give the process id of the kernel."""
        return int(self.evaluate("import os; print(os.getpid())"))

    def kernel_id(self) -> str:
        """Give Jupyter's id of the kernel."""
        return str(self.page.evaluate(KERNEL))

    def kernel_status(self) -> str:
        """Give what the page believes about the kernel (idle, busy, dead, none…)."""
        return str(self.page.evaluate(STATUS))

    def interrupt(self) -> None:
        """Press ■."""
        self.command("notebook:interrupt-kernel")

    def restart(self) -> None:
        """Restart the kernel without asking, as the page itself does it, and wait until it is idle again."""
        self.page.evaluate(RESTART)
        self.page.wait_for_function(READY, timeout=TIMEOUT)

    def shutdown(self) -> None:
        """Shut the kernel down while the page stays open."""
        self.server.api(f"kernels/{self.kernel_id()}", "DELETE")

    # --- application -----------------------------------------------------------------------------

    def command(self, name: str, **arguments: Any) -> None:
        """Execute a command of the application and wait for its end."""
        self.page.evaluate(COMMAND, [name, arguments])

    def theme(self, name: str) -> None:
        """Switch the theme: `JupyterLab Light` or `JupyterLab Dark`."""
        self.command("apputils:change-theme", theme=name)
        light = "true" if "Light" in name else "false"
        self.page.wait_for_function(
            f"() => document.body.dataset.jpThemeLight === '{light}' && document.body.dataset.jpThemeName === '{name}'"
        )

    def save(self) -> Any:
        """Save and give the notebook as it lies on the disk."""
        self.command("docmanager:save")
        return nbformat.read(self.path, as_version=4)
