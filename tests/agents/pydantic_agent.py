"""A real agent without a model: pydantic-acp around a pydantic-ai agent whose model is a function.

It reads ``notes.md``, asks for leave to rewrite it, and answers.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic_acp import AdapterConfig, run_acp
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

STEPS: list[tuple[str, tuple[str, dict[str, str]] | None]] = [
    ("I read the notes first.", ("read_file", {"path": "notes.md"})),
    ("There is a spelling mistake.", ("write_file", {"path": "notes.md", "content": "The notes.\n"})),
    ("The notes are **right** now.", None),
]


def step(messages: list[ModelMessage]) -> tuple[str, tuple[str, dict[str, str]] | None]:
    """Return what comes next in this turn."""
    done = 0
    for message in reversed(messages):
        if any(isinstance(part, UserPromptPart) for part in message.parts):
            break
        done += isinstance(message, ModelResponse)
    return STEPS[min(done, len(STEPS) - 1)]


def whole(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """Answer in one piece."""
    text, call = step(messages)
    parts: list[TextPart | ToolCallPart] = [TextPart(text)]
    if call is not None:
        parts.append(ToolCallPart(*call))
    return ModelResponse(parts=parts)


async def streamed(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    """Answer word by word."""
    text, call = step(messages)
    for word in text.split(" "):
        yield word + " "
    if call is not None:
        name, arguments = call
        yield {
            1: DeltaToolCall(name=name, json_args=json.dumps(arguments), tool_call_id=f"call_{len(messages)}")
        }


agent = Agent(FunctionModel(whole, stream_function=streamed), name="notes")


@agent.tool_plain
def read_file(path: str) -> str:
    """Read a file of the folder."""
    return Path(path).read_text()


@agent.tool_plain(requires_approval=True)
def write_file(path: str, content: str) -> str:
    """Write a file of the folder."""
    Path(path).write_text(content)
    return "written"


if __name__ == "__main__":
    run_acp(agent=agent, config=AdapterConfig(agent_name="notes"))
