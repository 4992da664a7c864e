"""Commands that the agent runs itself and reports in `_meta`, in JupyterLab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.chats import Place, cards, frame, option, send, until
from tests.browser.conftest import Open
from tests.browser.test_hunks import cell

RECORDING = Path(__file__).parent.parent / "captures" / "codex-longshell.jsonl"


def recorded() -> list[dict[str, Any]]:
    """What an agent said about its command, in a session of ours."""
    found = []
    for line in RECORDING.read_text().splitlines():
        msg = json.loads(line).get("msg", {})
        update = msg.get("params", {}).get("update", {}) if msg.get("method") == "session/update" else {}
        if str(update.get("sessionUpdate")).startswith("tool_call"):
            found.append({**msg, "params": {"sessionId": "s", "update": update}})
    return found


def test_an_agents_own_command_shows_in_the_card_of_ours(open_notebook: Open, place: Place):
    """Live while it runs, once, with its end; there is nothing more to say about the step."""
    updates = recorded()
    assert any("terminal_exit" in (said["params"]["update"].get("_meta") or {}) for said in updates)
    own = [["say", said] for said in updates]
    run = {"sessionId": "s", "command": "sh", "args": ["-c", "echo ours"]}
    call = {"sessionUpdate": "tool_call", "toolCallId": "ours", "kind": "execute", "title": "echo ours"}
    shown = {**call, "status": "completed", "content": [{"type": "terminal", "terminalId": "terminal-1"}]}
    ours = [
        ["say", {"jsonrpc": "2.0", "id": 7, "method": "terminal/create", "params": run}],
        ["take", 1],
        [
            "say",
            {
                "jsonrpc": "2.0",
                "id": 8,
                "method": "terminal/wait_for_exit",
                "params": {"sessionId": "s", "terminalId": "terminal-1"},
            },
        ],
        ["take", 1],
        [
            "say",
            {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": shown}},
        ],
    ]
    says = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "In between."}}
    between = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": says}}
    notebook = open_notebook(cell(place, [*own, ["say", between], *ours]))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    steps = view.locator(".acp-call")
    expect(steps).to_have_count(2)
    for step, output in ((steps.first, "step 6"), (steps.last, "ours")):
        expect(step).to_contain_text("done")
        step.locator(".acp-fold-head").first.click()
        terminal = step.locator(".acp-slot-terminals")
        expect(terminal.locator(".acp-section-label")).to_have_text("Terminal")
        expect(terminal.locator(".acp-output")).to_contain_text(output)
        expect(step).not_to_contain_text("sent nothing more")
    assert steps.first.locator(".acp-output").count() == 1


def test_a_command_that_names_a_rules_file_waits(open_notebook: Open, place: Place):
    """The card shows the command; it starts by a click, and stands in the turn with the decision."""
    run = {"sessionId": "s", "command": "cp", "args": ["my notes.md", ".acp-notebook.toml"]}
    create = {"jsonrpc": "2.0", "id": 7, "method": "terminal/create", "params": run}
    wait = {
        "jsonrpc": "2.0",
        "id": 8,
        "method": "terminal/wait_for_exit",
        "params": {"sessionId": "s", "terminalId": "terminal-1"},
    }
    steps = [["say", create], ["take", 1], ["say", wait], ["take", 1]]
    (place.folder / "my notes.md").touch()
    notebook = open_notebook(cell(place, steps, "policy=__import__('acp_notebook').Policy.allow_all()"))
    notebook.run(0)
    view = frame(notebook, 0)
    send(view, "go")
    expect(cards(view)).to_contain_text("Run a command that names a rules file")
    expect(cards(view).locator(".acp-command")).to_have_text("$ cp 'my notes.md' .acp-notebook.toml")
    assert not (place.folder / ".acp-notebook.toml").exists()
    option(view, "Run").click()
    expect(view.locator(".acp-decision-word")).to_have_text("Allowed by you: Run")
    until(notebook.page, (place.folder / ".acp-notebook.toml").exists)
