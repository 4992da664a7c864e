"""An agent made with pydantic-acp, whose model is a function: it needs no server at all."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic_acp import AdapterConfig, FileSessionStore, run_acp
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from scripts.agents.script import HELLO, LONG, NOTES_FIXED

CALLS = {
    "full": [
        ("read_file", {"path": "notes.md"}),
        ("write_file", {"path": "notes.md", "content": NOTES_FIXED}),
        ("write_file", {"path": "hello.py", "content": HELLO}),
    ],
    "edit": [
        ("read_file", {"path": "notes.md"}),
        ("write_file", {"path": "notes.md", "content": NOTES_FIXED}),
    ],
    "fail": [("read_file", {"path": "no-such-file.txt"})],
}
ENDS = {"full": "Everything is done.", "edit": "The notes are right.", "fail": "It went wrong."}


def step(messages: list[ModelMessage]) -> ModelResponse:
    """The next answer: the scene's next call, or its last words."""
    place = max(i for i, m in enumerate(messages) if any(isinstance(p, UserPromptPart) for p in m.parts))
    words = " ".join(str(p.content) for p in messages[place].parts if isinstance(p, UserPromptPart))
    scene = next((tag for tag in (*CALLS, "slow", "error") if f"#{tag}" in words), "hi")
    if scene == "error":
        raise RuntimeError("scripted failure")
    calls = CALLS.get(scene, [])
    done = sum(isinstance(message, ModelResponse) for message in messages[place:])
    if done < len(calls):
        return ModelResponse(parts=[TextPart("I go on. "), ToolCallPart(*calls[done])])
    say = LONG if scene == "slow" else ENDS.get(scene, "Good day from the scripted model.")
    return ModelResponse(parts=[TextPart(say)])


def whole(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """The answer at once."""
    return step(messages)


async def stream(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[object]:
    """The answer in pieces; the long one takes its time."""
    import asyncio
    import json

    for index, part in enumerate(step(messages).parts):
        if isinstance(part, TextPart):
            for word in part.content.split(" "):
                yield word + " "
                await asyncio.sleep(0.05 if part.content == LONG else 0)
        elif isinstance(part, ToolCallPart):
            ident = f"call_{time.monotonic_ns()}"
            yield {
                index: DeltaToolCall(name=part.tool_name, json_args=json.dumps(part.args), tool_call_id=ident)
            }


agent = Agent(FunctionModel(whole, stream_function=stream), name="matrix")  # type: ignore[arg-type]


@agent.tool_plain
def read_file(path: str) -> str:
    """Read a file."""
    return Path(path).read_text(encoding="utf-8")


@agent.tool_plain(requires_approval=True)
def write_file(path: str, content: str) -> str:
    """Write a file."""
    Path(path).write_text(content, encoding="utf-8")
    return "written"


if __name__ == "__main__":
    # Sessions outlive the process.
    store = FileSessionStore(Path.home() / "sessions")
    run_acp(agent=agent, config=AdapterConfig(agent_name="matrix", session_store=store))
