"""Notebook files are written only if they are notebooks: Jupyter could not open anything else."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from acp_notebook._agent.protocol import INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def is_notebook(path: Path) -> bool:
    """Whether a file is a notebook by its name, whatever the case of its letters."""
    name = path.name
    if os.name == "nt":  # where "a.ipynb." and "a.ipynb::$DATA" are the same file
        name = name.split(":")[0].rstrip(". ")
    return name.lower().endswith(".ipynb")


def check_notebook(path: Path, text: str) -> None:
    """Refuse a text for a notebook file that is no notebook.

    nbformat decides where it is installed; without it only the outline is looked at.

    Raises
    ------
    RpcError
        -32602; the message says what is wrong and where.
    """
    if not is_notebook(path):
        return
    problem = _problem(text)
    if problem is not None:
        message = f"{path} was not written, since it would not be a valid notebook: {problem}"
        raise RpcError(INVALID_PARAMS, message, {"path": str(path)})


def _problem(text: str) -> str | None:
    try:
        notebook = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return f"it is no JSON: {error}"
    if not isinstance(notebook, dict):
        return "it is no JSON object"
    for name in ("nbformat", "nbformat_minor"):
        if not isinstance(notebook.get(name), int) or isinstance(notebook[name], bool):
            return f"`{name}` must be a whole number"
    if notebook["nbformat"] not in (3, 4):
        return f"version {notebook['nbformat']} of the notebook format is not known"
    # The outline first: what nbformat says against a cell is that it is none of three kinds.
    outline = next(_outline(notebook), None) if notebook["nbformat"] == 4 else None
    return outline or _said_by_nbformat(notebook)


def _said_by_nbformat(notebook: dict[str, Any]) -> str | None:
    try:
        from nbformat.validator import get_validator
    except ImportError:
        return None
    version = f"{notebook['nbformat']}.{notebook['nbformat_minor']}"
    try:
        validator = get_validator(notebook["nbformat"], notebook["nbformat_minor"])
    except KeyError:  # so it says for 3.5
        validator = None
    if validator is None:
        return f"version {version} of the notebook format is not known"
    first = next(iter(validator.iter_errors(_with_ids(notebook))), None)
    return None if first is None else str(first.message)[:300]


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _with_ids(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the cell ids that nbformat 4.5 wants and that Jupyter adds by itself."""
    cells = notebook.get("cells")
    if (notebook["nbformat"], notebook["nbformat_minor"]) < (4, 5) or not isinstance(cells, list):
        return notebook
    filled = [{"id": f"c{n}", **cell} if isinstance(cell, dict) else cell for n, cell in enumerate(cells)]
    return {**notebook, "cells": filled}


def _outline(notebook: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the outline of a notebook of version 4."""
    if not isinstance(notebook.get("metadata"), dict):
        yield "`metadata` must be an object"
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        yield "`cells` must be a list"
        return
    for number, cell in enumerate(cells):
        problem = _cell_problem(cell)
        if problem is not None:
            yield f"cell {number}: {problem}"


def _cell_problem(cell: object) -> str | None:
    if not isinstance(cell, dict):
        return "it must be an object"
    kind = cell.get("cell_type")
    if kind not in ("code", "markdown", "raw"):
        return f"`cell_type` must be code, markdown or raw, not {kind!r}"
    if not isinstance(cell.get("metadata"), dict):
        return "`metadata` must be an object"
    source = cell.get("source")
    lines = source if isinstance(source, list) else [source]
    if not all(isinstance(line, str) for line in lines):
        return "`source` must be a text or a list of lines"
    if kind == "code":
        outputs = cell.get("outputs")
        if not isinstance(outputs, list) or not all(isinstance(output, dict) for output in outputs):
            return "`outputs` must be a list of objects"
        count = cell.get("execution_count", "")
        if count is not None and (isinstance(count, bool) or not isinstance(count, int)):
            return "`execution_count` must be a whole number or null"
    return None
