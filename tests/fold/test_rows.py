"""A session as a table: one row an item."""

from __future__ import annotations

from typing import Any

import pytest

from acp_notebook import Transcript
from acp_notebook._fold.rows import COLUMNS, rows
from acp_notebook._fold.state import Session
from tests.fold import captures
from tests.fold.wire import Wire


@pytest.mark.parametrize("name", captures.ALL)
def test_every_item_has_one_row(name):
    """In order, with all columns; the prompt first. What is told again has no second one."""
    session = Transcript.load(captures.FOLDER / f"{name}.jsonl").session
    table = rows(session)
    assert {tuple(row) for row in table} == {COLUMNS}
    expected: list[Any] = []
    for owner in (session, *session.children.values()):
        preamble = () if owner.preamble is None else (owner.preamble,)
        for number, turn in [*((-1, p) for p in preamble), *enumerate(owner.turns)]:
            if turn.told:
                continue
            if number >= 0:
                expected.append((number, None, "prompt"))
            expected += [(number, i, item.kind) for i, item in enumerate((*turn.items, *turn.after))]
    assert [(row["turn"], row["item"], row["kind"]) for row in table] == expected
    for row in table:
        if row["duration"] is not None:
            assert row["duration"] == pytest.approx(row["ended"] - row["started"])


def test_a_session_of_nothing():
    """Has no rows."""
    assert rows(Session()) == []


def test_a_tool_call():
    """Its state, its files relative to the folder, its lines, and how long a person was waited for."""
    t = Transcript.load(captures.FOLDER / "opencode-allow.jsonl")
    edit, write = [row for row in rows(t.session) if row["kind"] == "tool_call" and row["tool"] == "edit"]
    assert (edit["status"], edit["path"], edit["paths"]) == ("output-available", "notes.md", ("notes.md",))
    assert (edit["added"], edit["removed"], edit["decision"]) == (1, 1, "Allow once")
    assert (write["path"], write["added"], write["removed"]) == ("hello.py", 1, 0)
    call = next(c for c in t.turns[0].tool_calls if c.permissions)
    (asked,) = call.permissions
    assert edit["waited"] == pytest.approx((asked.answered or 0) - asked.asked, abs=1e-6)


def test_a_prompt():
    """Holds what belongs to the turn: tokens, cost, how it ended, how long it was waited for."""
    t = Transcript.load(captures.FOLDER / "claude22-cancel.jsonl")
    first, second = [row for row in rows(t.session) if row["kind"] == "prompt"]
    assert (first["status"], second["status"]) == ("cancelled", "end_turn")
    assert (first["input_tokens"], first["output_tokens"], first["total_tokens"]) == (2000, 160, 2560)
    assert (first["cost"], first["currency"]) == (0.01692, "USD")
    assert first["title"] == "Please do the edit example. #edit"
    assert first["characters"] == len(first["title"])


def test_waiting_for_several_answers_is_counted_once():
    """Two requests that wait at the same time are waited for once."""
    wire = Wire().call("call").permission(1).permission(2).choose("allow", 1).choose("allow", 2)
    session = wire.session
    spans = [(p.asked, p.answered or 0.0) for p in session.turns[0].permissions]
    (row,) = [row for row in rows(session) if row["kind"] == "tool_call"]
    assert row["waited"] == pytest.approx(max(e for _, e in spans) - min(s for s, _ in spans))
