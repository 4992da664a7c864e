"""``%acp`` and ``%%acp`` on real kernels, and what a chat and its turns look like there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kernel.harness import Kernel
from tests.kernel.test_chat import HERE, SOON, Diary, Page, diary

__all__ = ["diary"]


@pytest.fixture
def agent(kernel: Kernel, diary: Diary) -> Iterator[str]:
    """The command line of the raw agent, and afterwards no chat of the magics."""
    kernel.run("import sys\nfrom acp_notebook import Chat\n%load_ext acp_notebook")
    yield f"{{sys.executable}} {HERE / 'raw_agent.py'} {diary.path}"
    kernel.run("globals().pop('acp_chat').close()")
    assert not diary.living()


def test_cells_are_turns_of_one_chat(kernel: Kernel, agent: str, diary: Diary) -> None:
    """``%acp`` picks the agent and shows the chat; each ``%%acp`` cell is a prompt whose buttons work."""
    page = Page(kernel, kernel.widget(f"%acp {agent}"))
    for number, prompt in enumerate(["clean up", "and again"]):
        running = kernel.execute(f"%%acp\n{prompt}\n")
        page.answer(page.waiting(number))
        assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    kernel.run("%acp")
    assert len(diary.agents()) == 1
    sent = [line["message"]["params"]["prompt"] for line in diary.messages("session/prompt")]
    assert [[block["text"].strip() for block in prompt] for prompt in sent] == [["clean up"], ["and again"]]
    assert (
        kernel.run("print([turn.text[-13:] for turn in acp_chat.turns])")
        == "['You said yes.', 'You said yes.']\n"
    )


def test_the_agent_stays_the_picked_one(kernel: Kernel, agent: str, diary: Diary) -> None:
    """After it died or the chat was closed, the next cell starts the same agent, not the demo's."""
    page = Page(kernel, kernel.widget(f"%acp {agent}"))
    for number, end in enumerate(["pass", "import os; os.kill(pid, 9)", "acp_chat.close()"]):
        if number:
            kernel.run(f"pid = {diary.agents()[-1][0]}\n{end}")
            kernel.until(lambda: not diary.living(), what="the agent's end")
        if number == 2:
            page = Page(kernel, kernel.widget("%acp"))
        running = kernel.execute("%%acp\nclean up")
        page.answer(page.waiting(number % 2))
        assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    assert len(diary.messages("session/prompt")) == 3


def test_what_there_is_can_be_read(kernel: Kernel, agent: str) -> None:
    """Short forms of chat and turn, the newest turn, the transcript so far, and all that lives."""
    page = Page(kernel, kernel.widget(f"%acp {agent}"))
    assert kernel.run("print(acp_chat.last, Chat.all() == [acp_chat])") == "None True\n"
    running = kernel.execute("turn = acp_chat.ask('clean up')")
    page.answer(page.waiting(0))
    assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    assert kernel.run("print(turn)") == "<LiveTurn ready, end_turn: 'May I?  You said yes.'>\n"
    said = kernel.run("print(repr(acp_chat))")
    assert said.startswith("<Chat")
    assert len(said) < 200
    assert (
        kernel.run("print(acp_chat.last is turn, acp_chat.transcript.turns == acp_chat.turns)")
        == "True True\n"
    )
