"""Agents by a short name, and agents of a registry file."""

from __future__ import annotations

import json
import pickle
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from acp_notebook import Agent, AgentNotFoundError
from acp_notebook._agent import presets as known
from acp_notebook._agent import registry
from acp_notebook._agent.command import find, resolve

NAMES = [
    "claude",
    "codex",
    "gemini",
    "opencode",
    "copilot",
    "qwen",
    "kimi",
    "vibe",
    "goose",
    "fast-agent",
    "demo",
]


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, empty; what is installed beside this Python does not count either."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return folder


def program(folder: Path, name: str) -> None:
    """Put something that may be executed there."""
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)


def test_every_preset_says_how_to_start_and_how_to_get_it():
    """Each has a way that needs no download first, says how it is installed, and its quirks have an end."""
    assert list(known.presets()) == NAMES
    for preset in known.presets().values():
        assert preset.candidates[0].package is None
        assert preset.title
        assert preset.install
        for way in preset.candidates[1:]:
            assert way.package in way.command
        for quirk in preset.quirks:
            assert quirk.about
            assert quirk.link.startswith("https://")
            assert quirk.until


def test_other_names_of_an_agent_mean_it_too():
    """A name is found in any case, and by what else people call it; no two agents share one."""
    assert known.preset(" Claude-Code ") is known.presets()["claude"]
    assert known.preset("nothing of that name") is None
    names = [name for preset in known.presets().values() for name in (preset.name, *preset.also)]
    assert len(names) == len(set(names))


def test_what_is_installed_comes_first(bin_folder: Path):
    """An installed program is taken, also where npx could download."""
    program(bin_folder, "npx")
    program(bin_folder, "codex-acp")
    assert Agent.preset("codex", download=True) == Agent("codex-acp", name="codex")
    assert resolve("codex") == Agent("codex-acp", name="codex")


def test_nothing_is_downloaded_unasked(bin_folder: Path):
    """The runner npx is used only when that was allowed; otherwise the error says what was looked for and what helps."""
    program(bin_folder, "npx")
    assert Agent.preset("codex", download=True).command == "npx"
    agent = Agent.preset("codex")
    assert agent == resolve("codex")
    with pytest.raises(AgentNotFoundError) as failure:
        find(agent, "/")
    for words in ("`codex-acp`", "npm install -g @agentclientprotocol/codex-acp", "download=True"):
        assert words in str(failure.value)


def test_a_runner_that_is_missing_is_not_recommended(bin_folder: Path):
    """Without npx the error does not promise that a download would do."""
    with pytest.raises(AgentNotFoundError, match="npx would run it without installing, and is not there"):
        find(Agent.preset("codex", download=True), "/")


def test_a_command_of_ones_own_is_not_taken_for_a_preset(bin_folder: Path):
    """What a person named in full gets the plain error, even under a preset's name."""
    with pytest.raises(AgentNotFoundError) as failure:
        find(Agent("my-codex", name="codex"), "/")
    assert "was looked for" not in str(failure.value)


def test_a_preset_takes_variables_and_keeps_the_rest():
    """`env` is set on it; the copy pickles and equals itself."""
    agent = Agent.preset("opencode", env={"OPENCODE_CONFIG": "x"})
    assert agent.env["OPENCODE_CONFIG"] == "x"
    assert pickle.loads(pickle.dumps(agent)) == agent
    with pytest.raises(ValueError, match="there is no preset 'nobody', but claude"):
        Agent.preset("nobody")


def test_quirks_go_by_the_name_that_the_agent_gives_itself():
    """However it was started: gemini's missing files read as empty, nobody else's do."""
    assert any(quirk.missing_reads_empty for quirk in known.quirks("gemini-cli"))
    assert not any(quirk.missing_reads_empty for quirk in known.quirks("OpenCode"))
    assert [True] == [True for quirk in known.quirks("OpenCode") if quirk.writes_itself]
    assert known.quirks(None) == ()
    assert known.quirks("somebody new") == ()


# ---- the registry

AGENTS = [
    {
        "id": "by-npx",
        "name": "By npx",
        "version": "1.2.3",
        "description": "…",
        "distribution": {"npx": {"package": "@x/y@1.2.3", "args": ["--acp"], "env": {"MODE": "a"}}},
    },
    {"id": "by-uvx", "distribution": {"uvx": {"package": "z==1"}}},
    {
        "id": "by-hand",
        "distribution": {
            "binary": {
                registry.machine(): {"archive": "https://example.org/t.gz", "cmd": "./tool", "args": ["acp"]}
            }
        },
    },
    {"id": "elsewhere", "distribution": {"binary": {"plan9-mips": {"cmd": "./x"}}}},
    {"id": 7},
    "no agent",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "registry.json"
    path.write_text(json.dumps({"version": "1.0.0", "agents": AGENTS}))
    return path


def test_an_agent_of_the_registry_starts_by_its_id(file: Path, bin_folder: Path):
    """Entries for npx and uvx start once the download is allowed, with their arguments and variables."""
    agent = Agent.from_registry(file, "by-npx", download=True)
    assert (agent.command, agent.args) == ("npx", ("--yes", "@x/y@1.2.3", "--acp"))
    assert dict(agent.env) == {"MODE": "a"}
    assert agent.name == "by-npx"
    assert Agent.from_registry(file, "by-uvx", download=True).args == ("z==1",)


def test_the_registry_downloads_nothing_unasked(file: Path, bin_folder: Path):
    """Without leave the error names the package; binaries are never fetched, only found."""
    with pytest.raises(ValueError, match=r"npx downloads @x/y@1\.2\.3.*download=True"):
        Agent.from_registry(file, "by-npx")
    with pytest.raises(ValueError, match=r"unpack https://example.org/t.gz and put ./tool on PATH"):
        Agent.from_registry(file, "by-hand", download=True)
    program(bin_folder, "tool")
    agent = Agent.from_registry(file, "by-hand")
    assert (agent.command, agent.args) == ("tool", ("acp",))
    with pytest.raises(ValueError, match="no way to be started on"):
        Agent.from_registry(file, "elsewhere")


def test_what_is_no_registry_says_so(tmp_path: Path, file: Path):
    """Unknown ids list the known ones; broken files are named."""
    with pytest.raises(ValueError, match=r"there is no agent 'x' in .*registry\.json, but by-hand, by-npx"):
        Agent.from_registry(file, "x")
    for text in ("{", "[]", '{"agents": 1}'):
        file.write_text(text)
        with pytest.raises(ValueError, match=r"registry\.json is no registry of agents"):
            Agent.from_registry(file, "x")
    with pytest.raises(FileNotFoundError):
        Agent.from_registry(tmp_path / "none.json", "x")


def test_a_registry_is_read_from_an_address():
    """An http address is fetched when, and only when, it is named."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"agents": AGENTS}).encode())

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            entries = registry.read(f"http://127.0.0.1:{server.server_port}/registry.json")
        finally:
            server.shutdown()
            thread.join()
    assert set(entries) == {"by-npx", "by-uvx", "by-hand", "elsewhere"}
