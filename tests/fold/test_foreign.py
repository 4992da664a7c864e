"""Logs of other programs are read as transcripts; files that are none say so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_notebook import Transcript, TranscriptError
from tests.fold import captures

NAMES = (
    "opencode-allow",
    "codex-parallel",
    "gemini-allow",
    "kimicode-ask",
    "claude22-load",
    "pyd-allow",
    "quirks",
)


def messages(name):
    return [line for line in captures.lines(name) if line["dir"] != "note"]


def load(tmp_path, lines):
    path = tmp_path / "log.ndjson"
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return Transcript.load(path)


def directions(records):
    return [record.dir for record in records]


@pytest.mark.parametrize("name", NAMES)
def test_bare_messages(tmp_path, name):
    """Without direction: who sent what is found out from the messages alone, for every recording."""
    lines = messages(name)
    t = load(tmp_path, [line["msg"] for line in lines])
    assert t.warnings == ()
    assert directions(t.records) == [line["dir"] for line in lines]
    assert [record.msg for record in t.records] == [line["msg"] for line in lines]
    assert {record.t for record in t.records} == {0.0}


@pytest.mark.parametrize("name", captures.ALL)
def test_bare_messages_of_all_recordings(tmp_path, name):
    """The conversation is the same as with directions: same turns, same texts, same states of calls."""
    lines = messages(name)
    t = load(tmp_path, [line["msg"] for line in lines])
    told = load(tmp_path, [{**line, "t": 0.0} for line in lines])
    assert t.to_json() == told.to_json()


WRAPPERS = {
    "words of a client": lambda line: {
        "timestamp": f"2026-03-01T10:00:{line['t']:09.6f}Z",
        "direction": {"in": "incoming", "out": "outgoing"}[line["dir"]],
        "message": line["msg"],
    },
    "words of an agent, who sees it from the other side": lambda line: {
        "ts": 1772359200000 + round(line["t"] * 1000),
        "direction": {"in": "outgoing", "out": "incoming"}[line["dir"]],
        "payload": line["msg"],
    },
    "message as text": lambda line: {
        "from": {"in": "agent", "out": "client"}[line["dir"]],
        "raw": json.dumps(line["msg"]),
    },
    "text log": lambda line: f"[{ {'in': 'agent', 'out': 'client'}[line['dir']] }] {json.dumps(line['msg'])}",
    "arrows": lambda line: f"12:00:01 {'<-' if line['dir'] == 'in' else '->'} {json.dumps(line['msg'])}",
}


@pytest.mark.parametrize("name", ["opencode-allow", "kimicode-ask"])
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrapped_messages(tmp_path, name, wrapper):
    """Whatever the direction, the time and the message are called."""
    lines = messages(name)
    t = load(tmp_path, [WRAPPERS[wrapper](line) for line in lines])
    assert directions(t.records) == [line["dir"] for line in lines]
    assert [record.msg for record in t.records] == [line["msg"] for line in lines]
    if wrapper.startswith("words"):
        began = lines[0]["t"]
        assert [record.t for record in t.records] == pytest.approx(
            [line["t"] - began for line in lines], abs=2e-3
        )


def test_the_log_of_an_agents_side_names_an_unknown_method(tmp_path):
    """What nothing tells about a message, its log's own words tell, as they were used before."""
    lines = [
        {
            "direction": "incoming",
            "message": {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}},
        },
        {"direction": "incoming", "message": {"jsonrpc": "2.0", "method": "_vendor/news", "params": {}}},
        {"direction": "sent", "message": {"jsonrpc": "2.0", "method": "_vendor/news", "params": {}}},
        {"message": {"jsonrpc": "2.0", "method": "_vendor/news", "params": {}}},
    ]
    assert directions(load(tmp_path, lines).records) == ["out", "out", "out", "in"]


def test_times_in_many_forms(tmp_path):
    """Seconds since the first, whatever unit and precision; digits beyond microseconds do not matter."""
    update = {"jsonrpc": "2.0", "method": "session/update", "params": {}}
    began = 1772359200
    forms: list[list[Any]] = [
        [began, began + 1.5],
        [began * 1000, began * 1000 + 1500],
        [began * 10**6, began * 10**6 + 1_500_000],
        [began * 10**9, began * 10**9 + 1_500_000_000],
        ["2026-03-01T10:00:00Z", "2026-03-01T10:00:01.5Z"],
        ["2026-03-01T10:00:00.000000000+00:00", "2026-03-01T11:00:01.500000001+01:00"],
        ["2026-03-01 10:00:00", "2026-03-01 10:00:01.500"],
        [3, 4.5],
    ]
    for first, second in forms:
        t = load(tmp_path, [{"timestamp": first, "data": update}, {"timestamp": second, "data": update}])
        assert t.records[1].t - t.records[0].t == pytest.approx(1.5), first


def test_both_sides_use_one_id(tmp_path):
    """An answer is told apart by what is in it."""
    ask = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
    read = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "fs/read_text_file",
        "params": {"sessionId": "s", "path": "/a"},
    }
    text = {"jsonrpc": "2.0", "id": 1, "result": {"content": "x"}}
    done = {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}
    withdrawn = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}
    t = load(tmp_path, [ask, read, text, read, withdrawn, done])
    assert directions(t.records) == ["out", "in", "out", "in", "in", "in"]
    assert t.turns[0].stop_reason == "end_turn"


def test_without_the_version(tmp_path):
    """Methods of the protocol are known also where a log leaves "jsonrpc" out."""
    t = load(tmp_path, [{"id": 0, "method": "initialize", "params": {}}, {"method": "_x/y", "params": {}}])
    assert directions(t.records) == ["out", "in"]


def test_other_lines_between(tmp_path):
    """Are skipped with a warning each; times that make no sense are the time of the line before."""
    update = {"jsonrpc": "2.0", "method": "session/update", "params": {}}
    lines = [
        "starting up",
        {"level": "info", "msg": "hello"},
        {"time": 5, "msg": update},
        {"time": "noon", "msg": update},
        {"time": True, "msg": update},
        {"time": 2, "msg": update},
        {"msg": "{broken"},
        'x {"jsonrpc": broken',
    ]
    t = load(tmp_path, lines)
    assert [record.t for record in t.records] == [5.0, 5.0, 5.0, 5.0]
    assert len(t.warnings) == 4


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ('{"cells": [], "metadata": {}}\n', '\'{"cells": [], "metadata": {}}\''),
        ("Just a letter.\nTwo lines.\n", "'Just a letter.'"),
        ("\x1b[31mred\n", r"'\x1b[31mred'"),
        ("\n\n[1, 2]\n", "'[1, 2]'"),
        ("a" * 1000, "'" + "a" * 80 + "…'"),
        ('{"method": "tools/list", "tool": 1}', '\'{"method": "tools/list", "tool": 1}\''),
    ],
)
def test_a_file_that_is_something_else(tmp_path, content, shown):
    """Is an error that says what was expected and how the file begins, with nothing hidden."""
    path = tmp_path / "other"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TranscriptError) as error:
        Transcript.load(path)
    text = str(error.value)
    assert '{"t": seconds, "dir": "in" | "out" | "note", "msg": {…}}' in text
    assert f"The file begins {shown}" in text
    assert str(path) in text


def test_a_large_file_that_is_something_else(tmp_path):
    """Is not read to its end."""
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.write(b"no\n" * 100)
        file.truncate(1 << 40)
    with pytest.raises(TranscriptError, match="This is no transcript"):
        Transcript.load(path)


def test_times_that_are_none(tmp_path):
    """NaN, infinity and numbers beyond all clocks cost a message its time only: the explorer draws times."""
    message = '"dir": "in", "msg": {"jsonrpc": "2.0", "method": "session/update", "params": {}}'
    times = ("2", "NaN", "Infinity", "1" + "0" * 400)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f'{{"t": {t}, {message}}}\n' for t in times), encoding="utf-8")
    found = Transcript.load(path)
    assert [record.t for record in found.records] == [2.0] * 4
    assert found.warnings == ()
