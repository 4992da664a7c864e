"""An agent's Markdown as a tree that nothing hostile survives in; two writers read it.

Raw HTML is text, links and images are judged here, formulas stay as their source. The HTML writer is
`markdown_html`, the Markdown writer (the same text, with everything escaped that a viewer could take
for HTML) is `markdown_text`.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline

# Looking for the end of a link costs the square of the brackets before it.
_MAX_BRACKETS = 10_000
# Deeper nesting than this is no text for people; such a text is shown as its source.
_MAX_NESTING = 60

_MATH_RE = re.compile(
    r"\\\((?:[^\\]|\\(?!\)))+?\\\)"  # \( … \)
    r"|\\\[(?:[^\\]|\\(?!\]))+?\\\]"  # \[ … \]
    r"|\$\$[^$]+?\$\$"
    r"|\$(?![\s$])[^$\n]*?(?<![\s\\])\$(?!\d)"
)
# A formula in running text is short; the bound keeps texts full of dollar signs linear.
_MATH_LIMIT = 1000

_LINK_RE = re.compile(r"(?:https?://[^\s/?#]|mailto:[^\s])[^\s\x00-\x1f\"<>]*\Z", re.IGNORECASE)
_DATA_IMAGE_RE = re.compile(r"data:image/(png|jpeg);base64,([A-Za-z0-9+/=%]+)\Z", re.IGNORECASE)
_IMAGE_STARTS = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff"}


def _math(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = _MATH_RE.match(state.src, state.pos, min(state.posMax, state.pos + _MATH_LIMIT))
    if found is None:
        return False
    if not silent:
        state.push("math", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    parser.disable("html_block").disable("html_inline")
    parser.inline.ruler.before("escape", "math", _math)
    # Every target is parsed; what becomes of it is decided in one place, by `safe_link`.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005
    return parser


_PARSER = _parser()


# Both writers read the same tree, one right after the other.
@lru_cache(maxsize=1)
def parse(text: str) -> SyntaxTreeNode | None:
    """Parse agent Markdown; None if it is too tangled: the parser would take for ever, or drop text."""
    if text.count("[") > _MAX_BRACKETS:
        return None
    tokens = _PARSER.parse(text)
    if any(token.level >= _MAX_NESTING - 1 for token in tokens):
        return None
    return SyntaxTreeNode(tokens)


def safe_link(url: str) -> str | None:
    """Return the address if it may become a link (http, https, mailto), else None."""
    return url if _LINK_RE.match(url) else None


def host_of(url: str) -> str:
    """Return the host that a web address would be fetched from, without user and port."""
    rest = url.split("://", 1)[-1]
    return re.split(r"[/?#]", rest, maxsplit=1)[0].rsplit("@", 1)[-1].split(":")[0]


def inline_image(url: str, limit: int) -> str | None:
    """Return a ``data:`` address rebuilt from its bytes (PNG, JPEG, at most `limit` bytes), else None."""
    found = _DATA_IMAGE_RE.match(url) if limit else None
    if found is None:
        return None
    kind, text = found[1].lower(), found[2].replace("%3D", "=")
    return image_address(f"image/{kind}", text, limit)


def image_address(mime_type: str, data: str, limit: int) -> str | None:
    """Return a ``data:`` address for Base64 `data` that is a PNG or JPEG of at most `limit` bytes.

    Anything else is None: another type, a type that the bytes do not bear out, broken Base64.
    """
    start = _IMAGE_STARTS.get(mime_type.removeprefix("image/"))
    if not mime_type.startswith("image/") or start is None or len(data) > limit * 4 // 3 + 4:
        return None
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    if not content.startswith(start) or len(content) > limit:
        return None
    return f"data:{mime_type};base64,{base64.b64encode(content).decode('ascii')}"


def language_of(info: str) -> str:
    """Return the language of a fence as a plain word, or an empty string."""
    words = info.split()
    return words[0] if words and re.fullmatch(r"[\w+#.-]{1,40}", words[0], re.ASCII) else ""
