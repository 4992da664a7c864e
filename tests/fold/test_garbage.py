"""Reading a large transcript leaves Python's garbage collector as it was."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

from acp_notebook import Transcript, TranscriptError
from acp_notebook._fold.garbage import MANY


def write(path: Path, records: int) -> Path:
    """A transcript with that many records."""
    head = json.dumps({"acp_notebook": 1})
    line = json.dumps({"t": 0.0, "dir": "in", "msg": {"jsonrpc": "2.0", "method": "_example/ping"}})
    path.write_text("\n".join([head, *[line] * records]) + "\n")
    return path


@pytest.fixture
def collections(monkeypatch):
    """Full collections that somebody asks for."""
    found: list[bool] = []
    monkeypatch.setattr(gc, "collect", lambda: found.append(True))
    return found


@pytest.mark.parametrize(("records", "times"), [(3, 0), (MANY, 0), (MANY + 1, 1)])
def test_many_records_are_looked_through_once(tmp_path, collections, records, times):
    transcript = Transcript.load(write(tmp_path / "t.jsonl", records))
    assert len(transcript.records) == records
    assert len(collections) == times
    assert gc.isenabled()


def test_a_program_without_a_collector_gets_none(tmp_path, collections):
    path = write(tmp_path / "t.jsonl", MANY + 1)
    gc.disable()
    try:
        Transcript.load(path)
        assert not gc.isenabled()
        assert collections == []
    finally:
        gc.enable()


def test_it_works_again_after_an_error(tmp_path):
    (tmp_path / "no.jsonl").write_text("no transcript\n")
    with pytest.raises(TranscriptError):
        Transcript.load(tmp_path / "no.jsonl")
    assert gc.isenabled()
