"""The explorer's plots and its subagents, in JupyterLab."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.explore.sessions import Wire, diff


@pytest.fixture
def view(open_notebook: Any, tmp_path: Any) -> Locator:
    """Give the explorer of 40 turns with tokens and cost; a subagent works in the third."""
    wire = Wire()
    for turn in range(40):
        wire.prompt(f"Question {turn + 1}", 1).call("e", f"Edit f{turn % 3}.py", "edit", 1)
        wire.done("e", seconds=1, content=[diff(f"/p/f{turn % 3}.py", "a\n", "b\n")])
        if turn == 2:
            text = {"type": "text", "text": "The subagent found a needle."}
            update = {"sessionUpdate": "agent_message_chunk", "content": text}
            wire.say(
                "in", {"method": "session/update", "params": {"sessionId": "helper", "update": update}}, 1
            )
        wire.update("usage_update", used=1, size=9, cost={"amount": (turn + 1) / 4, "currency": "USD"})
        result = {"stopReason": "end_turn", "usage": {"totalTokens": 100 + 900 * (turn == 30)}}
        wire.text(f"Answer {turn + 1}.", 1).say("in", {"id": wire.turn, "result": result}, 1)
    path = wire.transcript().save(tmp_path / "plots.jsonl")
    notebook = open_notebook(f"from acp_notebook import Transcript\nTranscript.load({str(path)!r})")
    notebook.run(0)
    found: Locator = notebook.output(0).locator(".acp-notebook-view .acp-explorer")
    expect(found.locator(".acp-filter-chip").first).to_be_visible()
    return found


def test_plots_lead_to_what_they_show(view: Locator) -> None:
    """Bars have heights; the tallest leads to its turn by keyboard, a file leads to its first call."""
    expect(view.locator(".acp-legend")).to_contain_text("10.00 USD")
    button = view.get_by_role("button", name="Plots", exact=True)
    button.press("Enter")
    tokens = view.get_by_role("group", name="Tokens by turn")
    expect(tokens.get_by_role("button")).to_have_count(41)
    tall = tokens.get_by_role("button", name="Turn 31: 1,000 tokens")
    heights = [
        bar.locator("i").evaluate("node => node.offsetHeight")
        for bar in (tall, tokens.locator("button").first)
    ]
    assert heights[0] > 5 * heights[1] > 0
    tokens.locator("button").first.press("End")
    for _ in range(9):
        view.page.keyboard.press("ArrowLeft")
    expect(tall).to_be_focused()
    view.page.keyboard.press("Enter")
    expect(view.get_by_role("dialog")).to_be_hidden()
    expect(view.locator(".acp-page-title", has_text="Turn 31")).to_be_in_viewport()
    button.click()
    view.get_by_role("group", name="Files touched").get_by_role("button", name="f1.py: 13 calls").click()
    expect(view.locator(".acp-found-count")).to_have_text("1 of 13")
    expect(view.locator(".acp-found .acp-line-title")).to_have_text("Edit f1.py")


def test_a_plot_is_a_table_too(view: Locator) -> None:
    """What the bars show stands in a table with heads, for who cannot see them; Escape closes the plots."""
    view.get_by_role("button", name="Plots", exact=True).click()
    plot = view.get_by_role("figure").filter(has_text="Tokens by turn")
    plot.get_by_text("As a table").click()
    expect(plot.get_by_role("row", name="Turn 31 Question 31 1,000 tokens")).to_have_count(1)
    expect(plot.get_by_role("columnheader", name="Tokens")).to_be_visible()
    view.page.keyboard.press("Escape")
    expect(view.get_by_role("dialog")).to_be_hidden()


def test_a_subagent_stands_below_its_turn(view: Locator) -> None:
    """Its row follows the turn that it worked for, its words are found, its session can be looked at alone."""
    rows = view.locator(".acp-row-title")
    expect(rows.nth(3)).to_have_text("Subagent helper")
    rows.nth(3).click()
    expect(view.locator(".acp-page-title", has_text="Subagent helper")).to_be_in_viewport()
    view.get_by_role("group", name="Sessions").get_by_role("button", name="helper").click()
    expect(view.locator(".acp-found-count")).to_have_text("1 found")
    view.get_by_role("searchbox").fill("needle")
    view.get_by_role("searchbox").press("Enter")
    expect(view.locator(".acp-found")).to_contain_text("The subagent found a needle.")
