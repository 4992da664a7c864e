"""The chat in a real JupyterLab as a person meets it: typing, looks that can be set, and a quiet page."""

from __future__ import annotations

import shutil

from playwright.sync_api import expect

from tests.browser.chats import FIX, Place, cards, composer, frame, option, send, status
from tests.browser.conftest import Open

WATCH = """
window.watched = { frames: 0, timers: 0, sent: 0 };
for (const [name, kind] of [['requestAnimationFrame', 'frames'], ['setInterval', 'timers'], ['setTimeout', 'timers']]) {
  const real = window[name];
  window[name] = function (...words) {
    if (window.watching && /widget\\.js|blob:/.test(new Error().stack)) window.watched[kind] += 1;
    return real.apply(this, words);
  };
}
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (...words) {
  if (window.watching) window.watched.sent += 1;
  return send.apply(this, words);
};
"""


def test_send_from_the_composer(open_notebook: Open, place: Place, console: list[str]):
    """A prompt typed into the composer is answered in place, the box is empty again, the console has no error."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/long 5")
    expect(view).to_contain_text("chunk 5")
    expect(composer(view)).to_have_value("")
    expect(status(view)).to_have_text("ready")
    assert len(place.sent("session/prompt")) == 1
    send(view, "/fail")
    expect(view.locator(".acp-is-output-error")).to_have_count(1)
    send(view, "/error")
    expect(view).to_contain_text("The model is not reachable")
    send(view, "/image")
    expect(view.locator("img")).to_have_count(1)
    send(view, "/two")
    expect(cards(view)).to_have_count(2)
    option(view, "Refuse").first.click()
    expect(cards(view)).to_have_count(1)
    option(view, "Refuse").click()
    expect(status(view)).to_have_text("ready")
    assert [line for line in console if line.startswith(("error", "uncaught"))] == []


def test_a_prompt_during_a_turn_is_queued_and_can_be_taken_back(open_notebook: Open, place: Place):
    """It stands above the composer, is on the wire only after the turn, and one taken back never is."""
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, FIX)
    expect(cards(view)).to_have_count(1)
    send(view, "/cwd")
    send(view, "never mind")
    queued = view.locator(".acp-queue-row")
    expect(queued).to_have_count(2)
    queued.nth(1).get_by_role("button").last.click()
    expect(queued).to_have_count(1)
    assert len(place.sent("session/prompt")) == 1
    option(view, "Refuse").click()
    expect(view).to_contain_text("I work in")
    expect(status(view)).to_have_text("ready")
    texts = [each["params"]["prompt"][0]["text"] for each in place.sent("session/prompt")]
    assert texts == [FIX, "/cwd"]


def test_no_static_copy_and_a_height(open_notebook: Open, place: Place):
    """`static=False` leaves one output and no copy; `height=` bounds the view, which then scrolls inside."""
    notebook = open_notebook(place.chat("static=False, height='300px'", shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/long 300")
    expect(view).to_contain_text("chunk 300.")
    expect(status(view)).to_have_text("ready")
    box = view.bounding_box()
    assert box is not None
    assert 200 <= box["height"] <= 301
    log = view.locator(".acp-log")
    assert log.evaluate("(node) => node.scrollHeight > node.clientHeight + 100")
    assert log.evaluate("(node) => node.scrollHeight - node.clientHeight - node.scrollTop") < 40
    outputs = notebook.save().cells[0].outputs
    assert len(outputs) == 1
    assert "text/html" not in outputs[0].data


def test_long_names_stay_inside(open_notebook: Open, place: Place):
    """A folder with a name of 200 letters makes nothing wider than the view, also in a narrow one."""
    folder = place.root / ("weather-" * 25)
    shutil.move(place.folder, folder)
    place.folder = folder
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, FIX)
    expect(cards(view)).to_have_count(1)
    for width in (1200, 600):
        notebook.page.set_viewport_size({"width": width, "height": 900})
        wide = view.evaluate(
            """(frame) => {
              const limit = frame.getBoundingClientRect().right + 1;
              return [...frame.querySelectorAll('*')]
                .filter((node) => node.checkVisibility() && !node.closest('pre, table, .acp-sr-only, .acp-diff')
                  && node.getBoundingClientRect().right > limit
                  && !scrolls(node))
                .map((node) => node.className);
              function scrolls(node) {
                for (let at = node.parentElement; at !== null && at !== frame; at = at.parentElement)
                  if (getComputedStyle(at).overflowX !== 'visible') return true;
                return false;
              }
            }"""
        )
        assert wide == []


def test_an_idle_chat_does_nothing(open_notebook: Open, place: Place, context):
    """With nothing to do, no frame, timer or message is started in three seconds."""
    context.add_init_script(WATCH)
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "/long 5")
    expect(view).to_contain_text("chunk 5")
    expect(status(view)).to_have_text("ready")
    watched = notebook.page.evaluate(
        """async () => {
          const pause = (ms) => new Promise((done) => setTimeout(done, ms));
          await pause(1500);  // what the end of the turn has started is over: the saved copy, the kept state
          window.watching = true;
          await pause(3000);
          window.watching = false;
          return window.watched;
        }"""
    )
    assert watched == {"frames": 0, "timers": 0, "sent": 0}
