"""Writes that nobody reviewed: shown once, and taken back as long as the file holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, Chat, Policy
from acp_notebook._chat import plain_writes
from acp_notebook._client import files
from tests.chat.scripts import SESSION, ask, tell, turn

OLD = "".join(f"line {i}\n" for i in range(30))
NEW = OLD.replace("line 3\n", "line three\n").replace("line 20\n", "line twenty\n")
FIRST = OLD.replace("line 3\n", "line three\n")


@pytest.fixture
def made(project: Path) -> Iterator[Callable[..., Chat]]:
    """Chats with an agent that takes these steps in a turn, which has ended; closed afterwards."""
    chats: list[Chat] = []

    def made(*steps: list[Any], agent: Agent | None = None, **options: Any) -> Chat:
        agent = agent or turn(*steps)
        chats.append(Chat(agent, cwd=project, record=False, **{"policy": Policy.allow_all(), **options}))
        assert chats[-1].ask("go").stop_reason == "end_turn"
        return chats[-1]

    yield made
    for chat in chats:
        chat.close()


@pytest.fixture
def file(project: Path) -> Path:
    path = project / "text.txt"
    path.write_bytes(OLD.encode())
    return path


def writes(path: Path, text: str = NEW, ident: int = 7) -> list[Any]:
    """The agent writes through the client and reads the answer."""
    return [
        ask(ident, "fs/write_text_file", sessionId=SESSION, path=str(path), content=text),
        ["take", 1],
    ]


def update(kind: str, /, **fields: Any) -> list[Any]:
    return tell("session/update", sessionId=SESSION, update={"sessionUpdate": kind, **fields})


def call(ident: str = "c", status: str = "in_progress", *, start: bool = True, **fields: Any) -> list[Any]:
    kind = "tool_call" if start else "tool_call_update"
    return update(kind, toolCallId=ident, status=status, **fields)


def done(ident: str = "c", **fields: Any) -> list[Any]:
    return call(ident, "completed", start=False, **fields)


def diff(path: Path, old: str | None = OLD, new: str = NEW) -> dict[str, Any]:
    return {"type": "diff", "path": str(path), "oldText": old, "newText": new}


def says(text: str) -> list[Any]:
    return update("agent_message_chunk", content={"type": "text", "text": text})


def shown(chat: Chat) -> list[tuple[str, list[tuple[str | None, str]]]]:
    """The calls of the turn, and what they show of files."""
    return [(c.id, [(d.old_text, d.new_text) for d in c.diffs]) for c in chat.last.tool_calls]


def notes(chat: Chat) -> list[dict[str, Any]]:
    return [record.msg for record in chat._log.records if record.msg.get("kind") == "wrote"]


ALONE = "acp-notebook:write-1"


def test_a_write_of_no_call_is_shown_and_taken_back_by_hunk(made: Callable[..., Chat], file: Path) -> None:
    """In its place in the turn; its hunks go one by one, and the agent is told with the next prompt."""
    chat = made(says("I write. "), *writes(file), says("Written."))
    assert [item.kind for item in chat.last.items] == ["message", "tool_call", "message"]
    assert shown(chat) == [(ALONE, [(OLD, NEW)])]
    [own] = chat.last.tool_calls
    chat.take_back(own, [1])
    assert file.read_text() == FIRST
    assert "taken back 1 of 2 hunks" in chat.session.reports[0].text
    chat.take_back(own)
    assert file.read_text() == OLD
    with pytest.raises(ValueError, match="no longer holds"):
        chat.take_back(own)


def test_without_a_word_behind_it_too(made: Callable[..., Chat], file: Path) -> None:
    """The turn's end is the latest moment."""
    chat = made(*writes(file))
    assert [item.kind for item in chat.last.items] == ["tool_call"]
    chat.take_back(chat.last.tool_calls[0])
    assert file.read_text() == OLD


def test_the_call_that_names_the_file_shows_it(made: Callable[..., Chat], file: Path) -> None:
    """By location or input, absolute or relative; all its writes of the file are one change."""
    for named in ({"locations": [{"path": str(file)}]}, {"rawInput": {"file_path": "text.txt"}}):
        file.write_text(OLD)
        steps = [call(kind="edit", **named), *writes(file, FIRST), *writes(file, ident=8), done()]
        chat = made(call("other"), *steps)
        assert shown(chat) == [("other", []), ("c", [(OLD, NEW)])]
        chat.take_back(chat.last.tool_calls[1])
        assert file.read_text() == OLD


def test_the_only_call_that_may_write_shows_it(made: Callable[..., Chat], file: Path) -> None:
    """Once it is finished, or the agent says something; one that reads is not meant."""
    chat = made(call(title="Edit", kind="edit"), *writes(file), done())
    assert shown(chat) == [("c", [(OLD, NEW)])]
    file.write_text(OLD)
    chat = made(call(kind="read"), call("d"), *writes(file), says("so"), done("c"))
    assert shown(chat) == [("c", []), ("d", [(OLD, NEW)])]
    file.write_text(OLD)
    chat = made(call(), call("d"), *writes(file))
    assert shown(chat) == [("c", []), ("d", []), (ALONE, [(OLD, NEW)])]


def test_a_diff_of_the_agent_is_never_shown_twice(made: Callable[..., Chat], file: Path) -> None:
    """Told before the write, after it, as a part of the file, with a permission, or by a call begun later."""
    part = diff(file, "line 3\n", "line three\n")
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    asked = {"toolCallId": "c", "content": [diff(file)]}
    permission = ask(6, "session/request_permission", sessionId=SESSION, toolCall=asked, options=options)
    for steps, call_id, text in (
        ([call(content=[diff(file)]), *writes(file), done()], "c", NEW),
        ([call(), *writes(file), done(content=[diff(file)])], "c", NEW),
        ([call(), *writes(file, FIRST), done(content=[part])], "c", FIRST),
        ([call(), permission, ["take", 1], *writes(file), done()], "c", NEW),
        ([call(content=[diff(file)]), done(), *writes(file)], "c", NEW),
        ([call("task"), *writes(file), call("d", "completed", content=[diff(file)])], "d", NEW),
        ([*writes(file), call(locations=[{"path": str(file)}]), done(content=[diff(file)])], "c", NEW),
    ):
        file.write_text(OLD)
        chat = made(*steps)
        assert file.read_text() == text
        assert [c.id for c in chat.last.tool_calls if c.diffs] == [call_id]
        assert len(chat.last.diffs) == 1
        [one] = [c for c in chat.last.tool_calls if c.diffs]
        if one.status == "completed":
            chat.take_back(one)
            assert file.read_text() == OLD


def test_other_names_of_the_file_count(made: Callable[..., Chat], file: Path) -> None:
    """With dots, or by a link."""
    link = file.with_name("link.txt")
    link.symlink_to(file)
    for named in (f"{file.parent}/x/../text.txt", str(link)):
        file.write_text(OLD)
        chat = made(call(content=[{**diff(file), "path": named}]), *writes(file), done())
        assert shown(chat) == [("c", [(OLD, NEW)])]
        assert notes(chat) == []


def test_a_reviewed_write_is_a_diff_of_its_call(made: Callable[..., Chat], file: Path) -> None:
    """So that it can be taken back later; without a call the review alone stands in the turn."""
    accept = Policy.when(lambda _: "allow")
    chat = made(call(), *writes(file), done(), policy=accept, review=True)
    assert shown(chat) == [("c", [(OLD, NEW)])]
    chat.take_back(chat.last.tool_calls[0], [0])
    assert file.read_text() == OLD.replace("line 20\n", "line twenty\n")
    file.write_text(OLD)
    chat = made(*writes(file), policy=accept, review=True)
    assert [item.kind for item in chat.last.items] == ["review"]
    assert notes(chat) == []


def test_files_that_come_and_empty_ones(made: Callable[..., Chat], file: Path) -> None:
    """A new file goes again; an empty one stays empty, and one that was emptied is filled."""
    new, empty = file.with_name("new.txt"), file.with_name("empty.txt")
    empty.touch()
    chat = made(*writes(new, "x\n"), says("a"), *writes(empty, "y\n", 8), says("b"), *writes(file, "", 9))
    for one in chat.last.tool_calls:
        chat.take_back(one)
    assert not new.exists()
    assert empty.read_text() == ""
    assert file.read_text() == OLD


def test_a_file_that_changed_since_is_left_alone(made: Callable[..., Chat], file: Path) -> None:
    """Nothing is guessed: what it does not hold any more stays."""
    chat = made(*writes(file))
    file.write_text("mine\n")
    with pytest.raises(ValueError, match="no longer holds"):
        chat.take_back(chat.last.tool_calls[0])
    assert file.read_text() == "mine\n"


def test_what_changes_nothing_or_was_no_text_is_not_shown(made: Callable[..., Chat], file: Path) -> None:
    """There is nothing to take back."""
    blob = file.with_name("blob")
    blob.write_bytes(b"\0\xff")
    chat = made(*writes(file, OLD), *writes(blob, "text", 8))
    assert blob.read_text() == "text"
    assert chat.last.items[0].kind == "notice"
    assert notes(chat) == []


def test_long_texts_are_shown_in_part_or_not_at_all(
    made: Callable[..., Chat], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record stays small; what was too long to be looked at before it was written cannot be taken back."""
    monkeypatch.setattr(plain_writes, "TOLD", 200)
    chat = made(*writes(file, FIRST))
    [note] = notes(chat)
    assert (note["old"], note["new"]) == (
        "line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\n",
        "line 0\nline 1\nline 2\nline three\nline 4\nline 5\nline 6\n",
    )
    chat.take_back(chat.last.tool_calls[0])
    assert file.read_text() == OLD
    assert notes(made(*writes(file, "x" * 201))) == []
    file.write_text(OLD)
    monkeypatch.setattr(files, "REMEMBERED", len(OLD) - 1)
    assert notes(made(*writes(file))) == []


def test_secrets_come_back_as_they_were(
    made: Callable[..., Chat], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note has them taken out, the file gets its own text."""
    monkeypatch.setenv("DEMO_API_KEY", "s3cret-s3cret")
    file.write_text("key = s3cret-s3cret\n")
    chat = made(*writes(file, "key = none\n"))
    assert "s3cret" not in str(chat.session.to_json())
    chat.take_back(chat.last.tool_calls[0])
    assert file.read_text() == "key = s3cret-s3cret\n"
