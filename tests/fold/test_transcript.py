"""Transcript files: read, written, and looked at in time."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from acp_notebook import Record, Session, Transcript, TranscriptError, fold
from acp_notebook._fold.transcript_file import TranscriptWriter, read_records
from tests.fold.captures import FOLDER
from tests.fold.wire import Wire

HEADER = {"acp_notebook": 1, "created": "2026-01-01T10:00:00+00:00", "agent": {"name": "a"}}


def write(path, *lines):
    path.write_text(
        "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines),
        encoding="utf-8",
    )
    return path


def line(t, msg=None):
    return {"t": t, "dir": "note", "msg": msg or {"kind": "x"}}


# ------------------------------------------------------------------------------------------------- reading


def test_a_file_with_a_header(tmp_path):
    """The header is told apart, the records come in order."""
    header, records, warnings = read_records(write(tmp_path / "a.jsonl", HEADER, line(0.5), line(1)))
    assert header == HEADER
    assert [r.t for r in records] == [0.5, 1.0]
    assert warnings == []


def test_a_file_without_a_header():
    """Is read as well."""
    t = Transcript.load(FOLDER / "pyd-allow.jsonl")
    assert t.header == {}
    assert len(t.records) > 20
    assert (t.warnings, t.complete) == ((), True)


def test_an_empty_file(tmp_path):
    """Is a transcript of nothing."""
    t = Transcript.load(write(tmp_path / "a.jsonl"))
    assert (t.records, t.session, t.header) == ((), Session(), {})


def test_a_torn_last_line_is_skipped(tmp_path):
    """With a warning; so are lines that are no records. Empty lines are nothing."""
    path = write(
        tmp_path / "a.jsonl",
        HEADER,
        line(1),
        "\n",
        "nonsense\n",
        "[1]\n",
        {"t": "x"},
        line(2),
        '{"t": 3, "dir": "no',
    )
    t = Transcript.load(path)
    assert [r.t for r in t.records] == [1.0, 2.0]
    assert len(t.warnings) == 4
    assert t.warnings[0] == "Line 4 is not JSON and was skipped."
    assert t.warnings[1].startswith("Line 5 is no record and was skipped (")
    assert t.warnings[-1] == "The last line is cut off and was skipped."


def test_bytes_that_are_no_text(tmp_path):
    """Cost their line only; so does JSON that is nested without end."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"t": 1, "dir": "note", "msg": {"kind": "\xff\xfe"}}\n'
        + b"[" * 100_000
        + b"\n"
        + json.dumps(line(2)).encode()
        + b"\n"
    )
    t = Transcript.load(path)
    assert [r.t for r in t.records] == [2.0]
    assert len(t.warnings) == 2


def test_what_nobody_could_be_sent(tmp_path):
    """NaN, numbers without end and half surrogate pairs, escaped or not, are read as null and U+FFFD."""
    path = tmp_path / "a.jsonl"
    odd = [
        b'{"n": NaN}',
        b'{"n": -1e999}',
        b'{"\\ud83d": "\\uDE00"}',
        b'{"s": "\xed\xa0\xbd"}',
        '{"s": "한\U0001f600"}'.encode(),
    ]
    path.write_bytes(b"".join(b'{"t": 1, "dir": "note", "msg": ' + one + b"}\n" for one in odd))
    found = Transcript.load(path)
    assert [record.msg for record in found.records] == [
        {"n": None},
        {"n": None},
        {"\ufffd": "\ufffd"},
        {"s": "\ufffd"},
        {"s": "한\U0001f600"},
    ]
    assert found.warnings == ()


def test_a_file_that_cannot_be_read(tmp_path):
    """Says so, with its path."""
    with pytest.raises(TranscriptError, match="cannot be read") as error:
        Transcript.load(tmp_path / "none.jsonl")
    assert error.value.path == tmp_path / "none.jsonl"
    with pytest.raises(TranscriptError):
        Transcript.load(tmp_path)


@pytest.mark.parametrize(
    ("created", "expected"),
    [
        ("2026-01-01T10:01:00+00:00", [0, 5, 60, 61]),
        ("2026-01-01T11:01:00+01:00", [0, 5, 60, 61]),
        ("2026-01-01T10:01:00Z", [0, 5, 60, 61]),
        ("2026-01-01T10:01:00", [0, 5, 60, 61]),
        ("2026-01-01T09:00:00+00:00", [0, 5, 5, 6]),
        ("nonsense", [0, 5, 5, 6]),
        (None, [0, 5, 5, 6]),
    ],
)
def test_a_later_header_restarts_the_time(tmp_path, created, expected):
    """All records stand on one clock that never runs backwards."""
    path = write(
        tmp_path / "a.jsonl", HEADER, line(0), line(5), {**HEADER, "created": created}, line(0), line(1)
    )
    t = Transcript.load(path)
    assert [r.t for r in t.records] == expected
    assert t.header == HEADER


def test_two_headers_before_any_record(tmp_path):
    """A kernel that was started for nothing."""
    path = write(tmp_path / "a.jsonl", {"acp_notebook": 1}, {"acp_notebook": 1}, line(3))
    assert [r.t for r in Transcript.load(path).records] == [3.0]


def test_reading_streams(tmp_path):
    """Records come as the file is read, and warnings with them."""
    _, records, warnings = read_records(write(tmp_path / "a.jsonl", line(1), "bad\n", line(2)))
    assert next(records).t == 1
    assert warnings == []
    assert next(records).t == 2
    assert len(warnings) == 1


# ------------------------------------------------------------------------------------------------- writing


def test_each_record_is_in_the_file_at_once(tmp_path):
    """A crash loses at most the last line; nobody else can read it."""
    path = tmp_path / "folder" / "a.jsonl"
    writer = TranscriptWriter(path, HEADER)
    for index, record in enumerate(Wire().message("ä\u2028\N{GRINNING FACE}").records):
        writer.write(record)
        assert len(Transcript.load(path).records) == index + 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Transcript.load(path).turns[0].text == "ä\u2028\N{GRINNING FACE}"
    assert "ä" in path.read_text(encoding="utf-8")
    writer.close()
    writer.close()
    assert writer.closed
    writer.write(Record(1.0, "note", {}))
    assert len(Transcript.load(path).records) == len(Wire().message("x").records)


def test_a_file_is_only_appended_to(tmp_path):
    """A later writer adds a header; a torn line is ended first."""
    path = write(tmp_path / "a.jsonl", HEADER, line(1), '{"t": 2, "di')
    writer = TranscriptWriter(path, {"acp_notebook": 1})
    writer.write(Record(1.0, "note", {"kind": "y"}))
    writer.close()
    t = Transcript.load(path)
    assert [(r.t, r.msg["kind"]) for r in t.records] == [(1.0, "x"), (2.0, "y")]
    assert t.warnings == ("Line 3 is not JSON and was skipped.",)
    again = TranscriptWriter(path, HEADER)
    again.close()
    assert b"\n\n" not in path.read_bytes()


def test_half_surrogates_are_written(tmp_path):
    """JSON may hold them, UTF-8 may not; nobody can be sent one, so that they are read as U+FFFD."""
    writer = TranscriptWriter(tmp_path / "a.jsonl", HEADER)
    writer.write(Record(1.0, "note", {"kind": "\ud800"}))
    writer.close()
    assert Transcript.load(tmp_path / "a.jsonl").records[0].msg == {"kind": "\ufffd"}


def test_a_folder_that_cannot_be_made(tmp_path):
    """Is told with the path."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(TranscriptError, match="cannot be written") as error:
        TranscriptWriter(tmp_path / "file" / "a.jsonl", HEADER)
    assert error.value.path == tmp_path / "file" / "a.jsonl"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_once(tmp_path):
    """Afterwards the writer is closed and ignores what comes."""
    writer = TranscriptWriter(tmp_path / "a.jsonl", HEADER)
    full = os.open("/dev/full", os.O_WRONLY)
    assert writer._fd is not None
    os.dup2(full, writer._fd)
    os.close(full)
    with pytest.raises(TranscriptError, match="No space left"):
        writer.write(Record(1.0, "note", {}))
    assert writer.closed
    writer.write(Record(2.0, "note", {}))


# ---------------------------------------------------------------------------------------------- transcripts


def test_a_transcript_of_records():
    """Folds when it is looked at; copies of it cannot be changed."""
    wire = Wire().message("x")
    t = Transcript(wire.records, HEADER)
    assert (t.session, t.turns, t.records) == (wire.session, wire.session.turns, tuple(wire.records))
    assert t.session is t.session
    assert t.to_json() == wire.session.to_json()
    t.header["acp_notebook"] = 7
    assert t.header == HEADER


def test_an_open_turn_makes_it_incomplete():
    """It stays streaming."""
    t = Transcript(Wire().message("x").records)
    assert (t.complete, t.turns[0].status) == (False, "streaming")
    assert Transcript(Wire().message("x").end().records).complete
    assert Transcript().complete
    early = Wire().new("second", 5).prompt("b", 101, "second").end(ident=101)
    assert not Transcript(early.records).complete


def test_at_a_moment():
    """By time, up to and with it, or by a number of records."""
    wire = Wire().message("a").message("b").end()
    t = Transcript(wire.records)
    assert t.at(index=0) == Session()
    assert t.at(index=6).turns[0].text == "a"
    assert t.at(index=-1).turns[0].text == "ab"
    assert t.at(index=-1).turns[0].active
    assert t.at(time=wire.records[5].t).turns[0].text == "a"
    assert t.at(time=-1) == Session()
    assert t.at(time=1e9) == t.session == fold(Session(), wire.records)
    assert t.turns[0].text == "ab"
    for wrong in ({}, {"time": 1, "index": 1}):
        with pytest.raises(TypeError, match="either time="):
            t.at(**wrong)


def test_saving(tmp_path):
    """A new file with a header, whole or not at all; an old one is replaced."""
    path = tmp_path / "b.jsonl"
    path.write_text("old", encoding="utf-8")
    t = Transcript.load(FOLDER / "quirks.jsonl")
    assert t.save(path) == path
    again = Transcript.load(path)
    assert (again.records, again.header, again.session) == (t.records, t.header, t.session)
    assert [p.name for p in tmp_path.iterdir()] == ["b.jsonl"]
    bare = Transcript(Wire().records)
    bare.save(path)
    assert Transcript.load(path).header == {"acp_notebook": 1}
    with pytest.raises(TranscriptError):
        t.save(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["b.jsonl"]
    with pytest.raises(TranscriptError):
        t.save(path / "c.jsonl")


def test_its_repr():
    """Says whose it is and how long."""
    assert repr(Transcript.load(FOLDER / "quirks.jsonl")).startswith("<Transcript quirky-agent: 6 turns, ")
    assert repr(Transcript()) == "<Transcript unknown agent: 0 turns, 0 records>"
    assert (
        repr(Transcript(Wire(prompt=None).initialize(agentInfo={"name": "b"}).prompt().records))
        == "<Transcript b: 1 turns, 7 records, not complete>"
    )
