"""Rule 12: whatever comes, in whatever portions, the fold does not fail and the same records give the same state."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_notebook import Record, Session, fold, to_ui_message
from acp_notebook._fold.patches import apply, patch
from tests.fold.captures import ALL, records

names = st.sampled_from(ALL)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
modest = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def check(session):
    """A state must be readable in every form."""
    form = session.to_json()
    assert json.loads(json.dumps(form)) == form
    for turn in session.turns:
        json.dumps(to_ui_message(turn))
        repr(turn), turn.text, turn.thoughts, turn.diffs, turn.plan, turn.pending
        keys = [p.key for p in turn.permissions]
        assert len(keys) == len(set(keys))
        for call in turn.tool_calls:
            assert {p.key for p in call.permissions} <= set(keys)
            assert set(call.terminals) <= set(turn.terminals)
    assert all(p.outcome is None for p in session.pending)


@modest
@given(names, st.data())
def test_every_prefix_in_any_batches(name, data):
    """Folds without error, and the portions make no difference."""
    log = records(name)
    end = data.draw(st.integers(0, len(log)))
    cuts = sorted(data.draw(st.lists(st.integers(0, end), max_size=5)))
    session = Session()
    for start, stop in zip([0, *cuts], [*cuts, end], strict=True):
        session = fold(session, iter(log[start:stop]))
    whole = fold(Session(), log[:end])
    assert session == whole
    assert session.to_json() == whole.to_json()
    check(session)


@modest
@given(names, st.data())
def test_duplicated_and_reordered_records(name, data):
    """Agents repeat themselves and race; nothing of it is an error."""
    log = list(records(name))
    for _ in range(data.draw(st.integers(1, 8))):
        here, there = data.draw(st.integers(0, len(log) - 1)), data.draw(st.integers(0, len(log) - 1))
        if data.draw(st.booleans()):
            log.insert(there, log[here])
        else:
            log[here], log[there] = log[there], log[here]
    session = fold(Session(), log)
    check(session)
    assert session == fold(Session(), log)


@modest
@given(names, st.data())
def test_tool_updates_twice(name, data):
    """A tool update that comes twice in a row changes nothing, apart from output that is appended."""
    log = records(name)
    index = data.draw(st.integers(0, len(log) - 1))
    record = log[index]
    update = (record.msg.get("params") or {}).get("update") or {}
    if update.get("sessionUpdate") not in ("tool_call", "tool_call_update", "plan") or update.get("_meta"):
        return
    once = fold(Session(), log[: index + 1])
    assert fold(once, record) is once


def places(value, path=()):
    """Paths to all values inside a message."""
    yield path
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(inner, (*path, key))


def replaced(value, path, new):
    """A copy of the message with another value at a path."""
    if not path:
        return new
    value = copy.copy(value)
    value[path[0]] = replaced(value[path[0]], path[1:], new)
    return value


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(names, st.data())
def test_any_value_anywhere(name, data):
    """Wherever some JSON is replaced by any other, in one message or in several, the fold goes on."""
    log = list(records(name))
    for _ in range(data.draw(st.integers(1, 4))):
        index = data.draw(st.integers(0, len(log) - 1))
        old = log[index]
        path = data.draw(st.sampled_from(list(places(old.msg))))
        log[index] = Record(old.t, old.dir, replaced(old.msg, path, data.draw(json_values)))
    check(fold(Session(), log))


@modest
@given(st.lists(st.tuples(st.sampled_from(["in", "out", "note"]), json_values), max_size=12))
def test_any_messages(messages):
    """Even messages that are none."""
    check(fold(Session(), [Record(float(i), direction, msg) for i, (direction, msg) in enumerate(messages)]))


@modest
@given(names, st.data())
def test_a_fold_never_changes_a_state(name, data):
    """Nor the records: what was read of a state before is the same afterwards."""
    log = records(name)
    middle = data.draw(st.integers(0, len(log)))
    session = fold(Session(), log[:middle])
    before = json.dumps(session.to_json())
    lines = json.dumps([r.to_line() for r in log])
    fold(session, log[middle:])
    fold(session, reversed(log))
    assert json.dumps(session.to_json()) == before
    assert json.dumps([r.to_line() for r in log]) == lines


# ----------------------------------------------------------------------------------------------- patches


@modest
@given(names, names, st.data())
def test_patches_lead_from_any_state_to_any_other(one, other, data):
    """Forwards, backwards, and between conversations that have nothing to do with each other."""
    a = fold(Session(), records(one)[: data.draw(st.integers(0, len(records(one))))])
    b = fold(Session(), records(other)[: data.draw(st.integers(0, len(records(other))))])
    ops = patch(a, b)
    assert json.loads(json.dumps(ops)) == ops
    assert apply(a.to_json(), ops) == b.to_json()


@pytest.mark.parametrize("name", ALL)
def test_patches_follow_a_conversation(name):
    """From the empty state to the end in one step, and record by record."""
    assert (
        apply(Session().to_json(), patch(Session(), fold(Session(), records(name))))
        == fold(Session(), records(name)).to_json()
    )
    session, form = Session(), Session().to_json()
    for record in records(name):
        later = fold(session, record)
        form = apply(form, patch(session, later))
        assert form == later.to_json()
        session = later
