"""Values that never change."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from typing import Any

import pytest

from acp_notebook import Session, Turn
from acp_notebook._fold.frozen import EMPTY, FrozenDict, evolve, with_key, without_key
from tests.fold.wire import Wire


def test_a_frozen_dict_refuses_every_change():
    """It reads like a dict and cannot be written."""
    mapping = FrozenDict(a=1)
    for change in (
        lambda: mapping.__setitem__("b", 2),
        lambda: mapping.__delitem__("a"),
        lambda: mapping.__ior__({"b": 2}),
        mapping.clear,
        lambda: mapping.pop("a"),
        mapping.popitem,
        lambda: mapping.setdefault("b", 2),
        lambda: mapping.update(b=2),
    ):
        with pytest.raises(TypeError, match="frozen"):
            change()
    assert mapping == {"a": 1}
    assert json.dumps(mapping) == '{"a": 1}'
    assert hash(mapping) == hash(FrozenDict(a=1))


def test_copies_of_a_frozen_dict():
    """It can be copied and sent to another process."""
    mapping = FrozenDict(a=FrozenDict(b=1))
    assert copy.deepcopy(mapping) == pickle.loads(pickle.dumps(mapping)) == mapping
    assert with_key(mapping, "c", 2) == {"a": {"b": 1}, "c": 2}
    assert without_key(mapping, "a") == EMPTY == {}


def test_the_state_cannot_be_changed():
    """Neither its values nor its mappings."""
    session: Any = Wire().message("x").end(usage={"inputTokens": 1}).session
    with pytest.raises(dataclasses.FrozenInstanceError):
        session.title = "x"
    with pytest.raises(dataclasses.FrozenInstanceError):
        session.turns[0].items[0].streaming = True
    with pytest.raises(TypeError, match="frozen"):
        session.turns[0].usage["x"] = 1


def test_evolve_is_replace():
    """Only faster."""
    turn = Turn(stop_reason="a")
    assert evolve(turn, error="b") == dataclasses.replace(turn, error="b")
    assert evolve(turn) == turn
    assert evolve(Session(), title="T").title == "T"
