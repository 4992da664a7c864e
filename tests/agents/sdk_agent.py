"""An agent on the reference SDK's agent side. What it does is the first word of the prompt; it echoes the rest.

It has a part of each of that SDK's examples (echo, streamed text, tool calls with permission) and calls every
method that a client serves.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, cast

import acp
from acp import schema


class SdkAgent:
    """Typed by the SDK: whatever the client sends goes through the SDK's own models."""

    def __init__(self) -> None:
        self.cancelled = asyncio.Event()
        self.session = "sdk-session"
        self.cwd = ""
        self.client: Any = None

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, client_info: Any = None, **kwargs: Any
    ) -> acp.InitializeResponse:
        self.capabilities = client_capabilities
        return acp.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=schema.Implementation(name="sdk-agent", version="1"),
        )

    async def new_session(self, cwd: str, **kwargs: Any) -> acp.NewSessionResponse:
        self.cwd = cwd
        return acp.NewSessionResponse(session_id=self.session)

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        self.cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **kwargs: Any) -> acp.PromptResponse:
        word, _, rest = prompt[0].text.partition(" ")
        stop = await getattr(self, word)(rest)
        return acp.PromptResponse(stop_reason=stop or "end_turn")

    async def say(self, text: str) -> None:
        await self.client.session_update(self.session, acp.update_agent_message(acp.text_block(text)))

    async def echo(self, rest: str) -> None:
        await self.say(rest)

    async def stream(self, rest: str) -> None:
        for word in rest.split():
            await self.client.session_update(
                self.session, acp.update_agent_thought(acp.text_block(f"next is {word}"))
            )
            await self.say(word)

    async def wait(self, rest: str) -> str:
        await self.say("waiting")
        await self.cancelled.wait()
        return "cancelled"

    async def capabilities_seen(self, rest: str) -> None:
        await self.say(self.capabilities.model_dump_json(by_alias=True, exclude_none=True))

    async def permission(self, rest: str) -> None:
        call = acp.start_tool_call("call-1", "Edit f", kind="edit", status="pending")
        await self.client.session_update(self.session, call)
        answer = await self.client.request_permission(
            self.session,
            acp.schema.ToolCallUpdate(tool_call_id="call-1"),
            [
                schema.PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
                schema.PermissionOption(option_id="no", name="No", kind="reject_once"),
            ],
        )
        await self.say(answer.model_dump_json(by_alias=True, exclude_none=True))

    async def failure(self, call: Any) -> int | None:
        try:
            await call
        except acp.RequestError as error:
            return error.code
        return None

    async def files(self, rest: str) -> None:
        path = f"{self.cwd}/new/f.txt"
        await self.client.write_text_file(self.session, path, "one\ntwo\nthree\n")
        read = await self.client.read_text_file(self.session, path, line=2, limit=1)
        failures = [
            await self.failure(self.client.read_text_file(self.session, wrong))
            for wrong in (f"{self.cwd}/missing", "/etc/passwd", self.cwd)
        ]
        await self.say(json.dumps([read.content, failures]))

    async def terminals(self, rest: str) -> None:
        told = []
        created = await self.client.create_terminal(
            self.session,
            sys.executable,
            ["-c", "import os; print(os.environ['X'], end='')"],
            env=[schema.EnvVariable(name="X", value="x" * 20)],
            cwd=self.cwd,
            output_byte_limit=10,
        )
        ended = await self.client.wait_for_terminal_exit(self.session, created.terminal_id)
        output = await self.client.terminal_output(self.session, created.terminal_id)
        told += [ended.exit_code, output.output, output.truncated, output.exit_status.exit_code]
        await self.client.release_terminal(self.session, created.terminal_id)
        created = await self.client.create_terminal(self.session, "sleep", ["600"])
        await self.client.kill_terminal(self.session, created.terminal_id)
        output = await self.client.terminal_output(self.session, created.terminal_id)
        told += [output.exit_status.exit_code, output.exit_status.signal]
        told.append(await self.failure(self.client.create_terminal(self.session, "no-such-command")))
        await self.say(json.dumps(told))


if __name__ == "__main__":
    asyncio.run(acp.run_agent(cast("acp.Agent", SdkAgent())))
