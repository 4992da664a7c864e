"""A chat on real kernels, with real agents: clicks, interrupts, and nobody left behind."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.kernel.harness import Kernel

HERE = Path(__file__).resolve().parent

SOON = 3.0

ASK = "turn = chat.ask({!r})"
AWAIT = "turn = await chat.send({!r})"
FOR = "turn = chat.send({!r})\nkinds = [item.kind async for item in turn]"
END = {ASK: "KeyboardInterrupt", AWAIT: "CancelledError", FOR: "CancelledError"}

both = pytest.mark.parametrize("cell", [ASK, AWAIT], ids=["ask", "await"])
ways = pytest.mark.parametrize("cell", [ASK, AWAIT, FOR], ids=["ask", "await", "for"])


class Diary:
    """What the agents of a test wrote down."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        return [
            json.loads(line)
            for line in self.path.read_text().splitlines(keepends=True)
            if line.endswith("\n")
        ]

    def messages(self, method: str) -> list[dict[str, Any]]:
        return [line for line in self.lines() if line.get("message", {}).get("method") == method]

    def signals(self) -> list[str]:
        return [line["signal"] for line in self.lines() if "signal" in line]

    def agents(self) -> list[list[int]]:
        """Return the process ids of each agent that was started, its own first."""
        return [line["pids"] for line in self.lines() if "pids" in line]

    def living(self) -> list[int]:
        return [pid for pids in self.agents() for pid in pids if is_alive(pid)]

    def all_gone(self, seconds: float = 5) -> bool:
        """Wait until no agent and no child of one lives."""
        _, alive = psutil.wait_procs([psutil.Process(pid) for pid in self.living()], timeout=seconds)
        return not alive


def is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Page:
    """The browser's side of one chat: it says hello, sees permissions and clicks."""

    def __init__(self, kernel: Kernel, comm: str, front: str | None = None) -> None:
        self.kernel, self.comm, self.front = kernel, comm, front
        self._clicks = 0
        kernel.custom(comm, {"kind": "hello", "seq": -1, "writes_twin": True}, subshell=front)

    def permissions(self) -> dict[str, dict[str, Any]]:
        """Return the newest form of each permission request that the page was told of."""
        found: dict[str, dict[str, Any]] = {}
        for kind in ("state", "patch"):
            for message in self.kernel.customs(self.comm, kind):
                collect(message["content"]["data"]["content"], found)
        return found

    def waiting(self, number: int, seconds: float = SOON) -> str:
        """Wait for the chat's permission request of this number and return its key."""
        self.kernel.until(lambda: len(self.permissions()) > number, seconds, what=f"permission {number}")
        return list(self.permissions())[number]

    def click(self, **intent: Any) -> dict[str, Any]:
        """Send what a button sends and return the acknowledgement."""
        self._clicks += 1
        name = f"click-{self._clicks}"
        self.kernel.custom(self.comm, {"id": name, **intent}, subshell=self.front)

        def acknowledged() -> list[dict[str, Any]]:
            acks = [m["content"]["data"]["content"] for m in self.kernel.customs(self.comm, "ack")]
            return [ack for ack in acks if ack["id"] == name]

        ack: dict[str, Any] = self.kernel.until(acknowledged, SOON, what="an acknowledgement")[0]
        return ack

    def answer(self, key: str, option: str = "yes") -> None:
        assert self.click(kind="answer", permission=key, option=option)["error"] is None


def collect(value: Any, found: dict[str, dict[str, Any]]) -> None:
    if isinstance(value, dict):
        if "key" in value and "options" in value:
            found[value["key"]] = value
        for each in value.values():
            collect(each, found)
    elif isinstance(value, list):
        for each in value:
            collect(each, found)


@pytest.fixture
def diary(tmp_path: Path) -> Iterator[Diary]:
    diary = Diary(tmp_path / "diary.jsonl")
    yield diary
    for pid in diary.living():  # only after a test that failed
        os.kill(pid, signal.SIGKILL)


def setup(diary: Diary, *, name: str = "chat", extra: str = "", more: str = "") -> str:
    """Return the cell that makes a chat with the raw agent."""
    agent = f"[sys.executable, {str(HERE / 'raw_agent.py')!r}, {str(diary.path)!r}{extra}]"
    return (
        f"import sys\nfrom acp_notebook import Chat, Policy\n{name} = Chat({agent}, cwd={str(HERE)!r}{more})"
    )


@pytest.fixture
def chat(kernel: Kernel, diary: Diary) -> Iterator[str]:
    """A chat in the kernel, `chat` there, displayed; its comm's id here."""
    yield kernel.widget(setup(diary) + "\nchat")
    kernel.run("chat.close()")
    assert not diary.living()


@ways
def test_a_click_answers_while_the_cell_runs(kernel: Kernel, chat: str, front: str | None, cell: str) -> None:
    """The permission is seen and answered while the cell waits; the cell then ends with the turn."""
    page = Page(kernel, chat, front)
    running = kernel.execute(cell.format("clean up"))
    page.answer(page.waiting(0))
    assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    assert kernel.run("print(turn.text, turn.stop_reason)") == "May I?\n\nYou said yes. end_turn\n"


@ways
@pytest.mark.parametrize("manner", ["polite", "silent"])
def test_an_interrupt_cancels_the_turn(
    kernel: Kernel, chat: str, diary: Diary, cell: str, manner: str
) -> None:
    """The cancel is on the wire within 1 s, the cell over within 3 s, the agent was not signalled, and the
    chat works on: at once, or after a restart where the agent never answers.
    """
    page = Page(kernel, chat)
    running = kernel.execute(cell.format(manner))
    page.waiting(0)
    started = time.monotonic()
    kernel.interrupt()
    kernel.failed(running, END[cell], 3)
    assert kernel.replies[running]["arrived"] - started < 3
    (cancel,) = diary.messages("session/cancel")
    assert cancel["t"] - started < 1
    # What waited is answered right behind the cancel.
    after = diary.lines()[diary.lines().index(cancel) + 1]["message"]
    assert after == {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "cancelled"}}}
    assert diary.signals() == []
    if manner == "silent":
        assert kernel.run("print(chat.turns[-1].active)") == "True\n"
        kernel.run("chat.restart()")
    else:
        assert kernel.run("print(chat.turns[-1].stop_reason)") == "cancelled\n"
    running = kernel.execute(cell.format("again"))
    page.answer(page.waiting(1))
    assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    assert kernel.run("print(turn.text)") == "May I?\n\nYou said yes.\n"


@both
def test_stop_ends_the_wait_without_an_error(kernel: Kernel, chat: str, diary: Diary, cell: str) -> None:
    """The Stop button is no interrupt: the cell goes on and reads how the turn ended."""
    page = Page(kernel, chat)
    running = kernel.execute(cell.format("clean up") + "; print(turn.stop_reason)")
    page.waiting(0)
    assert page.click(kind="cancel")["error"] is None
    assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    kernel.idle(running)
    assert kernel.printed(running) == "cancelled\n"
    assert diary.signals() == []


def test_two_chats_at_once(kernel: Kernel, chat: str, tmp_path: Path) -> None:
    """`gather` of two chats: each hears its own button, whichever is pressed first."""
    second = Diary(tmp_path / "second.jsonl")
    other = kernel.widget(setup(second, name="other") + "\nother")
    pages = [Page(kernel, chat), Page(kernel, other)]
    running = kernel.execute("turns = await asyncio.gather(chat.send('one'), other.send('two'))")
    keys = [page.waiting(0) for page in pages]
    pages[1].answer(keys[1], "no")
    assert running not in kernel.replies
    pages[0].answer(keys[0], "yes")
    assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    assert (
        kernel.run("print([turn.text[-13:].strip() for turn in turns])")
        == "['You said yes.', 'You said no.']\n"
    )
    kernel.run("other.close()")
    assert not second.living()


def test_ask_inside_another_widgets_callback(
    kernel: Kernel, chat: str, button: str, front: str | None
) -> None:
    """A button of the person's own calls `ask`, on an idle kernel and while another cell waits.

    With subshells the callback blocks the one subshell to which the front end sends all clicks.
    """
    page = Page(kernel, chat, front)
    kernel.run("button.on_click = lambda content: 'go' in content and chat.ask('from a button')")
    for number, cell in enumerate([None, "print(button.wait())"]):
        running = None if cell is None else kernel.execute(cell)
        if running is not None:
            kernel.heard(button, "waiting")
        request = kernel.custom(button, {"go": 1}, subshell=front)
        page.answer(page.waiting(number))
        kernel.idle(request, SOON)
        if running is not None:
            kernel.custom(button, {"value": 1}, subshell=front)
            assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    assert (
        kernel.run("print([turn.text[-13:].strip() for turn in chat.turns])")
        == "['You said yes.', 'You said yes.']\n"
    )


def test_a_click_during_an_ordinary_cell(kernel: Kernel, chat: str, front: str | None) -> None:
    """The cell computes on after `send`: with a subshell it sees the turn end, without one it does not."""
    page = Page(kernel, chat, front)
    kernel.run("chat.send('first')")
    page.answer(page.waiting(0))
    kernel.until(lambda: kernel.run("print(chat.last.done)") == "True\n")
    code = (
        "chat.send('second')\nrounds = 0\n"
        "while not chat.last.done and rounds < 250: rounds += 1; sum(range(200_000))\nprint(rounds < 250)"
    )
    running = kernel.execute(code)
    key = page.waiting(1)
    kernel.custom(chat, {"kind": "answer", "id": "x", "permission": key, "option": "yes"}, subshell=front)
    kernel.reply(running, 30)
    kernel.idle(running)
    assert kernel.printed(running) == f"{front is not None}\n"
    kernel.until(lambda: kernel.run("print(chat.last.done)") == "True\n")


def test_where_no_click_could_be_heard_nothing_is_sent(kernel: Kernel, chat: str, diary: Diary) -> None:
    """`ask` on a thread of the person's own raises at once and names `send`; with a policy it just asks."""
    code = (
        "import threading\nsaid = []\n"
        "def ask(chat):\n"
        "    try: said.append(chat.ask('clean up').stop_reason)\n"
        "    except Exception as error: said.append(str(error))\n"
        "t = threading.Thread(target=ask, args=[chat]); t.start(); t.join(); print(said[0])"
    )
    said = kernel.run(code)
    assert "a thread other than the one that runs the cells" in said
    assert "chat.send" in said
    assert diary.messages("session/prompt") == []
    kernel.run(setup(diary, name="decided", more=", policy=Policy.allow_all()"))
    kernel.run("t = threading.Thread(target=ask, args=[decided]); t.start(); t.join()")
    assert kernel.run("print(said[1]); decided.close()") == "end_turn\n"


def test_without_a_person_it_is_refused_at_once(kernel: Kernel, chat: str) -> None:
    """A runner that allows no input has nobody to click: the permission is refused, with a warning."""
    request = kernel.execute("print(chat.ask('clean up').text)", stdin=False)
    assert kernel.reply(request, SOON)["content"]["status"] == "ok"
    kernel.idle(request)
    assert "You said no." in kernel.printed(request)
    assert "Warning" in kernel.printed(request)


def test_the_same_cell_again_leaves_one_agent(kernel: Kernel, diary: Diary) -> None:
    """Five runs of the cell that makes the chat leave one chat and one agent."""
    for _ in range(5):
        kernel.run(setup(diary) + "\nchat.start()", cell="cell-of-the-chat")
    assert len(diary.agents()) == 5
    assert diary.living() == diary.agents()[-1]
    assert kernel.run("print(Chat.all() == [chat])") == "True\n"
    kernel.run("chat.close()")
    assert not diary.living()
    assert diary.signals() == []


@pytest.mark.parametrize("end", ["kill", "shutdown"])
def test_no_agent_outlives_its_kernel(fresh_kernel: Kernel, diary: Diary, end: str) -> None:
    """The kernel is killed, or shut down: a stubborn agent and its child are gone within 5 s."""
    kernel = fresh_kernel
    kernel.run(setup(diary, extra=", 'stubborn'") + "\nchat.start()")
    (pids,) = diary.agents()
    assert len(pids) == 2
    below = [process.pid for process in psutil.Process(kernel.pid).children(recursive=True)]
    assert set(pids) <= set(below)
    started = time.monotonic()
    if end == "kill":
        os.kill(kernel.pid, signal.SIGKILL)
    else:
        kernel.client.shutdown()
    kernel.until(
        lambda: not [pid for pid in [*pids, *below] if is_alive(pid)], 5, what="the end of the agent"
    )
    assert time.monotonic() - started < 5


def test_the_demo_agent_is_allowed_step_by_step(kernel: Kernel) -> None:
    """The whole quickstart by hand: `Chat()`, one question, every approval clicked, the test passes."""
    chat = kernel.widget("from acp_notebook import Chat\nchat = Chat()\nchat")
    page = Page(kernel, chat)
    running = kernel.execute("turn = chat.ask('Why does the test fail? Please fix it.')")
    answered: set[str] = set()

    def over() -> bool:
        for key, permission in page.permissions().items():
            if key not in answered:
                answered.add(key)
                page.answer(key, permission["options"][0]["id"])
        return running in kernel.replies

    kernel.until(over, 40, what="the end of the turn")
    assert kernel.replies[running]["content"]["status"] == "ok"
    assert len(answered) >= 2
    states = kernel.run("print({call.state for call in turn.tool_calls}, turn.stop_reason)")
    assert states == "{'output-available'} end_turn\n"
    kernel.run("chat.close()")
