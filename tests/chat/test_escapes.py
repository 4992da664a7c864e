"""The corpus of escape attempts, each asked by a real process over the wire: nothing outside is read or written."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, Chat, Policy
from tests.chat.scripts import DONE, PROMPTED, RAW_AGENT, SESSION, ask, replies
from tests.client.test_files import escapes
from tests.client.test_notebooks import BY_NBFORMAT, GOOD, OUTLINE

INVALID, INTERNAL = -32602, -32603


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The chat's folder, beside what it must not reach."""
    (tmp_path / "out" / "work").mkdir(parents=True)
    (tmp_path / "out" / "work-sibling").mkdir()
    for secret in ("secret", "work-sibling/secret"):
        (tmp_path / "out" / secret).write_text("secret")
    return tmp_path / "out" / "work"


@pytest.fixture
def asked(folder: Path, tmp_path: Path) -> Iterator[Callable[..., list[Any]]]:
    """Have an agent ask these one after the other in a turn; the result, or the error's code, of each."""
    chats: list[Chat] = []

    def asked(*requests: tuple[str, dict[str, Any]], **options: Any) -> list[Any]:
        steps: list[list[Any]] = [*PROMPTED]
        for number, (method, params) in enumerate(requests):
            steps += [ask(number, method, sessionId=SESSION, **params), ["take", 1]]
        script = tmp_path / "script.json"  # too long for an argument
        script.write_text(json.dumps([*steps, *DONE]))
        agent = Agent(sys.executable, RAW_AGENT, f"@{script}")
        chats.append(Chat(agent, cwd=folder, record=False, **{"policy": Policy.allow_all(), **options}))
        assert chats[-1].ask("go").stop_reason == "end_turn"
        given = [replies(chats[-1])[number] for number in range(len(requests))]
        return [answer["result"] if "result" in answer else answer["error"]["code"] for answer in given]

    yield asked
    for chat in chats:
        chat.close()


def outside(folder: Path) -> dict[str, Any]:
    """What is around the chat's folder, to the byte."""
    found: dict[str, Any] = {}
    for path in sorted(folder.parent.rglob("*")):
        if not path.is_relative_to(folder):
            state = path.lstat()
            text = path.read_bytes() if path.is_file() else None
            found[str(path)] = (state.st_mode, state.st_ino, state.st_mtime_ns, text)
    return found


def inside(folder: Path) -> dict[str, Any]:
    """The names within the folder, what is a link, and the texts."""
    return {
        str(path.relative_to(folder)): path.readlink() if path.is_symlink() else path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.parametrize("review", [False, True])
def test_no_request_leads_out(folder: Path, asked: Callable[..., list[Any]], review: bool) -> None:
    """Reading, writing (held for a review or not) and starting a command: each attempt is refused."""
    paths = escapes(folder)
    before = outside(folder), inside(folder)
    requests: list[tuple[str, dict[str, Any]]] = []
    for path in paths:
        requests.append(("fs/read_text_file", {"path": path}))
        requests.append(("fs/write_text_file", {"path": path, "content": "owned"}))
        requests += [
            ("terminal/create", {"command": "true", "cwd": cwd})
            for cwd in (path, str(Path(path).parent))
            if cwd != str(folder)  # where a link stands is inside
        ]
    answers = asked(*requests, review=review)
    assert [
        (*request, answer) for request, answer in zip(requests, answers, strict=True) if answer != INVALID
    ] == []
    assert (outside(folder), inside(folder)) == before


def test_a_link_to_itself_is_an_error(folder: Path, asked: Callable[..., list[Any]]) -> None:
    """It leads nowhere, and is neither read nor replaced."""
    escapes(folder)
    before = outside(folder), inside(folder)
    path = str(folder / "loop")
    answers = asked(
        ("fs/read_text_file", {"path": path}), ("fs/write_text_file", {"path": path, "content": "owned"})
    )
    assert set(answers) <= {INVALID, INTERNAL}
    assert (outside(folder), inside(folder)) == before


def test_no_accepted_diff_leads_out(folder: Path, asked: Callable[..., list[Any]]) -> None:
    """What a permission shows may be written by us: of such a file nothing can be chosen."""
    paths = [path for path in escapes(folder) if path.startswith("/")]
    before = outside(folder), inside(folder)
    said: list[str] = []

    async def accept(permission: Any) -> str:
        [chat] = Chat.all()
        with pytest.raises(ValueError, match="Choose at least one hunk") as caught:
            await chat.aapply(permission)
        said.append(str(caught.value))
        return "refuse"

    option = {"optionId": "n", "name": "No", "kind": "reject_once"}
    requests = []
    for number, path in enumerate(paths):
        content = [{"type": "diff", "path": path, "newText": "owned"}]
        call = {"toolCallId": f"c{number}", "content": content}
        requests.append(("session/request_permission", {"toolCall": call, "options": [option]}))
    answers = asked(*requests, policy=Policy.when(accept))
    assert answers == [{"outcome": {"outcome": "selected", "optionId": "n"}}] * len(paths)
    assert len(said) == len(paths)
    assert (outside(folder), inside(folder)) == before


@pytest.mark.parametrize("name", ["a.ipynb", "A.IPYNB", "a.IpYnB", ".ipynb"])
def test_a_broken_notebook_is_refused_over_the_wire(
    folder: Path, asked: Callable[..., list[Any]], name: str
) -> None:
    """In any case of letters, new or there already, also by a link of another name; a good one is written."""
    path = folder / name
    (folder / "other.txt").symlink_to(path)
    texts = [text for text, _ in (*OUTLINE, *BY_NBFORMAT)]
    places = [str(path), str(folder / "other.txt"), f"{folder}/./{name}"]
    bad = [("fs/write_text_file", {"path": place, "content": text}) for text in texts for place in places]
    good = ("fs/write_text_file", {"path": str(path), "content": GOOD[1]})
    answers = asked(*bad, good, *bad)
    assert answers == [INVALID] * len(bad) + [{}] + [INVALID] * len(bad)
    assert inside(folder) == {name: GOOD[1], "other.txt": path}
