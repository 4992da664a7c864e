"""The harness itself: a widget of ten lines, clicked in each front end."""

from __future__ import annotations

import os
import signal

import pytest
from playwright.sync_api import expect

WIDGET = '''
import anywidget, traitlets
class Button(anywidget.AnyWidget):
    _esm = """export default { render({ model, el }) {
      const button = document.createElement("button");
      button.className = "harness-button";
      const show = () => { button.textContent = model.get("answer"); };
      model.on("change:answer", show);
      button.onclick = () => model.send({ number: 41 });
      show();
      el.append(button);
    } };"""
    answer = traitlets.Unicode("not clicked").tag(sync=True)
w = Button()
w.on_msg(lambda widget, content, buffers: setattr(w, "answer", f"kernel says {content['number'] + 1}"))
w
'''


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_click_reaches_the_kernel_and_the_answer_comes_back(open_notebook, app):
    """A notebook opens with a kernel, a cell runs, a click goes there and back."""
    notebook = open_notebook(WIDGET, "print(w.answer)", app=app)
    notebook.run(0)
    button = notebook.output(0).locator(".harness-button")
    button.click()
    expect(button).to_have_text("kernel says 42")
    notebook.run(1)
    assert notebook.outputs(1)[0]["text"] in ("kernel says 42\n", ["kernel says 42\n"])
    assert notebook.save().cells[1].outputs[0]["text"] == "kernel says 42\n"


def test_voila_renders_and_answers(servers, context):
    """Voila runs the notebook by itself; its page reaches the kernel too."""
    server = servers("voila")
    server.write("voila.ipynb", WIDGET)
    page = context.new_page()
    page.goto(server.url("voila.ipynb"))
    button = page.locator(".harness-button")
    button.click(timeout=60_000)
    expect(button).to_have_text("kernel says 42")


def test_a_notebook_survives_what_tests_do_to_it(open_notebook):
    """Reload, theme, interrupt, restart and kill: the page is usable after each, the kernel of its own each time."""
    notebook = open_notebook(WIDGET, "import time; print('begun'); time.sleep(600)")
    notebook.run(0)
    notebook.theme("JupyterLab Dark")
    notebook.save()
    notebook.reload()
    expect(notebook.output(0).locator(".harness-button")).to_have_text("not clicked")
    notebook.start(1)
    assert notebook.running(1)
    # An interrupt of a kernel that has not begun the cell yet is lost.
    expect(notebook.output(1)).to_contain_text("begun")
    notebook.interrupt()
    assert notebook.wait(1) < 60
    first = notebook.kernel_pid()
    notebook.restart()
    second = notebook.kernel_pid()
    assert first != second
    os.kill(second, signal.SIGKILL)
    notebook.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context.sessionContext.kernelDisplayStatus !== 'idle'"
    )


def test_a_notebook_opens_without_a_kernel(open_notebook, servers):
    """With `kernel=False` nothing is waited for but the document."""
    notebook = open_notebook("1 + 1", kernel=False)
    assert notebook.cell(0).is_visible()
