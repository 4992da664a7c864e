"""Text of an agent made safe to read: nothing in it can hide, reorder or overwrite what stands there.

Control characters, bidirectional overrides and characters without a glyph are written out as
``⟨U+202E⟩``. Titles, paths, commands and option names are what a person decides by, so they go through
`visible`; terminal output loses its escape sequences first (`plain_output`). The browser side has the
same functions; ``tests/golden/visible.json`` holds for both.
"""

from __future__ import annotations

import re

HIDDEN = (
    "\x00-\x1f\x7f-\x9f"  # C0 and C1 controls, DEL
    "\u00ad\u034f"  # soft hyphen, combining grapheme joiner
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, bidirectional, line separators, isolates
    "\u115f\u1160\u3164\uffa0"  # Hangul fillers: letters that draw nothing
    "\u17b4\u17b5\u180b-\u180f"  # invisible Khmer vowels, Mongolian selectors
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb"  # variation selectors, byte order mark, interlinear annotation
    "\ud800-\udfff"  # lone surrogates: no UTF-8 form exists
    "\U000e0000-\U000e0fff"  # tags, more selectors
)
_HIDDEN_RE = re.compile(f"[{HIDDEN}]")
# Running text is written with joiners, variation selectors, soft hyphens and direction marks; controls,
# overrides, embeddings, isolates and tags only hide or reorder it.
_MISLEADING_RE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)

_ESCAPES_RE = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)"  # OSC: titles, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c|$)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]?"  # two- and three-character escapes
)
_BACKSPACE_RE = re.compile(r"[^\n\x08]\x08")


def _written_out(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\n":
        return "⏎"
    return " " if character == "\t" else f"⟨U+{ord(character):04X}⟩"


def _written_out_but_layout(match: re.Match[str]) -> str:
    return match[0] if match[0] in "\n\t" else _written_out(match)


def visible(text: str, *, multiline: bool = False) -> str:
    """Write out every character that hides, reorders or draws nothing, as ``⟨U+XXXX⟩``.

    A line feed shows as ``⏎`` and a tab as a space, so that a command of several lines stays readable in
    one; with `multiline` both are kept.
    """
    return _HIDDEN_RE.sub(_written_out_but_layout if multiline else _written_out, text)


def clean(text: str) -> str:
    """Running text with what hides or reorders it written out, in any script.

    Letters of right-to-left scripts, their marks (U+200E, U+200F, U+061C) and joiners stay as they are. The
    browser's `readable` does the same; ``tests/golden/shown/running_text.json`` holds for both.
    """
    return _MISLEADING_RE.sub(_written_out, text.replace("\r\n", "\n").replace("\r", "\n"))


def plain_output(text: str) -> str:
    """Terminal output as a terminal would leave it: no escape sequences, overwritten lines gone.

    A carriage return starts its line again and a backspace removes a character, as progress bars and
    old man pages use them. What then still hides is written out.
    """
    text = _ESCAPES_RE.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(_overwritten(line) for line in text.split("\n"))
    # Each pass removes one layer of nested backspaces; the bound keeps hostile input linear.
    for _ in range(8):
        if "\b" not in text:
            break
        text = _BACKSPACE_RE.sub("", text)
    return visible(text.replace("\b", ""), multiline=True)


def _overwritten(line: str) -> str:
    """Return what a line shows after its carriage returns, each part written over the one before."""
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown


def relative(path: str, cwd: str | None) -> str:
    """Return a path relative to the folder, if it lies in it; else as it stands. Not made `visible`.

    Purely textual, as the agent's machine may not be ours: no file system is asked, ``..`` stays.
    """
    if not cwd:
        return path
    folder = cwd.rstrip("\\/")
    if path == folder:
        return "."
    head, rest = path[: len(folder) + 1], path[len(folder) + 1 :]
    # Drive letters and server names mark Windows, where both separators and either case name one file.
    windows = re.match(r"[A-Za-z]:|\\\\", folder) is not None
    if windows:
        head, folder = head.replace("\\", "/").lower(), folder.replace("\\", "/").lower()
    if folder == "" or head != folder + "/":
        return path
    # "/folder/../secret" is not inside the folder, whatever its beginning says.
    return path if rest == "" or ".." in re.split(r"[\\/]", rest) else rest
