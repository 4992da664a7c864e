"""The matrix of real agents is no part of the tests; what it stands on is: its data, and the scripted model."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from scripts.agents import script
from scripts.agents.model import Model
from scripts.agents.run import NOTES, _difference, mark, said, table
from scripts.agents.scenarios import SCENARIOS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parents[1] / "scripts" / "agents"
AGENTS = tomllib.loads((HERE / "agents.toml").read_text(encoding="utf-8"))
EXPECTED = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))

CHAT = "/opencode/v1/chat/completions"
TOOLS = {
    CHAT: [{"type": "function", "function": {"name": name}} for name in ("read", "edit", "write", "bash")],
    "/codex/v1/responses": [
        {"name": "exec_command", "type": "function"},
        {"name": "apply_patch", "type": "custom"},
    ],
    "/claude/v1/messages": [{"name": name} for name in ("Read", "Edit", "Write", "Bash")],
    "/gemini/v1beta/models/m:generateContent": [
        {"functionDeclarations": [{"name": name} for name in ("read_file", "replace", "run_shell_command")]}
    ],
}


def test_every_cell_has_what_it_must_give():
    """Each scenario has facts; an agent's own ones are about known facts, and say which line shows a limit."""
    assert set(EXPECTED["default"]) == set(SCENARIOS)
    assert set(EXPECTED) - {"default"} <= set(AGENTS)
    for name in set(EXPECTED) - {"default"}:
        for scenario, facts in EXPECTED[name].items():
            assert set(facts) - set(NOTES) <= set(EXPECTED["default"][scenario]), (name, scenario)
            assert all(facts[note] for note in NOTES if note in facts)


@pytest.mark.parametrize(
    ("name", "scenario"),
    [(name, cell) for name in EXPECTED for cell, facts in EXPECTED[name].items() if "cannot" in facts],
)
def test_every_limit_carries_the_line_that_shows_it(name: str, scenario: str):
    """A message of the agent as it was on the wire: JSON-RPC, and of what the scenario is about."""
    line = EXPECTED[name][scenario]["line"]
    message = json.loads(line)
    assert "\n" not in line
    assert message["jsonrpc"] == "2.0"
    if "method" in message:
        assert message["method"] in ("session/update", "session/request_permission")
        assert message["params"]["sessionId"]
    else:
        assert isinstance(message["id"], int)
        assert ("result" in message) != ("error" in message)


def test_a_line_stands_only_where_there_is_a_limit():
    """What is no limit has words alone; the page shows both."""
    for name in set(EXPECTED) - {"default"}:
        for facts in EXPECTED[name].values():
            assert ("line" in facts) == ("cannot" in facts)
    shown = _difference({"seen": False, "cannot": "it is blind", "line": '{"id":2}'})
    assert shown == 'seen no — `it is blind` — `{"id":2}`'


def test_every_agent_says_how_it_is_had():
    """A package with its version, and how it is started."""
    for agent in AGENTS.values():
        [*packages] = agent.get("npm", agent.get("pip", []))
        assert packages
        assert all("==" in package or "@" in package[1:] for package in packages)
        assert agent["command"]


def test_a_cell_that_is_better_than_expected_fails_too():
    """What is shown of a cell: yes, cannot, or what differs."""
    cell = {"ok": False, "cannot": True, "wrong": {"ran": [False, True]}}
    assert mark(cell) == "**fails**"
    assert said(cell) == "WRONG ran: expected False, got True"
    assert mark({"ok": True, "cannot": True}) == "cannot"
    rows = table({"x": {"title": "X", "version": "1", "cells": {"allow": {"ok": True, "cannot": False}}}})
    assert [row.split("|")[2].strip() for row in rows[:3]] == ["X 1", "---", "yes"]


@pytest.fixture
def model():
    with Model() as model:
        model.project = "/p"
        yield model


def post(model: Model, path: str, body: dict) -> dict:
    request = urllib.request.Request(model.address + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        found: dict = json.loads(answer.read())
        return found


def asked(path: str, text: str, **more: object) -> dict:
    """A request in the API's own form."""
    turn = {"role": "user", "content": text}
    if path.endswith("responses"):
        return {"input": [turn], "tools": TOOLS[path], **more}
    if "generate" in path:
        return {"contents": [{"role": "user", "parts": [{"text": text}]}], "tools": TOOLS[path], **more}
    return {"messages": [turn], "tools": TOOLS[path], **more}


@pytest.mark.parametrize("path", [path for path in TOOLS if "responses" not in path])
def test_the_model_speaks_each_api(model: Model, path: str):
    """The first step of a scene, with the agent's own tool."""
    answer = json.dumps(post(model, path, asked(path, "Please. #full")))
    assert "I look at the notes first." in answer
    assert "notes.md" in answer


def test_the_model_streams(model: Model):
    """Events of the API that is only used so."""
    path = "/codex/v1/responses"
    request = urllib.request.Request(
        model.address + path, json.dumps(asked(path, "#full", stream=True)).encode()
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        events = [
            json.loads(line[6:]) for line in answer.read().decode().splitlines() if line.startswith("data:")
        ]
    assert events[0]["type"] == "response.created"
    assert events[-1]["response"]["output"][-1]["name"] == "exec_command"
    assert [event["sequence_number"] for event in events] == list(range(len(events)))


def test_the_model_follows_the_conversation():
    """Steps that have no tool are left out, requests without tools get no scene, the last tag counts."""
    table = script.tools("opencode", "/p")
    user = ("user", "#full and #edit")
    assert script.choose([user], {"read", "edit"}, table).calls[0][0] == "read"
    done = [user, ("assistant", ""), ("tool", "")]
    assert script.choose(done, {"read", "edit"}, table).calls[0][0] == "edit"
    assert script.choose(done, {"read"}, table).step.say == "The notes are right."
    assert script.choose([user], set(), table).calls == ()
    assert script.choose([("user", "no tag")], {"read"}, table).calls == ()


def test_the_model_fails_when_it_shall(model: Model):
    """An error in the scene is an error of HTTP."""
    with pytest.raises(urllib.error.HTTPError) as failure:
        post(model, CHAT, asked(CHAT, "#error"))
    assert failure.value.code == 400
    assert script.FAILURE in failure.value.read().decode()
    failure.value.close()
