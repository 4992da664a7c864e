"""An exported page in Chromium: readable without network and script, in light, dark and print, whatever is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from acp_notebook import Transcript
from acp_notebook._render.export_html import export_html
from tests.render.samples import PNG, everything, message, session_of, turn_of
from tests.render.test_hostile import HOSTILE

CAPTURES = Path(__file__).resolve().parent.parent / "captures"
ADDRESS = "http://exported.test/"
# What a careful server sends: no script at all, nothing from anywhere, not even forms.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
CONTRAST = """element => {
    const parse = text => text.match(/[\\d.]+/g).map(Number);
    const over = (top, below) => {
        const alpha = top[3] ?? 1;
        return [0, 1, 2].map(i => top[i] * alpha + below[i] * (1 - alpha));
    };
    let grounds = [];
    for (let at = element; at; at = at.parentElement) grounds.unshift(parse(getComputedStyle(at).backgroundColor));
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const ground = grounds.reduce((below, top) => over(top, below), dark ? [0, 0, 0] : [255, 255, 255]);
    const ink = over(parse(getComputedStyle(element).color), ground);
    const light = rgb => {
        const [r, g, b] = rgb.map(v => (v / 255 <= 0.03928 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
}"""


@pytest.fixture
def show(browser: Browser) -> Iterator[Any]:
    """Give `show(html, policy, **options of the profile)`: the page, and what it asked for or complained of."""
    profiles = []

    def show(html: str, policy: str | None = POLICY, **options: Any) -> tuple[Page, list[str]]:
        profile = browser.new_context(viewport={"width": 900, "height": 900}, **options)
        profiles.append(profile)
        said: list[str] = []
        headers = {"Content-Type": "text/html; charset=utf-8"}
        if policy is not None:
            headers["Content-Security-Policy"] = policy

        def answer(route: Route) -> None:
            if route.request.url == ADDRESS:
                route.fulfill(body=html, headers=headers)
            else:
                said.append(f"asked for {route.request.url}")
                route.abort()

        profile.route("**/*", answer)
        page = profile.new_page()
        page.on("console", lambda line: said.append(line.text))
        page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
        page.on("pageerror", lambda error: said.append(f"error {error}"))
        page.goto(ADDRESS)
        return page, said

    yield show
    for profile in profiles:
        profile.close()


def page_of(name: str) -> str:
    return Transcript.load(CAPTURES / f"{name}.jsonl").to_html()


def filled_with(text: str) -> Callable[[str], str]:
    return lambda _: text


def test_it_reads_under_a_strict_policy_and_without_script(show: Any) -> None:
    """Everything is there, styled, folded things open by a click; nothing is asked for or complained of."""
    for options in ({}, {"java_script_enabled": False}):
        page, said = show(page_of("opencode-allow"), **options)
        expect(
            page.get_by_role("heading", name="Chat with OpenCode 1.18.33 in /home/user/project")
        ).to_be_visible()
        expect(page.get_by_text("Please correct the spelling in notes.md")).to_be_visible()
        expect(page.locator(".acp-add", has_text="+the")).to_have_css(
            "background-color", "rgba(46, 160, 67, 0.18)"
        )
        output = page.get_by_text("hello from the demo", exact=True)
        expect(output).to_be_hidden()
        page.locator("details", has=output).locator("summary").click()
        expect(output).to_be_visible()
        assert said == []


def test_its_own_policy_is_enough(show: Any) -> None:
    """Opened from a disk, without a server's headers: its style applies, a script in it would not run."""
    html = page_of("opencode-allow")
    page, said = show(html.replace("</main>", "<script>window.pwned = 1</script></main>"), policy=None)
    expect(page.locator(".acp-add", has_text="+the")).to_have_css(
        "background-color", "rgba(46, 160, 67, 0.18)"
    )
    assert page.evaluate("() => window.pwned === undefined")
    assert len(said) == 1
    assert "Content Security Policy" in said[0]


def test_hostile_sessions_run_and_fetch_nothing(show: Any) -> None:
    """Whatever stands in any of their fields, also where the page's own policy is stripped."""
    for hostile in HOSTILE:
        html = export_html(everything(filled_with(hostile)))
        assert html.count("Content-Security-Policy") == 1
        page, said = show(html.replace("Content-Security-Policy", "x-nothing"), policy=None)
        page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
        page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
        assert page.evaluate("() => window.pwned === undefined")
        assert page.locator("script, iframe, svg, object, form, [onerror], [onload]").count() == 0
        assert said == []
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["opencode-allow", "quirks"])
def test_contrast(show: Any, scheme: str, name: str) -> None:
    """Every text stands out from its ground (WCAG AA) in both schemes."""
    page, _ = show(page_of(name), color_scheme=scheme)
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    texts = page.locator(
        "h1, h2, small, p, li, pre span, pre code, summary, a, strong, em, td, th, blockquote"
    )
    found = {
        texts.nth(i).evaluate("e => e.outerHTML.slice(0, 90)"): texts.nth(i).evaluate(CONTRAST)
        for i in range(texts.count())
    }
    assert len(found) > 20
    assert {text: ratio for text, ratio in found.items() if ratio < 4.5} == {}


def test_on_paper_everything_is_open_and_dark_on_white(show: Any) -> None:
    """Also for somebody whose screen is dark; pages hold the outputs that are folded on the screen."""
    page, _ = show(page_of("opencode-allow"), color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("() => getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    for words in ("hello from the demo", "Edit applied successfully.", "Wrote file successfully."):
        box = page.get_by_text(words, exact=True).bounding_box()
        assert box is not None
        assert box["height"] > 0
    assert page.pdf()[:5] == b"%PDF-"


def test_narrow_and_long(show: Any) -> None:
    """At 320 pixels nothing runs out of the page, whatever its longest word; the outline leads to its turn."""
    turns = [
        turn_of(message("x" * 3000 + f"\n\n`{'y' * 500}`\n\n![dot](data:image/png;base64,{PNG})"))
        for _ in range(5)
    ]
    page, _ = show(export_html(session_of(*turns)))
    page.set_viewport_size({"width": 320, "height": 600})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    page.get_by_role("navigation", name="Turns").get_by_role("link").nth(4).click()
    expect(page.get_by_role("heading", name="Turn 5")).to_be_in_viewport()
