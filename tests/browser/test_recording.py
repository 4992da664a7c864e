"""A transcript that cannot be written: said in the view, and the chat goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.chats import Place, frame, send
from tests.browser.conftest import Open

FULL_DISK = Path("/dev/full")


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        pytest.param(
            FULL_DISK,
            "No space left on device",
            marks=pytest.mark.skipif(not FULL_DISK.exists(), reason="needs a device that is always full"),
        ),
        pytest.param(None, "Not a directory", id="a file in the place of the folder"),
    ],
)
def test_what_cannot_be_recorded_is_said_once(
    open_notebook: Open, place: Place, where: Path | None, reason: str
):
    """With the file and the reason, above everything that is answered all the same."""
    if where is None:
        blocked = place.root / "blocked"
        blocked.write_text("", encoding="utf-8")
        where = blocked / "chats" / "chat.jsonl"
    place.file = where
    notebook = open_notebook(place.chat(shown=True))
    notebook.run(0)
    view = frame(notebook, 0)
    for number in (3, 4):
        send(view, f"/long {number}")
        expect(view).to_contain_text(f"chunk {number}")
    warning = view.locator(".acp-warnings").get_by_text("cannot be written")
    expect(warning).to_have_count(1)
    expect(warning).to_be_visible()
    expect(warning).to_contain_text(str(where))
    expect(warning).to_contain_text(reason)
    expect(warning).to_contain_text("this chat is not recorded any more")
