"""Notebooks run by nbclient on each kernel: what is kept in the file is the conversation's end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.kernel import venvs
from tests.kernel.test_chat import Diary, setup


def execute(version: str, cells: list[str], folder: Path) -> Any:
    """Run the cells as nbclient does, on the kernel of this version."""
    path = folder / "book.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]), path)
    env = os.environ | {"IPYTHONDIR": str(folder / "ipython"), "XDG_DATA_HOME": str(folder / "data")}
    script = Path(__file__).with_name("run_notebook.py")
    run = subprocess.run(
        [sys.executable, script, venvs.python(version), path],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize("call", ["chat.ask({!r})", "await chat.send({!r})"], ids=["ask", "await"])
def test_the_file_holds_the_end_of_the_conversation(version: str, tmp_path: Path, call: str) -> None:
    """The chat is displayed in the first cell and asked in later ones: its copy there and the saved state
    hold all that was said, each once.
    """
    diary = Diary(tmp_path / "diary.jsonl")
    cells = [
        setup(diary, more=", policy=Policy.allow_all()") + "\nchat",
        f"one = {call.format('first question')}",
        f"two = {call.format('second question')}\nprint(two.stop_reason)",
    ]
    book = execute(version, cells, tmp_path)
    told = ["first question", "You said yes.", "second question", "You said yes."]

    displays = [output for output in book.cells[0].outputs if "text/html" in output.get("data", {})]
    html = "".join(output["data"]["text/html"] for output in displays)
    assert re.findall("first question|second question|You said \\w+\\.", re.sub("<[^>]*>", "", html)) == told

    models = book.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"].values()
    (state,) = [model["state"]["state"] for model in models if "info" in model["state"]]
    saved = [
        re.findall("first question|second question|You said \\w+\\.", json.dumps(turn))
        for turn in state["session"]["turns"]
    ]
    assert [sorted(turn) for turn in saved] == [sorted(told[:2]), sorted(told[2:])]

    printed = [output["text"] for output in book.cells[2].outputs if output.output_type == "stream"]
    assert printed == ["end_turn\n"]
    assert diary.all_gone()


def test_nobody_there_to_click_is_said_in_the_cell(version: str, tmp_path: Path) -> None:
    """Without a policy that decides, what the agent asks is refused at once and the cell carries the warning."""
    diary = Diary(tmp_path / "diary.jsonl")
    book = execute(version, [setup(diary) + "\nprint(chat.ask('clean up').text)"], tmp_path)
    streams = {
        output["name"]: output["text"] for output in book.cells[0].outputs if output.output_type == "stream"
    }
    assert "You said no." in streams["stdout"]
    assert "Warning" in streams["stderr"]
    assert diary.all_gone()
