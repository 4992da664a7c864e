"""A few branches are taken out of the fold: a test must notice each. `mutate.py` does it with all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(300)  # a matter of seconds on a machine with nothing else to do
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each mutant runs in a fork")
def test_no_branch_of_a_sample_can_be_removed():
    """Every branch is there for something that a test shows."""
    script = Path(__file__).with_name("mutate.py")
    run = subprocess.run(
        [sys.executable, script, "--sample", "20"], capture_output=True, text=True, timeout=280, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
