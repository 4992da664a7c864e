from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_notebook._agent.protocol import RpcError
from acp_notebook._client.files import Files
from acp_notebook._client.notebooks import check_notebook
from acp_notebook._client.roots import Roots

CODE = {"cell_type": "code", "metadata": {}, "source": ["a\n", "b"], "outputs": [], "execution_count": None}
TEXT = {"cell_type": "markdown", "metadata": {}, "source": "# x"}


def notebook(*cells: Any, **more: Any) -> str:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more})


GOOD = [
    notebook(),
    notebook(CODE, TEXT),
    notebook({**CODE, "id": "a-b_1", "execution_count": 3, "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}]}),
    notebook(CODE, nbformat_minor=2),
    json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}),
]  # fmt: skip
OUTLINE = [
    ("", "no JSON"),
    ("print('hello')", "no JSON"),
    ("[1]", "no JSON object"),
    ('{"nbformat": 4, "nbformat_minor": NaN}', "NaN"),
    ("[" * 100_000, "no JSON"),
    ("{}", "`nbformat`"),
    (notebook(nbformat="4"), "`nbformat`"),
    (notebook(nbformat_minor=True), "`nbformat_minor`"),
    (notebook(nbformat=99), "version 99"),
    (notebook(metadata=[]), "`metadata`"),
    (notebook(cells={}), "`cells`"),
    (notebook(CODE, 5), "cell 1: it must be an object"),
    (notebook({**CODE, "cell_type": "program"}), "cell 0: `cell_type`"),
    (notebook({**TEXT, "metadata": None}), "cell 0: `metadata`"),
    (notebook({**TEXT, "source": [1]}), "cell 0: `source`"),
    (notebook({**CODE, "outputs": None}), "cell 0: `outputs`"),
    (notebook({**CODE, "execution_count": "1"}), "cell 0: `execution_count`"),
]
BY_NBFORMAT = [
    (notebook({**CODE, "id": "not an id!"}), "cells"),
    (notebook({**CODE, "outputs": [{"output_type": "smoke"}]}), "cells"),
    (notebook({**TEXT, "outputs": []}), "cells"),
    (notebook(nbformat=3), "version 3.5"),
    (notebook(nbformat_minor=-1), "version 4.-1"),
]


@pytest.fixture(params=[True, False], ids=["nbformat", "without"])
def has_nbformat(request, monkeypatch):
    if not request.param:
        monkeypatch.setitem(sys.modules, "nbformat.validator", None)
    return request.param


@pytest.mark.parametrize("text", GOOD)
def test_notebooks_pass(text, has_nbformat):
    """With nbformat and without: older versions too, and cells of 4.5 without ids, which Jupyter adds."""
    check_notebook(Path("/x/a.ipynb"), text)


@pytest.mark.parametrize(("text", "why"), OUTLINE)
def test_what_is_no_notebook_is_refused_with_the_reason(text, why, has_nbformat):
    """The message says what is wrong, and which cell it is."""
    with pytest.raises(RpcError) as caught:
        check_notebook(Path("/x/a.ipynb"), text)
    assert caught.value.code == -32602
    assert why in caught.value.message


@pytest.mark.parametrize(("text", "why"), BY_NBFORMAT)
def test_nbformat_sees_what_the_outline_does_not(text, why):
    """The schema decides where it is there."""
    with pytest.raises(RpcError) as caught:
        check_notebook(Path("/x/a.ipynb"), text)
    assert why in caught.value.message


@pytest.mark.parametrize("name", ["a.ipynb", "A.IPYNB", "a.IpYnB", ".ipynb"])
def test_a_broken_notebook_is_not_written(tmp_path, name):
    """In any case of letters, also through a link of another name; the old file stays, other files are free."""
    path = tmp_path / name
    path.write_text(GOOD[0])
    (tmp_path / "other.txt").symlink_to(path)
    files = Files(Roots(tmp_path))

    def write(path: Path, text: str) -> None:
        asyncio.run(files.write({"path": str(path), "content": text}))

    for place in (path, tmp_path / "other.txt"):
        with pytest.raises(RpcError, match="not be a valid notebook"):
            write(place, "oops")
    assert path.read_text() == GOOD[0]
    write(path, GOOD[1])
    assert path.read_text() == GOOD[1]
    write(tmp_path / "a.ipynb.txt", "oops")
    with pytest.raises(RpcError, match="not be a valid notebook"):
        asyncio.run(files.replace(path, GOOD[1], "oops"))
    assert path.read_text() == GOOD[1]
