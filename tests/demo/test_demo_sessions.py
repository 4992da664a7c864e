"""The demo agent's settings, and its sessions on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, AgentError, Chat

Make = Callable[..., Chat]


@pytest.fixture
def make(project: Path) -> Iterator[Make]:
    """Make chats with the demo agent that are closed afterwards."""
    made: list[Chat] = []

    def make(store: Path | None = None, **options: Any) -> Chat:
        env = {"ACP_DEMO_DELAY": "0", **({} if store is None else {"ACP_DEMO_STORE": str(store)})}
        agent = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env=env, name="demo")
        made.append(Chat(agent, cwd=project, record=False, **options))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def test_settings(make: Make) -> None:
    """Mode, pace and thoughts can be set; what is not there is -32602; both ways to a mode agree."""
    chat = make()
    chat.set_mode("auto")
    chat.set_option("thoughts", False)
    assert {option.id: option.value for option in chat.session.options} == {
        "mode": "auto",
        "pace": "quick",
        "thoughts": False,
    }
    assert chat.session.mode == "auto"
    with pytest.raises(AgentError, match="no option 'pace' with a value 'warp'") as caught:
        chat.set_option("pace", "warp")
    assert caught.value.code == -32602
    chat.request("session/set_mode", {"sessionId": chat.session_id, "modeId": "ask"})
    assert chat.session.options[0].value == "ask"
    assert chat.ask("/long 3").thoughts == ()
    chat.set_option("thoughts", True)
    assert chat.ask("/long 3").thoughts


def test_sessions_outlive_the_process(make: Make, tmp_path: Path) -> None:
    """With a store they are listed, loaded, resumed and deleted; without one nothing is advertised."""
    store = tmp_path / "store"
    first = make(store)
    first.ask("/cwd")
    session_id = first.session_id
    assert session_id is not None
    first.close()
    chat = make(store, session=session_id)
    chat.start()
    assert [turn.replayed for turn in chat.turns] == [True]
    assert "I work in" in chat.turns[0].text
    assert [info.title for info in chat.sessions()] == ["/cwd"]
    chat.ask("/long 2")
    chat.restart()
    assert chat.session_id == session_id
    chat.new_session()
    chat.delete_session(session_id)
    assert not (store / f"{session_id}.json").exists()
    with pytest.raises(AgentError, match="no session"):
        chat.open_session("../../etc/passwd", "load")


def test_without_a_store(make: Make) -> None:
    """Nothing is advertised, and nothing is written."""
    chat = make()
    chat.start()
    assert chat.session.agent is not None
    assert chat.session.agent.capabilities["loadSession"] is False
    assert "sessionCapabilities" not in chat.session.agent.capabilities
