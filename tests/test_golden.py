"""Golden files that only the TypeScript side reads are what the Python side writes today."""

from __future__ import annotations

import json

import pytest

from acp_notebook._render.session_parts import shown_turns
from tests.golden.patches import regenerate as patches
from tests.golden.shown import regenerate as shown


@pytest.mark.parametrize("name", patches.NAMES)
def test_golden_patches(name: str) -> None:
    """The patches that the browser's side applies in its tests are those that the kernel sends."""
    assert json.loads((patches.HERE / f"{name}.json").read_text(encoding="utf-8")) == patches.patches(name)


def test_golden_replays() -> None:
    """What both sides draw of replayed turns is what was reviewed."""
    assert shown.golden() == shown.FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", shown.cases())
def test_each_prompt_is_drawn_once(name: str) -> None:
    """Whatever was loaded and however often: nothing is hidden altogether and nothing shows twice."""
    session = shown.cases()[name].session
    drawn = [turn.prompt for _, turn in shown_turns(session)]
    assert sorted(map(str, drawn)) == sorted({str(turn.prompt) for turn in session.turns})
