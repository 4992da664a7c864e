"""Agent Markdown to Markdown that means the same to every reader and holds no HTML.

Viewers pass HTML in Markdown through, some with scripts. So the text is parsed and written anew: text is
escaped, addresses are judged as in the HTML writer, code stays code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from acp_notebook._render.markdown import host_of, language_of, parse, safe_link
from acp_notebook._render.visible import clean, visible

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

# A closing bracket needs no escape where no opening one is left; `\[ … \]` would read as a formula.
_SPECIAL_RE = re.compile(r"[\\`*\[|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=[A-Za-z0-9])_(?=[^ -~])")
_ENTITY_RE = re.compile(r"&(?=#?[A-Za-z0-9]+;)")
_LINE_START_RE = re.compile(r"^(?:([-+=#>])|(\d{1,9})([.)]))", re.MULTILINE)
# Would close a heading instead of being read.
_CLOSING_RE = re.compile(r"(?<= )#+\Z")
_TICKS_RE = re.compile(r"`+")
_TARGET_LIMIT = 200


def safe_markdown(text: str, *, shift: int = 2) -> str:
    """Return agent Markdown written anew, without trailing line break.

    Parameters
    ----------
    text
        What the agent wrote.
    shift
        By how many levels headings are lowered, so that they stay below those around them.
    """
    tree = parse(text)
    return fence(text) if tree is None else "\n\n".join(_blocks(tree, shift))


def escape_text(text: str) -> str:
    """Escape text so that Markdown shows it as it is, on one line."""
    return escape_line_start(_escape_inline(text).strip())


def escape_lines(text: str) -> str:
    """Escape plain text, its line breaks kept as hard breaks."""
    lines = [escape_text(line) for line in clean(text).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return "\\\n".join(line or "&nbsp;" for line in lines)


def escape_line_start(text: str) -> str:
    """Escape what would begin a heading, list, quote or rule at the start of a line."""
    return _LINE_START_RE.sub(lambda m: f"\\{m[1]}" if m[1] else f"{m[2]}\\{m[3]}", text)


def code_span(text: str) -> str:
    """Return text as inline code."""
    text = re.sub(r"[\n\t ]+", " ", visible(text, multiline=True))
    if not text.strip():
        return ""
    ticks = "`" * (max((len(run) for run in _TICKS_RE.findall(text)), default=0) + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Return text as a fenced block of code. `language` must be a plain word."""
    text = visible(text, multiline=True)
    ticks = "`" * max(3, max((len(run) for run in _TICKS_RE.findall(text)), default=0) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _escape_inline(text: str) -> str:
    text = re.sub(r"[\n\t]", " ", clean(text))
    text = _ENTITY_RE.sub("&amp;", _SPECIAL_RE.sub(r"\\\g<0>", text)).replace("\\]", "\\&#93;")
    # An entity, not a backslash: older Markdown readers do not know that before an angle bracket.
    return text.replace("<", "&lt;")


def _in_link(text: str) -> str:
    """Escape text inside a link's brackets: as entities, since backslashes there read as a formula."""
    return _escape_inline(text).replace("\\[", "&#91;").replace("]", "&#93;")


def _blocks(node: SyntaxTreeNode, shift: int) -> list[str]:
    return [text for text in (_block(child, shift) for child in node.children) if text]


def _block(node: SyntaxTreeNode, shift: int) -> str:
    kind = node.type
    if kind == "inline":
        return _inline_lines(node)
    if kind == "paragraph":
        return "\n".join(_blocks(node, shift))
    if kind == "heading":
        level = min(6, int(node.tag[1:]) + shift)
        text = " ".join(" ".join(_blocks(node, shift)).split("\n"))
        text = _CLOSING_RE.sub(r"\\\g<0>", text)
        return f"{'#' * level} {text}" if text else ""
    if kind in {"fence", "code_block"}:
        return fence(node.content.removesuffix("\n"), language_of(node.info))
    if kind == "blockquote":
        return _prefixed("\n\n".join(_blocks(node, shift)), "> ", "> ")
    if kind in {"bullet_list", "ordered_list"}:
        return _list(node, shift)
    if kind == "table":
        return _table(node)
    if kind == "hr":
        return "___"
    return escape_text(node.content)


def _prefixed(text: str, first: str, rest: str) -> str:
    lines = text.split("\n")
    return "\n".join(((rest if index else first) + line).rstrip(" ") for index, line in enumerate(lines))


def _list(node: SyntaxTreeNode, shift: int) -> str:
    tight = any(
        child.type == "paragraph" and child.hidden for item in node.children for child in item.children
    )
    items: list[str] = []
    number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
    for index, item in enumerate(node.children):
        # The list's own markers are kept: a change of marker is what parts two lists.
        mark = f"{number + index}{node.markup} " if node.type == "ordered_list" else f"{node.markup} "
        body = ("\n" if tight else "\n\n").join(_blocks(item, shift))
        items.append(_prefixed(body, mark, " " * len(mark)))
    return ("\n" if tight else "\n\n").join(items)


def _table(node: SyntaxTreeNode) -> str:
    rows = [row for part in node.children for row in part.children]
    if not rows:
        return ""
    out = [_row(_cell(cell) for cell in row.children) for row in rows]
    rules = {"text-align:left": ":--", "text-align:right": "--:", "text-align:center": ":-:"}
    out.insert(1, _row(rules.get(str(cell.attrs.get("style", "")), "---") for cell in rows[0].children))
    return "\n".join(out)


def _row(cells: object) -> str:
    return f"| {' | '.join(cells)} |"  # type: ignore[arg-type]


def _cell(node: SyntaxTreeNode) -> str:
    text = " ".join(_inline_text(child) for child in node.children).replace("\\\n", " ").replace("\n", " ")
    # Text has its bars escaped already; those in code have not.
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _inline_lines(node: SyntaxTreeNode) -> str:
    lines = _inline_text(node).split("\n")
    # White space that was written as an entity must not become an empty line, which ends the paragraph.
    lines = [escape_line_start(line.lstrip(" ")) or "&#32;" for line in lines]
    return "" if set(lines) <= {"&#32;", "\\"} else "\n".join(lines).strip()


def _inline_text(node: SyntaxTreeNode, *, in_link: bool = False) -> str:
    out = ""
    for child in node.children:
        piece = _inline(child, in_link=in_link)
        # Two code spans side by side would share a run of backticks, and what is code would be none.
        gap = " " if out.endswith("`") and piece.startswith("`") else ""
        out += gap + piece
    return out


def _inline(node: SyntaxTreeNode, *, in_link: bool = False) -> str:
    kind = node.type
    if kind in {"em", "strong", "s"}:
        inner = re.sub(r"\A +| +\Z", "&#32;", _inline_text(node, in_link=in_link))
        return f"{node.markup}{inner}{node.markup}"
    if kind in {"code_inline", "math"}:
        return code_span(node.content)
    if kind == "softbreak":
        return "\n"
    if kind == "hardbreak":
        return "\\\n"
    if kind == "link":
        return _link(node)
    if kind == "image":
        return _image(node)
    return _in_link(node.content) if in_link else _escape_inline(node.content)


def _link(node: SyntaxTreeNode) -> str:
    inner, target = _inline_text(node, in_link=True), str(node.attrs.get("href", ""))
    href = safe_link(target)
    if href is not None:
        return _linked(inner, href) if "](" not in inner else inner
    if not target or node.info == "auto":
        return inner
    return f"{inner} ({code_span(target[:_TARGET_LIMIT])})"


def _image(node: SyntaxTreeNode) -> str:
    source, about = str(node.attrs.get("src", "")), _in_link(node.content) or "untitled"
    href = safe_link(source)
    if href is not None and not href.lower().startswith("mailto:"):
        return _linked(f"Image: {about} ({_in_link(host_of(href))})", href)
    where = "embedded" if source.lower().startswith("data:") else code_span(source[:_TARGET_LIMIT])
    text = f"Image: {about}{f', {where}' if where else ''}"
    return f"&#91;{text}&#93;"


def _linked(inner: str, href: str) -> str:
    address = re.sub(r"[()\\<>|`*_\[\]]", lambda m: f"%{ord(m[0]):02X}", visible(href))
    return f"[{inner or _in_link(href)}]({address})"
