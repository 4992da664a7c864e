"""Edits accepted in parts, with agents of raw lines as the other side."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, Chat, Policy
from acp_notebook._agent import loop

RAW = Path(__file__).parent.parent / "agents" / "raw_agent.py"
OLD = "".join(f"line {i}\n" for i in range(30))
NEW = OLD.replace("line 3\n", "line three\n").replace("line 20\n", "line twenty\nand more\n")
FIRST, SECOND = OLD.replace("line 3\n", "line three\n"), OLD.replace("line 20\n", "line twenty\nand more\n")

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
HELLO = [
    ["take", 1],
    ["answer", 0, {"result": {"protocolVersion": 1, "agentCapabilities": {}}}],
    ["take", 1],
    ["answer", 1, {"result": {"sessionId": "s"}}],
    ["take", 1],
]
END = [["answer", 2, {"result": {"stopReason": "end_turn"}}], ["eof"]]


def diff(path: Path, old: str | None = OLD, new: str = NEW) -> dict[str, Any]:
    return {"type": "diff", "path": str(path), "oldText": old, "newText": new}


def asks(ident: int, content: list[Any], call: str = "c", **more: Any) -> list[Any]:
    """The agent asks for permission and reads the answer."""
    params = {
        "sessionId": "s",
        "toolCall": {"toolCallId": call, "content": content, **more},
        "options": OPTIONS,
    }
    message = {"jsonrpc": "2.0", "id": ident, "method": "session/request_permission", "params": params}
    return [["say", message], ["take", 1]]


def writes(ident: int, path: Path, text: str) -> list[Any]:
    """The agent writes through the client and reads the answer."""
    params = {"sessionId": "s", "path": str(path), "content": text}
    return [
        ["say", {"jsonrpc": "2.0", "id": ident, "method": "fs/write_text_file", "params": params}],
        ["take", 1],
    ]


def tells(update_kind: str, **fields: Any) -> list[Any]:
    update = {"sessionUpdate": update_kind, "toolCallId": "c", **fields}
    return [
        [
            "say",
            {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}},
        ]
    ]


@pytest.fixture
def file(project: Path) -> Path:
    path = project / "text.txt"
    path.write_bytes(OLD.encode())
    return path


@pytest.fixture
def make(project: Path) -> Iterator[Callable[..., Chat]]:
    """Chats with an agent that follows a script; closed afterwards."""
    made: list[Chat] = []

    def make(*steps: list[Any], **options: Any) -> Chat:
        script = [*HELLO, *(step for group in steps for step in group), *END]
        agent = Agent(sys.executable, str(RAW), json.dumps(script))
        made.append(Chat(agent, cwd=project, record=False, **options))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def go(chat: Chat, text: str = "go") -> Any:
    """Send as a person at a front end does."""
    return chat._enqueue((text,), attended=True)


def until(chat: Chat, condition: Callable[[], Any], seconds: float = 10.0) -> Any:
    """Wait for a state of the chat, told by its own changes."""
    changed = threading.Event()
    unsubscribe = chat._subscribe(lambda _: changed.set())
    try:
        end = time.monotonic() + seconds
        while not (found := condition()):
            changed.clear()
            if not (found := condition()):
                assert changed.wait(end - time.monotonic()), f"never came: {chat!r} {chat.session.warnings}"
        return found
    finally:
        unsubscribe()


def offered(chat: Chat) -> Any:
    """The waiting permission, once its hunks are there."""
    return until(chat, lambda: chat.pending and chat.pending[0].review and chat.pending[0])


def held(chat: Chat) -> Any:
    """The review that waits."""
    return until(chat, lambda: chat.reviews and chat.reviews[0])


def answers(chat: Chat, ident: int) -> list[Any]:
    """What the agent's requests of an id were answered."""
    out = [record.msg for record in chat._log.records if record.dir == "out"]
    return [
        msg.get("result", msg.get("error")) for msg in out if msg.get("id") == ident and "method" not in msg
    ]


# ------------------------------------------------------------------------- a permission of an agent that writes


def test_hunks_beside_a_permission(make: Callable[..., Chat], file: Path) -> None:
    """The chosen hunks are written by us, the agent is answered with its reject option."""
    chat = make(tells("tool_call", title="Edit", kind="edit"), asks(7, [diff(file)]))
    turn = go(chat)
    permission = offered(chat)
    assert [(hunk.line, hunk.old) for hunk in permission.hunks] == [(4, "line 3\n"), (21, "line 20\n")]
    assert permission.review.files[0].kind == "change"
    chat.apply(permission, [1])
    turn.handle.done.result(10)
    assert file.read_bytes() == SECOND.encode()
    assert answers(chat, 7)[-1] == {"outcome": {"outcome": "selected", "optionId": "no"}}
    [answered] = turn.permissions
    assert (answered.review.outcome, answered.review.chosen, answered.decided_by) == (
        "applied",
        (1,),
        "person",
    )


def test_an_agent_that_tries_again(make: Callable[..., Chat], file: Path) -> None:
    """Its next request is shown against the file as it is, says what is in, and can be stopped."""
    chat = make(asks(7, [diff(file)], "c"), asks(8, [diff(file)], "d"), asks(9, [diff(file)], "e"))
    turn = go(chat)
    chat.apply(offered(chat), [0])
    again = until(chat, lambda: chat.pending and chat.pending[0].request_id == 8 and offered(chat))
    [second] = again.review.files
    assert second.earlier == "1 of the 2 hunks that were offered before are in the file (at line 4)."
    assert [hunk.old for hunk in second.hunks] == ["line 20\n"]
    chat.apply(again, lambda hunk: "twenty" in hunk.new)
    assert file.read_bytes() == NEW.encode()
    third = until(chat, lambda: chat.pending and chat.pending[0].request_id == 9 and offered(chat))
    assert third.hunks == ()
    assert "changes nothing" in third.review.files[0].problem
    with pytest.raises(ValueError, match="at least one hunk"):
        chat.apply(third)
    chat.answer(third, "no")
    turn.handle.done.result(10)
    with pytest.raises(ValueError, match="already"):
        chat.apply(third)


def test_apply_and_stop(make: Callable[..., Chat], file: Path) -> None:
    """After the write the turn is cancelled."""
    chat = make(asks(7, [diff(file)]), [["take", 1]])
    turn = go(chat)
    chat.apply(offered(chat), [0], stop=True)
    turn.handle.done.result(10)
    assert file.read_bytes() == FIRST.encode()
    assert turn.cancel_requested


def test_a_file_that_changed_is_left_alone(make: Callable[..., Chat], file: Path) -> None:
    """Before the hunks are shown or after: nothing is written, and the card says why."""
    chat = make(asks(7, [diff(file)]), asks(8, [diff(file)], "d"))
    turn = go(chat)
    permission = offered(chat)
    file.write_bytes(b"mine\n")
    with pytest.raises(ValueError, match="changed"):
        chat.apply(permission)
    assert file.read_bytes() == b"mine\n"
    assert "changed" in str(chat.pending[0].review.problem)
    chat.answer(permission, "no")
    again = until(chat, lambda: chat.pending and chat.pending[0].request_id == 8 and offered(chat))
    assert "changed" in again.review.files[0].problem
    chat.answer(again, "no")
    turn.handle.done.result(10)


def test_several_files_one_of_them_lost(make: Callable[..., Chat], file: Path) -> None:
    """New files, deletions and fragments go their own ways; what cannot be read in one way has no hunks."""
    other, outside = file.with_name("new.txt"), file.parent.parent / "outside.txt"
    twice = file.with_name("twice.txt")
    twice.write_text("a\na\n")
    content = [diff(file, "line 3", "LINE 3"), diff(other, None, "fresh"), diff(outside, None, "x")]
    chat = make(asks(7, [*content, diff(twice, "a", "b")]))
    turn = go(chat)
    permission = offered(chat)
    assert [bool(f.problem) for f in permission.review.files] == [False, False, True, True]
    assert [f.kind for f in permission.review.files][:2] == ["change", "create"]
    chat.apply(permission)
    turn.handle.done.result(10)
    assert file.read_text() == OLD.replace("line 3\n", "LINE 3\n")
    assert other.read_text() == "fresh"
    assert not outside.exists()
    assert twice.read_text() == "a\na\n"


def test_one_of_two_files_changed(make: Callable[..., Chat], file: Path) -> None:
    """Then neither is written."""
    other = file.with_name("other.txt")
    other.write_bytes(OLD.encode())
    chat = make(asks(7, [diff(file), diff(other)]))
    go(chat)
    permission = offered(chat)
    other.write_bytes(b"mine\n")
    with pytest.raises(ValueError, match="Nothing was written"):
        chat.apply(permission)
    assert file.read_bytes() == OLD.encode()
    chat.apply(permission, [0])
    assert file.read_bytes() == FIRST.encode()


def test_a_repeated_edit_does_not_undo_what_came_between(make: Callable[..., Chat], file: Path) -> None:
    """After a change by somebody else an old edit of the whole file has no hunks any more."""
    between = [diff(file, "line 9\n", "nine\n")]
    chat = make(asks(7, [diff(file)], "c"), asks(8, between, "d"), asks(9, [diff(file)], "e"))
    go(chat)
    permission = offered(chat)
    file.write_bytes(OLD.encode())
    chat.apply(permission, [0])
    second = until(chat, lambda: chat.pending and chat.pending[0].request_id == 8 and offered(chat))
    file.write_bytes(FIRST.encode() + b"mine\n")
    with pytest.raises(ValueError, match="changed"):
        chat.apply(second)
    chat.answer(second, "no")
    third = until(chat, lambda: chat.pending and chat.pending[0].request_id == 9 and offered(chat))
    assert third.hunks == ()
    assert "changed" in third.review.files[0].problem


def test_a_deletion(make: Callable[..., Chat], file: Path) -> None:
    """A call of kind delete deletes; taking the file away is one hunk."""
    chat = make(asks(7, [diff(file, OLD, "")], kind="delete"))
    turn = go(chat)
    permission = offered(chat)
    assert permission.review.files[0].kind == "delete"
    chat.apply(permission, permission.hunks)
    turn.handle.done.result(10)
    assert not file.exists()


def test_the_diff_of_the_call_serves_where_the_request_has_none(
    make: Callable[..., Chat], file: Path
) -> None:
    """Some agents send it with the call only."""
    chat = make(tells("tool_call", title="Edit", kind="edit", content=[diff(file)]), asks(7, []))
    go(chat)
    chat.apply(offered(chat), [0])
    assert file.read_bytes() == FIRST.encode()


def test_secrets_are_written_as_they_are(
    make: Callable[..., Chat], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state shows them taken out, the file gets what the agent sent."""
    monkeypatch.setenv("DEMO_API_KEY", "s3cret-s3cret")
    chat = make(asks(7, [diff(file, "line 3\n", "key = s3cret-s3cret\n")]))
    go(chat)
    permission = offered(chat)
    assert "s3cret" not in permission.hunks[0].new
    chat.apply(permission)
    assert "key = s3cret-s3cret\n" in file.read_text()
    assert "s3cret" not in json.dumps(chat.session.to_json())


def test_a_cancel_ends_the_offer(make: Callable[..., Chat], file: Path) -> None:
    """A late choice writes nothing."""
    chat = make(asks(7, [diff(file)]), [["take", 1]])
    turn = go(chat)
    permission = offered(chat)
    chat.cancel()
    turn.handle.done.result(10)
    with pytest.raises(ValueError, match="already"):
        chat.apply(permission)
    assert file.read_bytes() == OLD.encode()


def test_a_policys_function_chooses_hunks(make: Callable[..., Chat], file: Path) -> None:
    """Without a person: the function applies what it likes, and the agent gets its reject option."""

    async def choose(permission: Any) -> None:
        await chat.aapply(permission, lambda hunk: "three" in hunk.new)

    chat = make(asks(7, [diff(file)]), policy=Policy.when(choose))
    chat.ask("go")
    assert file.read_bytes() == FIRST.encode()
    assert answers(chat, 7)[-1]["outcome"]["optionId"] == "no"


def test_a_late_decision_never_answers_another_request(make: Callable[..., Chat], file: Path) -> None:
    """An agent takes its request back and uses the id again: what was decided about the first is void."""
    first = threading.Event()

    async def decide(permission: Any) -> str:
        if permission.tool_call_id == "harmless":
            await asyncio.to_thread(first.wait, 30)
            return "allow"
        # The first one's verdict comes before this one's, and the loop has taken it in.
        first.set()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.wait([task for task in others if task.get_name() == "policy's function"])
        return "refuse"

    back = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 7}}
    asked = asks(7, [diff(file)], call="harmless")[:1]
    chat = make(
        asked, [["say", back], ["take", 1]], asks(7, [diff(file)], call="harm"), policy=Policy.when(decide)
    )
    chat.ask("go")
    assert [a["outcome"].get("optionId") for a in answers(chat, 7)] == [None, "no"]


def test_wrong_choices(make: Callable[..., Chat], file: Path) -> None:
    """A hunk that is not there, or a review that is not, is said."""
    chat = make(asks(7, [diff(file)]))
    go(chat)
    permission = offered(chat)
    for choice in ([2], [-1]):
        with pytest.raises(ValueError, match="counted from 0"):
            chat.apply(permission, choice)
    with pytest.raises(ValueError, match="nothing to choose"):
        chat.apply("no such key")
    assert file.read_bytes() == OLD.encode()


# ------------------------------------------------------------------------------ writes through the client


def test_a_write_waits_and_is_written_in_part(make: Callable[..., Chat], file: Path) -> None:
    """The answer is success; the agent is told with the next prompt what was left out."""
    chat = make(writes(7, file, NEW), review=True)
    turn = go(chat)
    review = held(chat)
    assert chat.status == "waiting"
    assert file.read_bytes() == OLD.encode()
    assert [hunk.line for hunk in review.hunks] == [4, 21]
    chat.apply(review, [0])
    turn.handle.done.result(10)
    assert file.read_bytes() == FIRST.encode()
    assert answers(chat, 7) == [{}]
    [report] = chat.session.reports
    assert "1 of 2 hunks (at line 4)" in report.text
    assert "-line 20" in report.text
    assert turn.items[-1].review.outcome == "applied"


def test_a_write_refused_is_an_error(make: Callable[..., Chat], file: Path) -> None:
    """That says so; the next prompt tells it too, unless it is taken out."""
    chat = make(writes(7, file, NEW), review=True)
    turn = go(chat)
    chat.apply(held(chat), [])
    turn.handle.done.result(10)
    [error] = answers(chat, 7)
    assert error["code"] == -32602
    assert "accepted nothing" in error["message"]
    assert file.read_bytes() == OLD.encode()
    [report] = chat.session.reports
    assert f"- {file}: kept nothing, did not take everything" in report.text
    assert "+line three" in report.text


def refuse_old(permission: Any) -> str:
    return "refuse" if permission.diffs[0].new_text == OLD else "allow"


def test_a_write_accepted_whole_needs_no_word(make: Callable[..., Chat], file: Path) -> None:
    """Its success says it. Of one that nobody reviewed it is not said that somebody did."""
    chat = make(writes(7, file, NEW), writes(8, file, OLD), review=True, policy=Policy.when(refuse_old))
    turn = go(chat)
    turn.handle.done.result(10)
    assert file.read_bytes() == NEW.encode()
    assert "accepted nothing" in answers(chat, 8)[0]["message"]
    assert chat.session.reports == ()


def test_writes_of_one_file_come_one_after_another(make: Callable[..., Chat], file: Path) -> None:
    """The second is shown against what became of the first; a new file and one in a new folder wait too."""
    say = lambda ident, path, text: writes(ident, path, text)[:1]  # noqa: E731
    deep = file.parent / "a" / "b.txt"
    chat = make(say(7, file, NEW), say(8, file, NEW), say(9, deep, "x"), [["take", 3]], review=True)
    turn = go(chat)
    until(chat, lambda: len(chat.reviews) == 2)
    first, new = sorted(chat.reviews, key=lambda review: review.files[0].kind == "create")
    assert new.files[0].kind == "create"
    chat.apply(first, [0])
    second = until(chat, lambda: [r for r in chat.reviews if r.key not in (first.key, new.key)])[0]
    assert [hunk.old for hunk in second.hunks] == ["line 20\n"]
    chat.apply(second)
    chat.apply(new)
    turn.handle.done.result(10)
    assert file.read_bytes() == NEW.encode()
    assert deep.read_text() == "x"


def test_a_write_that_was_just_allowed_passes(make: Callable[..., Chat], file: Path) -> None:
    """Once, if path and text are those of the diff; another text waits."""
    other = NEW + "more\n"
    chat = make(asks(7, [diff(file)]), writes(8, file, NEW), writes(9, file, other), review=True)
    turn = go(chat)
    chat.answer(offered(chat), "yes")
    review = held(chat)
    assert answers(chat, 8)[-1] == {}
    assert file.read_bytes() == NEW.encode()
    assert [hunk.new for hunk in review.hunks] == ["more\n"]
    chat.apply(review, [])
    turn.handle.done.result(10)
    assert file.read_bytes() == NEW.encode()


def test_what_was_allowed_once_passes_once(make: Callable[..., Chat], file: Path) -> None:
    """The same write after another one waits again."""
    steps = [writes(8, file, NEW), writes(9, file, OLD), writes(10, file, NEW)]
    chat = make(asks(7, [diff(file)]), *steps, review=True)
    turn = go(chat)
    chat.answer(offered(chat), "yes")
    chat.apply(held(chat))
    again = until(chat, lambda: answers(chat, 9) and chat.reviews and chat.reviews[0])
    chat.apply(again, [])
    turn.handle.done.result(10)
    assert answers(chat, 8) == answers(chat, 9) == [{}]
    assert "accepted nothing" in answers(chat, 10)[0]["message"]
    assert file.read_bytes() == OLD.encode()


def test_an_allowed_fragment_passes_as_the_whole_text(make: Callable[..., Chat], file: Path) -> None:
    """The agent asks with a fragment and writes the file; a refused one does not pass."""
    fragment = [diff(file, "line 3\n", "line three\n")]
    chat = make(asks(7, fragment), writes(8, file, FIRST), asks(9, fragment, "d"), review=True)
    turn = go(chat)
    chat.answer(offered(chat), "yes")
    last = until(chat, lambda: chat.pending and chat.pending[0].request_id == 9 and offered(chat))
    assert file.read_bytes() == FIRST.encode()
    chat.answer(last, "no")
    turn.handle.done.result(10)
    chat = make(
        asks(7, [diff(file, "line 5\n", "5\n")]),
        writes(8, file, FIRST.replace("line 5\n", "5\n")),
        review=True,
    )
    turn = go(chat)
    chat.answer(offered(chat), "no")
    chat.apply(held(chat), [])
    turn.handle.done.result(10)
    assert file.read_bytes() == FIRST.encode()


def test_a_stop_ends_the_wait(make: Callable[..., Chat], file: Path) -> None:
    """The write is answered as cancelled, and is not made."""
    chat = make(writes(7, file, NEW), [["take", 1]], review=True)
    turn = go(chat)
    review = held(chat)
    chat.cancel()
    turn.handle.done.result(10)
    assert [error["code"] for error in answers(chat, 7)] == [-32800]
    assert file.read_bytes() == OLD.encode()
    with pytest.raises(ValueError, match="nothing to choose"):
        chat.apply(review)
    [item] = turn.items
    assert item.review.outcome == "cancelled"


def test_the_agent_takes_its_write_back(make: Callable[..., Chat], file: Path) -> None:
    """``$/cancel_request`` ends the review."""
    back = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 7}}
    chat = make(writes(7, file, NEW)[:1], [["say", back], ["take", 1]], review=True)
    turn = go(chat)
    turn.handle.done.result(10)
    assert [error["code"] for error in answers(chat, 7)] == [-32800]
    assert chat.reviews == ()
    assert file.read_bytes() == OLD.encode()


def test_a_file_that_changed_under_a_held_write(make: Callable[..., Chat], file: Path) -> None:
    """Nothing is written; the write still waits and can be refused."""
    chat = make(writes(7, file, NEW), review=True)
    turn = go(chat)
    review = held(chat)
    file.write_bytes(b"mine\n")
    with pytest.raises(ValueError, match="changed"):
        chat.apply(review)
    assert "changed" in str(chat.reviews[0].problem)
    chat.apply(review, [])
    turn.handle.done.result(10)
    assert file.read_bytes() == b"mine\n"


def test_rules_decide_before_a_person_is_asked(make: Callable[..., Chat], file: Path) -> None:
    """Also where nobody is there; an undecided write is then refused with a warning."""
    chat = make(writes(7, file, FIRST), review=True, policy=Policy.allow_edits_in(file.parent))
    chat.ask("go")
    assert file.read_bytes() == FIRST.encode()
    chat = make(writes(7, file, NEW), review=True, policy=Policy.deny_all())
    chat.ask("go")
    assert "accepted nothing" in answers(chat, 7)[0]["message"]
    chat = make(writes(7, file, NEW), review=True)
    with pytest.warns(UserWarning, match="Refused without a review"):
        chat.ask("go")
    assert "Nobody" in answers(chat, 7)[0]["message"]
    assert file.read_bytes() == FIRST.encode()


@pytest.mark.parametrize(("given", "text"), [("allow", NEW), ("refuse", OLD), (None, OLD), ("hunks", FIRST)])
def test_a_policys_function_and_writes(make: Callable[..., Chat], file: Path, given: Any, text: str) -> None:
    """It may allow, refuse, leave it to nobody, or choose hunks."""

    async def decide(permission: Any) -> Any:
        assert len(permission.hunks) == 2
        if given == "hunks":
            await chat.aapply(permission, [0])
            return None
        return given

    chat = make(writes(7, file, NEW), review=True, policy=Policy.when(decide))
    if given is None:
        with pytest.warns(UserWarning, match="Refused without a review"):
            chat.ask("go")
    else:
        chat.ask("go")
    assert file.read_bytes() == text.encode()


def test_a_policys_function_may_block(make: Callable[..., Chat], file: Path) -> None:
    """It has a thread of its own: it may call the chat, and hold up nobody else."""

    def decide(permission: Any) -> None:
        chat.apply(permission, [0])

    chat = make(writes(7, file, NEW), review=True, policy=Policy.when(decide))
    chat.ask("go")
    assert file.read_bytes() == FIRST.encode()
    assert answers(chat, 7) == [{}]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_cancel_does_not_wait_for_a_policys_function(
    make: Callable[..., Chat], file: Path, is_async: bool
) -> None:
    """The agent gets its answer at once; what the function says afterwards counts no more."""
    asked, goes_on = threading.Event(), threading.Event()

    def decide(_: Any) -> str:
        asked.set()
        goes_on.wait(30)
        return "allow"

    async def decide_later(_: Any) -> str:
        asked.set()
        await asyncio.Event().wait()
        return "allow"

    policy = Policy.when(decide_later if is_async else decide)
    chat = make(writes(7, file, NEW), [["take", 1]], review=True, policy=policy)
    turn = go(chat)
    assert asked.wait(10)
    chat.cancel()
    turn.handle.done.result(10)
    goes_on.set()
    assert answers(chat, 7)[0]["code"] == -32800
    assert file.read_bytes() == OLD.encode()


def test_what_is_no_text_cannot_be_reviewed(make: Callable[..., Chat], file: Path) -> None:
    """Said to the agent; what the file holds already passes."""
    file.write_bytes(b"\xff\xfe")
    same = file.with_name("same.txt")
    same.write_text("same")
    chat = make(writes(7, file, "x"), writes(8, same, "same"), review=True)
    turn = go(chat)
    turn.handle.done.result(10)
    assert "cannot be reviewed" in answers(chat, 7)[0]["message"]
    assert answers(chat, 8) == [{}]
    assert file.read_bytes() == b"\xff\xfe"


def test_a_notebook_stays_one(make: Callable[..., Chat], file: Path) -> None:
    """Hunks that would break a notebook file are not written."""
    book = file.with_name("book.ipynb")
    text = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    book.write_text(text)
    chat = make(asks(7, [diff(book, text, text.replace("]", "").replace('"nbformat"', '"format"'))]))
    go(chat)
    with pytest.raises(ValueError, match="Nothing was written"):
        chat.apply(offered(chat))
    assert book.read_text() == text


def test_an_agent_that_writes_itself_as_well(make: Callable[..., Chat], file: Path) -> None:
    """One that is known for it is not held up; another one is found out when its call ends."""
    overwrite = ["write", str(file), NEW]
    chat = make(
        tells("tool_call", title="Edit", kind="edit"),
        writes(7, file, NEW),
        [overwrite],
        tells("tool_call_update", status="completed"),
        review=True,
    )
    turn = go(chat)
    chat.apply(held(chat), [0])
    turn.handle.done.result(10)
    until(chat, lambda: any("not as it was accepted" in text for text in chat.session.warnings))


def test_a_refused_write_that_is_made_all_the_same(make: Callable[..., Chat], file: Path) -> None:
    """The agent writes the file by itself after a refusal: a warning says so."""
    chat = make(
        tells("tool_call", title="Edit", kind="edit"),
        writes(7, file, NEW),
        [["write", str(file), NEW]],
        tells("tool_call_update", status="completed"),
        review=True,
    )
    turn = go(chat)
    chat.apply(held(chat), [])
    turn.handle.done.result(10)
    until(chat, lambda: any("not as it was accepted" in text for text in chat.session.warnings))


def test_a_persons_later_choices_are_no_change_by_the_agent(make: Callable[..., Chat], file: Path) -> None:
    """After a reviewed write, hunks beside a request, and then a write just allowed: no warning."""
    last = NEW + "the end\n"
    chat = make(
        writes(7, file, FIRST),
        asks(8, [diff(file, FIRST, NEW)]),
        tells("tool_call_update", status="completed"),
        asks(9, [diff(file, NEW, last)], "d"),
        writes(10, file, last),
        tells("tool_call_update", toolCallId="d", status="completed"),
        review=True,
    )
    turn = go(chat)
    chat.apply(held(chat))
    chat.apply(offered(chat))
    chat.answer(
        until(chat, lambda: chat.pending and chat.pending[0].request_id == 9 and offered(chat)), "yes"
    )
    turn.handle.done.result(10)
    assert file.read_bytes() == last.encode()
    until(chat, lambda: not loop.call(lambda: chat._engine.reviews._tasks))
    assert chat.session.warnings == ()


@pytest.mark.parametrize("error", [RuntimeError, SystemExit])
def test_a_function_that_fails_over_a_write(
    make: Callable[..., Chat], file: Path, error: type[BaseException]
) -> None:
    """A person is asked in its place, and the loop that all chats share goes on."""

    def broken(_permission: Any) -> str:
        raise error("no idea")

    chat = make(writes(7, file, NEW), review=True, policy=Policy.when(broken))
    turn = go(chat)
    until(chat, lambda: any("no idea" in text for text in chat.session.warnings))
    chat.apply(held(chat))
    turn.handle.done.result(10)
    assert file.read_bytes() == NEW.encode()


def test_a_write_that_nobody_answers_in_time(make: Callable[..., Chat], file: Path) -> None:
    """The policy's timeout refuses it."""
    chat = make(writes(7, file, NEW), review=True, policy=Policy.ask(timeout=0.05))
    go(chat).handle.done.result(10)
    assert "accepted nothing" in answers(chat, 7)[0]["message"]
    assert file.read_bytes() == OLD.encode()


@pytest.mark.parametrize("link", [False, True])
def test_a_rules_file_is_never_written_unasked(make: Callable[..., Chat], file: Path, link: bool) -> None:
    """Also without a review and under a policy that allows all; also what the file is a link to."""
    rules = target = file.with_name(".acp-notebook.toml")
    if link:
        target = file.with_name("rules.toml")
        rules.symlink_to(target)
    allows: dict[str, Any] = {"policy": Policy.allow_all()}
    chat = make(writes(7, target, "x = 1\n"), writes(8, file, NEW), **allows)
    with pytest.warns(UserWarning, match="Refused without a review"):
        chat.ask("go")
    assert "Nobody" in answers(chat, 7)[0]["message"]
    assert not target.exists()
    assert file.read_bytes() == NEW.encode()
    chat = make(writes(7, target, "x = 1\n"), **allows)
    turn = go(chat)
    chat.apply(held(chat))
    turn.handle.done.result(10)
    assert target.read_text() == "x = 1\n"


def test_a_known_agent_is_not_held_up(project: Path, file: Path) -> None:
    """Its writes pass, since it would make them anyway."""
    hello = {"protocolVersion": 1, "agentInfo": {"name": "OpenCode", "version": "1"}}
    script = [HELLO[0], ["answer", 0, {"result": hello}], *HELLO[2:], *writes(7, file, NEW), *END]
    agent = Agent(sys.executable, str(RAW), json.dumps(script))
    with Chat(agent, cwd=project, record=False, review=True) as chat:
        chat.ask("go")
        assert file.read_bytes() == NEW.encode()


# ---------------------------------------------------------------------------------- after the fact


def finished(file: Path, old: str | None = OLD, new: str = NEW) -> list[Any]:
    start = tells("tool_call", title="Edit", kind="edit", content=[diff(file, old, new)])
    return [*start, ["write", str(file), new], *tells("tool_call_update", status="completed")]


def test_taking_back_a_hunk(make: Callable[..., Chat], file: Path) -> None:
    """The file loses it, the rest stays; the conversation and the next prompt tell."""
    chat = make(finished(file))
    turn = go(chat)
    turn.handle.done.result(10)
    chat.take_back(turn.tool_calls[0], [1])
    assert file.read_bytes() == FIRST.encode()
    [item] = turn.after
    assert (item.review.way, item.review.outcome, item.review.chosen) == ("take_back", "applied", (1,))
    assert "taken back 1 of 2 hunks" in chat.session.reports[0].text
    chat.take_back(turn.tool_calls[0])
    assert file.read_bytes() == OLD.encode()
    with pytest.raises(ValueError, match="no longer holds"):
        chat.take_back(turn.tool_calls[0])


def test_taking_back_a_new_file(make: Callable[..., Chat], file: Path) -> None:
    """It goes; nothing else can be taken back."""
    new = file.with_name("new.txt")
    chat = make(finished(new, None, "x\n"), tells("tool_call", toolCallId="other", title="t"))
    turn = go(chat)
    turn.handle.done.result(10)
    call, other = turn.tool_calls
    chat.take_back(call)
    assert not new.exists()
    with pytest.raises(ValueError, match="finished edit"):
        chat.take_back(other)


# ---------------------------------------------------------------------------------- what the agent is told


def test_the_next_prompt_tells_unless_it_is_taken_out(make: Callable[..., Chat], file: Path) -> None:
    """Behind the person's own words, once."""
    chat = make(
        asks(7, [diff(file)]), END[:1], [["take", 1]], [["answer", 4, {"result": {"stopReason": "end_turn"}}]]
    )
    turn = go(chat)
    chat.apply(offered(chat), [0])
    turn.handle.done.result(10)
    [report] = chat.session.reports
    assert "kept 1 of 2 hunks (at line 4), did not take 1 of 2 hunks (at line 21)" in report.text
    second = go(chat, "and now?")
    second.handle.done.result(10)
    assert [block.text for block in second.prompt] == ["and now?", report.text]
    assert chat.session.reports == ()


def test_a_report_can_be_taken_out(make: Callable[..., Chat], file: Path) -> None:
    """Then the agent does not hear of it."""
    chat = make(asks(7, [diff(file)]))
    turn = go(chat)
    chat.apply(offered(chat), [0])
    turn.handle.done.result(10)
    [report] = chat.session.reports
    assert loop.call(lambda: chat._engine.reviews.untell(report.key)) is None
    assert chat.session.reports == ()
    assert loop.call(lambda: chat._engine.reviews.untell(report.key)) is not None
