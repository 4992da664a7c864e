"""What a chat keeps: one file, written through, without secrets, and never at the price of the chat."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, Chat, Policy, Session, Transcript, fold
from acp_notebook._chat.store import transcripts_folder

DEMO = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env={"ACP_DEMO_DELAY": "0"}, name="demo")
FIX = "Why does the test fail? Please fix it."


def demo(project: Path, **options: Any) -> Chat:
    """A chat with the demo agent that may do everything."""
    return Chat(DEMO, cwd=project, policy=Policy.allow_all(), **options)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of transcripts, not there yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert transcripts_folder() == tmp_path / "data" / "acp-notebook" / "transcripts"
    return transcripts_folder()


def test_by_default_each_chat_has_a_file_of_its_own(folder: Path, project: Path) -> None:
    """Readable by nobody else, made with the first record and found again by `recent`."""
    with demo(project) as one, demo(project) as two:
        assert not folder.exists()
        one.ask("Hello")
        two.ask("Hello again")
        files = sorted(folder.iterdir())
        assert len(files) == 2
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    first, second = Transcript.recent()
    assert {first.first, second.first} == {"Hello", "Hello again"}
    assert (first.agent, first.cwd, first.turns) == ("demo", str(project), 1)
    assert first.size == first.path.stat().st_size
    assert len(first.load().turns) == 1
    assert repr(first).startswith("<TranscriptFile 2")
    assert "demo, 1 turn: 'Hello" in repr(first)
    assert Transcript.recent(1) == (first,)


def test_the_file_gives_the_state_that_was_live(project: Path, tmp_path: Path) -> None:
    """To the last field; while it runs, every line is there at once; every prefix folds."""
    path = tmp_path / "chat.jsonl"
    with demo(project, record=path) as chat:
        chat.ask(FIX)
        during = Transcript.load(path)
        assert during.session == chat.session
        assert during.complete
        turn = chat.send("Ask me a question before you start.")
        turn.cancel()
        live = chat
    after = Transcript.load(path)
    assert after.session == live.session
    assert after.to_json() == live.session.to_json()
    assert after.header == live.transcript.header
    session = Session()
    for index, record in enumerate(after.records):
        session = fold(session, record)
        if index % 25 == 0:
            assert after.at(index=index + 1).to_json() == session.to_json()
    text = path.read_bytes()
    for cut in range(len(text) - 1, len(text) - 400, -7):
        (tmp_path / "torn.jsonl").write_bytes(text[:cut])
        torn = Transcript.load(tmp_path / "torn.jsonl")
        assert len(torn.records) in range(len(after.records) - 5, len(after.records) + 1)
        assert len(torn.warnings) <= 1


def test_half_characters_in_a_prompt(project: Path, tmp_path: Path) -> None:
    """Are U+FFFD for everybody: the agent, the state that goes to the browser, and the file."""
    path = tmp_path / "chat.jsonl"
    with demo(project, record=path) as chat:
        turn = chat.ask("Hello \ud83d", {"type": "text", "text": "\udcff"})
        assert [block.text for block in turn.prompt] == ["Hello \ufffd", "\ufffd"]
    assert Transcript.load(path).session == chat.session


def test_recording_can_be_switched_off(folder: Path, project: Path) -> None:
    """Then there is no file, and the transcript is in memory all the same."""
    with demo(project, record=False) as chat:
        chat.ask("Hello")
        assert len(chat.transcript.turns) == 1
    assert not folder.exists()


AGENT = """
import json, os, sys
for line in sys.stdin:
    msg = json.loads(line)
    method, ident = msg.get("method"), msg.get("id")
    if method == "initialize":
        result = {"protocolVersion": 1}
    elif method == "session/new":
        result = {"sessionId": "s"}
    elif method == "session/prompt":
        told = os.environ["MY_API_TOKEN"] + " " + "bearer-from-the-server" + " " + sys.argv[2]
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": told}}
        print(json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}))
        call = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "rawInput": {
            "command": ["curl", "--token", "typed-on-the-line", "--max-tokens", "40"],
            "apiKey": "in-an-object", "password": "p", "key": "harmless"}}
        print(json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": call}}))
        result = {"stopReason": "end_turn"}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": ident, "result": result}), flush=True)
"""
SECRETS = (
    "value-of-the-variable",
    "bearer-from-the-server",
    "secret-of-the-server",
    "given-as-an-option",
    "typed-on-the-line",
    "in-an-object",
)


def test_no_secret_reaches_the_file_or_the_state(tmp_path: Path) -> None:
    """Values of variables, headers, options and keys that are secret by their name; wherever they come up."""
    path, script = tmp_path / "chat.jsonl", tmp_path / "agent.py"
    script.write_text(AGENT, encoding="utf-8")
    agent = Agent(
        sys.executable,
        str(script),
        "--api-key",
        "given-as-an-option",
        env={"MY_API_TOKEN": "value-of-the-variable"},
    )
    servers: list[dict[str, Any]] = [
        {
            "type": "http",
            "name": "m",
            "url": "http://localhost/",
            "headers": [{"name": "X-Any", "value": "Bearer bearer-from-the-server"}],
        },
        {
            "name": "n",
            "command": "x",
            "args": [],
            "env": [{"name": "A_SECRET", "value": "secret-of-the-server"}],
        },
    ]
    with Chat(agent, cwd=tmp_path, record=path, mcp_servers=servers) as chat:
        turn = chat.ask("What is my token? It is value-of-the-variable.")
        assert turn.text.startswith("[redacted] [redacted] ")
        call = turn.tool_calls[0].raw_input
        assert call["command"] == ["curl", "--token", "[redacted]", "--max-tokens", "40"]
        assert (call["password"], call["key"]) == ("[redacted]", "harmless")
        live = json.dumps(chat.session.to_json())
    text = path.read_text(encoding="utf-8")
    for secret in SECRETS:
        assert secret not in text
        assert secret not in live
    assert '"--api-key", "[redacted]"' in text.splitlines()[0]
    assert Transcript.load(path).session == chat.session


def warned(make: Callable[[], Chat]) -> list[str]:
    """A turn in a chat that cannot be recorded works; what the chat says about it."""
    with make() as chat:
        with pytest.warns(UserWarning, match="cannot be written"):
            chat.ask("Hello")
        chat.ask("Hello")
        assert [turn.status for turn in chat.turns] == ["ready", "ready"]
        return [text for text in chat.session.warnings if "cannot be written" in text]


def test_a_folder_that_cannot_be_written(project: Path, tmp_path: Path) -> None:
    """Is a warning in the chat, once."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    path = tmp_path / "file" / "chat.jsonl"
    (text,) = warned(lambda: demo(project, record=path))
    assert str(path) in text
    assert "this chat is not recorded any more" in text


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(project: Path, tmp_path: Path) -> None:
    """Likewise."""
    tmp_path.joinpath("locked").mkdir(mode=0o500)
    assert len(warned(lambda: demo(project, record=tmp_path / "locked" / "a.jsonl"))) == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that nobody can write to")
def test_a_file_system_that_nobody_can_write_to(project: Path) -> None:
    """Likewise."""
    assert len(warned(lambda: demo(project, record="/proc/chats/a.jsonl"))) == 1


def test_two_chats_one_file(project: Path, tmp_path: Path) -> None:
    """The second is not recorded, and says so: their lines would mix."""
    path = tmp_path / "chat.jsonl"
    with demo(project, record=path) as first:
        first.ask("Hello")
        (text,) = warned(lambda: demo(project, record=path))
        assert "another chat is writing it" in text
        first.ask("Hello")
    assert Transcript.load(path).session == first.session
    with demo(project, record=path) as later:
        later.ask("Hello")
    assert len(Transcript.load(path).turns) == 3


FULL = """
import resource, sys, warnings
from acp_notebook import Agent, Chat, Policy, Transcript
warnings.simplefilter("ignore")
demo = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env={"ACP_DEMO_DELAY": "0"})
with Chat(demo, cwd=sys.argv[1], record=sys.argv[2], policy=Policy.allow_all()) as chat:
    chat.start()
    # From here on no file of this process may grow beyond 6,000 bytes: the disk is full.
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
    turn = chat.ask("Why does the test fail? Please fix it.")
    print(turn.status, len(turn.diffs))
    print(*chat.session.warnings, sep="\\n")
kept = Transcript.load(sys.argv[2])
# Where the end of the disk meets the end of a line, none is cut off.
print(len(kept.warnings) <= 1, 0 < len(kept.records) < len(chat.transcript.records))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs a limit of the system's")
def test_a_full_disk(project: Path, tmp_path: Path) -> None:
    """Is a warning, once; the turn goes on, and what was written before can be read."""
    told = subprocess.run(
        [sys.executable, "-c", FULL, str(project), str(tmp_path / "a.jsonl")],
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
    ).stdout.splitlines()
    assert told[0] == "ready 1"
    assert len(told) == 3
    assert "a.jsonl" in told[1]
    assert "File too large" in told[1]
    assert told[2] == "True True"
