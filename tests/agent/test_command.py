from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path

import pytest

from acp_notebook import AgentNotFoundError
from acp_notebook._agent.command import Agent, environment, find, resolve


def test_what_people_may_write_for_an_agent():
    """Nothing, a preset's name, a command line, a list, an Agent: each becomes an Agent."""
    agent = Agent("x", "y", env={"A": "b"})
    assert resolve(agent) is agent
    assert resolve("codex") == Agent.preset("codex")
    assert resolve("my-agent --acp 'two words'") == Agent("my-agent", "--acp", "two words")
    assert resolve(["my agent", "a b"]) == Agent("my agent", "a b")
    demo = resolve(None)
    assert (demo.command, demo.args) == (sys.executable, ("-m", "acp_notebook", "demo-agent"))
    assert demo.name == "demo agent"


@pytest.mark.parametrize("wrong", ["", "   ", [], "unclosed 'quote"])
def test_no_command_is_an_error_that_says_so(wrong):
    """Nothing to start is noticed at once."""
    with pytest.raises(ValueError, match="command"):
        resolve(wrong)


@pytest.mark.parametrize("wrong", [5, [5], object()])
def test_other_things_are_no_agent(wrong):
    """A number is no agent."""
    with pytest.raises(TypeError, match="agent"):
        resolve(wrong)


def test_an_agent_is_a_value():
    """Equal fields make equal agents; nothing changes them; they can be copied and stored."""
    agent = Agent("/bin/x", "--acp", env={"B": "2", "A": "1"}, cwd="/tmp")
    twin = Agent("/bin/x", "--acp", env={"A": "1", "B": "2"}, cwd="/tmp")
    assert agent == twin
    assert hash(agent) == hash(twin)
    assert agent != Agent("/bin/x", "--acp")
    assert agent != "x"
    assert agent.name == "x"
    assert copy.deepcopy(agent) == pickle.loads(pickle.dumps(agent)) == agent
    with pytest.raises(AttributeError):
        agent.command = "y"
    with pytest.raises(AttributeError):
        del agent.command
    with pytest.raises(TypeError):
        agent.env["A"] = "2"  # type: ignore[index]
    with pytest.raises(TypeError):
        Agent("x", 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="command"):
        Agent("")


def test_a_repr_shows_no_secret():
    """Values of variables stay out of what a notebook displays."""
    shown = repr(Agent("x", "y z", env={"API_KEY": "sk-secret"}, cwd="/tmp"))
    assert shown == "Agent('x', 'y z', env=<API_KEY>, cwd='/tmp')"
    assert Agent("x", "y z").command_line == "x 'y z'"


def test_the_environment_is_whole(monkeypatch):
    """Everything of this process is passed on, and the agent's own variables come over it."""
    monkeypatch.setenv("OURS", "ours")
    monkeypatch.setenv("BOTH", "ours")
    seen = environment(Agent("x", env={"BOTH": "its"}))
    assert (seen["OURS"], seen["BOTH"]) == ("ours", "its")


def test_a_program_is_found_where_the_agent_would_find_it(tmp_path):
    """Names by the agent's own PATH or beside this Python, relative paths from its folder; a file that is not executable is no program."""
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(AgentNotFoundError, match="executed"):
        find(Agent("./agent"), str(tmp_path))
    program.chmod(0o755)
    assert find(Agent("./agent"), str(tmp_path)) == str(program)
    assert find(Agent("agent", env={"PATH": str(tmp_path)}), "/") == str(program)
    assert find(Agent(str(program)), "/") == str(program)
    beside = Path(sys.executable).name
    assert find(Agent(beside, env={"PATH": "/no/where"}), "/") == sys.executable
    with pytest.raises(AgentNotFoundError, match="on PATH") as caught:
        find(Agent("agent", env={"PATH": "/no/where"}), str(tmp_path))
    assert "/no/where" in str(caught.value)
    assert caught.value.command == ("agent",)
