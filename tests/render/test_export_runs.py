"""An exported notebook is run by a kernel: proposed code runs, what the agent did stays as it was."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter, MarkdownExporter

from acp_notebook import Transcript
from acp_notebook._render.export_ipynb import export_ipynb
from tests.render.samples import message, session_of, turn_of
from tests.render.test_hostile import assert_no_html

CAPTURES = Path(__file__).resolve().parent.parent / "captures"


def test_a_recording_runs(tmp_path, monkeypatch):
    """In nbclient, from first to last cell; steps keep their outputs, code cells get theirs."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    made = Transcript.load(CAPTURES / "opencode-allow.jsonl").to_ipynb()
    answer = "So:\n\n```python\nx = 20 + 1\nprint(x * 2)\n```\n\n```py\nx\n```\n"
    made["cells"] += export_ipynb(session_of(turn_of(message(answer))))["cells"][1:]
    for number, cell in enumerate(made["cells"]):
        cell["id"] = f"cell-{number}"
    book = nbformat.from_dict(made)
    before = copy.deepcopy(book)
    NotebookClient(book, timeout=50, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert list(tmp_path.glob("*.md")) == []
    steps = [i for i, cell in enumerate(book.cells) if "tags" in cell.metadata]
    assert len(steps) == 6
    for index in steps:
        assert book.cells[index].outputs == before.cells[index].outputs
    ran = [cell for cell in book.cells if cell.cell_type == "code" and "tags" not in cell.metadata]
    assert ran[0].source == 'print("hello from the demo")'
    assert [[o.get("text") or o["data"]["text/plain"] for o in cell.outputs] for cell in ran] == [
        ["hello from the demo\n"],
        ["42\n"],
        ["21"],
    ]


@pytest.mark.parametrize("name", ["opencode-allow", "quirks"])
def test_nbconvert_keeps_it_readable(name):
    """To Markdown and to HTML: prompt, answer and changes are there; nothing in the Markdown is HTML."""
    book = nbformat.from_dict(Transcript.load(CAPTURES / f"{name}.jsonl").to_ipynb())
    markdown, _ = MarkdownExporter().from_notebook_node(book)
    page, _ = HTMLExporter().from_notebook_node(book)
    # Pictures become files beside the Markdown.
    assert_no_html(re.sub(r"!\[png\]\(output_\d+_\d+\.png\)", "", markdown))
    words = {
        "opencode-allow": ("Please correct the spelling", "+the", "hello from the demo"),
        "quirks": ("Draw it, please.", "A dot.", "Which colour?"),
    }[name]
    for text in words:
        assert text in markdown
        assert text in page
