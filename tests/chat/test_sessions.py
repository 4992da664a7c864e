"""Sessions from before: listed, loaded, resumed, copied, deleted, or told from our own record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import AcpNotebookError, Chat, Transcript
from acp_notebook._agent import loop
from tests.chat.keeper import keeper, notices, sent, texts, until

Make = Callable[..., Chat]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The folder in which the agent keeps its sessions."""
    return tmp_path / "store"


@pytest.fixture
def make(project: Path, store: Path) -> Iterator[Make]:
    """Make chats with the keeper that are closed afterwards."""
    made: list[Chat] = []

    def make(*able: str, record: Any = True, session: str | None = None, **config: Any) -> Chat:
        made.append(Chat(keeper(store, *able, **config), cwd=project, record=record, session=session))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def had(make: Make, *able: str, **config: Any) -> str:
    """Have a chat of two turns, as an earlier kernel did; gives its session."""
    chat = make(*able, **config)
    chat.ask("say one")
    chat.ask("say two")
    session_id = chat.session_id
    chat.close()
    assert session_id is not None
    return session_id


def test_load_shows_the_replay(make: Make) -> None:
    """`session=` an id: the agent replays it, the turns are there once, and it goes on in that session."""
    session_id = had(make, "load")
    chat = make("load", session=session_id)
    chat.start()

    assert texts(chat) == ["say one", "say two"]
    assert [turn.text for turn in chat.turns] == ["one", "two"]
    assert all(turn.replayed and not turn.told for turn in chat.turns)
    assert chat.session_id == session_id
    assert sent(chat, "session/new") == []
    assert "The agent loaded the session." in notices(chat)
    assert chat.ask("what").text == "1 blocks, I remember 2 turns"


def test_a_replay_is_shown_as_it_comes(make: Make, tmp_path: Path) -> None:
    """What the agent has replayed so far is there before it has answered the load, and not twice afterwards."""
    session_id = had(make, "load")
    go = tmp_path / "go"
    chat = make("load", session=session_id, paused=str(go))
    starting = loop.submit(chat._engine.start())
    until(chat, texts)
    assert texts(chat) == ["say one"]
    assert not starting.done()
    assert chat.status == "starting"
    assert chat.turns[0].text == ""
    go.touch()
    starting.result(10)
    assert [turn.text for turn in chat.turns] == ["one", "two"]


def test_last_is_the_newest_of_this_folder(make: Make, tmp_path: Path) -> None:
    """`session="last"` picks up after a kernel restart, from our own transcripts, of this agent and folder."""
    had(make, "load", record=True)
    newer = had(make, "load", record=True)
    chat = make("load", session="last")
    chat.start()

    assert chat.session_id == newer


def test_last_without_a_record_asks_the_agent(make: Make) -> None:
    """With no transcript of ours the agent's own list tells; with none there either, a new one begins."""
    first = make("load", "list", record=False, session="last")
    first.start()
    assert "There is no earlier session: a new one began." in notices(first)
    first.ask("say one")
    again = make("load", "list", record=False, session="last")
    again.start()

    assert again.session_id == first.session_id
    assert texts(again) == ["say one"]


def test_resume_is_shown_from_our_record(make: Make) -> None:
    """An agent that resumes replays nothing: the turns come from the transcript, and the person is told."""
    session_id = had(make, "resume")
    chat = make("resume", session=session_id)
    chat.start()

    assert [turn.text for turn in chat.turns] == ["one", "two"]
    assert any("comes from our own record" in notice for notice in notices(chat))
    assert chat.ask("what").text == "1 blocks, I remember 2 turns"
    assert len(sent(chat, "session/resume")) == 1


def test_a_load_that_replays_nothing(make: Make) -> None:
    """Our record is shown in its place, and the person is told."""
    session_id = had(make, "load", silent=True)
    chat = make("load", session=session_id, silent=True)
    chat.start()

    assert texts(chat) == ["say one", "say two"]
    assert any("replayed nothing" in notice for notice in notices(chat))


def test_an_agent_that_can_do_nothing_gets_a_recap(make: Make) -> None:
    """A new session; our record is shown, and the next prompt, but no later one, carries a summary."""
    session_id = had(make)
    chat = make(session=session_id)
    chat.start()
    assert texts(chat) == ["say one", "say two"]
    assert any("carries a summary" in notice for notice in notices(chat))
    first, second = chat.ask("what"), chat.ask("what")

    assert first.text.startswith("2 blocks, I remember 0")
    assert second.text.startswith("1 blocks")
    recap = sent(chat, "session/prompt")[0]["prompt"][1]["text"]
    assert "say one" in recap
    assert "two" in recap
    assert chat.session_id != session_id


def test_a_load_that_fails_falls_back(make: Make, store: Path) -> None:
    """The agent has lost the session: it says so, our record is shown, a recap follows."""
    session_id = had(make, "load")
    (store / f"{session_id}.json").unlink()
    chat = make("load", session=session_id)
    chat.start()

    assert any("There is no session" in warning for warning in chat.session.warnings)
    assert texts(chat) == ["say one", "say two"]


def test_neither_agent_nor_record(make: Make) -> None:
    """Nobody knows that session: an error that says so, and no session."""
    chat = make(session="nobody-knows")
    with pytest.raises(AcpNotebookError, match="cannot bring back the session 'nobody-knows'"):
        chat.start()


def test_restart_resumes_and_shows_nothing_twice(make: Make) -> None:
    """The turns that stand there are not replayed; the agent still knows them."""
    chat = make("load", "resume")
    chat.ask("say one")
    chat.restart()

    assert texts(chat) == ["say one"]
    assert len(sent(chat, "session/resume")) == 1
    assert chat.ask("what").text == "1 blocks, I remember 1 turns"


def test_restart_by_load_tells_the_replay_once(make: Make) -> None:
    """An agent that only loads replays what stands there: those turns are marked, also the second time."""
    chat = make("load")
    chat.ask("say one")
    chat.restart()
    chat.restart()

    assert [turn.told for turn in chat.turns] == [False, True, True]


def test_two_restarts_of_a_loaded_session(make: Make) -> None:
    """A history that was only ever replayed is drawn once, too."""
    session_id = had(make, "load")
    chat = make("load", session=session_id)
    chat.start()
    chat.restart()

    assert [turn.told for turn in chat.turns] == [False, False, True, True]


def test_sessions_are_listed(make: Make) -> None:
    """The agent's pages and our own records as one list, each session once, with a title and a time."""
    ids = [had(make, "list", "load") for _ in range(3)]
    chat = make("list", "load", page=2)
    found = chat.sessions()

    assert {info.id for info in found} == set(ids)
    assert len(sent(chat, "session/list")) == 2
    assert {info.title for info in found} == {"say one"}
    assert all(info.updated for info in found)
    assert [info.source for info in found] == ["agent"] * 3


def test_sessions_of_our_own(make: Make) -> None:
    """An agent without a list: our transcripts of this agent in this folder tell."""
    session_id = had(make)
    [info] = make().sessions()

    assert (info.id, info.title, info.source) == (session_id, "say one", "record")


def test_each_session_of_a_chat_is_recorded(make: Make) -> None:
    """One chat, two sessions: our record lists both by their own first words, and either can be gone on with."""
    chat = make()
    chat.ask("say one")
    first = chat.session_id
    chat.new_session()
    chat.ask("say two")
    second = chat.session_id
    chat.new_session()
    chat.close()
    found = make().sessions()
    assert {info.id: info.title for info in found} == {first: "say one", second: "say two"}
    again = make(session=first)
    again.start()

    assert "say one" in texts(again)
    assert any("carries a summary" in notice for notice in notices(again))


def test_open_another_session_in_the_same_process(make: Make) -> None:
    """Several sessions, one agent: new, back to the first, all without a second process."""
    chat = make("load", "list")
    chat.ask("say one")
    first = chat.session_id
    assert first is not None
    chat.new_session()
    chat.ask("say else")
    second = chat.session_id
    chat.open_session(first)

    assert (chat.session_id, second != first) == (first, True)
    assert chat.ask("what").text == "1 blocks, I remember 1 turns"
    assert len(sent(chat, "initialize")) == 1
    assert [(turn.told, turn.session_id == first) for turn in chat.turns] == [
        (False, True),
        (False, False),
        (True, True),
        (False, True),
    ]


def test_late_news_of_a_session_stay_with_it(make: Make, tmp_path: Path) -> None:
    """The chat is in another session by then: its settings, title and usage are not touched, nor are its turns."""
    chat = make("load", controls=["modes", "options"])
    go = tmp_path / "go"
    before = chat.ask(f"later {go}")
    chat.new_session()
    here = chat.ask("usage")
    chat.set_option("model", "big")
    shown = chat.session
    go.touch()
    until(chat, lambda _: any(item.kind == "message" for item in before.after))

    assert [item.text for item in before.after if item.kind == "message"] == ["By the way: it is done."]
    assert before.cost is not None
    assert before.cost.amount == 0.5
    assert here.after == ()
    now = chat.session
    for name in ("mode", "options", "commands", "title", "context", "session_id", "children"):
        assert getattr(now, name) == getattr(shown, name), name
    assert (now.title, now.mode) == ("A chat about money", "ask")
    assert now.commands


def test_a_recap_tells_the_wanted_session_alone(make: Make) -> None:
    """One transcript, two sessions: the summary is that of the one that was asked for, with what it goes on from."""
    chat = make()
    chat.ask("say apples")
    first = chat.session_id
    chat.new_session()
    chat.ask("say pears")
    chat.close()
    again = make(session=first)
    again.ask("say plums")
    told = sent(again, "session/prompt")[0]["prompt"][1]["text"]
    assert "apples" in told
    assert "pears" not in told
    # The next one goes on from the first: both belong to it, also after another kernel's end.
    again.restart()
    again.ask("say cherries")
    told = sent(again, "session/prompt")[1]["prompt"][1]["text"]
    assert "pears" not in told
    assert "apples" in told
    assert "plums" in told
    last = again.session_id
    again.close()
    third = make(session=last)
    third.ask("say nuts")
    told = sent(third, "session/prompt")[0]["prompt"][1]["text"]
    assert [word in told for word in ("apples", "pears", "plums", "cherries")] == [True, False, True, True]


def test_fork(make: Make) -> None:
    """A copy goes on by itself; the first session stays as it was."""
    chat = make("fork", "load")
    chat.ask("say one")
    first = chat.session_id
    chat.fork_session()
    chat.ask("say more")

    assert chat.session_id == f"{first}-copy"
    assert any("copy of the session" in notice for notice in notices(chat))
    assert chat.ask("what").text == "1 blocks, I remember 2 turns"


@pytest.mark.parametrize("way", ["load", "resume"])
def test_a_copy_comes_back_before_anything_was_said_in_it(make: Make, way: str) -> None:
    """After a restart the chat is in the copy, and the agent knows what was said; nothing is shown twice."""
    chat = make("fork", way)
    chat.ask("say one")
    chat.fork_session()
    copy = chat.session_id
    chat.restart()

    assert chat.session_id == copy
    assert [turn.told for turn in chat.turns] == ([False, True] if way == "load" else [False])
    assert chat.ask("what").text == "1 blocks, I remember 1 turns"


@pytest.mark.filterwarnings("ignore:session/load")
@pytest.mark.parametrize(("able", "kept"), [((), False), (("load",), False), (("load",), True)])
def test_a_summary_outlives_a_restart(make: Make, store: Path, able: tuple[str, ...], kept: bool) -> None:
    """The agent goes away before it was told: the next process is told the same."""
    session_id = had(make, *able)
    (store / f"{session_id}.json").unlink()
    chat = make(*able, session=session_id)
    chat.start()
    if kept:  # a session in which nothing was said yet
        (store / f"{chat.session_id}.json").write_text("[]")
    chat.restart()
    assert chat.ask("what").text.startswith("2 blocks, I remember 0")
    recap = sent(chat, "session/prompt")[0]["prompt"][1]["text"]
    assert "say one" in recap
    assert "two" in recap
    assert chat.ask("what").text.startswith("1 blocks")


@pytest.mark.filterwarnings("ignore:session/resume")
def test_a_summary_stays_with_its_session(make: Make, store: Path) -> None:
    """Another session, opened before the summary was told, has nothing to be told; back in the first it is."""
    lost = had(make, "resume")
    (store / f"{lost}.json").unlink()
    chat = make("resume", session=lost)
    chat.start()
    first = chat.session_id
    assert first is not None
    (store / f"{first}.json").write_text("[]")
    chat.new_session()
    assert chat.ask("what").text.startswith("1 blocks")
    chat.open_session(first)
    assert [chat.ask("what").text[:8] for _ in range(2)] == ["2 blocks", "1 blocks"]


def test_several_ask_for_sessions_at_once(make: Make) -> None:
    """One after the other: the chat is in the last one, and no start is lost."""
    chat = make()
    chat.start()

    async def at_once() -> None:
        engine = chat._engine
        await asyncio.gather(*(engine.switch(None) for _ in range(4)))

    loop.submit(at_once()).result(30)
    methods = [r.msg for r in chat._log.records if r.msg.get("method") == "session/new" or "result" in r.msg]
    assert ["method" in msg for msg in methods] == [False, *([True, False] * 5)]
    assert chat.ask("say here").text == "here"


def test_delete_and_close(make: Make, store: Path) -> None:
    """Only another session than the current one; what is gone already counts as done."""
    session_id = had(make, "delete", "close")
    chat = make("delete", "close")
    chat.ask("say here")
    chat.delete_session(session_id)
    chat.delete_session(session_id)
    chat.close_session("gone")

    assert not (store / f"{session_id}.json").exists()
    assert chat.session_id is not None
    with pytest.raises(ValueError, match="The chat is in this session"):
        chat.delete_session(chat.session_id)


def test_what_is_not_advertised_is_not_called(make: Make) -> None:
    """No method of sessions goes out that the agent did not offer."""
    chat = make()
    chat.ask("say one")
    with pytest.raises(ValueError, match="does not let clients copy"):
        chat.fork_session()
    with pytest.raises(ValueError, match="does not let clients delete"):
        chat.delete_session("x")
    chat.sessions()
    chat.restart()

    assert {record.msg.get("method") for record in chat._log.records if record.dir == "out"} == {
        "initialize",
        "session/new",
        "session/prompt",
    }


def test_not_while_a_turn_runs(make: Make) -> None:
    """Another session waits until the turn has ended."""
    chat = make("fork")
    turn = chat.send("hold")
    until(chat, lambda chat: chat.status == "working")
    with pytest.raises(ValueError, match="A turn is running"):
        chat.new_session()
    chat.cancel()
    turn.handle.done.result(10)


def test_the_same_file_goes_on(make: Make, tmp_path: Path) -> None:
    """`record=` the file of before: nothing is written twice, and reading it gives what the chat shows."""
    file = tmp_path / "chat.jsonl"
    had(make, "resume", record=file)
    chat = make("resume", record=file, session="last")
    chat.ask("say three")
    live = [turn.text for turn in chat.turns]
    chat.close()

    assert live == ["one", "two", "three"]
    read = Transcript.load(file)
    assert [turn.text for turn in read.turns] == live
    assert b'"history"' not in file.read_bytes()


def test_the_record_of_a_taken_over_chat_is_whole(make: Make, tmp_path: Path) -> None:
    """The new file tells the earlier turns, too: the reloaded state equals the live one."""
    session_id = had(make, "resume")
    file = tmp_path / "new.jsonl"
    chat = make("resume", record=file, session=session_id)
    chat.ask("say three")
    live = chat.session.to_json()["turns"]
    chat.close()

    assert Transcript.load(file).session.to_json()["turns"] == live


def test_subagents_stand_apart(make: Make) -> None:
    """Updates of a session that nobody named are a child's."""
    chat = make()
    turn = chat.ask("child")

    assert "helper" not in turn.text
    [child] = chat.session.children.values()
    assert child.turns[0].text == "I am the helper."
