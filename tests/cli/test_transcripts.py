"""The commands about transcripts, as a person calls them."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from acp_notebook import Record, Transcript
from acp_notebook._chat.store import stored, surplus, transcripts_folder
from acp_notebook._fold.transcript_file import TranscriptWriter
from tests.fold import captures

NOW = dt.datetime.now(dt.timezone.utc)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return transcripts_folder()


def run(*arguments: str, code: int = 0) -> str:
    """Run `acp-notebook`; its output, and what it says about errors behind that."""
    done = subprocess.run(
        [sys.executable, "-m", "acp_notebook", *arguments], capture_output=True, check=False, timeout=50
    )
    assert done.returncode == code, done
    return done.stdout.decode() + done.stderr.decode()


def record(
    folder: Path, name: str, prompt: str = "Hi", *, days: float = 0, size: int = 0, **header: Any
) -> Path:
    """A transcript with one prompt, begun some days ago, of a size."""
    created = (NOW - dt.timedelta(days=days)).isoformat()
    head = {
        "acp_notebook": 1,
        "created": created,
        "agent": {"name": "demo"},
        "cwd": "/home/me/project",
        **header,
    }
    writer = TranscriptWriter(folder / f"{name}.jsonl", head)
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": prompt}]}
    ask = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}
    writer.write(Record(0.5, "out", ask))
    writer.write(
        Record(0.6, "in", {"jsonrpc": "2.0", "method": "x", "params": {"text": '"session/prompt"' * 20}})
    )
    writer.write(Record(0.6, "note", {"kind": "filler", "text": "x" * size}))
    writer.close()
    return folder / f"{name}.jsonl"


# ------------------------------------------------------------------------------------------------ sessions


def test_sessions(folder: Path) -> None:
    """A table, newest first, with what one looks for; nothing of an agent or a prompt moves the cursor."""
    record(folder, "a", "An older one", days=2)
    record(
        folder,
        "b",
        "Hello\x1b[2J\nthere " + "y" * 100,
        size=5000,
        agent={"name": "evil\x9b1m"},
        cwd="/" + "d" * 60,
    )
    (folder / "c.jsonl").write_text("{}\n", encoding="utf-8")
    out = run("sessions")
    lines = out.splitlines()
    assert re.split(r" {2,}", lines[0]) == [
        "WHEN",
        "AGENT",
        "FOLDER",
        "TURNS",
        "SIZE",
        "FILE",
        "FIRST PROMPT",
    ]
    assert [line.split("  ")[-2].strip() or line for line in lines[1:3]]
    assert [next(n for n in ("a.jsonl", "b.jsonl", "c.jsonl") if n in line) for line in lines[1:4]] == [
        "c.jsonl",
        "b.jsonl",
        "a.jsonl",
    ]
    assert "evil⟨U+009B⟩1m" in lines[2]
    assert "Hello⟨U+001B⟩[2J there yyy" in lines[2]
    assert "…" + "d" * 31 in lines[2]
    assert lines[3].endswith("An older one")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", out)
    assert lines[-1] == f"3 transcripts, 7 KB, in {folder}"
    assert len(run("sessions", "-n", "1").splitlines()) == 4
    facts = [json.loads(line) for line in run("sessions", "--json").splitlines()]
    assert [(fact["turns"], fact["path"]) for fact in facts[1:]] == [
        (1, str(folder / "b.jsonl")),
        (1, str(folder / "a.jsonl")),
    ]


def test_no_sessions(folder: Path) -> None:
    """Is said, with the folder."""
    assert (
        run("sessions")
        == f"No transcripts in {folder} yet. Chats are recorded unless they say record=False.\n"
    )
    assert run("sessions", "--json") == ""
    assert run("prune", "--keep", "0") == "Nothing to delete.\n"


# --------------------------------------------------------------------------------------------------- prune


def test_prune_says_first_and_deletes_only_when_told(folder: Path) -> None:
    """What it would delete is what it deletes."""
    for number in range(4):
        record(folder, f"{number}", f"prompt {number}", days=number * 10)
    out = run("prune", "--older-than", "15d")
    assert "prompt 2" in out
    assert "prompt 3" in out
    assert "prompt 1" not in out
    assert out.endswith("Nothing was deleted; add --yes to do it.\n")
    assert len(list(folder.iterdir())) == 4
    out = run("prune", "--older-than", "15d", "--yes")
    assert "Deleted 2 transcripts, " in out
    assert sorted(path.name for path in folder.iterdir()) == ["0.jsonl", "1.jsonl"]
    run("prune", "--keep", "1", "--yes")
    assert [path.name for path in folder.iterdir()] == ["0.jsonl"]


def test_limits_together(folder: Path) -> None:
    """By age, by the size of all, by number: what any of them has no room for goes, oldest first."""
    for number in range(5):
        record(folder, f"{number}", days=number, size=10_000)
    files = stored()

    def names(**limits: Any) -> list[str]:
        return [file.path.stem for file in surplus(files, now=NOW + dt.timedelta(seconds=1), **limits)]

    assert names() == []
    assert names(keep=2) == ["4", "3", "2"]
    assert names(size=25_000) == ["4", "3", "2"]
    assert names(older=dt.timedelta(days=2.5)) == ["4", "3"]
    assert names(older=dt.timedelta(days=2.5), keep=1, size=10**9) == ["4", "3", "2", "1"]


def test_what_a_chat_is_writing_stays(folder: Path) -> None:
    """And is named; the rest goes."""
    record(folder, "old", days=5)
    writer = TranscriptWriter(folder / "open.jsonl", {"acp_notebook": 1})
    try:
        out = run("prune", "--keep", "0", "--yes", code=1)
    finally:
        writer.close()
    assert f"Not deleted: {folder / 'open.jsonl'} (a chat is writing it)" in out
    assert "Deleted 1 transcript, " in out
    assert [path.name for path in folder.iterdir()] == ["open.jsonl"]
    assert "Deleted 1 transcript, " in run("prune", "--keep", "0", "--yes")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say what to delete: --older-than, --max-size or --keep"),
        (["--older-than", "soon"], "'soon' is no age; write 90d, 12w or 36h"),
        (["--max-size", "big"], "'big' is no size; write 500MB or 2GB"),
        (["--keep", "-1"], "argument --keep: "),
    ],
)
def test_prune_needs_a_limit_that_it_understands(folder: Path, arguments: list[str], said: str) -> None:
    """Else nothing happens."""
    record(folder, "a")
    assert said in run("prune", *arguments, "--yes", code=2)
    assert len(list(folder.iterdir())) == 1


# -------------------------------------------------------------------------------------------------- export


@pytest.mark.parametrize("to", ["md", "html", "ipynb", "json"])
def test_export(tmp_path: Path, to: str) -> None:
    """To a file or to standard output: the same text, that of `Transcript`."""
    path = captures.FOLDER / "claude22-planmode.jsonl"
    expected = Transcript.load(path).to_text(to)
    assert run("export", str(path), "--to", to) == expected
    assert run("export", str(path), "--to", to, "--output", str(tmp_path / "out")) == ""
    assert (tmp_path / "out").read_bytes().decode() == expected
    if to == "ipynb":
        nbformat.validate(nbformat.read(tmp_path / "out", as_version=4))


def test_a_reader_that_is_gone() -> None:
    """As in `| head`: the command ends without a complaint."""
    path = captures.FOLDER / "opencode-allow.jsonl"
    command = [sys.executable, "-m", "acp_notebook", "export", str(path), "--to", "json"]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        run = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=50)
    finally:
        os.close(writing)
    assert (run.returncode, run.stderr) == (1, b"")


def test_export_of_a_name_from_the_list(folder: Path) -> None:
    """What `sessions` prints can be exported from anywhere."""
    record(folder, "one", "Mend it")
    assert "one.jsonl" in run("sessions")
    assert "Mend it" in run("export", "one.jsonl", "--to", "md")


def test_without_a_command_the_commands_are_listed() -> None:
    """And the version can be asked for."""
    assert "export" in run(code=2)
    assert re.fullmatch(r"acp-notebook \d+\.\S+\s+", run("--version"))


def test_export_of_what_is_none(tmp_path: Path) -> None:
    """Says what was expected and what was found, without obeying it; nothing is written."""
    path = tmp_path / "notes\x1b.txt"
    path.write_text("\x1b[31mhello\n", encoding="utf-8")
    out = run("export", str(path), "--to", "md", "--output", str(tmp_path / "out.md"), code=1)
    assert "This is no transcript" in out
    assert r"'\x1b[31mhello'" in out
    assert "\x1b" not in out
    assert not (tmp_path / "out.md").exists()
    assert "cannot be read" in run("export", str(tmp_path / "none"), "--to", "md", code=1)
    good = str(captures.FOLDER / "pyd-allow.jsonl")
    assert "cannot be written" in run("export", good, "--to", "md", "--output", str(tmp_path), code=1)
    assert "--to" in run("export", good, code=2)


def test_export_of_a_torn_file(tmp_path: Path) -> None:
    """Gives what there is, and says what is missing."""
    path = tmp_path / "torn.jsonl"
    path.write_bytes((captures.FOLDER / "pyd-allow.jsonl").read_bytes()[:-40])
    assert "The last line is cut off and was skipped." in run("export", str(path), "--to", "md")
