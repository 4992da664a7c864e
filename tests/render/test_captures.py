"""What recorded agents did can be read from the static copy: everything once, in order."""

import difflib
import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from acp_notebook import Transcript
from acp_notebook._fold.state import Session, TextBlock, TextItem, ToolCallItem
from acp_notebook._render.session_parts import shown_turns
from acp_notebook._render.twin import assemble
from tests.render.samples import Reader
from tests.render.test_hostile import assert_harmless, assert_no_html

TESTS = Path(__file__).resolve().parent.parent
CAPTURES = sorted((TESTS / "captures").glob("*.jsonl"))
TWINS = TESTS / "golden" / "twin"

STATES = {
    "approval-requested": "waits for a decision",
    "output-denied": "refused",
    "output-available": "done",
    "output-error": "failed",
    "stopped": "stopped",
}


def load(path: Path) -> Session:
    return Transcript.load(path).session


def squeezed(line: str) -> str:
    return re.sub(r"[ \t]+", " ", line).strip()


def expected(session: Session) -> list[str]:
    """The lines that a copy must show, found without the code under test."""
    lines: list[str] = []
    for _, turn in shown_turns(session):
        for block in turn.prompt:
            if isinstance(block, TextBlock):
                lines += block.text.split("\n")
        for item in turn.items:
            if isinstance(item, TextItem) and item.kind == "message":
                for block in item.blocks:
                    if isinstance(block, TextBlock):
                        html = MarkdownIt("commonmark").enable("table").render(block.text)
                        lines += Reader(html).text.split("\n")
            elif isinstance(item, ToolCallItem):
                lines += call_lines(item.call, session.cwd or "")
        known = {one.key for call in turn.tool_calls for one in call.permissions}
        lines += [decision_line(one) for one in turn.permissions if one.key not in known]
    return [squeezed(line) for line in lines if line.strip()]


def call_lines(call, cwd: str) -> list[str]:
    lines = [f"{(call.title or call.name or call.kind).replace(cwd + '/', '')} · {STATES[call.state]}"]
    for diff in call.diffs:
        old = (diff.old_text or "").split("\n")
        new = diff.new_text.split("\n")
        changes = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
        lines += [line for line in changes if line[:1] in "+-" and line not in {"+", "-"}]
    return lines + [decision_line(one) for one in call.permissions]


def decision_line(one) -> str:
    if one.outcome == "cancelled":
        return "Withdrawn unanswered"
    return ": " + " / ".join(o.name for o in one.options if one.outcome is None or o.id == one.option_id)


def shown(html: str) -> list[str]:
    """The lines of a copy outside of folded output, calls without kind and file, decisions by their end."""
    html = re.sub(r'<span class="acp-kind">.*?</span> | <code class="acp-where">.*?</code>', "", html)
    html = re.sub(r"<details.*?</details>", "", html, flags=re.DOTALL)
    html = re.sub(r'<p class="acp-decision[^>]*>(?:.*: )?(Withdrawn|[^<]*(?=: ))', r"<p>\1", html)
    html = re.sub(r"<p>(?:Allowed|Refused|Answered|Waits)[^<:]*: ", "<p>: ", html)
    return Reader(html).text.split("\n")


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_everything_once_and_in_order(path):
    """Each prompt, answer paragraph, call with state, diff line and decision is shown once, in order."""
    session = load(path)
    lines = shown(assemble(session, "text", "x").html)
    wanted = expected(session)

    remaining = iter(lines)
    missing = [line for line in wanted if line not in remaining]
    assert missing == []
    found = Counter(lines)
    assert {line: found[line] for line in wanted} == dict(Counter(wanted))


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_copies_of_captures_are_harmless_in_every_prefix(path):
    """At any moment of a recording the copy can be made, in both modes, and holds only allowed HTML."""
    transcript = Transcript.load(path)
    for index in range(0, len(transcript.records), 7):
        for mode in ("text", "full"):
            html, markdown = assemble(transcript.at(index=index), mode, "x")
            assert_harmless(html)
            assert_no_html(markdown)


@pytest.mark.parametrize("path", sorted(TWINS.glob("*.html")), ids=lambda path: path.stem)
def test_golden_copies(path):
    """Both forms of a copy are the files that were read and found right."""
    spec = importlib.util.spec_from_file_location("regenerate_twins", TWINS / "regenerate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    html, markdown = module.golden(path.stem)

    assert path.stem in module.NAMES
    assert html == path.read_text(encoding="utf-8")
    assert markdown == path.with_suffix(".md").read_text(encoding="utf-8")
