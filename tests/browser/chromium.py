"""Finds a Chromium for the tests, or installs one: `python tests/browser/chromium.py --install`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ENVIRONMENT = dict(os.environ)
"""As it was at the import: later the tests move the folder in which Playwright looks for its browsers."""
HELP = (
    "No Chromium: install chromium or google-chrome, or name one in the environment variable CHROMIUM, "
    "or run `python -m playwright install --with-deps chromium`."
)


def works(path: str) -> bool:
    """Say whether the browser starts; one with missing libraries, or a stub, does not."""
    try:
        run = subprocess.run([path, "--version"], capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return run.returncode == 0


def installed() -> str | None:
    """Give the browser that `CHROMIUM` names, else one on PATH."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    for name in NAMES:
        path = shutil.which(name)
        if path is not None and works(path):
            return path
    return None


def playwrights_own() -> str | None:
    """Give the browser that Playwright downloaded earlier."""
    code = "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
    # In a process of its own: inside a running Playwright a second one cannot start.
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    path = run.stdout.strip()
    return path if path and works(path) else None


def find() -> str | None:
    """Give the path of a browser that starts, None if there is none."""
    return installed() or playwrights_own()


def install() -> str | None:
    """Give a browser, installing Debian's as root, else Playwright's."""
    found = find()
    if found is not None:
        return found
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for step in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", "chromium"]):
            subprocess.run(["apt-get", *step], env=environment, check=False)
        found = installed()
        if found is not None:
            return found
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    return playwrights_own()


if __name__ == "__main__":
    browser = install() if "--install" in sys.argv else find()
    print(browser or HELP, file=sys.stdout if browser else sys.stderr)
    sys.exit(browser is None)
