"""Errors say what happened and what to do, and keep their data."""

from __future__ import annotations

import pytest

import acp_notebook
from acp_notebook import (
    AcpNotebookError,
    AgentError,
    AgentExitedError,
    AgentNotFoundError,
    AuthRequiredError,
    ChatClosedError,
    ProtocolError,
    TranscriptError,
    _errors,
)


def test_one_root():
    """Everything can be caught by one name, and is importable from the package."""
    for name in _errors.__all__:
        assert issubclass(getattr(acp_notebook, name), AcpNotebookError)
        assert f"{name} " in _errors.__doc__ or f"{name}\n" in _errors.__doc__
    assert issubclass(AuthRequiredError, AgentError)
    assert AcpNotebookError("x").turn is None


def test_an_agent_that_is_not_there():
    """Names the command and what to do."""
    error = AgentNotFoundError(["nope", "--acp"])
    assert error.command == ("nope", "--acp")
    assert "'nope' was not found" in str(error)
    assert "/path/to/nope" in str(error)
    assert "pip install nope" in str(AgentNotFoundError(["nope"], hint="Try pip install nope."))
    assert "(empty command)" in str(AgentNotFoundError([]))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"code": 3}, "(exit code 3)"),
        ({"signal": "SIGKILL"}, "(signal SIGKILL)"),
        ({}, "(exit code unknown)"),
        ({"code": 1, "doing": "session/new"}, "during session/new (exit code 1)"),
    ],
)
def test_an_agent_that_exited(data, expected):
    """How, during what, and the end of what it said."""
    error = AgentExitedError(["a b", "c"], stderr="boom\n", **data)
    assert expected in str(error)
    assert "'a b' c" in str(error)
    assert str(error).endswith("boom")
    assert "chat.restart()" in str(error)
    assert (error.command, error.stderr) == (("a b", "c"), "boom\n")
    assert "nothing" in str(AgentExitedError([], 0))


def test_a_connection_that_ended():
    """An agent behind an address has no exit code here, and its connection's last word is no error output."""
    closed = "The connection to wss://x/acp was closed (code 1006)."
    error = AgentExitedError(["wss://x/acp"], stderr=closed, doing="session/prompt")
    assert str(error) == f"{closed} It was to answer session/prompt. Connect again with chat.restart()."
    assert str(AgentExitedError(["ws://x"])) == (
        "The connection to ws://x was closed. Connect again with chat.restart()."
    )


@pytest.mark.parametrize(
    ("code", "data", "expected"),
    [
        (-32603, None, "(code -32603): m"),
        (None, None, "an error: m"),
        (1, {"details": "d"}, "m (d)"),
        (1, {"reason": "r"}, "m (r)"),
        (1, "text", "m (text)"),
        (1, {"details": 5}, "(code 1): m"),
    ],
)
def test_an_agents_error(code, data, expected):
    """Code, message and what the data says."""
    error = AgentError(code, "m", data)
    assert str(error).endswith(expected)
    assert (error.code, error.message, error.data) == (code, "m", data)


def test_a_login_that_is_missing():
    """Names the ways that are offered."""
    error = AuthRequiredError("Authentication required", ["Key", "Browser"], {"a": 1})
    assert (error.code, error.message, error.methods, error.data) == (
        -32000,
        "Authentication required",
        ("Key", "Browser"),
        {"a": 1},
    )
    assert "Key; Browser" in str(error)
    assert "It offers" not in str(AuthRequiredError("m"))


def test_the_others():
    """Have a message of their own."""
    assert "closed" in str(ChatClosedError())
    assert str(ChatClosedError("x")) == "x"
    assert str(ProtocolError("x")) == "x"
    error = TranscriptError("/a", "Cannot read")
    assert (error.path, str(error)) == ("/a", "Cannot read: /a")


def test_messages_do_not_paint():
    """What an agent says cannot move the cursor, reorder or hide anything in a traceback; colours go."""
    error = AgentExitedError(["a"], 1, stderr="\x1b[31mred\x1b[0m\r\n\x1b[2Jgone\u202etxt")
    assert str(error).endswith("red\n⟨U+001B⟩[2Jgone⟨U+202E⟩txt")
    assert error.stderr.startswith("\x1b[31m")
    assert "⟨U+001B⟩" in str(AuthRequiredError("\x1b]0;title\x07"))
