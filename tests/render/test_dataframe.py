"""A transcript as a data frame."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd

from acp_notebook import Transcript
from acp_notebook._fold.rows import COLUMNS

CAPTURES = sorted((Path(__file__).resolve().parent.parent / "captures").glob("*.jsonl"))


def test_one_row_an_item():
    """With whole numbers where they are whole, and the questions that one asks answered in a line."""
    t = Transcript.load(Path(__file__).resolve().parent.parent / "captures" / "claude22-cancel.jsonl")
    frame = t.to_dataframe()
    assert tuple(frame.columns) == COLUMNS
    assert len(frame) == len(t.to_rows()) == 7
    assert str(frame["item"].dtype) == str(frame["added"].dtype) == "Int64"
    calls = frame[frame.kind == "tool_call"]
    assert list(calls[calls.status == "output-denied"].title) == ["Edit notes.md"]
    assert frame.groupby("turn").total_tokens.sum().tolist() == [2560.0, 1280.0]
    assert calls.waited.sum() > 0


def test_every_recording():
    """Becomes a frame; an empty transcript an empty one with the same columns."""
    for path in CAPTURES:
        t = Transcript.load(path)
        assert len(t.to_dataframe()) == len(t.to_rows())
    assert tuple(Transcript().to_dataframe().columns) == COLUMNS
    assert isinstance(Transcript().to_dataframe(), pd.DataFrame)


def test_without_pandas():
    """The error says what to install, and what there is without it; nothing else needs it."""
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from acp_notebook import Transcript\n"
        "t = Transcript.load(sys.argv[1]); t.to_rows(); t.plot_time()\n"
        "try: t.to_dataframe()\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(CAPTURES[0])], capture_output=True, text=True, check=True
    )
    assert run.stdout == (
        "to_dataframe needs pandas: pip install pandas. to_rows() gives the same without it.\n"
    )


def test_what_is_imported_late():
    """Loading and exporting a transcript starts no widget, no kernel and no data frames."""
    code = (
        "import sys\n"
        "from acp_notebook import Transcript\n"
        "t = Transcript.load(sys.argv[1])\n"
        "for to in ('md', 'html', 'ipynb', 'json'): t.to_text(to)\n"
        "print(sorted({'pandas', 'anywidget', 'ipywidgets', 'IPython', 'nbformat', 'pydantic'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(CAPTURES[0])], capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"
