"""Records and their lines."""

from __future__ import annotations

import pytest

from acp_notebook import Record, Session, fold


def test_a_line_and_back():
    """Times may be whole numbers; further keys are ignored."""
    record = Record.from_line({"t": 1, "dir": "in", "msg": {"a": 1}, "more": 5})
    assert record == Record(1.0, "in", {"a": 1})
    assert record.to_line() == {"t": 1.0, "dir": "in", "msg": {"a": 1}}


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"t": "1", "dir": "in", "msg": {}},
        {"t": True, "dir": "in", "msg": {}},
        {"t": None, "dir": "in", "msg": {}},
        {"t": float("nan"), "dir": "in", "msg": {}},
        {"t": float("-inf"), "dir": "in", "msg": {}},
        {"t": 10**400, "dir": "in", "msg": {}},
        {"t": 1, "dir": "up", "msg": {}},
        {"t": 1, "msg": {}},
        {"t": 1, "dir": "in"},
        {"t": 1, "dir": "in", "msg": [1]},
    ],
)
def test_a_line_of_another_shape(line):
    """Says what is wrong with it."""
    with pytest.raises(ValueError, match="a record"):
        Record.from_line(line)


def test_objects_of_the_reference_sdk():
    """Their dumps are messages as well."""
    schema = pytest.importorskip("acp.schema")
    prompt = schema.PromptRequest(session_id="s", prompt=[schema.TextContentBlock(type="text", text="hi")])
    update = schema.SessionNotification(
        session_id="s",
        update=schema.AgentMessageChunk(
            session_update="agent_message_chunk", content=schema.TextContentBlock(type="text", text="yes")
        ),
    )

    def dumped(value):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)

    records = [
        Record(0.0, "out", {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": dumped(prompt)}),
        Record(0.1, "in", {"jsonrpc": "2.0", "method": "session/update", "params": dumped(update)}),
    ]
    (turn,) = fold(Session(), records).turns
    assert (turn.prompt[0].text, turn.text) == ("hi", "yes")
