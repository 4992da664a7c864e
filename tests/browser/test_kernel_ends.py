"""The kernel goes away while the page stays: the view says so, keeps the draft, and no process is left."""

from __future__ import annotations

import os
import re
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.chats import FIX, Place, alive, cards, composer, frame, option, send, status, until
from tests.browser.conftest import Open
from tests.browser.lab import READY, Notebook

LISTEN = """() => {
  const { kernel } = window.jupyterapp.shell.currentWidget.context.sessionContext.session;
  window.died = false;
  kernel.statusChanged.connect((_, status) => { window.died ||= status === 'autorestarting'; });
}"""


def restart(notebook: Notebook, _pid: int) -> None:
    """Restart it."""
    notebook.restart()


def shutdown(notebook: Notebook, _pid: int) -> None:
    """Shut it down."""
    notebook.shutdown()


def kill(notebook: Notebook, pid: int) -> None:
    """Let it die as one does that runs out of memory; the server starts another one."""
    notebook.page.evaluate(LISTEN)
    os.kill(pid, signal.SIGKILL)
    notebook.page.wait_for_function("() => window.died")
    notebook.page.get_by_role("dialog", name="Kernel Restarting").get_by_role("button", name="Ok").click()


@pytest.mark.parametrize("end", [restart, shutdown, kill])
def test_the_view_turns_read_only_and_keeps_the_draft(open_notebook: Open, place: Place, end):
    """The conversation stays, the reason stands there, the draft can be read; a stubborn agent and its child are gone within 5 s."""
    notebook = open_notebook(place.raw(stubborn=True), "chat")
    notebook.run(0)
    notebook.run(1)
    view = frame(notebook, 1)
    send(view, "please")
    expect(cards(view)).to_have_count(1)
    composer(view).fill("not sent yet")
    pids = place.pids()
    assert len(pids) == 2
    assert alive(pids) == pids
    end(notebook, notebook.kernel_pid())
    until(notebook.page, lambda: not alive(pids), 5, "processes of the agent were left")
    # A kernel that shuts down in peace closes its chats first, and then nothing more tells the page.
    reason = "This chat is closed." if end is shutdown else "The kernel of this chat has ended"
    expect(view.locator(".acp-reason:visible")).to_contain_text(reason)
    expect(status(view)).to_have_text("ended" if end is shutdown else "read only")
    expect(composer(view)).to_have_value("not sent yet")
    expect(composer(view)).not_to_be_editable()
    # The closing chat may have withdrawn the request in time to say so.
    expect(view.locator(".acp-option:not([aria-disabled=true])")).to_have_count(0)
    expect(view).to_contain_text("May I?")


@pytest.mark.parametrize("end", [restart, kill])
def test_after_a_restart_the_cells_run_again(open_notebook: Open, place: Place, end):
    """The same cells in the new kernel (its own restart, or the server's after a death) give a working chat."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    send(frame(notebook, 0), "/cwd")
    expect(frame(notebook, 0)).to_contain_text("I work in")
    pid = notebook.kernel_pid()
    end(notebook, pid)
    notebook.page.wait_for_function(READY)
    assert notebook.kernel_pid() != pid
    notebook.run(0)
    view = frame(notebook, 0)
    expect(view).to_have_count(1)
    expect(view.locator(".acp-turn")).to_have_count(0)
    send(view, FIX)
    option(view, "Refuse").click()
    expect(view).to_contain_text("Refused by you: Refuse")


def test_the_agent_dies_and_is_restarted(open_notebook: Open, place: Place):
    """Its exit code and the end of its error output are shown, and Restart brings a working one."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/crash")
    expect(view.locator(".acp-ended")).to_contain_text("exit code 3")
    view.get_by_role("button", name="End of the error output").click()
    expect(view.locator(".acp-ended")).to_contain_text("fatal: the scene asked for a crash")
    view.get_by_role("button", name="Restart").click()
    expect(view.locator(".acp-ended")).to_be_hidden()
    send(view, "/cwd")
    expect(view).to_contain_text("I work in")


def test_a_kernel_that_does_not_answer_is_told(open_notebook: Open, place: Place):
    """One line says so when something was sent; nothing is lost, and the line goes once the kernel speaks."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    expect(status(view)).to_have_text("ready")
    kernel = notebook.kernel_pid()
    os.kill(kernel, signal.SIGSTOP)
    try:
        send(view, FIX)
        line = view.get_by_text("The kernel does not answer.")
        expect(line).to_be_visible(timeout=30_000)
    finally:
        os.kill(kernel, signal.SIGCONT)
    expect(line).to_be_hidden()
    expect(cards(view)).to_have_count(1)


def test_a_restart_by_somebody_else_is_told(open_notebook: Open, place: Place):
    """The kernel closes its chats before it goes: the page says so, and keeps the draft."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    expect(status(view)).to_have_text("ready")
    composer(view).fill("Is anybody there?")
    notebook.server.api(f"kernels/{notebook.kernel_id()}/restart", "POST")
    told = re.compile("This chat is closed|The kernel of this chat has ended or was restarted")
    expect(view.locator(".acp-reason:visible")).to_contain_text(told)
    expect(composer(view)).to_have_value("Is anybody there?")
    expect(composer(view)).not_to_be_editable()
