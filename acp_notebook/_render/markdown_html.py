"""Agent Markdown to HTML: made tag by tag from the parsed tree, never from the agent's own HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_notebook._render import html
from acp_notebook._render.markdown import host_of, inline_image, language_of, parse, safe_link
from acp_notebook._render.visible import visible

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_WRAPPERS = {
    "paragraph": "p",
    "blockquote": "blockquote",
    "bullet_list": "ul",
    "list_item": "li",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
}
_MARKS = {"em": "em", "strong": "strong", "s": "s"}
_TARGET_LIMIT = 200


def markdown_to_html(text: str, *, images: int = 0) -> str:
    """Return agent Markdown as HTML.

    Parameters
    ----------
    text
        What the agent wrote.
    images
        Largest size in bytes of a ``data:`` image (PNG, JPEG) that is shown; 0 shows none. Images of the
        web are never loaded: they become a link that names the host.
    """
    tree = parse(text)
    if tree is None:
        return html.pre(text, "acp-code")
    return "".join(_block(node, images) for node in tree.children)


def _block(node: SyntaxTreeNode, images: int) -> str:
    kind = node.type
    if kind == "paragraph" and node.hidden:
        return _children(node, images)
    if kind in _WRAPPERS:
        tag = _WRAPPERS[kind]
        return f"<{tag}>{_children(node, images)}</{tag}>\n"
    if kind == "inline":
        return "".join(_inline(child, images) for child in node.children)
    if kind == "heading":
        # No <h1> … <h6>: a notebook's table of contents would list the headings of every answer.
        level = node.tag[1:]
        inner = _children(node, images)
        css = f"acp-heading acp-h{level}"
        return f'<p class="{css}" role="heading" aria-level="{level}"><strong>{inner}</strong></p>\n'
    if kind == "ordered_list":
        start = int(node.attrs.get("start", 1))
        first = "" if start == 1 else f' start="{start}"'
        return f"<ol{first}>{_children(node, images)}</ol>\n"
    if kind in {"th", "td"}:
        style = str(node.attrs.get("style", ""))
        css = f' class="acp-{style.removeprefix("text-align:")}"' if style else ""
        return f"<{kind}{css}>{_children(node, images)}</{kind}>"
    if kind in {"fence", "code_block"}:
        return html.pre(node.content.removesuffix("\n"), "acp-code", language_of(node.info))
    if kind == "hr":
        return "<hr>\n"
    return f"<p>{html.lines(node.content)}</p>\n"


def _children(node: SyntaxTreeNode, images: int) -> str:
    parts: list[str] = []
    for child in node.children:
        # In a tight list a paragraph has no tag that would keep it apart from what follows.
        if parts and child.type == "paragraph" and child.hidden:
            parts.append("<br>\n")
        parts.append(_block(child, images))
    return "".join(parts)


def _inline(node: SyntaxTreeNode, images: int) -> str:
    kind = node.type
    if kind in _MARKS:
        tag = _MARKS[kind]
        return f"<{tag}>{''.join(_inline(child, images) for child in node.children)}</{tag}>"
    if kind == "code_inline":
        return f"<code>{html.escape_visible(node.content)}</code>"
    if kind == "math":
        return f'<code class="acp-math">{html.escape_visible(node.content)}</code>'
    if kind == "softbreak":
        return "\n"
    if kind == "hardbreak":
        return "<br>\n"
    if kind == "link":
        return _link(node, images)
    if kind == "image":
        return _image(node, images)
    return html.escape(node.content)


def _link(node: SyntaxTreeNode, images: int) -> str:
    inner = "".join(_inline(child, images) for child in node.children)
    target = str(node.attrs.get("href", ""))
    href = safe_link(target)
    if href is not None:
        # A link in a link does not exist in HTML; an image's own link would split this one.
        return html.link(href, inner) if "<a " not in inner else inner
    if not target or node.info == "auto":
        return inner
    return f"{inner} (<code>{html.escape(visible(target)[:_TARGET_LIMIT])}</code>)"


def _image(node: SyntaxTreeNode, images: int) -> str:
    source = str(node.attrs.get("src", ""))
    about = html.escape(visible(node.content))
    address = inline_image(source, images)
    if address is not None:
        return f'<img src="{address}" alt="{about}">'
    href = safe_link(source)
    if href is not None and not href.lower().startswith("mailto:"):
        return html.link(href, f"Image: {about or 'untitled'} ({html.escape(host_of(href))})")
    where = "embedded" if source.lower().startswith("data:") else html.escape(visible(source)[:_TARGET_LIMIT])
    return f"[Image: {about or 'untitled'}{f', {where}' if where else ''}]"
