"""The demo agent over raw pipes, every message of it valid by the reference SDK's schema."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_notebook._demo.scratch import SAMPLE, scratch_copy
from acp_notebook._demo.turn import pieces
from tests.demo.client import demo_agent

FULL = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}


@pytest.fixture
def project() -> Path:
    return scratch_copy()


def unittest_passes(project: Path) -> bool:
    run = subprocess.run(
        [sys.executable, "-B", "-m", "unittest"], cwd=project, capture_output=True, check=False
    )
    return run.returncode == 0


def test_the_sample_project_has_exactly_one_failing_test(project):
    """The sample fails before the edit, by the even median alone."""
    run = subprocess.run(
        [sys.executable, "-B", "-m", "unittest"], cwd=project, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "FAILED (failures=1)" in run.stderr
    assert "test_median_of_four" in run.stderr


def test_a_scratch_copy_is_new_each_time_and_leaves_at_exit():
    """Two copies differ, equal the sample, and are gone once Python has ended."""
    code = (
        "from acp_notebook._demo.scratch import scratch_copy as s; a, b = s(), s(); assert a != b;"
        "assert (a / 'weather/stats.py').exists(); print(a); print(b)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        assert not Path(line).exists()
    assert (SAMPLE / "weather" / "stats.py").exists()


@pytest.mark.parametrize("capabilities", [FULL, {}], ids=["client serves", "agent serves itself"])
def test_an_allowed_edit_repairs_the_project(project, capabilities):
    """A plain prompt thinks, plans, reads, edits with leave, runs the tests with leave and reports."""
    with demo_agent() as client:
        session = client.start(project, **capabilities)
        answer = client.prompt(session, "Why does a test fail?")
        assert answer["result"] == {"stopReason": "end_turn"}
        assert len(client.updates("agent_thought_chunk")) > 3
        assert [call["kind"] for call in client.calls().values()] == ["read", "edit", "execute"]
        assert [call["status"] for call in client.calls().values()] == ["completed"] * 3
        assert [len(asked["options"]) for asked in client.asked] == [3, 3]
        diff = client.asked[0]["toolCall"]["content"][0]
        assert diff["path"] == str(project / "weather" / "stats.py")
        assert diff["newText"] == (project / "weather" / "stats.py").read_text()
        assert [entry["status"] for entry in client.updates("plan")[-1]["entries"]] == ["completed"] * 4
        assert "## Done" in client.text()
        assert "| run | OK |" in client.text()
        assert "$$" in client.text()
        terminal = any(name.startswith("terminal/") for name in client.served)
        assert terminal == bool(capabilities)
        assert ("fs/write_text_file" in client.served) == bool(capabilities)
    assert unittest_passes(project)


def test_a_refused_edit_changes_nothing(project):
    """After a refusal the file is as before, nothing is run, and the turn ends in the usual way."""
    before = (project / "weather" / "stats.py").read_bytes()
    with demo_agent(lambda params: "refuse") as client:
        session = client.start(project, **FULL)
        answer = client.prompt(session, "Repair it")
        assert answer["result"]["stopReason"] == "end_turn"
        assert len(client.asked) == 1
        assert [call["status"] for call in client.calls().values()] == ["completed", "failed"]
        assert "stays as it is" in client.text()
    assert (project / "weather" / "stats.py").read_bytes() == before


def test_always_is_remembered_for_the_session_and_by_kind(project):
    """After "always" neither a second edit nor a second command is asked for; a new session asks again."""
    with demo_agent(lambda params: "allow-always") as client:
        session = client.start(project, **FULL)
        client.prompt(session, "Repair it")
        client.prompt(session, "And one more test")
        assert len(client.asked) == 2
        other = client.request("session/new", cwd=str(project), mcpServers=[])["result"]["sessionId"]
        client.prompt(other, "And one more test")
        assert len(client.asked) == 4
    assert "test_median_of_5_values" in (project / "tests" / "test_stats.py").read_text()
    assert "test_median_of_6_values" in (project / "tests" / "test_stats.py").read_text()
    assert unittest_passes(project)


def test_auto_mode_asks_nothing(project):
    """In the mode `auto` edits and commands need no leave; an unknown mode is an error."""
    with demo_agent() as client:
        session = client.start(project, **FULL)
        assert client.request("session/set_mode", sessionId=session, modeId="auto")["result"] == {}
        client.prompt(session, "Repair it")
        assert client.asked == []
        assert client.request("session/set_mode", sessionId=session, modeId="x")["error"]["code"] == -32602


def test_another_folder_gets_a_small_program(tmp_path):
    """Outside the sample project the scene writes a new file: its diff has no old text."""
    with demo_agent() as client:
        session = client.start(tmp_path, **FULL)
        client.prompt(session, "Do something")
        assert client.asked[0]["toolCall"]["content"][0]["oldText"] is None
        assert client.output == "Hello from turn 1\n"
        client.prompt(session, "Again")
        assert client.output == "Hello from turn 1\nHello from turn 2\n"


@pytest.mark.parametrize("prompt", ["/fail", "Show me a failing tool"])
def test_a_failing_tool(project, prompt):
    """The call ends as failed with the client's own words, and the turn goes on."""
    with demo_agent() as client:
        session = client.start(project, **FULL)
        client.prompt(session, prompt)
        (call,) = client.calls().values()
        assert call["status"] == "failed"
        assert "No file" in call["content"][0]["content"]["text"]
        assert "does not exist" in client.text()


def test_a_question_has_answers_as_options(project):
    """Three options of the same kind are answers; the chosen one comes back by its name."""
    with demo_agent(lambda params: "answer-1") as client:
        session = client.start(project, **FULL)
        client.prompt(session, "/ask")
        kinds = [option["kind"] for option in client.asked[0]["options"]]
        assert kinds == ["allow_once", "allow_once", "allow_once", "reject_once"]
        assert "**Degrees Fahrenheit**" in client.text()


def test_two_permissions_wait_at_once(project):
    """Both requests are out before the first is answered."""
    held: list[int] = []

    with demo_agent(lambda params: "wait") as client:
        session = client.start(project, **FULL)
        number = client.send(
            "session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "/two"}]}
        )

        def collect(message: dict[str, Any]) -> None:
            if message.get("method") == "session/request_permission":
                held.append(message["id"])
                if len(held) == 2:
                    for option, each in zip(("allow", "refuse"), reversed(held), strict=True):
                        outcome = {"outcome": "selected", "optionId": option}
                        client.write({"id": each, "result": {"outcome": outcome}})

        client.wait(number, collect)
        assert [call["status"] for call in client.calls().values()] == ["failed", "completed"]
        assert "You allowed 1 of 2." in client.text()


def test_an_image_is_a_png(project):
    """The picture is a message chunk of its own between two texts."""
    with demo_agent() as client:
        session = client.start(project, **FULL)
        client.prompt(session, "/image")
        (block,) = (
            u["content"] for u in client.updates("agent_message_chunk") if u["content"]["type"] == "image"
        )
        assert block["mimeType"] == "image/png"
        assert base64.b64decode(block["data"]).startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize(("prompt", "count"), [("/long", 500), ("/long 42", 42)])
def test_a_long_stream_has_the_chunks_asked_for(project, prompt, count):
    """So many message chunks, each numbered."""
    with demo_agent() as client:
        session = client.start(project, **FULL)
        client.prompt(session, prompt)
        assert len(client.updates("agent_message_chunk")) == count
        assert f"chunk {count}" in client.text()


def test_the_folder_is_named(project):
    """`/cwd` answers with the folder of the session."""
    with demo_agent() as client:
        client.prompt(client.start(project), "/cwd")
        assert f"`{project}`" in client.text()


def test_an_error_ends_the_turn_alone(project):
    """The prompt is answered with an error and the next prompt works."""
    with demo_agent() as client:
        session = client.start(project)
        assert client.prompt(session, "/error")["error"]["code"] == -32603
        assert client.prompt(session, "/cwd")["result"]["stopReason"] == "end_turn"


def test_a_crash_leaves_exit_code_and_words(project):
    """The process ends with 3 and the reason stands on stderr."""
    with demo_agent() as client:
        session = client.start(project)
        client.send("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "/crash"}]})
        while client.read() is not None:
            pass
        assert client.process.wait(10) == 3
        assert client.process.stderr is not None
        assert b"asked for a crash" in client.process.stderr.read()


@pytest.mark.parametrize("prompt", ["/slow", "/long 100000", "Repair it"])
def test_a_cancel_ends_the_turn_at_once(project, prompt):
    """Whether it waits, streams or asks: after `session/cancel` the answer is `cancelled`, and the next turn works."""
    with demo_agent(lambda params: "wait", delay="0.001") as client:
        session = client.start(project, **FULL)
        number = client.send(
            "session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": prompt}]}
        )
        cancelled: list[bool] = []

        def cancel_once(message: dict[str, Any]) -> None:
            wanted = "session/request_permission" if prompt == "Repair it" else "agent_message_chunk"
            name = message["method"] if "id" in message else message["params"]["update"]["sessionUpdate"]
            if name == wanted and not cancelled:
                cancelled.append(True)
                client.write({"method": "session/cancel", "params": {"sessionId": session}})

        assert client.wait(number, cancel_once)["result"]["stopReason"] == "cancelled"
        assert client.prompt(session, "/cwd")["result"]["stopReason"] == "end_turn"


def test_odd_input_is_answered_and_survived(project):
    """Broken JSON, unknown methods and sessions, and a second prompt meanwhile get errors, not silence."""
    with demo_agent() as client:
        session = client.start(project)
        assert client.process.stdin is not None
        client.process.stdin.write(b"{broken\n\n[]\n")
        client.write({"method": "$/unknown", "params": {}})
        assert client.request("session/fork")["error"]["code"] == -32601
        assert client.seen[-2]["error"]["code"] == -32700
        assert client.prompt("nobody", "hello")["error"]["code"] == -32602
        slow = client.send(
            "session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "/slow"}]}
        )
        assert client.prompt(session, "/cwd")["error"]["code"] == -32600
        client.write({"method": "session/cancel", "params": {"sessionId": session}})
        assert client.wait(slow)["result"]["stopReason"] == "cancelled"


def test_the_end_of_input_ends_the_agent_in_mid_turn(project):
    """A client that goes away leaves no process."""
    with demo_agent() as client:
        session = client.start(project)
        client.send("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "/slow"}]})
    assert client.process.returncode == 0


def test_same_prompts_same_messages():
    """Two runs in equal folders write the same, but for the folder's name and the time that the tests took."""

    def run() -> list[str]:
        project = scratch_copy()
        with demo_agent() as client:
            session = client.start(project)
            client.prompt(session, "Repair it", {"type": "resource_link", "uri": "file:///x", "name": "x"})
            client.prompt(session, "/image")
            lines = [str(message) for message in client.seen if "```\\ntest_" not in str(message)]
        return [line.replace(str(project), "PROJECT") for line in lines]

    first = run()
    assert first == run()
    assert any("attached" in line for line in first)


def test_pieces_lose_nothing():
    """The pieces of a text, joined, are the text."""
    for text in ("", "one", "a b c d e f", "\n\n## Title\n\n- a\n- b\n\n", "  leading and trailing  "):
        assert "".join(pieces(text)) == text


@pytest.mark.parametrize("capabilities", [FULL, {}], ids=["client serves", "agent serves itself"])
def test_an_edit_in_several_places(project, capabilities):
    """Allowed it is made; refused, the agent looks at what somebody else has made of it meanwhile."""
    stats = project / "weather" / "stats.py"
    before = stats.read_text()
    with demo_agent() as client:
        session = client.start(project, **capabilities)
        client.decide = lambda params: "refuse"
        client.prompt(session, "/tidy")
        assert stats.read_text() == before
        client.decide = lambda params: "allow"
        client.prompt(session, "/tidy")
        assert stats.read_text().count("(values: list[float]) -> float:") == 3
