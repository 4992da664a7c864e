"""What stays in the cells of a notebook that was run: each turn once, in the cell that shows its chat."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter, MarkdownExporter

from tests.render.samples import Reader

VIEW = "application/vnd.jupyter.widget-view+json"
SETUP = f"""
from acp_notebook import Agent, Chat, Policy
demo = Agent({sys.executable!r}, "-m", "acp_notebook", "demo-agent", env={{"ACP_DEMO_DELAY": "0"}}, name="demo")
chat = Chat(demo, policy=Policy.allow_all(), record=False, static=STATIC)
"""
PROMPTS = ("/long 3", "/long 4")
TOLD = {"/long 3": 1, "/long 4": 1, "chunk 3": 2, "chunk 4": 1}
"""How often the two turns say what."""
LINE = "see the cell that shows the chat."


def run(folder: Path, *, shown: bool, static: str | bool = "text", prompts: tuple[str, ...] = PROMPTS) -> Any:
    """Run a notebook that asks several times, each time in a cell of its own."""
    cells = [SETUP.replace("STATIC", repr(static)) + ("chat" if shown else "")]
    cells += [f"turn = chat.ask({prompt!r})" for prompt in prompts]
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in [*cells, "chat.close()"]],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    with pytest.MonkeyPatch.context() as patch:
        # The person's own IPython stays out of it.
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        NotebookClient(book, timeout=50, resources={"metadata": {"path": str(folder)}}).execute()
    # As JupyterLab saves it by default, and as GitHub has it: without the state of widgets.
    del book.metadata["widgets"]
    for cell in book.cells:
        cell.source = "# a cell"
    return book


def copies(cell: Any) -> list[str]:
    """The texts of a cell's outputs in HTML."""
    return [Reader(o.data["text/html"]).text for o in cell.outputs if "text/html" in o.get("data", {})]


@pytest.fixture(scope="module", params=["displayed", "never displayed"])
def cells(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Give the notebook that was run, from the cell on that shows the chat. Not to be written to."""
    shown = request.param == "displayed"
    book = run(tmp_path_factory.mktemp("cells"), shown=shown)
    book.cells = book.cells[0 if shown else 1 : 3]
    return book


def test_each_turn_is_told_once(cells: Any) -> None:
    """In the chat's cell, or in the first that asked if the chat was never displayed; other cells name it."""
    first, *others = cells.cells
    [copy] = copies(first)
    assert {text: copy.count(text) for text in TOLD} == TOLD
    assert others
    for cell in others:
        view, line = cell.outputs
        assert (VIEW in view.data, view.data["text/plain"]) == (True, "")
        assert line.data["text/plain"].endswith(LINE)
        assert sorted(line.data) == ["text/html", "text/markdown", "text/plain"]


@pytest.mark.parametrize("exporter", [HTMLExporter, MarkdownExporter])
def test_nbconvert_tells_each_turn_once(cells: Any, exporter: Any) -> None:
    """Nothing stands there twice, and no cell is blank."""
    text, _ = exporter().from_notebook_node(cells)
    read = Reader(text).text
    assert {words: read.count(words) for words in TOLD} == TOLD
    assert read.count(LINE) == len(cells.cells) - 1


def test_without_a_copy_the_line_is_the_views_own(tmp_path: Path) -> None:
    """`Chat(static=False)` leaves views alone, with a line for who draws no widgets."""
    book = run(tmp_path, shown=True, static=False)
    assert copies(book.cells[0]) == []
    for cell in book.cells[1:3]:
        [view] = cell.outputs
        assert view.data["text/plain"].endswith(LINE)


def test_turns_that_the_chat_has_no_room_for(tmp_path: Path) -> None:
    """Stand in their own cells: nothing is lost, nothing is told twice, and the chat's copy counts them."""
    names = [f"/cwd number {number}" for number in range(1, 6)]
    book = run(tmp_path, shown=True, prompts=tuple(f"{name}: {'word ' * 7_000}" for name in names))
    [chat], *others = [copies(cell) for cell in book.cells[:6]]
    out = [name for name in names if name not in chat]
    assert out == names[:3]
    assert "3 earlier turns left out of this copy" in chat
    for name, [text] in zip(names, others, strict=True):
        own = name in out
        assert (text.count(name), LINE in text) == ((1, False) if own else (0, True))
        assert (chat.count(name), "I work in" in text) == ((0, True) if own else (1, False))
