"""What holds for every test: nothing is written into the user's folders, nothing is left running."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep transcripts and settings of the test run in a temporary folder."""
    folder = tmp_path_factory.mktemp("home")
    names = {"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache"}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: str(folder / value) for name, value in names.items()})
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(autouse=True)
def _close_chats() -> Iterator[None]:
    """Close what a test left open, and say so: a test ends what it starts."""
    yield
    registry = sys.modules.get("acp_notebook._chat.registry")
    left = registry.living() if registry is not None else []
    for chat in left:
        chat.close()
    assert not left, f"the test left {left} open"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the sample project."""
    import shutil

    from acp_notebook._demo.scratch import SAMPLE

    return Path(shutil.copytree(SAMPLE, tmp_path / "project"))
