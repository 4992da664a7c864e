"""Peers to compare with, each installed by name into a place of its own below ``.cache/bench``.

Each function gives the way to start the tool, or raises `Missing` with the command that shows why there is
none.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from report import TOOLS

PATIENCE = 240
"""Seconds that an installation may take."""


class Missing(Exception):  # noqa: N818 - it is no error: the table tells it
    """A peer is not there; the text is the command that was tried and what it said."""


def use_acp() -> tuple[str, Path]:
    """Give node and the folder of the npm package ``use-acp`` (with the react that it asks for)."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Missing("`node --version`: there is no node on PATH")
    folder = TOOLS / "node"
    package = folder / "node_modules" / "use-acp"
    if not package.exists() or not (folder / "node_modules" / "react").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
        _install([npm, "install", "--no-audit", "--no-fund", "use-acp", "react", "react-dom"], folder)
    return node, package


def jupyter_ai() -> Path:
    """Give the Python of an environment with ``jupyter-ai-acp-client``."""
    python = TOOLS / "jupyter-ai" / "bin" / "python"
    marker = TOOLS / "jupyter-ai" / "installed"
    if not marker.exists():
        venv.create(TOOLS / "jupyter-ai", with_pip=True)
        command = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "jupyter-ai-acp-client",
        ]
        _install(command, TOOLS)
        marker.touch()
    return python


def _install(command: list[str], folder: Path) -> None:
    try:
        subprocess.run(command, cwd=folder, timeout=PATIENCE, check=True, capture_output=True, text=True)
    except (subprocess.SubprocessError, OSError) as error:
        said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        words = " ".join(Path(command[0]).name if at == 0 else word for at, word in enumerate(command))
        raise Missing(f"`{words}`: {said[-1] if said else error}") from error


def versions() -> dict[str, str]:
    """The versions of what is installed."""
    found = {}
    package = TOOLS / "node" / "node_modules" / "use-acp" / "package.json"
    if package.exists():
        import json

        found["use-acp"] = json.loads(package.read_text())["version"]
    for folder in (TOOLS / "jupyter-ai" / "lib").glob(
        "python*/site-packages/jupyter_ai_acp_client-*.dist-info"
    ):
        found["jupyter-ai-acp-client"] = folder.name.split("-")[1].removesuffix(".dist")
    return found


if __name__ == "__main__":
    for tool in (use_acp, jupyter_ai):
        try:
            print(tool())
        except Missing as missing:
            print(missing, file=sys.stderr)
    print(versions())
