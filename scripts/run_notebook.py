"""Runs a notebook without a front end and says where the result lies."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

CELL_TIMEOUT = 180
"""Seconds that one cell may take."""


def main() -> int:
    """Execute, write the result (also of a run that failed), and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    book = nbformat.read(arguments.notebook, as_version=4)
    client = NotebookClient(
        book, timeout=CELL_TIMEOUT, resources={"metadata": {"path": str(arguments.notebook.parent)}}
    )
    failure = None
    try:
        client.execute()
    except CellExecutionError as error:
        failure = error
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, arguments.output)
    if failure is not None:
        print(failure, file=sys.stderr)
        print(f"A cell failed. The notebook up to there: {arguments.output.resolve()}", file=sys.stderr)
        return 1
    print(f"{arguments.notebook} ran from top to bottom. The result: {arguments.output.resolve()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
