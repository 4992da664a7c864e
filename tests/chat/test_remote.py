"""An agent that runs elsewhere, behind a WebSocket of a real server."""

from __future__ import annotations

import concurrent.futures
import json
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, AgentExitedError, AgentUnreachableError, Chat
from acp_notebook._agent import remote
from acp_notebook._agent.command import resolve
from acp_notebook._chat import revival
from tests.chat.keeper import keeper, sent, until

BRIDGE = Path(__file__).parent.parent / "agents" / "ws_bridge.py"
Serve = Callable[..., int]
Make = Callable[..., Chat]


@pytest.fixture
def bridges() -> list[subprocess.Popen[str]]:
    """The servers that run, in the order of their start."""
    return []


@pytest.fixture
def serve(tmp_path: Path, bridges: list[subprocess.Popen[str]]) -> Iterator[Serve]:
    """Serve the keeper; gives the port."""

    def serve(*able: str, **config: Any) -> int:
        agent = keeper(tmp_path / "store", *able)
        config["agent"] = [agent.command, *agent.args]
        process = subprocess.Popen(
            [sys.executable, str(BRIDGE), json.dumps(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        bridges.append(process)
        assert process.stdout is not None
        return int(process.stdout.readline())

    yield serve
    for process in bridges:
        process.communicate(timeout=10)


@pytest.fixture
def make(project: Path) -> Iterator[Make]:
    """Make chats that are closed afterwards."""
    made: list[Chat] = []

    def make(*, record: Any = False, **agent: Any) -> Chat:
        made.append(Chat(Agent(**agent), cwd=project, record=record))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def test_a_turn(serve: Serve, make: Make) -> None:
    """The same conversation as with a process of ours; the address stands for the command."""
    port = serve()
    chat = make(url=f"ws://127.0.0.1:{port}/agent?key=secret")
    assert chat.ask("say hello").text == "hello"
    assert chat.session.agent is not None
    assert chat.session.agent.command == (f"ws://127.0.0.1:{port}/agent",)


def test_a_lost_connection_in_a_turn(serve: Serve, make: Make) -> None:
    """The turn ends in an error that says so; the next prompt connects again, in the same session."""
    port = serve("resume", drop="drop it")
    chat = make(url=f"ws://127.0.0.1:{port}")
    chat.ask("say hello")
    with pytest.raises(AgentExitedError, match=r"The connection to ws://127.0.0.1:\d+ was closed"):
        chat.ask("drop it")
    assert chat.turns[-1].error == "The connection was closed before the agent had answered."
    assert chat.session.exit is not None
    assert chat.session.exit.code is None
    shown = chat.transcript.to_markdown()
    assert "connection was closed" in shown.lower()
    assert "process" not in shown
    assert "exit code" not in shown
    assert "error output" not in shown

    assert chat.ask("what").text == "1 blocks, I remember 1 turns"
    assert len(sent(chat, "session/resume")) == 1


def test_a_lost_connection_at_rest(serve: Serve, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is connected again by itself, and the session is resumed."""
    monkeypatch.setattr(revival, "DELAYS", (0.01,) * 3)
    port = serve("resume")
    chat = make(url=f"ws://127.0.0.1:{port}")
    chat.ask("say hello")
    link = chat._engine.link
    assert link is not None
    getattr(link._transport, "_socket").transport.abort()  # noqa: B009 - of the socket's transport only
    until(chat, lambda chat: len(sent(chat, "session/resume")) == 1 and chat.status == "ready")
    [end] = [record.msg for record in chat._log.records if record.msg.get("kind") == "exit"]
    assert end["reason"].startswith(f"The connection to ws://127.0.0.1:{port} was closed (code 1006")
    assert end["reason"].endswith("It is started again in 0.01 s (try 1 of 3).")

    assert chat.ask("what").text == "1 blocks, I remember 1 turns"


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no job control here")
def test_a_server_that_is_stopped_and_continued_goes_on(
    serve: Serve, make: Make, bridges: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A closed lid on the other side: pings stay unanswered for a while, and the connection holds."""
    assert remote._PING_PATIENCE > 60
    monkeypatch.setattr(remote, "_PING_EVERY", 0.02)
    chat = make(url=f"ws://127.0.0.1:{serve()}")
    chat.ask("say hello")
    [bridge] = bridges
    bridge.send_signal(signal.SIGSTOP)
    turn = chat.send("say again")
    try:
        assert not concurrent.futures.wait([turn.handle.done], timeout=0.5).done
    finally:
        bridge.send_signal(signal.SIGCONT)
    turn.handle.done.result(15)

    assert turn.text == "again"
    assert len(sent(chat, "initialize")) == 1


def test_closing_ends_the_connection(serve: Serve, make: Make) -> None:
    """What is queued still goes out; closing twice is once."""
    chat = make(url=f"ws://127.0.0.1:{serve()}")
    chat.ask("say hello")
    link = chat._engine.link
    assert link is not None
    chat.close()

    assert link.exited.done()
    assert chat.turns[0].text == "hello"


def test_headers(serve: Serve, make: Make, tmp_path: Path) -> None:
    """They are sent, asked for in words when they are missing, and stand in no record and no repr."""
    port = serve(token="Bearer swordfish-1234")
    with pytest.raises(AgentUnreachableError, match=r"HTTP 401\. Check the headers"):
        make(url=f"ws://127.0.0.1:{port}").start()
    file = tmp_path / "wire.jsonl"
    chat = make(url=f"ws://127.0.0.1:{port}", headers={"Authorization": "Bearer swordfish-1234"}, record=file)
    chat.ask("say the token is swordfish-1234")

    assert "swordfish" not in file.read_text()
    assert "swordfish" not in repr(chat._agent)
    assert "Authorization" in repr(chat._agent)


def test_nobody_there(make: Make, serve: Serve) -> None:
    """A sentence that names the address; the chat says so, too."""
    chat = make(url="ws://127.0.0.1:9")
    with pytest.raises(AgentUnreachableError, match=r"ws://127\.0\.0\.1:9 cannot be reached"):
        chat.ask("hello")

    assert chat.turns[0].status == "error"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificate")
def test_tls(serve: Serve, make: Make, tmp_path: Path) -> None:
    """A certificate that nobody knows is refused, and taken when it is given."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(["openssl", *words, *names], check=True, capture_output=True)
    port = serve(cert=str(cert), key=str(key))
    with pytest.raises(AgentUnreachableError, match="TLS failed"):
        make(url=f"wss://127.0.0.1:{port}").start()
    chat = make(url=f"wss://127.0.0.1:{port}", ca=cert)

    assert chat.ask("say hello").text == "hello"


def test_the_value() -> None:
    """An address alone is an agent; others schemes are none; secrets are in no repr; it can be pickled."""
    agent = Agent(url="wss://me:pw@host.example/acp?token=t", headers={"X-Key": "k"}, ca="/ca.pem")
    assert (agent.name, agent.command) == ("host.example", "wss://host.example/acp")
    assert "pw" not in repr(agent)
    assert "token" not in repr(agent)
    assert pickle.loads(pickle.dumps(agent)) == agent
    assert resolve("ws://host/acp") == Agent(url="ws://host/acp")
    assert agent != Agent(url="wss://me:pw@host.example/acp?token=t")
    with pytest.raises(ValueError, match="begins with ws://"):
        Agent(url="https://host/acp")
    with pytest.raises(ValueError, match="needs a command"):
        Agent()
