"""``python run_notebook.py PYTHON NOTEBOOK``: run a notebook in place with nbclient, on this interpreter's kernel.

A process of its own: nbclient leaves sockets open that end with it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

path = Path(sys.argv[2])
book = nbformat.read(path, as_version=4)
manager = AsyncKernelManager(connection_file=str(path.with_name("connection.json")))
assert manager.kernel_spec is not None
manager.kernel_spec.argv[0] = sys.argv[1]
NotebookClient(book, km=manager, timeout=40, resources={"metadata": {"path": str(path.parent)}}).execute()
nbformat.write(book, path)
