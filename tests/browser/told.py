"""What can be seen on a page, and whether the demo agent's main turn is told there exactly once."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.chats import FIX

VISIBLE = """() => {
  const found = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const parent = node.parentElement ?? node.parentNode.host;
      if (parent.checkVisibility({ visibilityProperty: true }) && parent.closest('details:not([open]) > :not(summary)') === null)
        found.push(node.data);
      return;
    }
    if (node.nodeType === Node.ELEMENT_NODE && ['SCRIPT', 'STYLE', 'TEMPLATE'].includes(node.localName.toUpperCase())) return;
    if (node.shadowRoot) walk(node.shadowRoot);
    node.childNodes.forEach(walk);
  };
  walk(document.body);
  return found.join('').replace(/\\s+/g, ' ');
}"""

TOLD = (
    FIX,
    "Read weather/stats.py",
    "takes the upper of the two middle values",
    "Edit weather/stats.py",
    "return (ordered[middle - 1] + ordered[middle]) / 2",
    "exit code 0",
    "changed weather/stats.py",
    "For an even number of values the median is now",
)
"""What the main scene's turn says, in order; each piece once."""


def visible(page: Page) -> str:
    """Give all text that can be seen, shadow roots included, white space folded."""
    text: str = page.evaluate(VISIBLE)
    return text


def assert_told_once(text: str, *, live: bool = False) -> None:
    """Check that every piece of the turn stands there once, in order, and each of its two decisions.

    A live view does not speak of an exit code of 0.
    """
    told = [piece for piece in TOLD if not (live and piece == "exit code 0")]
    assert [text.count(piece) for piece in told] == [1] * len(told), text
    places = [text.index(piece) for piece in told]
    assert text.count("by the chat's policy: Allow") == 2, text
    assert places == sorted(places), text
