"""The explorer in JupyterLab: search, filters, moments, replay, keys, records; and without a kernel."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chats import until
from tests.browser.server import trust
from tests.explore.sessions import Wire, diff, many, output

CAPTURES = Path(__file__).resolve().parent.parent / "captures"


def cell(path: Path, more: str = "") -> str:
    """Give a cell that displays a transcript."""
    return f"from acp_notebook import Transcript\nt = Transcript.load({str(path)!r})\n{more}\nt"


def explorer(notebook: Any, index: int = 0) -> Locator:
    """Give the live view in a cell's output."""
    found: Locator = notebook.output(index).locator(".acp-notebook-view .acp-explorer")
    return found


def rows(view: Locator) -> Locator:
    """Give the rows of the list on the left that are drawn."""
    return view.locator(".acp-row")


def items(view: Locator) -> Locator:
    """Give what is drawn of the conversation."""
    return view.locator(".acp-page .acp-item")


@pytest.fixture
def shown(open_notebook):
    """Give the explorer of a recording of a real agent."""
    notebook = open_notebook(cell(CAPTURES / "claude22-allow.jsonl"))
    notebook.run(0)
    view = explorer(notebook)
    expect(items(view).first).to_be_visible()
    return notebook, view


@pytest.fixture
def long(open_notebook, tmp_path):
    """Give the explorer of a transcript of 120 turns with two files and some failures."""
    wire = Wire()
    for turn in range(120):
        wire.prompt(f"Question {turn}", 1).text(f"Answer {turn} about the weather.\n\n" * 6, 1)
        wire.call("e", f"Edit {'ab'[turn % 2]}.py", "edit", 1)
        content = [diff(f"/p/{'ab'[turn % 2]}.py", f"old {turn}\n", f"new {turn}\n")]
        wire.done("e", "failed" if turn % 40 == 7 else "completed", 1, content=content)
        wire.text(f"Done {turn}.", 1).end(seconds=1)
    path = wire.transcript().save(tmp_path / "long.jsonl")
    notebook = open_notebook(cell(path))
    notebook.run(0)
    view = explorer(notebook)
    expect(items(view).first).to_be_visible()
    return notebook, view


def test_a_transcript_displays_its_outline_and_conversation(shown):
    """Turns on the left, the conversation on the right, the first answers on top; no second copy is visible."""
    notebook, view = shown
    expect(rows(view)).to_have_count(1)
    expect(view.locator(".acp-summary")).to_contain_text("no tool call failed")
    expect(view.locator(".acp-summary")).to_contain_text("2 files changed")
    expect(view.locator(".acp-prompt-text")).to_contain_text("correct the spelling")
    expect(view.locator(".acp-legend")).to_contain_text("waiting 1 s")
    assert view.locator(".acp-strip rect").count() > 5
    twin = notebook.output(0).locator(".acp-notebook-twin")
    expect(twin).to_have_count(1)
    expect(twin).to_be_hidden()


def test_search_counts_and_walks_by_keyboard(long):
    """As one types matches are counted; Enter and Shift+Enter walk them, and the place is shown and marked."""
    _, view = long
    box = view.get_by_role("searchbox")
    box.press_sequentially("answer 11")
    count = view.locator(".acp-found-count")
    expect(count).to_have_text("11 found")
    box.press("Enter")
    expect(count).to_have_text("1 of 11")
    expect(view.locator(".acp-found")).to_contain_text("Answer 11 ")
    expect(view.locator(".acp-found")).to_be_in_viewport()
    box.press("Enter")
    expect(view.locator(".acp-found")).to_contain_text("Answer 110")
    expect(view.locator(".acp-found")).to_be_in_viewport()
    box.press("Shift+Enter")
    box.press("Shift+Enter")
    expect(count).to_have_text("11 of 11")
    expect(view.locator(".acp-found")).to_contain_text("Answer 119")
    expect(rows(view).and_(view.locator("[aria-selected=true]"))).to_contain_text("turn 120")
    box.press("Escape")
    expect(count).to_have_text("")
    expect(view.locator(".acp-tab[aria-pressed=true]")).to_have_text("120 turns")


def test_filters_narrow_by_kind_and_status(long):
    """A filter alone lists what is of it; with a second one both hold; taking them off shows the turns again."""
    _, view = long
    statuses = view.get_by_role("group", name="Statuses")
    statuses.get_by_role("button", name=re.compile("failed")).click()
    expect(view.locator(".acp-found-count")).to_have_text("3 found")
    expect(rows(view)).to_have_count(3)
    view.get_by_role("group", name="Kinds").get_by_role("button", name=re.compile("message")).click()
    expect(view.locator(".acp-found-count")).to_have_text("Nothing found")
    view.get_by_role("button", name="Clear").click()
    expect(view.locator(".acp-tab[aria-pressed=true]")).to_have_text("120 turns")
    view.get_by_role("button", name="3 tool calls failed").click()
    expect(view.locator(".acp-found-count")).to_have_text("3 found")
    rows(view).nth(1).click()
    expect(view.locator(".acp-found .acp-line-title")).to_have_text("Edit b.py")
    expect(view.locator(".acp-found")).to_contain_text("failed")


def test_every_edit_of_a_file_is_one_click_away(long):
    """The files are listed; one of them leads to its edits, one after the other."""
    _, view = long
    view.get_by_role("button", name="2 files", exact=True).click()
    expect(rows(view)).to_have_count(2)
    rows(view).filter(has_text="b.py").click()
    expect(view.locator(".acp-found-count")).to_have_text("60 found")
    view.get_by_role("button", name="Next match").click()
    expect(view.locator(".acp-found")).to_contain_text("new 1")
    view.get_by_role("button", name="Next match").click()
    expect(view.locator(".acp-found")).to_contain_text("new 3")
    expect(view.locator(".acp-found")).to_be_in_viewport()


def test_the_scrubber_shows_the_state_of_a_moment(shown):
    """Arrow keys go record by record, what came later is not there, and the end is one click away."""
    notebook, view = shown
    total = items(view).count()
    slider = view.get_by_role("slider")
    slider.focus()
    slider.press("Home")
    where = view.locator(".acp-where")
    expect(where).to_contain_text("Record 0 of 78")
    expect(items(view)).to_have_count(0)
    for _ in range(12):
        slider.press("ArrowRight")
    expect(where).to_contain_text("Record 12 of 78")
    index = 12
    kinds = json.loads(
        notebook.evaluate(
            f"import json; s = t.at(index={index}); print(json.dumps([i.kind for x in s.turns for i in x.items]))"
        )
    )
    expect(items(view)).to_have_count(len(kinds))
    slider.press("PageUp")
    slider.press("End")
    expect(where).to_contain_text("Record 78 of 78")
    expect(items(view)).to_have_count(total)
    view.get_by_role("button", name="Back to the end").click()
    expect(where).to_have_text("78 records")


def test_dragging_shows_moments_in_between(shown):
    """A click in the middle of the strip shows that moment; a waiting request cannot be answered there."""
    _, view = shown
    box = view.locator(".acp-scrub").bounding_box()
    assert box is not None
    view.page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + box["height"] / 2)
    expect(view.locator(".acp-where")).to_contain_text("waiting")
    card = view.locator(".acp-card:not(.acp-answered)")
    expect(card).to_have_count(1)
    expect(card.locator("button.acp-option[aria-disabled=true]").first).to_be_visible()
    assert card.locator("button.acp-option:not([aria-disabled=true])").count() == 0
    expect(view.locator(".acp-playhead")).to_be_visible()


def test_a_replay_runs_to_the_end(shown):
    """Replay begins at the beginning, goes on by itself at the chosen speed, and stops at the end."""
    _, view = shown
    view.get_by_label("Speed of the replay").select_option("20")
    play = view.locator(".acp-play")
    play.click()
    expect(play).to_have_text("Pause")
    expect(view.locator(".acp-where")).to_contain_text("Record 78 of 78")
    expect(play).to_have_text("Replay")


def test_a_replay_can_be_stopped_and_goes_on(shown):
    """Pause keeps the moment; Replay goes on from there."""
    _, view = shown
    view.get_by_label("Speed of the replay").select_option("1")
    play = view.locator(".acp-play")
    play.click()
    expect(items(view).first).to_be_visible()
    play.click()
    expect(play).to_have_text("Replay")
    held = view.locator(".acp-where").inner_text()
    assert "Record 78" not in held
    view.get_by_label("Speed of the replay").select_option("100")
    play.click()
    expect(view.locator(".acp-where")).to_contain_text("Record 78 of 78")


def test_an_item_has_its_records_its_moment_and_its_text(shown):
    """The tools beside an item: the raw records behind it, the state right after it, and its text."""
    notebook, view = shown
    notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    call = items(view).filter(has_text="Edit notes.md").first
    call.hover()
    call.get_by_role("button", name="Records").click()
    dialog = view.get_by_role("dialog")
    expect(dialog).to_contain_text("session/request_permission")
    expect(dialog.locator(".acp-records-title")).to_contain_text("records")
    notebook.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    call.hover()
    call.get_by_role("button", name="Moment").click()
    expect(view.locator(".acp-where")).to_contain_text("of 78, turn 1")
    expect(items(view).filter(has_text="Write hello.py")).to_have_count(0)
    view.get_by_role("button", name="Back to the end").click()
    message = items(view).filter(has_text="Now a small script.").first
    message.hover()
    message.get_by_role("button", name="Copy").click()
    expect(message.get_by_role("button", name="Copied")).to_be_visible()
    assert notebook.page.evaluate("navigator.clipboard.readText()") == "Now a small script."


def test_keys_reach_everything_and_stay_inside(long):
    """Without a mouse: the list, the search, matches, items; plain keys do not reach the notebook."""
    notebook, view = long
    cells = notebook.page.locator(".jp-Notebook .jp-Cell").count()
    box = view.get_by_role("listbox")
    box.focus()
    for _ in range(3):
        box.press("ArrowDown")
    expect(view.locator(".acp-page-title", has_text=re.compile("^Turn 4$"))).to_be_in_viewport()
    box.press("End")
    expect(view.locator(".acp-page-title", has_text="Turn 120")).to_be_in_viewport()
    box.press("/")
    expect(view.get_by_role("searchbox")).to_be_focused()
    view.get_by_role("searchbox").fill("weather")
    expect(view.locator(".acp-found-count")).to_have_text("120 found")
    log = view.get_by_role("region", name="Conversation")
    log.focus()
    log.press("n")
    expect(view.locator(".acp-found-count")).to_have_text("1 of 120")
    log.press("p")
    expect(view.locator(".acp-found-count")).to_have_text("120 of 120")
    log.press("k")
    expect(view.locator(".acp-found")).to_contain_text("Question 119")
    log.press("r")
    expect(view.get_by_role("dialog")).to_contain_text("session/prompt")
    notebook.page.keyboard.press("Escape")
    log.press("a")
    log.press("b")
    assert notebook.page.locator(".jp-Notebook .jp-Cell").count() == cells
    log.press("Control+f")
    expect(view.get_by_role("searchbox")).to_be_focused()


def test_scrolling_draws_what_is_in_sight_and_keeps_its_place(long):
    """Only some turns are drawn at a time, and those that are read do not move when others get their height."""
    _, view = long
    log = view.locator(".acp-log")
    log.evaluate("node => { node.scrollTop = node.scrollHeight / 2 }")
    title = view.locator(".acp-page-title").first
    expect(title).to_be_visible()
    middle = view.locator(
        ".acp-page:not(.acp-loading) .acp-page-title", has_text=re.compile(r"Turn (5|6|7)\d$")
    )
    expect(middle.first).to_be_visible()
    assert view.locator(".acp-page").count() < 40
    moved = log.evaluate(
        """async (node) => {
          const at = () => {
            const top = node.getBoundingClientRect().top;
            for (const page of node.querySelectorAll('.acp-page')) {
              const box = page.getBoundingClientRect();
              if (box.bottom > top + 2) return [page, box.top - top];
            }
          };
          let worst = 0;
          for (let step = 0; step < 30; step += 1) {
            node.scrollTop += 150;
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const [page, top] = at();
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            if (page.isConnected) {
              const now = page.getBoundingClientRect().top - node.getBoundingClientRect().top;
              worst = Math.max(worst, Math.abs(now - top));
            }
          }
          return worst;
        }"""
    )
    assert moved <= 2


def test_who_flies_past_sees_the_names_of_turns(long):
    """More than a view in one frame: nothing else is drawn, until it is slower again."""
    notebook, view = long
    found = view.locator(".acp-log").evaluate(
        """async (node) => {
          const before = new Set(node.querySelectorAll('.acp-page'));
          const shown = [];
          for (let step = 0; step < 10; step += 1) {
            node.scrollTop += 3 * node.clientHeight;
            // What the frames before this one have drawn.
            await new Promise((done) => requestAnimationFrame(done));
            const pages = [...node.querySelectorAll('.acp-page')].filter((one) => !before.has(one));
            const titles = pages.map((one) => one.querySelector('.acp-page-title').textContent);
            shown.push([titles, pages.filter((one) => one.querySelector('.acp-item')).length]);
          }
          return shown;
        }"""
    )
    assert all(re.fullmatch(r"Turn \d+", title) for titles, _ in found for title in titles), found
    assert len({title for titles, _ in found for title in titles}) > 10, found
    assert {drawn for _, drawn in found} == {0}, found
    until(notebook.page, lambda: view.locator(".acp-loading").count() == 0)
    expect(items(view).last).to_be_attached()


def test_a_long_transcript_is_shown_while_it_is_read(open_notebook, tmp_path):
    """More records than are read at once: the cell ends, the view says how far it is, and then has everything."""
    path = many(1_500, items=12).transcript().save(tmp_path / "many.jsonl")
    notebook = open_notebook(cell(path))
    notebook.run(0)
    view = explorer(notebook)
    expect(view.locator(".acp-tab").first).to_have_text("1,500 turns", timeout=60_000)
    expect(view.locator(".acp-note")).to_be_hidden()
    view.get_by_role("searchbox").fill("question 1234")
    expect(view.locator(".acp-found-count")).to_have_text("1 found")
    view.get_by_role("searchbox").press("Enter")
    expect(view.locator(".acp-found")).to_have_text(re.compile("Question 1234"))


def test_long_texts_are_cut_until_all_of_it_is_wanted(open_notebook, tmp_path):
    """A text of 50,000 characters loses its middle; a button brings all of it."""
    words = "begin " + "middle " * 8_000 + "needle " + "x " * 4_000 + "end"
    wire = Wire().prompt("go", 1).text(words, 1).call("c", "cat", "read", 1)
    path = wire.done("c", content=[output("short")]).end().transcript().save(tmp_path / "cut.jsonl")
    notebook = open_notebook(cell(path))
    notebook.run(0)
    view = explorer(notebook)
    message = items(view).first
    expect(message).to_contain_text("characters are left out here")
    expect(message).not_to_contain_text("needle")
    message.hover()
    message.get_by_role("button", name="All of it").click()
    expect(message).to_contain_text("needle")


def test_the_same_cell_run_again_lets_go_of_the_old_transcript(shown):
    """Run after run one explorer lives, and the last one works."""
    notebook, _ = shown
    for _ in range(3):
        notebook.run(0)
    view = explorer(notebook)
    expect(items(view).first).to_be_visible()
    living = notebook.evaluate("from acp_notebook._explore import explorer as e; print(len(e._living))")
    assert living.strip() == "1"
    view.get_by_role("searchbox").fill("hello")
    expect(view.locator(".acp-found-count")).to_contain_text("found")


def test_a_reload_shows_it_again(long):
    """After a reload of the page the explorer is there, and the kernel answers."""
    notebook, _ = long
    notebook.save()
    notebook.reload()
    view = explorer(notebook)
    expect(items(view).first).to_be_visible()
    view.get_by_role("searchbox").fill("answer 77 ")
    expect(view.locator(".acp-found-count")).to_have_text("1 found")


def test_a_saved_notebook_without_a_kernel_shows_the_static_copy(shown, servers, context):
    """Saved without widget state, as JupyterLab does by default, the conversation is in the static copy."""
    notebook, _ = shown
    book = notebook.save()
    html = "".join("".join(o["data"].get("text/html", "")) for o in book.cells[0].outputs if "data" in o)
    assert "correct the spelling" in html
    assert "hello.py" in html


def test_a_notebook_saved_with_its_widgets_works_without_a_kernel(long, servers, open_notebook):
    """What was loaded can be read and searched, and it is said that this is not all."""
    notebook, view = long
    view.locator(".acp-log").evaluate("node => { node.scrollTop = 3000 }")
    expect(view.locator(".acp-page-title", has_text=re.compile(r"^Turn (9|1\d)$")).first).to_be_attached()
    until(notebook.page, lambda: view.locator(".acp-loading").count() == 0)
    # A switch, kept by the server for all its notebooks: off again for those that other tests open.
    notebook.command("@jupyter-widgets/jupyterlab-manager:saveWidgetState")
    book = notebook.save()
    notebook.command("@jupyter-widgets/jupyterlab-manager:saveWidgetState")
    states = book.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    (state,) = [s["state"]["state"] for s in states.values() if "state" in s.get("state", {})]
    assert len(json.dumps(state)) < 1_000_000
    trust(notebook.server, notebook.path)
    notebook.shutdown()
    other = open_notebook(path=notebook.path, kernel=False)
    saved = explorer(other)
    expect(saved.locator(".acp-note")).to_contain_text("Opened without its kernel")
    expect(items(saved).first).to_be_visible()
    saved.get_by_role("searchbox").fill("weather")
    expect(saved.locator(".acp-found-count")).to_contain_text("in what is loaded here")
    expect(saved.get_by_role("slider")).to_be_disabled()
