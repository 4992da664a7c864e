"""A copy of the sample project that an agent may change."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent / "sample"


def scratch_copy() -> Path:
    """Copy the sample project into a fresh temporary folder, which goes away when Python exits.

    Returns
    -------
    Path
        The copy: a folder `weather` inside a folder of its own, links in its path resolved.
    """
    parent = Path(tempfile.mkdtemp(prefix="acp-notebook-")).resolve()
    atexit.register(shutil.rmtree, parent, ignore_errors=True)
    return Path(
        shutil.copytree(SAMPLE, parent / "weather-project", ignore=shutil.ignore_patterns("__pycache__"))
    )
