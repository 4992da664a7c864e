"""An agent named in a registry file answers in a chat: from the file's id to the end of a turn."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from acp_notebook import Agent, Chat
from acp_notebook._agent import registry

PROGRAM = Path(__file__).parents[1] / "agents" / "sign_in_agent.py"
HOW = {"args": ["--acp", "two words"], "env": {"MODE": "a"}}
AGENTS = [
    {"id": "by-npx", "distribution": {"npx": {"package": "@x/y@1.2.3", **HOW}}},
    {"id": "by-uvx", "distribution": {"uvx": {"package": "z==1", **HOW}}},
    {"id": "by-hand", "distribution": {"binary": {registry.machine(): {"cmd": "./tool", **HOW}}}},
]


@pytest.mark.parametrize(
    ("agent_id", "program", "words"),
    [
        ("by-npx", "npx", ["--yes", "@x/y@1.2.3", "--acp", "two words"]),
        ("by-uvx", "uvx", ["z==1", "--acp", "two words"]),
        ("by-hand", "tool", ["--acp", "two words"]),
    ],
)
def test_an_agent_of_a_registry_file_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent_id: str, program: str, words: list[str]
) -> None:
    """The program that the entry means runs with its words and variables, and no other."""
    file = tmp_path / "registry.json"
    file.write_text(json.dumps({"version": "1.0.0", "agents": AGENTS}))
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    settings = json.dumps({"gate": "nothing", "mark": str(tmp_path / "mark")})
    agent = shlex.join([sys.executable, str(PROGRAM), settings])
    for name in ("npx", "uvx", "tool"):
        tool = bin_folder / name
        ran = f'printf "%s\\n" {name} "$MODE" "$@" > {shlex.quote(str(tmp_path / "ran"))}'
        tool.write_text(f"#!/bin/sh\n{ran}\nexec {agent}\n")
        tool.chmod(0o755)
    if agent_id != "by-hand":
        (bin_folder / "tool").unlink()
    monkeypatch.setenv("PATH", f"{bin_folder}:/usr/bin:/bin")

    started = Agent.from_registry(file, agent_id, download=agent_id != "by-hand")
    with Chat(started, cwd=tmp_path, record=False) as chat:
        assert chat.ask("Hello").text == "You said: Hello"
        assert agent_id in repr(chat)
    assert (tmp_path / "ran").read_text().splitlines() == [program, "a", *words]
