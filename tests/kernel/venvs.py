"""Environments with the kernels that the tests drive, one for each ipykernel, and one with nbdime.

``python tests/kernel/venvs.py`` makes them all. They are kept in `.cache/kernels` and made anew when what
is written here changes; delete the folder to get the newest release once more.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".cache" / "kernels"

#: The last ipykernel 6, the last 7 that leaves comm messages to the asked shell, and the newest.
KERNELS = {"6.31.0": "ipykernel==6.31.0", "7.3.0": "ipykernel==7.3.0", "newest": "ipykernel"}

#: Compares notebooks. Beside JupyterLab it would put a button and a server extension into the one under test.
NBDIME = "nbdime>=4"

#: What the package needs while it runs (`pyproject.toml`), and what the tests look with.
REQUIREMENTS = (
    "anywidget>=0.9.18",
    "ipywidgets>=8.1",
    "markdown-it-py>=3.0",
    "platformdirs>=4.0",
    "psutil>=6",
    "pydantic>=2.7",
    "tomli>=2.0; python_version < '3.11'",
    "traitlets>=5.14",
)


def python(name: str) -> Path:
    """Return the interpreter of the environment of kernel `name`, which is made if need be."""
    return _made(name, (KERNELS[name], *REQUIREMENTS), with_package=True)


def nbdime() -> Path:
    """Return the interpreter of the environment of nbdime, which is made if need be."""
    return _made("nbdime", (NBDIME,), with_package=False)


def _made(name: str, requirements: tuple[str, ...], *, with_package: bool) -> Path:
    folder = FOLDER / name
    interpreter = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = "\n".join([*requirements, sys.version, str(ROOT)])
    stamp = folder / "made-from"
    digest = hashlib.sha256(wanted.encode()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        pip = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *requirements], check=True)
        if with_package:
            # The bundle has its own rule in the Makefile.
            env = os.environ | {"ACP_NOTEBOOK_SKIP_JS": "1"}
            subprocess.run([*pip, "--no-deps", "--editable", str(ROOT)], check=True, env=env)
        stamp.write_text(digest)
    return interpreter


if __name__ == "__main__":
    for each in KERNELS:
        sys.stdout.write(f"{python(each)}\n")
    sys.stdout.write(f"{nbdime()}\n")
