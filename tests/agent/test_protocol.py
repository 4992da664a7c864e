"""What we send is what the reference SDK's schema allows, and answers are read with tolerance."""

from __future__ import annotations

from typing import Any

import pytest
from acp import schema

from acp_notebook import ProtocolError
from acp_notebook._agent import protocol

MCP = {"name": "m", "command": "c", "args": ["a"], "env": [{"name": "N", "value": "v"}]}
TEXT = {"type": "text", "text": "hi"}


def valid(model: type, message: dict[str, Any]) -> None:
    """Assert that the schema takes the message and knows each of its fields."""
    read = model.model_validate(message)  # type: ignore[attr-defined]
    assert read.model_dump(by_alias=True, exclude_unset=True, mode="json") == message


@pytest.mark.parametrize("fs", [True, False])
@pytest.mark.parametrize("terminal", [True, False])
def test_initialize_is_valid(fs, terminal):
    """The capabilities are those served; two stable ones are newer than the SDK's schema."""
    message = protocol.initialize_params(fs=fs, terminal=terminal, version="1.0")
    newer = message["clientCapabilities"]["session"]
    assert newer.pop("notices") == newer.pop("compaction") == {}
    assert message["clientCapabilities"] == {
        "fs": {"readTextFile": fs, "writeTextFile": fs},
        "terminal": terminal,
        "auth": {"terminal": True, "_meta": {"gateway": True}},
        "session": {"configOptions": {"boolean": {}}},
        "_meta": {"terminal_output": True, "terminal-auth": True},
    }
    valid(schema.InitializeRequest, message)


def test_elicitation_is_offered_once_it_is_served():
    """Forms and links are advertised together, and not by default."""
    message = protocol.initialize_params(fs=True, terminal=True, version="1.0", elicitation=True)
    assert message["clientCapabilities"]["elicitation"] == {"form": {}, "url": {}}


def test_other_messages_are_valid():
    """Each builder gives what the schema's model reads and writes unchanged."""
    valid(schema.NewSessionRequest, protocol.new_session_params("/x"))
    valid(
        schema.NewSessionRequest,
        protocol.new_session_params("/x", mcp_servers=[MCP], additional_directories=["/y"]),
    )
    for model in (schema.LoadSessionRequest, schema.ResumeSessionRequest):
        valid(
            model, protocol.load_session_params("s", "/x", mcp_servers=[MCP], additional_directories=["/y"])
        )
    valid(schema.PromptRequest, protocol.prompt_params("s", [TEXT]))
    valid(schema.CancelNotification, protocol.cancel_params("s"))
    valid(schema.SetSessionModeRequest, protocol.set_mode_params("s", "m"))
    valid(schema.AuthenticateRequest, protocol.authenticate_params("m"))
    valid(schema.SetSessionConfigOptionSelectRequest, protocol.set_config_option_params("s", "c", "v"))
    valid(schema.SetSessionConfigOptionBooleanRequest, protocol.set_config_option_params("s", "c", False))
    valid(schema.RequestPermissionResponse, protocol.permission_selected("o"))
    valid(schema.RequestPermissionResponse, protocol.permission_cancelled())
    valid(schema.CancelRequestNotification, {"requestId": 1})


def test_what_the_agent_can_do_is_read():
    """Booleans count if true, markers if they are there; null and false are "no"; names come along."""
    read = protocol.read_initialize(
        {
            "protocolVersion": 1,
            "agentInfo": {"name": "n", "title": "t", "version": "v"},
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True, "_meta": {}},
                "mcpCapabilities": {"http": True},
                "sessionCapabilities": {"list": {}, "resume": None, "close": {"x": 1}},
            },
            "authMethods": [{"id": "a", "name": "A"}, "odd"],
        },
        "agent",
    )
    assert (read.name, read.title, read.version, read.load_session) == ("n", "t", "v", True)
    assert read.prompt == {"image", "embeddedContext"}
    assert read.mcp == {"http"}
    assert read.session == {"list", "close"}
    assert read.auth_methods == ({"id": "a", "name": "A"},)


@pytest.mark.parametrize(
    "odd", [None, 5, "x", [], {"loadSession": "yes", "promptCapabilities": [1], "mcpCapabilities": "http"}]
)
def test_odd_capabilities_count_as_none(odd):
    """What cannot be read is not supported; it is no error."""
    answer = {"protocolVersion": 1, "agentInfo": odd, "agentCapabilities": odd, "authMethods": odd}
    read = protocol.read_initialize(answer, "agent")
    assert (read.name, read.load_session, read.prompt, read.mcp, read.auth_methods) == (
        None,
        False,
        frozenset(),
        frozenset(),
        (),
    )
    assert read.raw is answer


@pytest.mark.parametrize("version", [2, 0, None, "1", True, [1]])
def test_another_version_is_refused(version):
    """The error names the command and both versions."""
    with pytest.raises(ProtocolError, match=r"my agent --acp") as caught:
        protocol.read_initialize({"protocolVersion": version}, "my agent --acp")
    assert repr(version) in str(caught.value)
    assert "version 1" in str(caught.value)


@pytest.mark.parametrize("answer", [None, [], "ok"])
def test_an_answer_that_is_none_is_refused(answer):
    """A program that answers `initialize` with something else is probably no agent."""
    with pytest.raises(ProtocolError, match="does this command speak"):
        protocol.read_initialize(answer, "cat")
