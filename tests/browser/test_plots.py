"""Plots in JupyterLab: drawn without a package or the network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output
from playwright.sync_api import expect

from acp_notebook import Transcript
from acp_notebook._render.plots import Plot
from tests.browser.conftest import Open
from tests.browser.server import KERNEL, App, Server

CAPTURE = Path(__file__).resolve().parent.parent / "captures" / "claude22-cancel.jsonl"


def plots() -> list[Plot]:
    t = Transcript.load(CAPTURE)
    return [t.plot_tokens(), t.plot_cost(), t.plot_time(), t.plot_files()]


def saved(server: Server, name: str) -> Path:
    """Give a notebook with a plot as the output of each cell."""
    cells = [
        new_code_cell("plot", outputs=[new_output("display_data", data=plot._repr_mimebundle_())])
        for plot in plots()
    ]
    path = server.notebooks / name
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": KERNEL}), path)
    return path


def test_plots_are_drawn(open_notebook: Open, servers: Callable[[App], Server]) -> None:
    """Wide enough to be read, also in a notebook that is not trusted; JupyterLab has all it takes."""
    notebook = open_notebook(path=saved(servers("lab"), "plots.ipynb"))
    for index, plot in enumerate(plots()):
        drawn = notebook.output(index).locator(".vega-embed canvas, .vega-embed svg").first
        expect(drawn).to_be_visible()
        box = drawn.bounding_box()
        assert box is not None
        assert box["width"] > 300, plot["title"]
        assert box["height"] > 20
