"""A transcript in the place of an agent: the same prompts give the same turns, and nothing else happens."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from acp_notebook import Agent, AgentError, Chat, Policy, ReplayError, Transcript, TranscriptError
from acp_notebook._chat import recorded
from acp_notebook._chat.log import Log
from acp_notebook._chat.recap import recap, recap_block
from acp_notebook._chat.replay import Replay
from tests.chat import test_reviews as reviews
from tests.fold import captures

DEMO = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env={"ACP_DEMO_DELAY": "0"}, name="demo")
FIX = "Why does the test fail? Please fix it."
pytestmark = pytest.mark.filterwarnings("ignore:(A prompt is not in the|careful):UserWarning")


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat with the demo agent that was recorded: two turns, with a permission, a diff and a terminal."""
    import shutil

    from acp_notebook._demo.scratch import SAMPLE

    folder = tmp_path_factory.mktemp("tape")
    project = shutil.copytree(SAMPLE, folder / "project")
    path = folder / "tape.jsonl"
    with Chat(DEMO, cwd=project, record=path, policy=Policy.allow_all()) as chat:
        chat.ask(FIX)
        chat.ask("Hello")
    return path


def plain(turn: Any) -> tuple[Any, list[float]]:
    """A turn's JSON without times, and the times since its start."""
    times: list[float] = []

    def without(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {k: without(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [without(v) for v in value]
        if key in ("started", "ended", "asked", "answered") and isinstance(value, float):
            times.append(value - turn.started)
            return "time"
        return value

    return without(turn.to_json()), times


def moved(value: Any, old: str, new: str) -> Any:
    return json.loads(json.dumps(value).replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1]))


def test_the_same_prompts_give_the_same_turns(tape: Path, tmp_path: Path) -> None:
    """With the times they took, in the folder of the chat; nothing is started, written or asked."""
    original = Transcript.load(tape)
    with Chat(DEMO, replay=tape, cwd=tmp_path, policy=Policy.deny_all()) as chat:
        turns = [chat.ask(FIX), chat.ask("Hello")]
        assert [t.text for t in turns] == [t.text for t in original.turns]
        for turn, old in zip(turns, original.turns, strict=True):
            (new, new_times), (was, old_times) = plain(turn.snapshot), plain(old)
            assert new == moved(was, str(tape.parent / "project"), str(tmp_path))
            assert new_times == pytest.approx(old_times, abs=0.02)
        session, before = chat.session, original.session
        assert session.status == "ready"
        assert (session.agent, session.session_id) == (before.agent, before.session_id)
        assert (session.commands, session.modes, session.mode) == (before.commands, before.modes, before.mode)
        assert session.cwd == str(tmp_path)
        assert psutil.Process().children() == []
    assert list(tmp_path.iterdir()) == []
    assert turns[0].diffs[0].path.startswith(str(tmp_path))
    assert turns[0].permissions[0].decided_by == "policy"


def test_a_slow_replay_tells_the_time_that_was_recorded() -> None:
    """However long it takes to give a turn back; the clock is never before what was told."""
    log = Log(lambda msg: msg)
    log.replay("in", {}, 5.0)
    log._zero -= 1000  # so much time passes
    log.set_clock(6.0)
    assert 6.0 <= log.now() < 500
    log.set_clock(2.0)
    assert 5.0 <= log.now() < 500


def test_a_replay_is_not_recorded(tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless to a path of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with Chat(DEMO, replay=tape, cwd=tmp_path) as chat:
        chat.ask("Hello")
    assert not (tmp_path / "data").exists()
    with Chat(DEMO, replay=tape, cwd=tmp_path, record=tmp_path / "copy.jsonl") as chat:
        chat.ask("Hello")
        live = chat.session
    assert Transcript.load(tmp_path / "copy.jsonl").turns == live.turns


@pytest.mark.parametrize("name", captures.REAL)
def test_recordings_of_real_agents(name: str, tmp_path: Path) -> None:
    """Each turn that an agent has answered comes out as it was."""
    path = captures.FOLDER / f"{name}.jsonl"
    original = Transcript.load(path)
    cwd = original.session.cwd or ""
    took = recorded.read(original.records, path=str(path), old=None, new="").turns
    with Chat("not-installed", replay=path, cwd=tmp_path) as chat:
        for turn in took:
            try:
                chat.ask(*turn.prompt)
            except AgentError:
                assert "error" in turn.answer
        seen = [plain(turn) for turn in chat.turns]
    numbers = [i for i, t in enumerate(original.turns) if not t.replayed and t.status in ("ready", "error")]
    expected = [plain(original.turns[i]) for i in numbers][: len(took)]
    assert len(seen) == len(expected) == len(took)
    for (turn, times), (old, old_times) in zip(seen, expected, strict=True):
        assert same_but_ids(turn) == same_but_ids(moved(old, cwd, str(tmp_path)))
        assert times == pytest.approx(old_times, abs=0.1)


def same_but_ids(turn: Any) -> Any:
    """Several sessions of a recording become one; a permission's key names its process."""
    for permission in turn["permissions"]:
        permission["key"] = permission["session_id"] = None
    for item in (*turn["items"], *turn["after"]):
        if item["kind"] == "tool_call":
            item["call"]["permissions"] = len(item["call"]["permissions"])
    return {key: value for key, value in turn.items() if key not in ("session_id", "cost")}


def test_a_changed_prompt_is_an_error(tape: Path, tmp_path: Path) -> None:
    """That shows both; the turn stays visible, and the chat goes on."""
    with Chat(DEMO, replay=tape, cwd=tmp_path) as chat:
        with pytest.raises(ReplayError) as error:
            chat.ask("Why does the test fail?\nPlease mend it.")
        assert error.value.prompt == "Why does the test fail?\nPlease mend it."
        assert error.value.nearest == FIX
        assert error.value.path == tape
        text = str(error.value)
        assert "    Why does the test fail?\n    Please mend it.\n" in text
        assert f"    {FIX}\n" in text
        assert 'replay_missing="live"' in text
        assert (error.value.turn.status, chat.turns[0].status) == ("error", "error")
        assert chat.turns[0].error == f"{text} (-32097)" or text in (chat.turns[0].error or "")
        assert "weather" in chat.ask("Hello").text or chat.ask("Hello").text
    with pytest.raises(ReplayError), Chat(DEMO, replay=tape, cwd=tmp_path) as chat:
        asyncio.run(_awaited(chat))


async def _awaited(chat: Chat) -> None:
    await chat.send("Something else")


def test_going_live_by_choice(
    tape: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent is started for the first prompt that is not recorded, told what was said, and recorded."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with Chat(DEMO, replay=tape, replay_missing="live", cwd=project, policy=Policy.allow_all()) as chat:
        hello = chat.ask("Hello")
        assert psutil.Process().children() == []
        turn = chat.ask("Draw me an image of this week's temperatures.")
        assert psutil.Process().children() != []
        assert turn.status == "ready"
        assert any("is not in the transcript" in text for text in chat.session.warnings)
        assert [t.status for t in chat.turns] == ["ready", "ready"]
        chat.ask(FIX)  # recorded, but once live is live
        live = chat.session
    (file,) = Transcript.recent()
    kept = file.load()
    assert kept.turns == live.turns
    assert kept.turns[0].text == hello.text


def test_a_file_that_grows(project: Path, tmp_path: Path) -> None:
    """Replaying from and recording to one file asks the agent only for what is new."""
    path = tmp_path / "grows.jsonl"
    options: dict[str, Any] = {
        "replay": path,
        "record": path,
        "replay_missing": "live",
        "cwd": project,
        "policy": Policy.allow_all(),
    }
    with Chat(DEMO, **options) as chat:
        first = chat.ask("Hello").text
    size = path.stat().st_size
    with Chat(DEMO, **options) as chat:
        assert chat.ask("Hello").text == first
    assert path.stat().st_size == size
    with Chat(DEMO, **options) as chat:
        chat.ask("Hello")
        second = chat.ask(FIX).text
    assert path.stat().st_size > size
    with Chat(DEMO, **{**options, "replay_missing": "error"}) as chat:
        assert [chat.ask("Hello").text, chat.ask(FIX).text] == [first, second]


def test_the_environment_names_a_transcript(
    tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For every chat that does not say otherwise; a folder of transcripts serves several chats."""
    monkeypatch.setenv("ACP_NOTEBOOK_REPLAY", str(tape))
    with Chat("not-installed", cwd=tmp_path) as chat:
        assert chat.ask("Hello").text
    other = Transcript.load(captures.FOLDER / "codex-hi.jsonl")
    other.save(tmp_path / "b.jsonl")
    Transcript.load(tape).save(tmp_path / "a.jsonl")
    monkeypatch.setenv("ACP_NOTEBOOK_REPLAY", str(tmp_path))
    with Chat("not-installed", cwd=tmp_path) as one, Chat("not-installed", cwd=tmp_path) as two:
        assert one.ask("Hello").text == Transcript.load(tape).turns[1].text
        prompt = recorded.read(other.records, path="", old=None, new="").turns[0].prompt
        assert two.ask(*prompt).text == other.turns[0].text
    with Chat(DEMO, replay=False, cwd=tmp_path, record=False) as chat:
        assert chat._engine.settings.replay is None


def test_the_agent_is_that_of_the_transcript(tape: Path, tmp_path: Path) -> None:
    """If none is given, to be shown; what has to be started is named by the person, as files come from anybody."""
    path = tmp_path / "a.jsonl"
    Transcript(Transcript.load(tape).records, {"agent": {"name": "x", "command": ["xy", "acp"]}}).save(path)
    with Chat(replay=path, cwd=tmp_path) as chat:
        assert (chat._agent.name, chat._agent.command, chat._agent.args) == ("x", "xy", ("acp",))
    with pytest.raises(ValueError, match="Say which agent answers"):
        Chat(replay=path, cwd=tmp_path, replay_missing="live")
    with Chat("not-installed", replay=path, cwd=tmp_path, replay_missing="live") as chat:
        assert chat._agent.command == "not-installed"
    with Chat(replay=tape, replay_missing="live") as chat:
        assert chat._agent.command == sys.executable
    with Chat(replay=tape) as chat:
        assert chat._agent.args[-1] == "demo-agent"
        assert chat.cwd != Path.cwd()
    with Chat(replay=captures.FOLDER / "codex-hi.jsonl", cwd=tmp_path) as chat:
        assert chat._agent.name == "recorded-agent"


def test_nothing_to_replay(tmp_path: Path) -> None:
    """Is told when the chat is made, not by its first turn."""
    with pytest.raises(TranscriptError, match="cannot be read"):
        Chat(DEMO, replay=tmp_path / "none.jsonl")
    with pytest.raises(TranscriptError, match="no transcript"):
        Chat(DEMO, replay=tmp_path)
    with pytest.raises(ValueError, match="'error' or 'live', not 'maybe'"):
        Chat(DEMO, replay=tmp_path / "none.jsonl", replay_missing="maybe")  # type: ignore[arg-type]


def test_the_same_prompt_twice(tmp_path: Path) -> None:
    """Gives the recorded answers in their order, and then the last one again."""
    path = tmp_path / "twice.jsonl"
    lines = [out(0, "initialize"), answer(0, {"protocolVersion": 1}), out(1, "session/new", cwd="/old")]
    lines.append(answer(1, {"sessionId": "s"}))
    for number, word in ((2, "one"), (3, "two")):
        lines += [ask(number, "again"), say(word), answer(number, {"stopReason": "end_turn"})]
    write(path, lines)
    with Chat("none", replay=path, cwd=tmp_path) as chat:
        assert [chat.ask("again").text for _ in range(3)] == ["one", "two", "two"]


def test_a_turn_that_was_not_answered_is_not_recorded(tmp_path: Path) -> None:
    """The agent died in it: there is nothing to give in its place."""
    path = tmp_path / "a.jsonl"
    write(path, [out(0, "initialize"), answer(0, {"protocolVersion": 1}), ask(1, "x"), say("half")])
    with (
        Chat("none", replay=path, cwd=tmp_path) as chat,
        pytest.raises(ReplayError, match="Nothing is recorded"),
    ):
        chat.ask("x")


def test_what_the_agent_asked_is_not_served_again(tmp_path: Path) -> None:
    """A recorded write is told, not done; a request of ours keeps out of the way of the running ids."""
    target = tmp_path / "file.txt"
    path = tmp_path / "tape" / "a.jsonl"
    path.parent.mkdir()
    ask_write = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "fs/write_text_file",
        "params": {"sessionId": "s", "path": str(target), "content": "x"},
    }
    lines = [
        out(0, "initialize"),
        answer(0, {"protocolVersion": 1}),
        ask(1, "x"),
        {"t": 1, "dir": "in", "msg": ask_write},
        {"t": 1, "dir": "out", "msg": {"jsonrpc": "2.0", "id": 0, "result": None}},
        out(2, "session/set_mode", sessionId="s", modeId="m"),
        answer(2, {}),
        {"t": 1, "dir": "note", "msg": {"kind": "warning", "text": "careful"}},
        answer(1, {"stopReason": "end_turn"}),
        {"t": 5, "dir": "in", "msg": {"jsonrpc": "2.0", "method": "session/update", "params": usage()}},
    ]
    write(path, lines)
    with Chat("none", replay=path, cwd=tmp_path) as chat:
        turn = chat.ask("x")
        assert (turn.status, turn.stop_reason) == ("ready", "end_turn")
        assert chat.session.warnings == ("careful",)
        assert chat.session.context is not None
        assert chat.session.context.used == 10
        out_ids = [r.msg["id"] for r in chat._log.records if r.dir == "out" and "method" in r.msg]
        assert len(set(map(str, out_ids))) == len(out_ids)
        times = [r.t for r in chat._log.records]
        assert times == sorted(times)
    assert not target.exists()


def test_other_requests_of_ours(tmp_path: Path) -> None:
    """Are answered as they were; what was not asked then is an error that says so."""
    path = tmp_path / "a.jsonl"
    lines = [
        out(0, "initialize"),
        answer(0, {"protocolVersion": 1}),
        out(1, "_vendor/sum", sessionId="s", numbers=[1, 2]),
        answer(1, {"sum": 3}),
        ask(2, "x"),
        answer(2, {"stopReason": "end_turn"}),
    ]
    write(path, lines)
    with Chat("none", replay=path, cwd=tmp_path) as chat:
        assert chat.request("_vendor/sum", {"numbers": [1, 2]}) == {"sum": 3}
        with pytest.raises(AgentError, match="_vendor/sum is not in the transcript"):
            chat.request("_vendor/sum", {"numbers": [2, 2]})


def test_incidental_differences() -> None:
    """A linked file's size and annotations do not make another prompt; a path in the folder moves along."""
    link = {"type": "resource_link", "uri": "file:///old/pro%20ject/x.py", "name": "x.py", "size": 5}
    move = recorded.moved("/old/pro ject", "/new/p")
    assert move(link)["uri"] == "file:///new/p/x.py"
    assert (
        move("see /old/pro ject/a, /old/pro ject2/a and /old/pro ject")
        == "see /new/p/a, /old/pro ject2/a and /new/p"
    )
    assert recorded.same([move(link)], [{**link, "uri": "file:///new/p/x.py", "size": 6, "_meta": {}}])
    assert not recorded.same([link], [{**link, "name": "y.py"}])
    assert recorded.moved("/", "/new")("/a") == "/a"
    assert recorded.words(
        [{"type": "text", "text": "a"}, link, {"type": "image", "mimeType": "image/png"}]
    ) == ("a\n[resource_link x.py]\n[image image/png]")


def test_closing_while_a_turn_is_replayed(tmp_path: Path) -> None:
    """Ends it as with an agent."""
    path = tmp_path / "long.jsonl"
    many = [say("x") for _ in range(20_000)]
    write(
        path,
        [
            out(0, "initialize"),
            answer(0, {"protocolVersion": 1}),
            ask(1, "x"),
            *many,
            answer(1, {"stopReason": "end_turn"}),
        ],
    )
    chat = Chat("none", replay=path, cwd=tmp_path)
    turn = chat.send("x")
    chat.close()
    assert turn.status in ("error", "ready")
    assert chat.status == "ended"


def test_a_missing_file_is_an_empty_one_when_going_live(tmp_path: Path) -> None:
    """So that the first run records what later runs replay."""
    replay = Replay(tmp_path / "none.jsonl", tmp_path, "live")
    assert replay.first is None
    assert not replay.has([{"type": "text", "text": "x"}])


def test_accepted_hunks_and_what_the_agent_was_told_of_them(project: Path, tmp_path: Path) -> None:
    """Are as they were, without a file being touched; the report goes with the next prompt again."""
    file = project / "text.txt"
    file.write_bytes(reviews.OLD.encode())
    script = [*reviews.HELLO, *reviews.asks(7, [reviews.diff(file)]), *reviews.END[:1], ["take", 1]]
    script += [["answer", 4, {"result": {"stopReason": "end_turn"}}], ["eof"]]
    agent = Agent(sys.executable, str(reviews.RAW), json.dumps(script))
    with Chat(agent, cwd=project, record=tmp_path / "tape.jsonl") as chat:
        first = reviews.go(chat)
        chat.apply(reviews.offered(chat), [0])
        first.handle.done.result(10)
        reviews.go(chat, "and now?").handle.done.result(10)
        live = chat.session
    assert file.read_bytes() == reviews.FIRST.encode()
    file.write_bytes(b"untouched")
    for missing in ("error", "live"):
        with Chat("none", cwd=project, replay=tmp_path / "tape.jsonl", replay_missing=missing) as chat:
            chat.ask("go")
            assert [one.text for one in chat.session.reports] == [live.turns[1].prompt[1].text]
            chat.ask("and now?")
            assert [plain(turn)[0] for turn in chat.turns] == [plain(turn)[0] for turn in live.turns]
            assert chat.session.reports == ()
    assert file.read_bytes() == b"untouched"


def test_the_summary_that_a_restarted_agent_got_is_no_part_of_the_prompt() -> None:
    """It stands in the records only because the recorded agent had lost its session."""
    said = [{"type": "text", "text": "go on"}]
    for takes in (frozenset[str](), frozenset({"embeddedContext"})):
        assert recorded.same([*said, recap_block(recap(()), takes)], said)


# ------------------------------------------------------------------------------------------------- helpers


def out(ident: int, method: str, **params: Any) -> dict[str, Any]:
    return {"t": 0, "dir": "out", "msg": {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}}


def ask(ident: int, text: str) -> dict[str, Any]:
    return out(ident, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": text}])


def answer(ident: int, result: Any) -> dict[str, Any]:
    return {"t": 2, "dir": "in", "msg": {"jsonrpc": "2.0", "id": ident, "result": result}}


def say(text: str) -> dict[str, Any]:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    params = {"sessionId": "s", "update": update}
    return {"t": 1, "dir": "in", "msg": {"jsonrpc": "2.0", "method": "session/update", "params": params}}


def usage() -> dict[str, Any]:
    return {"sessionId": "s", "update": {"sessionUpdate": "usage_update", "used": 10, "size": 100}}


def write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
