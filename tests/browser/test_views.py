"""The views on their own, in a real browser: reading position, focus, rest, width, contrast, hostile text."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
STATES = (
    "streaming",
    "work",
    "approval_diff",
    "approval_command",
    "answered",
    "opened",
    "errors",
    "hostile",
    "ended",
    "queued",
    "empty",
)

HELPERS = """
Object.assign(window, {
  seq: 1,
  patch(...ops) { seq += 1; model.hear({ kind: "patch", seq, now: 50, ops }); },
  frames: () => new Promise((done) => {
    let left = 4;
    const next = () => (left-- === 0 ? done() : requestAnimationFrame(next));
    next();
  }),
  one: (selector) => root.querySelector(selector),
  topOf: (selector) => root.querySelector(selector).getBoundingClientRect().top,
  scrolled() { const log = one(".acp-log"); return [log.scrollTop, log.scrollHeight - log.clientHeight]; },
  message: (text) => ({
    kind: "message", blocks: [{ type: "text", text }], streaming: true, message_id: null, started: 40, ended: null,
  }),
  async grow(item, times) {
    for (let i = 0; i < times; i += 1) {
      patch(["app", ["turns", 0, "items", item, "blocks", 0, "text"], `\\n\\nParagraph ${i} of the answer.`]);
      await frames();
    }
  },
})
"""

# Reads every visible text's colour against the ground it stands on, by way of a canvas: computed colours may
# come in any notation.
CONTRAST = """
() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const bytes = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, ground) => [0, 1, 2].map((i) => top[i] * top[3] + ground[i] * (1 - top[3]));
  const ground = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
      const color = bytes(getComputedStyle(at).backgroundColor);
      if (color[3] > 0) layers.push(color);
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const bad = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (!node || text.data.trim() === "" || node.closest("[aria-disabled=true], [hidden], style, .acp-sr-only")) continue;
    if (node.getClientRects().length === 0) continue;
    const below = ground(node);
    const color = over(bytes(getComputedStyle(node).color), below);
    const [a, b] = [light(color), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.push(`${ratio.toFixed(2)} ${node.className} ${text.data.trim().slice(0, 40)}`);
  }
  return bad;
}
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the repository without a log line for each request."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (named by the base class)
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve the repository, the built bundle included."""
    handler = functools.partial(Quiet, directory=str(ROOT))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/js/demo/index.html"
        server.shutdown()
        thread.join()


Load = Callable[..., Page]


@pytest.fixture
def load(browser: Browser, address: str) -> Iterator[Load]:
    """Give a function that shows one of the demo's states in a fresh page."""
    context = browser.new_context(viewport={"width": 800, "height": 900})
    errors: list[str] = []

    def open_state(state: str, *, height: str = "400px", theme: str = "light", width: int = 800) -> Page:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{address}?state={state}&theme={theme}&height={height}")
        page.wait_for_selector("body[data-ready]")
        page.evaluate(HELPERS)
        page.evaluate("frames()")
        return page

    yield open_state
    context.close()
    assert errors == []


def last_item(page: Page) -> int:
    """Index of the last item of the only turn."""
    return int(page.evaluate("session.turns[0].items.length")) - 1


def wheel(page: Page, by: int) -> None:
    """Scroll the log by the mouse and wait until it has moved."""
    before = page.evaluate("scrolled()[0]")
    page.mouse.move(300, 200)
    page.mouse.wheel(0, by)
    page.wait_for_function("(before) => scrolled()[0] !== before", arg=before)
    page.evaluate("frames()")


def test_the_tail_is_followed_only_from_the_bottom(load: Load) -> None:
    """Growing text scrolls along at the bottom, and stands still once the person has scrolled up."""
    page = load("streaming")
    item = last_item(page)
    page.evaluate("(item) => grow(item, 15)", item)
    top, lowest = page.evaluate("scrolled()")
    assert lowest > 0
    assert abs(lowest - top) <= 1
    wheel(page, -150)
    kept = page.evaluate("scrolled()[0]")
    page.evaluate("(item) => grow(item, 8)", item)
    assert page.evaluate("scrolled()[0]") == kept
    page.locator(".acp-latest-chip").click()
    page.evaluate("frames()")
    top, lowest = page.evaluate("scrolled()")
    assert abs(lowest - top) <= 1
    assert page.locator(".acp-latest-chip").is_hidden()


def test_done_steps_fold_when_nobody_sees_them(load: Load) -> None:
    """Steps in view stay open; out of view they fold, and what is in view does not move by that."""
    page = load("work")
    item = last_item(page)
    page.evaluate(
        """(item) => {
          const call = session.turns[0].items.find((one) => one.kind === "tool_call");
          const more = [1, 2, 3].map((n) => ({ ...call, call: { ...call.call, id: `extra${n}`, title: `Extra ${n}` } }));
          patch(["set", ["turns", 0, "items", item, "call", "state"], "output-available"],
            ["set", ["turns", 0, "items", item, "call", "status"], "completed"],
            ["push", ["turns", 0, "items"], [...more, message("Now")]]);
        }""",
        item,
    )
    page.evaluate("frames()")
    assert page.locator(".acp-run").count() == 1
    assert page.get_by_text("Extra 3").is_visible()
    page.evaluate("(item) => grow(item, 2)", item + 4)
    wheel(page, -30)
    before = page.evaluate("topOf('.acp-item:last-child')")
    page.evaluate("(item) => grow(item, 3)", item + 4)
    assert page.evaluate("topOf('.acp-item:last-child')") == before
    page.locator(".acp-latest-chip").click()
    page.evaluate("(item) => grow(item, 25)", item + 4)
    assert page.locator(".acp-run").count() == 2
    top, lowest = page.evaluate("scrolled()")
    assert abs(lowest - top) <= 1


def test_an_answered_card_moves_nothing_in_view(load: Load) -> None:
    """The decision takes the buttons' place; the card becomes one line when it is out of view."""
    page = load("approval_diff", height="600px")
    page.locator(".acp-option").first.focus()
    before = page.evaluate("[topOf('.acp-diff-row'), one('.acp-card').offsetHeight]")
    page.keyboard.press("1")
    assert page.evaluate("model.sent.at(-1)")["option"] == "once"
    item = last_item(page)
    page.evaluate(
        """(item) => {
          const it = ["turns", 0, "permissions", 0];
          patch(["set", [...it, "outcome"], "selected"], ["set", [...it, "option_id"], "once"],
            ["set", [...it, "decided_by"], "person"], ["set", ["status"], "working"],
            ["set", ["turns", 0, "items", item, "call", "state"], "approval-responded"]);
        }""",
        item,
    )
    page.evaluate("frames()")
    assert page.evaluate("[topOf('.acp-diff-row'), one('.acp-card').offsetHeight]") == before
    assert page.get_by_text("Allowed by you: Allow once").is_visible()
    assert page.evaluate("root.activeElement.className") == "acp-box"
    page.evaluate("patch(['push', ['turns', 0, 'items'], [message('Now')]])")
    page.evaluate("(item) => grow(item, 30)", item + 1)
    assert page.evaluate("one('.acp-card').offsetHeight") < 40


def test_a_waiting_card_out_of_sight_is_named_at_the_composer(load: Load) -> None:
    """The chip brings the card into view and gives it the focus, so that the keys answer it."""
    page = load("approval_diff", height="320px")
    chip = page.locator(".acp-approval-chip")
    assert chip.is_hidden()
    wheel(page, -3000)
    assert chip.inner_text() == "1 approval waiting"
    chip.click()
    page.evaluate("frames()")
    assert page.evaluate("root.activeElement.classList.contains('acp-card')")
    page.keyboard.press("3")
    assert page.evaluate("model.sent.at(-1)")["option"] == "no"


def test_a_late_formula_moves_nothing(load: Load) -> None:
    """What loads late above the view is made good by scrolling as far."""
    page = load("streaming")
    item = last_item(page)
    tall = "\\n\\n$$\\\\begin{matrix}1\\\\\\\\2\\\\\\\\3\\\\\\\\4\\\\\\\\5\\\\end{matrix}$$\\n\\nAfter it."
    page.evaluate("model.send = (message) => model.sent.push(message)")
    page.evaluate(
        f"(item) => patch(['app', ['turns', 0, 'items', item, 'blocks', 0, 'text'], \"{tall}\"])", item
    )
    page.evaluate("(item) => grow(item, 15)", item)
    wheel(page, -60)
    paragraph = "[...root.querySelectorAll('p')].find((p) => p.textContent.startsWith('Paragraph 12'))"
    find = f"{paragraph}.getBoundingClientRect().top"
    before = page.evaluate(find)
    page.evaluate(
        """async () => {
          const response = await fetch("../../acp_notebook/static/parts/math.js");
          model.hear({ kind: "asset", name: "math", source: await response.text() });
        }"""
    )
    page.wait_for_function("one('math') !== null")
    page.evaluate("frames()")
    assert abs(page.evaluate(find) - before) <= 1


def test_nothing_runs_at_rest(load: Load) -> None:
    """A chat that waits for its person asks for no timer and no frame, and animates nothing."""
    page = load("answered")
    counts = page.evaluate(
        """async () => {
          const { setTimeout: later } = window;
          const counts = { frames: 0, timers: 0 };
          for (const [name, kind] of [["requestAnimationFrame", "frames"], ["setTimeout", "timers"], ["setInterval", "timers"]]) {
            const real = window[name];
            window[name] = (...rest) => { counts[kind] += 1; return real(...rest); };
          }
          await new Promise((done) => later(done, 1500));
          return [counts.frames, counts.timers, root.getAnimations().length];
        }"""
    )
    assert counts == [0, 0, 0]


@pytest.mark.parametrize("width", [320, 1600])
def test_nothing_is_wider_than_the_frame(load: Load, width: int) -> None:
    """Long words, commands, paths and tables wrap or scroll inside."""
    for state in ("long_names", "approval_command", "work"):
        page = load(state, width=width)
        widths = page.evaluate(
            "[document.documentElement.scrollWidth, one('.acp-log').scrollWidth - one('.acp-log').clientWidth]"
        )
        assert widths == [width, 0], state
        assert page.evaluate("one('.acp-state-word').getBoundingClientRect().right") < width
        page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_enough_contrast(load: Load, theme: str) -> None:
    """Every text that is seen stands out from its ground by 4.5 to 1."""
    for state in STATES:
        page = load(state, theme=theme, height="850px")
        assert page.evaluate(CONTRAST) == [], state
        page.close()


def test_hostile_text_does_nothing(load: Load) -> None:
    """No script of the agent's runs, and nothing is asked of another host."""
    page = load("hostile")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    for _ in range(2):
        page.evaluate("for (const fold of root.querySelectorAll('.acp-fold-head, .acp-link')) fold.click()")
        page.evaluate("frames()")
    assert asked == []
    nasty = "script, iframe, img, [onerror], a[href^=javascript]"
    assert page.evaluate("(nasty) => root.querySelectorAll(nasty).length", nasty) == 0
