"""Whole conversations as Markdown, page, notebook, JSON and table: complete, harmless, the same on every run."""

from __future__ import annotations

import ast
import base64
import hashlib
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from acp_notebook import Transcript
from acp_notebook._fold.state import Cost
from acp_notebook._render.export_html import export_html
from acp_notebook._render.export_ipynb import export_ipynb
from acp_notebook._render.export_markdown import export_markdown
from acp_notebook._render.facts import cost_words, headline, moment_words, turn_facts
from acp_notebook._render.safe_json import dump
from tests.render.samples import PNG, Reader, everything, message, session_of, text, turn_of
from tests.render.test_hostile import HOSTILE, assert_harmless, assert_no_html

TESTS = Path(__file__).resolve().parent.parent
CAPTURES = sorted((TESTS / "captures").glob("*.jsonl"))
GOLDEN = TESTS / "golden" / "export"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def main_of(page: str) -> str:
    """The part of a page that an agent's text goes into."""
    [found] = re.findall(r'<main class="acp-notebook-twin">\n(.*)</main>', page, re.DOTALL)
    return str(found)


def cells_of(book: dict) -> tuple[list[str], list[dict]]:
    """The Markdown of a notebook, in cells and outputs, and its code cells."""
    markdown = [cell["source"] for cell in book["cells"] if cell["cell_type"] == "markdown"]
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    data = [output["data"] for cell in code for output in cell["outputs"] if "data" in output]
    markdown += [bundle["text/markdown"] for bundle in data if "text/markdown" in bundle]
    return markdown, code


def assert_harmless_page(page: str) -> None:
    """The page's own tags count as ones that the static copies have, and are held to the same rules."""
    main = re.sub(r'<a href="#turn-\d+">([^<]*)</a>', r"<em>\1</em>", main_of(page))
    main = re.sub(r'<section id="(?:turn-\d+|afterwards)">', "<section>", main)
    main = re.sub(r'<li value="\d+">', "<li>", main.replace('<nav aria-label="Turns">', "<nav>"))
    assert_harmless(re.sub(r"<(/?)(?:header|section|nav|h1|h2|small)>", r"<\1em>", main))


# -------------------------------------------------------------------------------------------------- golden


def regenerate():
    spec = importlib.util.spec_from_file_location("regenerate_exports", GOLDEN / "regenerate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", regenerate().NAMES)
def test_golden_exports(name):
    """Three recordings are exported as they were when somebody last read them."""
    for to, made in regenerate().golden(name).items():
        assert made == (GOLDEN / f"{name}.{to}").read_text(encoding="utf-8"), to


def test_exports_are_the_same_in_another_process():
    """No order, time or id of a process gets into them."""
    code = (
        "import hashlib, sys; from acp_notebook import Transcript; t = Transcript.load(sys.argv[1]);"
        "print([hashlib.sha256(t.to_text(to).encode()).hexdigest() for to in ('md', 'html', 'ipynb', 'json')])"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code, str(TESTS / "captures" / "quirks.jsonl")],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "TZ": zone},
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(runs) == 1


# ------------------------------------------------------------------------------------------------- hostile


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_stays_text(hostile):
    """In every field and every format: no tag, script, address, image, code or control character of its own."""
    session = everything(lambda _: hostile)
    page = export_html(session, created=hostile)
    assert_harmless_page(page)
    assert page.count("<script") == 0
    assert page.count("<style>") == 1

    markdown = export_markdown(session, created=hostile)
    assert_no_html(markdown)
    # Marks of right-to-left text are ordinary typography in running text.
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", markdown)

    book = export_ipynb(session, created=hostile, thoughts=True)
    nbformat.validate(book)
    texts, code = cells_of(book)
    for written in texts:
        assert_no_html(written)
    for cell in code:
        if "skip-execution" in cell["metadata"].get("tags", []):
            assert ast.parse(cell["source"]).body == []
        for output in cell["outputs"]:
            assert set(output.get("data", {})) <= {"text/markdown", "text/plain", "image/png", "image/jpeg"}

    for written in (dump(book), dump(session.to_json())):
        assert not CONTROLS.search(written)
        written.encode("utf-8")


def test_json_reads_back_as_what_it_was():
    """What a terminal would obey is escaped, other languages stay readable."""
    value = {"a": "\x1b[31m\x9b1m\u202eä\n\ud800 日本", "\u200b": ["\x7f", 1.5, None]}
    written = dump(value)
    assert json.loads(written) == value
    assert "日本" in written
    assert "ä" in written
    assert not CONTROLS.search(written)


@pytest.mark.parametrize("form", ["md", "html", "ipynb"])
def test_nothing_is_lost(form):
    """Every text of a session can be read in every form."""
    names: list[str] = []

    def mark(name: str) -> str:
        names.append(name)
        return f"«{name.replace(' ', '-')}»"

    session = everything(mark)
    book = export_ipynb(session, thoughts=True)
    outputs = [o.get("text", "") for cell in cells_of(book)[1] for o in cell["outputs"]]
    shown = {
        "md": export_markdown(session),
        "html": Reader(main_of(export_html(session))).text,
        "ipynb": "\n".join([*cells_of(book)[0], *(cell["source"] for cell in cells_of(book)[1]), *outputs]),
    }[form]
    # Ids, kinds and types that words or pictures stand for; what another field says better.
    silent = {
        "option id", "option kind", "other option", "call id", "tool name", "permission kind", "call kind",
        "image data", "audio", "agent name", "raw key", "raw output", "input", "link name",
        "terminal command", "terminal argument", "image uri", "session title",
    }  # fmt: skip
    missing = {name for name in names if f"«{name.replace(' ', '-')}»" not in shown}
    assert missing <= silent


@pytest.mark.parametrize("form", ["md", "html", "ipynb", "json"])
def test_warnings_are_told(form):
    """Also those that belong to no turn."""
    t = Transcript.load(TESTS / "captures" / "quirks.jsonl")
    assert t.session.warnings
    assert all(text in t.to_text(form).replace("&#39;", "'") for text in t.session.warnings)


# ---------------------------------------------------------------------------------------------------- page


def test_the_page_needs_nothing_but_itself():
    """No address is loaded; its own policy allows its own style sheet and embedded pictures alone."""
    picture = turn_of(message(f"![dot](data:image/png;base64,{PNG}) ![web](https://example.org/x.png)"))
    page = export_html(session_of(picture))
    reader = Reader(page.partition("<html")[2].partition(">")[2])
    loading = [a for tag, a in reader.tags if {"src", "srcset", "data", "poster"} & set(a) or tag == "link"]
    assert [(a["src"] or "")[:22] for a in loading] == ["data:image/png;base64,"]
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    )
    assert "url(" not in style
    assert "@import" not in style
    assert " style=" not in page
    assert "prefers-color-scheme:dark" in style
    assert "@media print" in style


def test_an_outline_of_long_conversations():
    """From four turns on, with the beginnings of their prompts; its links lead to the turns."""
    assert "<nav" not in export_html(session_of(*[turn_of() for _ in range(3)]))
    page = export_html(session_of(*[turn_of(prompt=f"<b>number</b> {n}\nmore") for n in range(4)]))
    targets = re.findall(r'<li value="(\d)"><a href="#turn-(\d)">([^<]*)</a>', page)
    assert targets == [(str(n + 1), str(n + 1), f"&lt;b&gt;number&lt;/b&gt; {n} more") for n in range(4)]
    assert re.findall(r'<section id="turn-(\d)">', page) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_recordings(path):
    """Every recording exports to a page that a parser takes without complaint and to a valid notebook."""
    t = Transcript.load(path)
    assert_harmless_page(t.to_html())
    assert_no_html(t.to_markdown())
    book = t.to_ipynb()
    nbformat.validate(book)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    assert json.loads(t.to_text("json")) == t.to_json()


# ------------------------------------------------------------------------------------------------ notebook


def test_python_becomes_code_cells():
    """Fences of Python at the top of an answer; other code and what is nested stays Markdown."""
    answer = (
        "Try this:\n\n```python\nx = 1\nprint(x)\n```\n\nor\n\n```bash\nls\n```\n\n~~~py title=a\ny = 2\n~~~\n"
        "- in a list\n  ```python\n  z = 3\n  ```\n\n```python\n\n```\nend"
    )
    book = export_ipynb(session_of(turn_of(message(answer))))
    code = [cell["source"] for cell in book["cells"] if cell["cell_type"] == "code"]
    assert code == ["x = 1\nprint(x)", "y = 2"]
    rest = "\n".join(cells_of(book)[0])
    for words in ("Try this:", "```bash\nls\n```", "z = 3", "end"):
        assert words in rest
    assert all(cell["outputs"] == [] and cell["metadata"] == {} for cell in cells_of(book)[1])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_breaks_of_all_systems(end):
    """Code cells and what stands around them are cut at the same lines: nothing is lost or told twice."""
    answer = end.join(["one", "two", "", "```python", "x = 1", "y = 2", "```", "three"])
    cells = export_ipynb(session_of(turn_of(message(answer))))["cells"]
    assert [cell["source"] for cell in cells[-3:]] == ["one\ntwo", "x = 1\ny = 2", "three"]


def test_steps_carry_their_outputs():
    """A tool call is a comment that runs as nothing, tagged to be left alone; what came out is its output."""
    book = Transcript.load(TESTS / "captures" / "opencode-allow.jsonl").to_ipynb()
    steps = {cell["source"]: cell for cell in cells_of(book)[1]}
    run = steps["# execute python3 hello.py: done"]
    assert run["metadata"] == {"tags": ["skip-execution"]}
    assert {"name": "stdout", "output_type": "stream", "text": "hello from the demo\n"} in run["outputs"]
    edit = steps["# edit notes.md: done"]
    assert "-teh\n+the" in edit["outputs"][0]["data"]["text/markdown"]


def test_pictures_are_outputs():
    """A picture of the agent's is one, under its own type."""
    from acp_notebook._fold.state import ImageBlock, TextItem

    item = TextItem("message", (text("Look: "), ImageBlock("image/png", PNG)), None, False, 0.0, 1.0)
    book = export_ipynb(session_of(turn_of(item)))
    nbformat.validate(book)
    [output] = [o for cell in cells_of(book)[1] for o in cell["outputs"]]
    assert output["data"] == {"image/png": PNG, "text/plain": "Image (image/png, 70 bytes)"}
    bad = TextItem("message", (ImageBlock("image/png", "PHN2Zz4="),), None, False, 0.0, 1.0)
    [output] = [o for cell in cells_of(export_ipynb(session_of(turn_of(bad))))[1] for o in cell["outputs"]]
    assert set(output["data"]) == {"text/markdown", "text/plain"}


# ------------------------------------------------------------------------------------------- files, choices


def test_export_writes_the_format_of_the_name(tmp_path):
    """Or the one that is asked for; what it cannot write it names."""
    t = Transcript.load(TESTS / "captures" / "pyd-allow.jsonl")
    for name, to in (("a.md", "md"), ("a.HTML", "html"), ("a.ipynb", "ipynb"), ("a.json", "json")):
        path = t.export(tmp_path / name)
        assert path == tmp_path / name
        assert path.read_text(encoding="utf-8") == t.to_text(to)
    assert t.export(tmp_path / "b.txt", to="md").read_text(encoding="utf-8") == t.to_markdown()
    with pytest.raises(ValueError, match=r"md, html, ipynb and json, not '\.txt'"):
        t.export(tmp_path / "b.txt")


def test_thoughts_and_inputs_can_be_left_out():
    """Both are in pages and Markdown unless they are not wanted."""
    t = Transcript(Transcript.load(TESTS / "captures" / "claude22-cancel.jsonl").records)
    for form in (t.to_markdown, t.to_html):
        assert "A greeting." in form()
        assert "A greeting." not in form(thoughts=False)
    assert "A greeting." not in json.dumps(t.to_ipynb())
    assert "A greeting." in json.dumps(t.to_ipynb(thoughts=True))


def test_messages_for_other_front_ends():
    """One assistant's message a turn, as `to_ui_message` gives it."""
    from acp_notebook import to_ui_message

    t = Transcript.load(TESTS / "captures" / "claude22-cancel.jsonl")
    assert t.to_ui_messages() == [to_ui_message(turn) for turn in t.turns]


def test_facts():
    """Are said in few words, and only if there are any."""
    assert turn_facts(turn_of()) == ""
    turn = turn_of(
        started=1.0, ended=75.4, usage={"input_tokens": 1000, "output_tokens": 1}, cost=Cost(0.0123, "USD")
    )
    assert turn_facts(turn) == "1 min 14 s · 1,001 tokens · 0.0123 USD"
    assert (
        turn_facts(turn_of(started=0.0, ended=0.9, usage={"total_tokens": 1}, cost=Cost(0, "USD")))
        == "1 token"
    )
    assert cost_words(Cost(1234.5, "EUR\x1b")) == "1,234.50 EUR⟨U+001B⟩"
    assert moment_words("2026-03-01T10:00:00+01:00") == "2026-03-01 09:00 UTC"
    assert (
        moment_words("2026-03-01T10:00:00Z") == moment_words("2026-03-01T10:00:00") == "2026-03-01 10:00 UTC"
    )
    assert moment_words("<b>") == moment_words(None) == ""
    assert headline((text("a\n b"), text("c" * 100)), 10) == "a b ccccc…"
    assert headline(()) == "(no prompt)"
