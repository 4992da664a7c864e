"""Whatever an agent writes stays text, in every place where it can write."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from acp_notebook._render.markdown_html import markdown_to_html
from acp_notebook._render.markdown_text import safe_markdown
from acp_notebook._render.twin import assemble, plain_line
from acp_notebook._render.visible import visible
from tests.render.samples import PNG, Reader, everything

HOSTILE = [
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    '"><svg onload=window.pwned=1>',
    "' onmouseover='window.pwned=1",
    "</style></pre></code></details></div><script>window.pwned=1</script><style>",
    "[click](javascript:window.pwned=1)",
    "[click](&#106;avascript:window.pwned=1)",
    "[click](java\tscript:window.pwned=1) <javascript:window.pwned=1> [x](data:text/html,<script>1</script>)",
    "[ref]\n\n[ref]: javascript:window.pwned=1 'x'",
    "![x](http://evil.example/p.png) ![x](//evil.example/p.png) ![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[![x](http://evil.example/p.png)](javascript:window.pwned=1)",
    "![x\\](javascript:window.pwned=1)](http://evil.example/p) [x\\](javascript:window.pwned=1)](http://a.example)",
    "&lt;script&gt;window.pwned=1&lt;/script&gt; &#60;img src=x onerror=window.pwned=1&#62;",
    "a\n\n<img src=http://evil.example/p.png>\n\n    ![x](http://evil.example/q.png)\n\n# x",
    "&#10;&#10;<iframe src=http://evil.example/></iframe>",
    "a\u202eb\u2066c\u200bd\ufeff\ud800",
    "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x9b1m a\rb\x08c\x00",
    "```html\n<script>window.pwned=1</script>\n```\n~~~\n</code></pre><script>window.pwned=1</script>",
    '``` "><script>window.pwned=1</script>\nx\n```',
    "| a | b |\n|:--|--:|\n| <script>window.pwned=1</script> | `</td><script>1</script>` |",
    "`<script>` `` ` `` $<img src=x onerror=window.pwned=1>$ \\(<img src=x onerror=window.pwned=1>\\)",
    "$<$``<`<img src=x onerror=window.pwned=1>``",
    "<!-- --><!DOCTYPE html><?php echo 1 ?><![CDATA[x]]>",
    'http://evil.example/"onmouseover="window.pwned=1 https://evil.example/<script>',
    '<http://evil.example/"onmouseover="window.pwned=1> <mailto:a@b.c?subject=<script>>',
    "{{ constructor.constructor('window.pwned=1')() }} ${window.pwned=1} $$x$$ $5 and $6",
    "*".join("_" * n for n in range(20)) + ">" * 200 + "- " * 200 + "[" * 300,
    "---\n===\n1. a\n   ```\n- b\n> c\n  <script>window.pwned=1</script>",
]

TAGS = {
    "a": {"href", "rel", "target"},
    "blockquote": {"class", "dir"},
    "br": set(),
    "code": {"class"},
    "details": {"class", "open"},
    "div": {"class", "dir"},
    "em": set(),
    "hr": set(),
    "img": {"src", "alt"},
    "li": set(),
    "ol": {"class", "start"},
    "p": {"class", "role", "aria-level"},
    "pre": {"class"},
    "s": set(),
    "span": {"class"},
    "strong": set(),
    "style": set(),
    "summary": set(),
    "table": set(),
    "tbody": set(),
    "td": {"class"},
    "th": {"class"},
    "thead": set(),
    "tr": set(),
    "ul": set(),
}


def assert_harmless(html: str) -> Reader:
    reader = Reader(html)
    assert reader.problems == []
    for tag, attributes in reader.tags:
        assert set(attributes) <= TAGS[tag], (tag, attributes)
        if tag == "a":
            assert re.match(r"https?://|mailto:", attributes["href"] or ""), attributes
        if tag == "img":
            assert (attributes["src"] or "").startswith(("data:image/png;base64,", "data:image/jpeg;base64,"))
        css = attributes.get("class") or ""
        assert re.fullmatch(r"[A-Za-z0-9_+#. -]*", css), css
    return reader


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("mode", ["text", "full"])
def test_every_field_stays_text(hostile, mode):
    """A hostile string in any field brings no tag, attribute or address of its own into the HTML."""
    html, markdown = assemble(everything(lambda _: hostile), mode, hostile)

    assert_harmless(html)
    assert "\n\n" not in html
    assert not re.search(r"\n[ \t]*\n", html)
    assert_no_html(markdown)
    html.encode()
    markdown.encode()


def assert_no_html(markdown: str) -> None:
    """No viewer may find HTML, an image or an address with a scheme of the agent's choice."""
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(markdown)
    flat = [child for token in tokens for child in (token, *(token.children or ()))]
    assert [token.type for token in flat if token.type in {"html_block", "html_inline", "image"}] == []
    links = [str(token.attrs["href"]) for token in flat if token.type == "link_open"]
    assert [link for link in links if not re.match(r"https?://|mailto:", link)] == []


def read_plainly(markdown: str) -> str:
    """What a common Markdown viewer shows."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return Reader(parser.render(markdown)).text


@pytest.mark.parametrize("mode", ["text", "full"])
def test_nothing_is_lost(mode):
    """Every text of a state can be read in both forms (thoughts and tool inputs only in a full copy)."""
    names: list[str] = []

    def mark(name: str) -> str:
        names.append(name)
        return f"«{name.replace(' ', '-')}»"

    html, markdown = assemble(everything(mark), mode, "x")
    # Ids, kinds and types that words or pictures stand for; what another field says better.
    silent = {
        "option id", "option kind", "other option", "call id", "tool name", "permission kind", "call kind",
        "image data", "audio", "agent name", "raw key", "raw output", "input", "link name",
        "terminal command", "terminal argument", "image uri", "session title",
    }  # fmt: skip
    if mode == "text":
        silent |= {"thought", "only input"}
    for text in (Reader(html).text, markdown):
        missing = [name for name in dict.fromkeys(names) if f"«{name.replace(' ', '-')}»" not in text]
        assert set(missing) <= silent, missing


@pytest.mark.parametrize("hostile", HOSTILE)
def test_the_plain_line_is_one_line_of_plain_text(hostile):
    """`text/plain` of the view is one line without characters that hide something."""
    line = plain_line(everything(lambda _: hostile))

    assert "\n" not in line
    assert line == visible(line)
    assert len(line) <= 200


@pytest.mark.parametrize("hostile", HOSTILE)
def test_markdown_and_html_say_the_same(hostile):
    """The Markdown that we write shows the same text as our HTML of the original."""
    again = safe_markdown(hostile, shift=0)

    assert_no_html(again)
    shown = Reader(markdown_to_html(hostile)).text
    assert re.sub(r"\s", "", read_plainly(again)) == re.sub(r"\s", "", shown)


_BITS = st.sampled_from(
    ["<", ">", "&", "&lt;", "&#60;", "&#10;", "&#9;", "[", "]", "(", ")", "!", "`", "``", "```", "~~~", "*", "**", "_",
     "\\", "\n", "\n\n", " ", "    ", "\t", "#", "-", "+", "1.", "1)", ">", "|", "|-|", "---", "===", "$", "$$", ":",
     "a", "b c", "x", "http://a.b", "javascript:1", "<b>", "</b>", "<!--", "<a href=x>", "~~", "\\(", "\\)", "\\[",
     "\\]", "é", "data:x", "[a]: b", '"', "'", "\u202e", "\x1b[1m", "\x00"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(_BITS, max_size=14).map("".join))
def test_any_markdown_is_harmless_and_reads_the_same(source):
    """For any text: no foreign tag in the HTML, no HTML in the Markdown, the same words in both.

    Stray marks (an asterisk that closes nothing beside an entity) may differ, words may not.
    """
    shown = assert_harmless(markdown_to_html(source)).text
    again = safe_markdown(source, shift=0)

    assert_no_html(again)
    assert re.findall(r"\w", read_plainly(again)) == re.findall(r"\w", shown)


def test_a_small_picture_in_a_message_shows_only_in_full_copies():
    """A `data:` PNG within the limit is the one thing that is loaded."""
    source = f"![dot](data:image/png;base64,{PNG})"

    assert "<img" in markdown_to_html(source, images=1000)
    assert "<img" not in markdown_to_html(source, images=10)
    assert "<img" not in markdown_to_html(source)
    assert "<img" not in markdown_to_html(source.replace("png", "svg+xml"), images=1000)
    assert "<img" not in markdown_to_html(source.replace("png", "jpeg"), images=1000)
