"""The user's remembered rules, changed by several processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_notebook._client import locked as locking
from acp_notebook._client.locked import locked
from acp_notebook._client.memory import FolderMemory, rules_path
from acp_notebook._client.rules import Rule

EACH = 40

REMEMBER = """
import sys
from pathlib import Path
from acp_notebook._client import locked
from acp_notebook._client.memory import FolderMemory
from acp_notebook._client.rules import Rule

locked.PATIENCE = 100.0  # the other one takes it again and again
folder, name, count = sys.argv[1:]
memory = FolderMemory(Path(folder), print)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(count)):
    memory.remember(Rule("allow", command=f"run {name} {number}"))
"""


def test_no_rule_is_lost_between_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that remember at once for one folder: every rule of both is there afterwards."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", REMEMBER, str(tmp_path), name, str(EACH)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.wait(120) for process in processes] == [0, 0]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    kept = {rule.command for rule in FolderMemory(tmp_path, print).allowed()}
    assert kept == {f"run {name} {number}" for name in "ab" for number in range(EACH)}
    assert sorted(path.name for path in rules_path().parent.iterdir()) == ["rules.toml", "rules.toml.lock"]


def test_a_lock_that_somebody_keeps_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while, and nothing is written; once it is given back all is well."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(locking, "PATIENCE", 0.0)
    memory = FolderMemory(tmp_path, print)
    with locked(rules_path()), pytest.raises(OSError, match="another program holds its lock"):
        memory.remember(Rule("allow", command="ls"))
    assert not rules_path().exists()
    memory.remember(Rule("allow", command="ls"))
    assert [rule.command for rule in memory.allowed()] == ["ls"]
    if os.name == "posix":
        assert {path.stat().st_mode & 0o777 for path in rules_path().parent.iterdir()} == {0o600}
