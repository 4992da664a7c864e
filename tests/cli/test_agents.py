"""The commands about agents: `agents` and `doctor`."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from acp_notebook.__main__ import main
from acp_notebook._cli import doctor
from acp_notebook._cli.versions import installed, versions


def test_agents_are_listed_with_what_to_do(capsys, tmp_path: Path, monkeypatch):
    """What is here with its place, what is not with the command that gets it."""
    tool = tmp_path / "gemini"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["agents"]) == 0
    lines = {line.split(" ")[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert lines["gemini"].endswith(f"{tool} --acp")
    assert lines["codex"].endswith("not here; to get it: npm install -g @agentclientprotocol/codex-acp")
    assert "acp_notebook demo-agent" in lines["demo"]


def test_agents_as_json(capsys, monkeypatch, tmp_path: Path):
    """One object a line, for programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["agents", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["name"] for row in rows][:3] == ["claude", "codex", "gemini"]
    assert {row["found"] for row in rows if row["name"] != "demo"} == {None}


def test_a_registry_is_listed_and_its_words_are_made_harmless(capsys, tmp_path: Path):
    """Escape sequences of a foreign file do not reach the terminal."""
    file = tmp_path / "registry.json"
    entry = {"id": "x", "name": "X\x1b[2J", "version": "1.0.0", "distribution": {"npx": {"package": "x"}}}
    file.write_text(json.dumps({"agents": [entry]}))
    assert main(["agents", "--registry", str(file)]) == 0
    out = capsys.readouterr().out
    assert "x " in out
    assert "(npx)" in out
    assert "\x1b" not in out
    assert main(["agents", "--registry", str(tmp_path / "none.json")]) == 1
    assert "none.json" in capsys.readouterr().err


def test_the_doctor_writes_one_page_without_secrets(monkeypatch):
    """Packages, kernels, agents and variables by name; no value of any variable, no home folder."""
    run = subprocess.run(
        [sys.executable, "-m", "acp_notebook", "doctor"],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(Path.home()),
            "ANTHROPIC_API_KEY": "sk-very-secret-1",
            "JUPYTER_PREFER_ENV_PATH": "1",
        },
    )
    page = run.stdout
    assert page.startswith("# acp-notebook ")
    for part in ("Machine", "Packages", "Widget manager", "Kernels", "Agents", "Places", "Result"):
        assert f"## {part}" in page
    assert "- websockets " in page
    assert "set: ANTHROPIC_API_KEY" in page
    assert "very-secret" not in page
    assert str(Path.home()) + "/" not in page or Path.home() == Path("/")
    assert run.returncode in (0, 1)
    assert run.stderr == ""


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_versions_are_told_in_bounded_time(tmp_path: Path):
    """The first number that looks like one; none from what fails, says nothing, is gone, or serves instead."""
    found = versions(
        {
            "plain": program(tmp_path / "plain", "echo 1.18.33"),
            "named": program(tmp_path / "named", 'echo "@vendor/tool-2x v2.6.0-rc.1 (of 3.4)"'),
            "asked": program(tmp_path / "asked", 'test "$*" = --version && echo 0.1'),
            "reads": program(tmp_path / "reads", "cat; echo 7.0"),
            "fails": program(tmp_path / "fails", "echo 1.0; exit 3"),
            "silent": program(tmp_path / "silent", "echo no number 5 here"),
            "binary": program(tmp_path / "binary", "printf '\\377\\376 4.5\\033[31m'"),
            "gone": str(tmp_path / "nowhere"),
        }
    )
    assert found == {
        "plain": "1.18.33",
        "named": "2.6.0-rc.1",
        "asked": "0.1",
        "reads": "7.0",
        "fails": None,
        "silent": None,
        "binary": "4.5",
        "gone": None,
    }


def test_a_program_that_serves_is_ended(tmp_path: Path):
    """With all that it has started: the last of them closes the pipe that they all hold."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    served = program(tmp_path / "served", f"exec 3> '{fifo}'; echo up >&3; sleep 600 & wait")
    try:
        assert versions({"served": served}, patience=3) == {"served": None}
        while select.select([end], [], [], 20)[0]:
            if not os.read(end, 100):
                return
        pytest.fail("something still runs")
    finally:
        os.close(end)


def test_the_doctor_tells_the_versions_of_agents(tmp_path: Path, monkeypatch):
    """Of those that are here; nothing that would have to be downloaded is run."""
    program(tmp_path / "gemini", 'test "$*" = --version && echo 0.61.0')
    program(tmp_path / "opencode", "exit 1")
    for runner in ("npx", "uvx"):
        program(tmp_path / runner, f"echo ran > {tmp_path / 'downloads'}")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    page = doctor.Page()
    doctor._agents(page)
    text = "\n".join(page.lines)
    assert f"- gemini 0.61.0: {tmp_path / 'gemini'} --acp" in text
    assert "- opencode (tells no version): " in text
    assert f"- demo {installed('acp-notebook')}: " in text
    assert not (tmp_path / "downloads").exists()


def test_the_doctor_says_what_a_kernel_lacks(tmp_path: Path):
    """A kernel that has the package but not what it needs is a problem; one that cannot be asked, too."""
    fake = tmp_path / "python"
    holds = {"ipykernel": "7.0.1", "ipywidgets": None, "anywidget": "0.9", "acp-notebook": "1"}
    fake.write_text(f"#!/bin/sh\necho '{json.dumps(['3.12.0', holds])}'\n")
    fake.chmod(0o755)
    page = doctor.Page()
    doctor._kernel(page, "one", str(fake))
    doctor._kernel(page, "gone", str(tmp_path / "nowhere"))
    assert [problem.split(":")[0] for problem in page.problems] == [
        "Kernel one lacks ipywidgets",
        "Kernel one has ipykernel 7.0, which cannot send from a thread",
        "Kernel gone",
    ]


def test_a_part_that_fails_does_not_hide_the_others(monkeypatch):
    """The page says which part could not be looked at, and goes on."""

    def broken(*_):
        raise RuntimeError("no luck")

    monkeypatch.setattr(doctor, "_kernel_specs", broken)
    page = doctor.examine()
    assert "kernels could not be looked at: RuntimeError: no luck" in page.problems
    assert "## Places" in page.lines


@pytest.mark.parametrize("command", ["agents", "doctor"])
def test_help_says_what_they_do(command, capsys):
    """Each has a description."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "usage: acp-notebook" in capsys.readouterr().out
