"""Python objects as content blocks of a prompt.

Only what a person passes is sent, and it is sent as what the protocol has for it: text, an image, a
link to a file. Nothing is read from the notebook unasked.
"""

from __future__ import annotations

import base64
import io
import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_notebook._fold.plain_json import mended

if TYPE_CHECKING:
    from collections.abc import Collection

Block = dict[str, Any]

MAX_TEXT = 20_000
"""Characters of one object's text in a prompt; a longer one is cut, and the text says so."""


def to_blocks(parts: tuple[object, ...], cwd: Path) -> list[Block]:
    """Content blocks for the arguments of ``send``.

    Parameters
    ----------
    parts
        str: text. `pathlib.Path`: a link to the file. Figures and images (matplotlib, PIL, anything
        with ``_repr_png_``): a PNG image. A dict with a "type": a content block as it is. Anything
        else: its Markdown or text form, named by its type.
    cwd
        Relative paths are meant from here.

    Raises
    ------
    ValueError
        There is nothing to send, or a path does not exist.
    """
    # Names of files may hold bytes that are no text: the agent gets U+FFFD for them, and so does the record.
    blocks: list[Block] = [mended(_block(part, cwd)) for part in parts]
    if all(block.get("type") == "text" and not block["text"].strip() for block in blocks):
        msg = "There is nothing to send: give the prompt some text."
        raise ValueError(msg)
    return blocks


def fit(blocks: list[Block], takes: Collection[str]) -> list[Block]:
    """The blocks that an agent takes: what it did not advertise is replaced by a line that says so.

    Text and resource links are always allowed (protocol page "Content").

    Parameters
    ----------
    takes
        The prompt capabilities that the agent advertised: image, audio, embeddedContext.
    """
    return [block if _is_taken(block, takes) else _left_out(block) for block in blocks]


def _is_taken(block: Block, takes: Collection[str]) -> bool:
    needs = {"image": "image", "audio": "audio", "resource": "embeddedContext"}
    capability = needs.get(str(block.get("type")))
    return capability is None or capability in takes


def _left_out(block: Block) -> Block:
    text = f"[An attachment of type {block['type']} was left out: this agent does not take any.]"
    return {"type": "text", "text": text}


def _block(part: object, cwd: Path) -> Block:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Path):
        return _link(part, cwd)
    if isinstance(part, dict) and isinstance(part.get("type"), str):
        return part
    image = _png(part)
    if image is not None:
        return {"type": "image", "mimeType": "image/png", "data": base64.b64encode(image).decode()}
    return {"type": "text", "text": _text(part)}


def _link(path: Path, cwd: Path) -> Block:
    absolute = path if path.is_absolute() else cwd / path
    if not absolute.exists():
        msg = f"There is no file {str(path)!r} (looked at {absolute})."
        raise ValueError(msg)
    block: Block = {"type": "resource_link", "uri": absolute.resolve().as_uri(), "name": path.name}
    mime, _ = mimetypes.guess_type(absolute.name)
    if mime is not None:
        block["mimeType"] = mime
    if absolute.is_file():
        block["size"] = absolute.stat().st_size
    return block


def _png(part: object) -> bytes | None:
    """PNG bytes of a figure or image; None for anything else."""
    savefig = getattr(part, "savefig", None)
    if callable(savefig):
        buffer = io.BytesIO()
        savefig(buffer, format="png")
        return buffer.getvalue()
    render = getattr(part, "_repr_png_", None)
    if callable(render):
        data = render()
        if isinstance(data, tuple):
            data = data[0]
        if isinstance(data, str):
            return base64.b64decode(data)
        if isinstance(data, bytes):
            return data
    return None


def _text(part: object) -> str:
    kind = f"{type(part).__module__}.{type(part).__qualname__}".removeprefix("builtins.")
    shape = getattr(part, "shape", None)
    head = f"{kind}, shape {shape}" if shape is not None else kind
    body = repr(part)
    if len(body) > MAX_TEXT:
        body = f"{body[:MAX_TEXT]}\n… ({len(body) - MAX_TEXT} more characters)"
    fence = "```"
    while fence in body:
        fence += "`"
    return f"{head}:\n{fence}\n{body}\n{fence}"
