"""Our connection, files and terminals against an agent on the reference SDK, whose models check all we send."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from acp_notebook._agent import protocol
from acp_notebook._agent.command import Agent
from acp_notebook._agent.connection import Incoming
from acp_notebook._client.files import Files
from acp_notebook._client.roots import Roots
from acp_notebook._client.terminals import Terminals
from tests.agent.peer import Peer, run

SDK_AGENT = Path(__file__).parents[1] / "agents" / "sdk_agent.py"


class Driver(Peer):
    """Serves files and terminals as a chat does."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Agent(sys.executable, str(SDK_AGENT)), folder)
        roots = Roots(folder)
        files, self.terminals = Files(roots), Terminals(roots, lambda _: None)
        self.methods: dict[str, Callable[[dict[str, Any]], Awaitable[object]]] = {
            "fs/read_text_file": files.read,
            "fs/write_text_file": files.write,
            "terminal/create": self.terminals.create,
            "terminal/output": self.terminals.output,
            "terminal/wait_for_exit": self.terminals.wait_for_exit,
            "terminal/kill": self.terminals.kill,
            "terminal/release": self.terminals.release,
        }
        self.tasks: list[asyncio.Task[None]] = []

    def saw(self, where: list[Any], what: object) -> None:
        super().saw(where, what)
        if isinstance(what, Incoming) and what.method in self.methods:
            self.tasks.append(asyncio.create_task(self.serve(what)))

    async def serve(self, incoming: Incoming) -> None:
        try:
            incoming.respond(await self.methods[incoming.method](incoming.params))
        except protocol.RpcError as error:
            incoming.error(error.code, error.message, error.data)

    def texts(self) -> list[str]:
        return [
            params["update"]["content"]["text"]
            for _, params in self.notifications
            if params["update"]["sessionUpdate"] == "agent_message_chunk"
        ]

    def prompt(self, text: str) -> asyncio.Future[Any]:
        return self.connection.request(
            "session/prompt", protocol.prompt_params("sdk-session", [{"type": "text", "text": text}])
        )


def drive(folder: Path, main: Callable[[Driver], Awaitable[None]]) -> None:
    """Connect, initialize, make a session, run, close; the agent must leave by itself without a complaint."""

    async def whole() -> None:
        p = Driver(folder)
        await p.connection.start()
        hello = protocol.initialize_params(fs=True, terminal=True, version="1")
        about = protocol.read_initialize(await p.connection.request("initialize", hello), "sdk")
        assert (about.name, about.version) == ("sdk-agent", "1")
        assert await p.connection.request("session/new", protocol.new_session_params(str(folder))) == {
            "sessionId": "sdk-session"
        }
        try:
            await main(p)
        finally:
            await p.terminals.close()
            exit_ = await p.connection.close()
        assert (exit_.code, exit_.stderr) == (0, "")
        assert (p.connection.noise, p.connection.unmatched) == (0, 0)

    run(whole)


def test_echo_and_stream(tmp_path):
    """Text comes back, and a stream of thoughts and words is complete and in order before the answer."""

    async def main(p: Driver) -> None:
        assert await p.prompt("echo hello\u2028wörld 😀") == {"stopReason": "end_turn"}
        assert p.texts() == ["hello\u2028wörld 😀"]
        await p.prompt("stream a b c")
        assert p.texts()[1:] == ["a", "b", "c"]

    drive(tmp_path, main)


def test_the_sdk_understands_our_capabilities(tmp_path):
    """What the SDK's model read is what we advertise."""

    async def main(p: Driver) -> None:
        await p.prompt("capabilities_seen")
        assert json.loads(p.texts()[0]) == {
            "fs": {"readTextFile": True, "writeTextFile": True},
            "terminal": True,
            "session": {"configOptions": {"boolean": {}}},
            "auth": {"terminal": True, "_meta": {"gateway": True}},
            "_meta": {"terminal_output": True, "terminal-auth": True},
        }

    drive(tmp_path, main)


def test_cancel(tmp_path):
    """The cancel notification arrives, and the turn ends as cancelled."""

    async def main(p: Driver) -> None:
        turn = p.prompt("wait")
        await p.until(lambda: p.texts() == ["waiting"])
        p.connection.notify("session/cancel", protocol.cancel_params("sdk-session"))
        assert await turn == {"stopReason": "cancelled"}

    drive(tmp_path, main)


def test_permission(tmp_path):
    """Both outcomes of a permission are understood."""

    async def main(p: Driver) -> None:
        for answer in (protocol.permission_selected("yes"), protocol.permission_cancelled()):
            turn = p.prompt("permission")
            count = len(p.requests)
            await p.until(lambda count=count: len(p.requests) > count)  # type: ignore[misc]
            p.requests[-1].respond(answer)
            await turn
            assert json.loads(p.texts()[-1]) == answer

    drive(tmp_path, main)


def test_files(tmp_path):
    """The SDK's typed calls read and write, and see our error codes."""

    async def main(p: Driver) -> None:
        await p.prompt("files")
        assert json.loads(p.texts()[0]) == ["two\n", [-32002, -32602, -32602]]
        assert (tmp_path / "new" / "f.txt").read_text() == "one\ntwo\nthree\n"

    drive(tmp_path, main)


def test_terminals(tmp_path):
    """All five terminal methods by the SDK's typed calls."""

    async def main(p: Driver) -> None:
        await p.prompt("terminals")
        assert json.loads(p.texts()[0]) == [0, "x" * 10, True, 0, None, "SIGTERM", -32602]

    drive(tmp_path, main)
