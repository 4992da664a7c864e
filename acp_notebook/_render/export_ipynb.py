"""A conversation as a notebook: prompts and answers as Markdown cells, proposed Python as code cells.

A step of the agent is a cell that holds nothing but a comment; its changes, outputs and pictures are the
cell's outputs. Those cells are tagged ``skip-execution``, so that nbclient and papermill keep them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from acp_notebook._fold.state import TextBlock, TextItem, ToolCallItem
from acp_notebook._render.call_parts import call_parts
from acp_notebook._render.facts import moment_words, turn_facts
from acp_notebook._render.markdown import language_of, parse
from acp_notebook._render.markdown_text import escape_text, safe_markdown
from acp_notebook._render.options import RenderOptions
from acp_notebook._render.parts import Call, Output, Part, Picture, Title
from acp_notebook._render.session_parts import after_parts, before_parts, session_title, shown_turns
from acp_notebook._render.turn_markdown import part_markdown, parts_markdown
from acp_notebook._render.turn_parts import end_parts, item_parts, prompt_parts
from acp_notebook._render.visible import visible

if TYPE_CHECKING:
    from acp_notebook._fold.state import Session, Turn

    Cell = dict[str, Any]

_IMAGE_LIMIT = 10_000_000
_PYTHON = frozenset({"python", "py", "python3", "ipython", "ipython3"})
_DATA_RE = re.compile(r"data:(image/[a-z]+);base64,(.*)\Z", re.DOTALL)


def export_ipynb(
    session: Session, *, created: object = None, thoughts: bool = False, inputs: bool = True
) -> dict[str, Any]:
    """Return a session as a notebook of format 4.5, valid by nbformat.

    Parameters
    ----------
    session : Session
    created : object
        When it was, as in a transcript's header.
    thoughts, inputs : bool
        Whether the agent's thoughts and the inputs of tools are in it.

    Returns
    -------
    dict
        The notebook as JSON; cells have ids that are the same on every run.
    """
    options = RenderOptions(cwd=session.cwd, thoughts=thoughts, inputs=inputs, images=_IMAGE_LIMIT)
    cells = list(_cells(session, options, moment_words(created)))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cells(session: Session, options: RenderOptions, when: str) -> Iterator[Cell]:
    head = [f"# {escape_text(session_title(session))}", f"*{escape_text(when)}*" if when else ""]
    head.append(parts_markdown(p for p in before_parts(session, options, 0) if not isinstance(p, Title)))
    yield _markdown("\n\n".join(text for text in head if text))
    for index, turn in shown_turns(session):
        yield from _turn(index, turn, options)
    yield from _told(after_parts(session, options))


def _turn(index: int, turn: Turn, options: RenderOptions) -> Iterator[Cell]:
    facts = turn_facts(turn)
    head = f"## Turn {index + 1}{f' · {escape_text(facts)}' if facts else ''}"
    prompt = parts_markdown(prompt_parts(turn.prompt, options))
    yield _markdown(f"{head}\n\n{prompt}" if prompt else head)
    for item in turn.items:
        if isinstance(item, TextItem) and item.kind == "message":
            yield from _message(item, turn, options)
        elif isinstance(item, ToolCallItem):
            yield _step(tuple(call_parts(item.call, turn.terminals, options)))
        else:
            yield from _told(item_parts(item, turn, options))
    yield from _told(end_parts(turn, options))


def _told(parts: Iterable[Part]) -> Iterator[Cell]:
    text = parts_markdown(parts)
    if text:
        yield _markdown(text)


def _message(item: TextItem, turn: Turn, options: RenderOptions) -> Iterator[Cell]:
    if all(isinstance(block, TextBlock) for block in item.blocks):
        for text, is_code in _split(item.text):
            if is_code:
                yield _code(text)
            elif text.strip():
                yield from _told_text(text)
        return
    for part in item_parts(item, turn, options):
        yield _step((part,)) if isinstance(part, Picture) else _markdown(part_markdown(part))


def _told_text(text: str) -> Iterator[Cell]:
    written = safe_markdown(text)
    if written:
        yield _markdown(written)


def _split(text: str) -> Iterator[tuple[str, bool]]:
    """Give the Python that stands in fences of its own apart from the Markdown around it."""
    # The parser counts lone carriage returns as line breaks too.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tree = parse(text)
    fences = [] if tree is None else [n for n in tree.children if n.type == "fence" and n.map is not None]
    lines, start = text.split("\n"), 0
    for node in fences:
        code = node.content.removesuffix("\n")
        if language_of(node.info).lower() not in _PYTHON or not code.strip() or node.map is None:
            continue
        yield "\n".join(lines[start : node.map[0]]), False
        yield visible(code, multiline=True), True
        start = node.map[1]
    yield "\n".join(lines[start:]), False


# ------------------------------------------------------------------------------------------------- cells


def _markdown(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(source: str) -> Cell:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def _step(parts: tuple[Part, ...]) -> Cell:
    """Return the cell of a tool call or a picture: a comment that runs as nothing, and what came out."""
    first = parts[0]
    line = f"{first.kind} {first.title} {first.where}" if isinstance(first, Call) else "Picture"
    words = " ".join(line.split())
    state = f": {first.word}" if isinstance(first, Call) else ""
    cell = _code(f"# {visible(words)}{visible(state)}")
    cell["metadata"] = {"tags": ["skip-execution"]}
    rest = parts[1:] if isinstance(first, Call) else parts
    cell["outputs"] = [_output(part) for part in rest]
    return cell


def _output(part: Part) -> dict[str, Any]:
    if isinstance(part, Output) and part.text.text and "utput" in part.label:
        label = "" if part.label == "Output" else f"{visible(part.label)}:\n"
        text = label + visible(part.text.text, multiline=True) + "\n"
        return {"name": "stderr" if part.open else "stdout", "output_type": "stream", "text": text}
    markdown = part_markdown(part)
    data: dict[str, Any] = {"text/markdown": markdown, "text/plain": markdown}
    if isinstance(part, Picture):
        found = _DATA_RE.match(part.address or "")
        if found is not None:
            data = {found[1]: found[2], "text/plain": visible(part.about)}
    return {"data": data, "metadata": {}, "output_type": "display_data"}
