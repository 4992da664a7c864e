"""Jupyter servers of the tests: JupyterLab, Notebook 7 and Voila, each with temporary folders of its own."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Literal

import nbformat

App = Literal["lab", "notebook", "voila"]
UP = 60.0
"""Seconds that a server may take until it listens."""
DOWN = 20.0
"""Seconds that it may take to end its kernels and itself."""

FOLDERS = (
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
    "IPYTHONDIR",
    "JUPYTERLAB_SETTINGS_DIR",
    "JUPYTERLAB_WORKSPACES_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
)
QUIET: dict[str, dict[str, Any]] = {
    # No questions and no look-ups in the network.
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def free_port() -> int:
    """Give a port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class Server:
    """One running server.

    Parameters
    ----------
    root
        An empty folder for everything that the server writes; notebooks lie in `root/notebooks`.
    app
        Which front end it serves.
    settings
        JupyterLab's settings by plug-in, for example
        `{"@jupyterlab/docmanager-extension:plugin": {"autosave": False}}`.
    """

    def __init__(
        self, root: Path, app: App = "lab", settings: dict[str, dict[str, Any]] | None = None
    ) -> None:
        self.root = root
        self.app = app
        self.notebooks = root / "notebooks"
        self.notebooks.mkdir(parents=True)
        self.port = free_port()
        self.token = secrets.token_hex(16)
        self.log: list[str] = []
        for plugin, values in {**QUIET, **(settings or {})}.items():
            name, _, schema = plugin.partition(":")
            file = root / "jupyterlab_settings_dir" / name / f"{schema}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        self._listening = threading.Event()
        self._ended = threading.Event()
        self.process = subprocess.Popen(
            [sys.executable, *self._arguments()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **{name: str(root / name.lower()) for name in FOLDERS}},
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()
        if not self._listening.wait(UP) or self.process.poll() is not None:
            self.stop()
            raise RuntimeError(f"the {app} server did not start:\n" + "".join(self.log[-40:]))
        self._connect()

    def _connect(self) -> None:
        """Wait for the first connection: the server says that it runs a moment before it listens."""
        end = time.monotonic() + UP
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), UP).close()
                return
            except ConnectionRefusedError:
                if time.monotonic() > end or self.process.poll() is not None:
                    self.stop()
                    raise
                self._ended.wait(0.02)

    def _arguments(self) -> list[str]:
        common = ["--no-browser", f"--port={self.port}"]
        if self.app == "voila":
            return ["-m", "voila", *common, "--Voila.ip=127.0.0.1", str(self.notebooks)]
        traits = {"lab": "LabApp", "notebook": "JupyterNotebookApp"}[self.app]
        return [
            "-m",
            {"lab": "jupyterlab", "notebook": "notebook"}[self.app],
            *common,
            "--allow-root",
            "--ip=127.0.0.1",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.notebooks}",
            f"--{traits}.expose_app_in_browser=True",
            "--LabApp.news_url=None",
        ]

    def _drain(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            text = line.decode(errors="replace")
            self.log.append(text)
            if "is running at" in text:
                self._listening.set()
        self._listening.set()
        self._ended.set()

    def api(self, path: str, method: str = "GET") -> Any:
        """Call Jupyter's REST interface."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=DOWN) as response:
            body = response.read()
        return json.loads(body) if body else None

    def url(self, name: str, *, reset: bool = True) -> str:
        """Give the address of a notebook."""
        base = f"http://127.0.0.1:{self.port}"
        match self.app:
            case "voila":
                return f"{base}/voila/render/{name}"
            case "notebook":
                return f"{base}/notebooks/{name}?token={self.token}"
            case _:
                return f"{base}/lab/tree/{name}?token={self.token}" + ("&reset" if reset else "")

    def write(self, name: str, *cells: str) -> Path:
        """Write a notebook of code cells."""
        book = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": KERNEL}
        )
        path = self.notebooks / name
        nbformat.write(book, path)
        return path

    def stop_kernels(self) -> None:
        """End every session and kernel, and wait until they are gone.

        A kernel that was killed is restarted by the server meanwhile and cannot be deleted in the middle of that.
        """
        if self.app == "voila":
            return
        end = time.monotonic() + DOWN
        while left := self._left():
            for path in left:
                try:
                    self.api(path, "DELETE")
                except urllib.error.HTTPError:
                    assert time.monotonic() < end, f"{path} cannot be deleted"

    def _left(self) -> list[str]:
        return [f"{kind}/{each['id']}" for kind in ("sessions", "kernels") for each in self.api(kind)]

    def stop(self) -> None:
        """End the server and with it every kernel."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(DOWN)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self._reader.join(DOWN)
        assert self.process.stdout is not None
        self.process.stdout.close()


def trust(server: Server, path: Path) -> None:
    """Trust a notebook as its reader would, with the server's own key."""
    folders = {name: str(server.root / name.lower()) for name in FOLDERS}
    command = [sys.executable, "-m", "jupyter", "trust", str(path)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **folders})
