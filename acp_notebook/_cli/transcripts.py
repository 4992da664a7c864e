"""The commands about transcripts: `sessions`, `prune` and `export`.

Whatever they print goes through `visible` or an export: nothing of an agent reaches the terminal as a
control character.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_notebook._chat.store import TranscriptFile

FORMATS = ("md", "html", "ipynb", "json")
_AGENT, _FOLDER, _PROMPT = 18, 32, 48


def add_sessions(commands: Any) -> None:
    """Add the command that lists transcripts."""
    parser = commands.add_parser(
        "sessions",
        help="the recorded chats, newest first",
        description="List the transcripts in your data folder, newest first.",
    )
    parser.add_argument("-n", "--number", type=_count, default=20, metavar="N", help="how many (20)")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with the whole paths")
    parser.set_defaults(run=_sessions)


def add_prune(commands: Any) -> None:
    """Add the command that deletes transcripts."""
    parser = commands.add_parser(
        "prune",
        help="delete old transcripts; says which, deletes with --yes only",
        description="Delete transcripts from your data folder. Without --yes nothing is deleted: what would "
        "be is listed. Transcripts of running chats stay.",
    )
    parser.add_argument("--older-than", type=_age, metavar="AGE", help="begun longer ago: 90d, 12w, 36h")
    parser.add_argument(
        "--max-size", type=_size, metavar="SIZE", help="oldest first until all fit: 500MB, 2GB"
    )
    parser.add_argument("--keep", type=_count, metavar="N", help="all but the newest N")
    parser.add_argument("--yes", action="store_true", help="delete them")
    parser.set_defaults(run=_prune, usage_error=parser.error)


def add_export(commands: Any) -> None:
    """Add the command that writes a transcript in another form."""
    parser = commands.add_parser(
        "export",
        help="a transcript as Markdown, HTML, notebook or JSON",
        description="Write a transcript in another form. HTML is one page without network and script; a "
        "notebook has the Python that the agent proposed as code cells.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a transcript, by its path or as `sessions` names it, or a log of JSON-RPC messages",
    )
    parser.add_argument("--to", required=True, choices=FORMATS)
    parser.add_argument("--output", metavar="PATH", help="the file to write; standard output without it")
    parser.set_defaults(run=_export)


# ------------------------------------------------------------------------------------------------ running


def _sessions(arguments: argparse.Namespace) -> int:
    from acp_notebook._chat.store import stored, total_words, transcripts_folder
    from acp_notebook._render.visible import visible

    files = stored(None if arguments.all else arguments.number)
    if arguments.json:
        for file in files:
            _print(json.dumps(_facts(file)))
        return 0
    folder = visible(str(transcripts_folder()))
    if not files:
        _print(f"No transcripts in {folder} yet. Chats are recorded unless they say record=False.")
        return 0
    _print_table(files)
    _print(f"\n{total_words(files)}, in {folder}")
    return 0


def _prune(arguments: argparse.Namespace) -> int:
    from acp_notebook._chat.store import remove, stored, surplus, total_words
    from acp_notebook._render.visible import visible

    limits = (arguments.older_than, arguments.max_size, arguments.keep)
    if all(limit is None for limit in limits):
        arguments.usage_error("say what to delete: --older-than, --max-size or --keep")
    older, size, keep = limits
    now = dt.datetime.now(dt.timezone.utc)
    going = surplus(stored(), now=now, older=older, size=size, keep=keep)
    if not going:
        _print("Nothing to delete.")
        return 0
    _print_table(going)
    if not arguments.yes:
        _print(f"\nWould delete {total_words(going)}. Nothing was deleted; add --yes to do it.")
        return 0
    stayed = [(file, why) for file in going if (why := remove(file)) is not None]
    _print(f"\nDeleted {total_words(file for file in going if file not in {f for f, _ in stayed})}.")
    for file, why in stayed:
        _print(f"Not deleted: {visible(str(file.path))} ({visible(why)})")
    return 1 if stayed else 0


def _named(file: str) -> Path:
    """The file of that path, or else the chat's transcript of that name, as `sessions` prints it."""
    from acp_notebook._chat.store import transcripts_folder

    path = Path(file)
    own = transcripts_folder() / path.name
    return own if path.name == file and not path.exists() and own.exists() else path


def _export(arguments: argparse.Namespace) -> int:
    from acp_notebook._chat.transcript import Transcript
    from acp_notebook._errors import TranscriptError
    from acp_notebook._render.visible import visible

    try:
        transcript = Transcript.load(_named(arguments.file))
        text = transcript.to_text(arguments.to)
        if arguments.output is not None:
            Path(arguments.output).write_text(text, encoding="utf-8", newline="\n")
    except TranscriptError as error:
        _complain(visible(str(error)))
        return 1
    except OSError as error:
        _complain(f"{visible(arguments.output)} cannot be written: {error.strerror or error}")
        return 1
    for warning in transcript.warnings:
        _complain(visible(warning))
    if arguments.output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()
    return 0


# ----------------------------------------------------------------------------------------------- printing


def _facts(file: TranscriptFile) -> dict[str, Any]:
    return {
        "path": str(file.path),
        "created": file.created.isoformat(),
        "agent": file.agent,
        "cwd": file.cwd,
        "turns": file.turns,
        "first": file.first,
        "size": file.size,
    }


def _print_table(files: Sequence[TranscriptFile]) -> None:
    from acp_notebook._render.cut import size_words
    from acp_notebook._render.visible import visible

    rows = [("WHEN", "AGENT", "FOLDER", "TURNS", "SIZE", "FILE", "FIRST PROMPT")]
    rows += [
        (
            f"{file.created.astimezone():%Y-%m-%d %H:%M}",
            _end_cut(visible(file.agent or "?"), _AGENT),
            _start_cut(visible(file.cwd or "?"), _FOLDER),
            str(file.turns),
            size_words(file.size),
            visible(file.path.name),
            _end_cut(file.first, _PROMPT),
        )
        for file in files
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        _print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _end_cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _start_cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else "…" + text[1 - limit :]


def _print(text: str) -> None:
    """Print in whatever the terminal can write."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def _complain(text: str) -> None:
    sys.stderr.write(f"acp-notebook: {text}\n")


# ---------------------------------------------------------------------------------------------- arguments

_AGE_RE = re.compile(r"(\d+(?:\.\d+)?)\s*(h|d|w)", re.IGNORECASE)
_SIZE_RE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KB|MB|GB)?", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 168}
_UNITS = {"b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3}


def _age(text: str) -> dt.timedelta:
    found = _AGE_RE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no age; write 90d, 12w or 36h")
    return dt.timedelta(hours=float(found[1]) * _HOURS[found[2].lower()])


def _size(text: str) -> int:
    found = _SIZE_RE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write 500MB or 2GB")
    return round(float(found[1]) * _UNITS[(found[2] or "B").lower()])


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return int(text)
