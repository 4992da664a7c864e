"""Text that a person decides by hides nothing."""

import json
from pathlib import Path

import pytest

from acp_notebook._render.visible import clean, plain_output, relative, visible

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
TABLE = json.loads((GOLDEN / "visible.json").read_text(encoding="utf-8"))
RUNNING = json.loads((GOLDEN / "shown" / "running_text.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: ascii(row["in"]))
def test_visible(row):
    """The same table holds for the function in the browser."""
    assert visible(row["in"], multiline=row.get("multiline", False)) == row["out"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil.example\x07link\x1b]8;;\x07", "link"),
        ("\x1b]52;c;cGFzdGU=\x1b\\copied", "copied"),
        ("\x9b31mred\x9d0;title\x9cok", "redok"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("longer line\rshort", "short" + "r line"),
        ("a\r\nb", "a\nb"),
        ("\x1bPdcs\x1b\\x\x1b(By", "xy"),
        ("never closed \x1b]0;title", "never closed "),
        ("a\u202eb\x07", "a⟨U+202E⟩b⟨U+0007⟩"),
    ],
)
def test_plain_output(given, shown):
    """Terminal output reads as a terminal would leave it."""
    assert plain_output(given) == shown


def test_plain_output_of_hostile_text_is_fast_and_clean():
    """Unclosed escapes and towers of backspaces cost no more than their length."""
    for hostile in (
        "\x1b]" * 50_000,
        "a\x08" * 50_000,
        "\x08" * 50_000,
        "a" * 1000 + "\x08" * 50_000,
        "\r" * 50_000,
    ):
        assert "\x1b" not in plain_output(hostile)


@pytest.mark.parametrize(
    ("path", "cwd", "shown"),
    [
        ("/w/p/a.py", "/w/p", "a.py"),
        ("/w/p/a.py", "/w/p/", "a.py"),
        ("/w/p", "/w/p", "."),
        ("/w/other/a.py", "/w/p", "/w/other/a.py"),
        ("/w/pa/a.py", "/w/p", "/w/pa/a.py"),
        ("/w/p/../secret", "/w/p", "/w/p/../secret"),
        ("a.py", "/w/p", "a.py"),
        ("/a.py", "/", "/a.py"),
        ("/w/p/a.py", None, "/w/p/a.py"),
        (r"C:\w\p\a.py", r"c:\w\p", "a.py"),
        ("C:/w/p/a.py", r"C:\w\p", "a.py"),
    ],
)
def test_relative(path, cwd, shown):
    """A path inside the folder is shown without it, nothing else is."""
    assert relative(path, cwd) == shown


@pytest.mark.parametrize("row", RUNNING, ids=lambda row: ascii(row["in"]))
def test_clean(row):
    """What scripts are written with stays, what hides or reorders does not. The browser holds the same table."""
    assert clean(row["in"]) == row["out"]


def test_clean_keeps_the_marks_of_right_to_left_text():
    """Running text keeps its direction marks; controls are written out, lines end with a line feed."""
    assert clean("\u200fשלום\u200f\r\n\x07\ud800") == "\u200fשלום\u200f\n⟨U+0007⟩⟨U+D800⟩"
