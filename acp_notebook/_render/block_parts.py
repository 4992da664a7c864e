"""Content blocks other than the text of an answer, as parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acp_notebook._fold.state import (
    AudioBlock,
    Block,
    ImageBlock,
    ResourceBlock,
    ResourceLinkBlock,
    TextBlock,
)
from acp_notebook._render.cut import cut, size_words
from acp_notebook._render.describe import pretty
from acp_notebook._render.markdown import image_address
from acp_notebook._render.parts import Attachment, Output, Part, Picture, Prose
from acp_notebook._render.visible import relative

if TYPE_CHECKING:
    from acp_notebook._render.options import RenderOptions


def block_parts(block: Block, options: RenderOptions) -> Iterator[Part]:
    """Give one block; a type that we do not know as the JSON it came as."""
    if isinstance(block, TextBlock):
        if block.text.strip():
            yield Prose(cut(block.text, options.text))
    elif isinstance(block, ImageBlock):
        yield _picture(block, options)
    elif isinstance(block, AudioBlock):
        yield Attachment(f"Audio ({block.mime_type}, {size_words(_decoded(block.data))})", "")
    elif isinstance(block, ResourceLinkBlock):
        size = size_words(block.size) if block.size is not None else None
        about = ", ".join(word for word in (block.mime_type, size, block.description) if word)
        yield Attachment(block.title or block.name, _address(block.uri, options), about)
    elif isinstance(block, ResourceBlock):
        yield _resource(block, options)
    else:
        yield Output(f"Content of type {block.type}", cut(pretty(block.raw), options.output))


def _picture(block: ImageBlock, options: RenderOptions) -> Picture:
    if not block.data:
        return Picture(f"Image ({block.uri or block.mime_type}), not loaded", None)
    size = size_words(_decoded(block.data))
    address = image_address(block.mime_type, block.data, options.images) if options.images else None
    about = f"Image ({block.mime_type}, {size})"
    return Picture(about if address else f"{about}, left out of this copy", address)


def _resource(block: ResourceBlock, options: RenderOptions) -> Attachment:
    name = block.uri.rstrip("/").rsplit("/", 1)[-1] or block.uri
    if block.text is not None:
        size = size_words(len(block.text.encode("utf-8", "replace")))
        about = ", ".join(word for word in (block.mime_type, size) if word)
        return Attachment(name, _address(block.uri, options), about, cut(block.text, options.output))
    size = size_words(_decoded(block.blob or ""))
    return Attachment(name, _address(block.uri, options), f"{block.mime_type or 'data'}, {size}")


def _address(uri: str, options: RenderOptions) -> str:
    """Return an address for reading: a file of the chat's folder by its relative path."""
    return relative(uri.removeprefix("file://"), options.cwd) if uri.startswith("file://") else uri


def _decoded(data: str) -> int:
    """Return the number of bytes that Base64 text stands for."""
    return len(data.rstrip("=")) * 3 // 4
