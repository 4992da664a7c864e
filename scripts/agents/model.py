"""A scripted model on loopback that speaks the four kinds of API that agents use.

The first part of the path names the dialect of tools (see `script.tools`), the rest is the API's own path:
``/opencode/v1/chat/completions``, ``/codex/v1/responses``, ``/claude/v1/messages``,
``/gemini/v1beta/models/NAME:streamGenerateContent``. It keeps no state: what it answers follows from the
conversation that it is sent.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from scripts.agents import script

if TYPE_CHECKING:
    from typing_extensions import Self

Json = dict[str, Any]

_numbers = itertools.count(1)


def new_id(prefix: str) -> str:
    """An id that was not given before."""
    return f"{prefix}{next(_numbers):04d}"


class Model(ThreadingHTTPServer):
    """The server; a context manager that serves on a thread of its own.

    Attributes
    ----------
    project
        The folder that the tools work in.
    images
        How many requests held a picture.
    """

    daemon_threads = True
    project = ""
    images = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def address(self) -> str:
        """Where agents find it, without a path."""
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, name="model", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """A client that has gone (a cancelled turn) is no error."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Model

    def log_message(self, *_: object) -> None:
        """Nothing: agents ask a lot."""

    def do_GET(self) -> None:
        """The list of models."""
        entry = {"id": "demo-model", "object": "model", "created": 1, "owned_by": "demo", "type": "model"}
        self._send({"object": "list", "data": [{**entry, "display_name": "Demo", "context_length": 200_000}]})

    def do_POST(self) -> None:
        """An answer of the model."""
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        body = json.loads(text) if text.strip() else {}
        path = self.path.split("?")[0]
        dialect = path.split("/")[1]
        if re.search(r'"image_url"|"input_image"|"inlineData"|"inline_data"|"type": ?"image"', text):
            self.server.images += 1
        if path.endswith(("count_tokens", ":countTokens")):
            self._send({"input_tokens": 1200, "totalTokens": 1200})
            return
        for end, read, write in APIS:
            if re.search(end, path):
                messages, offered = read(body)
                play = script.choose(messages, offered, script.tools(dialect, self.server.project))
                if play.step.fails:
                    self._send(failure(play.step.fails), play.step.fails)
                else:
                    write(self, body, play)
                return
        self._send({}, 404)

    def _send(self, body: Json, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    @contextlib.contextmanager
    def events(self) -> Iterator[None]:
        """Answer with server-sent events until the block ends."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(OSError):  # the agent has cancelled
            yield

    def event(self, data: Json | str, name: str | None = None) -> None:
        """Write one event."""
        head = f"event: {name}\n" if name else ""
        text = data if isinstance(data, str) else json.dumps(data)
        self.wfile.write(f"{head}data: {text}\n\n".encode())
        self.wfile.flush()

    def words(self, play: script.Play) -> Iterator[str]:
        """The text of a step in pieces, at its pace."""
        for piece in re.findall(r"(?:\S+\s*){1,4}", play.step.say):
            yield piece
            time.sleep(play.step.delay)


def failure(status: int) -> Json:
    """An error in a form that all of them read."""
    error = {"message": script.FAILURE, "type": "api_error", "code": status, "status": "INVALID_ARGUMENT"}
    return {"type": "error", "error": error}


def text_of(content: object) -> str:
    """The text of a message's content, whatever its form."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def arguments(value: object) -> str:
    """A call's arguments as text."""
    return value if isinstance(value, str) else json.dumps(value)


# ------------------------------------------------------------------------------------- chat completions


def read_chat(body: Json) -> tuple[list[tuple[str, str]], set[str]]:
    """Messages and names of tools."""
    messages = [(str(m.get("role")), text_of(m.get("content"))) for m in body.get("messages", [])]
    return messages, {t["function"]["name"] for t in body.get("tools") or [] if "function" in t}


def write_chat(to: Handler, body: Json, play: script.Play) -> None:
    """Text, then calls with their arguments in two pieces."""
    usage = {"prompt_tokens": 1200, "completion_tokens": 80, "total_tokens": 1280}
    base = {"id": new_id("chat-"), "created": 1, "model": body.get("model", "demo-model")}
    calls = [
        {
            "index": i,
            "id": new_id("call_"),
            "type": "function",
            "function": {"name": n, "arguments": arguments(a)},
        }
        for i, (n, a) in enumerate(play.calls)
    ]
    end = "tool_calls" if calls else "stop"
    if not body.get("stream"):
        message = {"role": "assistant", "content": play.step.say, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": end}
        to._send({**base, "object": "chat.completion", "usage": usage, "choices": [choice]})  # noqa: SLF001 - our own
        return

    def chunk(delta: Json, finish: str | None = None) -> Json:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return {**base, "object": "chat.completion.chunk", "choices": choices}

    with to.events():
        to.event(chunk({"role": "assistant", "content": ""}))
        for piece in to.words(play):
            to.event(chunk({"content": piece}))
        for call in calls:
            function: Json = call["function"]  # type: ignore[assignment]
            whole = function["arguments"]
            to.event(chunk({"tool_calls": [{**call, "function": {**function, "arguments": whole[:20]}}]}))
            to.event(chunk({"tool_calls": [{"index": call["index"], "function": {"arguments": whole[20:]}}]}))
        to.event(chunk({}, end))
        to.event({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        to.event("[DONE]")


# -------------------------------------------------------------------------------------------- responses


def read_responses(body: Json) -> tuple[list[tuple[str, str]], set[str]]:
    """Messages and names of tools."""
    given = body.get("input") or []
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    messages = []
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            messages.append((str(item.get("role")), text_of(item.get("content"))))
        else:
            messages.append(("tool" if kind.endswith("_output") else "assistant", ""))
    return messages, {str(t.get("name") or t.get("type")) for t in body.get("tools") or []}


def write_responses(to: Handler, body: Json, play: script.Play) -> None:
    """Items one after another; tools of the kind custom get plain text."""
    free = {t.get("name") for t in body.get("tools") or [] if t.get("type") == "custom"}
    usage = {"input_tokens": 1200, "output_tokens": 80, "total_tokens": 1280}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # type: ignore[dict-item]
    base = {"id": new_id("resp_"), "object": "response", "created_at": 1, "model": body.get("model")}
    done: list[Json] = []
    count = itertools.count()

    def say(kind: str, **fields: Any) -> None:
        to.event({"type": kind, "sequence_number": next(count), **fields}, kind)

    def item(added: Json, finished: Json) -> Iterator[int]:
        say("response.output_item.added", output_index=len(done), item=added)
        yield len(done)
        done.append(finished)
        say("response.output_item.done", output_index=len(done) - 1, item=finished)

    with to.events():
        say("response.created", response={**base, "status": "in_progress", "output": [], "usage": None})
        if play.step.say:
            ident = new_id("msg_")
            part = {"type": "output_text", "text": play.step.say, "annotations": []}
            whole = {
                "id": ident,
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
            for index in item({**whole, "status": "in_progress", "content": []}, whole):
                where = {"item_id": ident, "output_index": index, "content_index": 0}
                say("response.content_part.added", **where, part={**part, "text": ""})
                for piece in to.words(play):
                    say("response.output_text.delta", **where, delta=piece)
                say("response.output_text.done", **where, text=play.step.say)
        for name, given in play.calls:
            ident = new_id("fc_")
            whole = {"id": ident, "call_id": new_id("call_"), "name": name, "status": "completed"}
            if name in free:
                whole |= {"type": "custom_tool_call", "input": arguments(given)}
            else:
                whole |= {"type": "function_call", "arguments": arguments(given)}
            for _ in item({**whole, "status": "in_progress"}, whole):
                pass
        final = {**base, "status": "completed", "output": done, "usage": usage}
        say("response.completed", response=final)


# -------------------------------------------------------------------------------------------- messages


def read_messages(body: Json) -> tuple[list[tuple[str, str]], set[str]]:
    """Messages and names of tools; results of tools come as messages of the user."""
    messages = []
    for message in body.get("messages", []):
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        if message.get("role") == "user" and any(part.get("type") == "tool_result" for part in parts):
            messages.append(("tool", ""))
            if re.search(r"#\w", text_of(parts)):
                messages.append(("user", text_of(parts)))
        else:
            messages.append((str(message.get("role")), text_of(content)))
    return messages, {str(tool["name"]) for tool in body.get("tools") or []}


def write_messages(to: Handler, body: Json, play: script.Play) -> None:
    """Blocks one after another."""
    blocks: list[Json] = [{"type": "text", "text": play.step.say}] if play.step.say else []
    blocks += [{"type": "tool_use", "id": new_id("toolu_"), "name": n, "input": a} for n, a in play.calls]
    usage = {"input_tokens": 1000, "output_tokens": 80}
    reason = "tool_use" if play.calls else "end_turn"
    whole = {"id": new_id("msg_"), "type": "message", "role": "assistant", "model": body.get("model")}
    whole |= {"content": blocks, "stop_reason": reason, "stop_sequence": None, "usage": usage}
    if not body.get("stream"):
        to._send(whole)  # noqa: SLF001 - our own
        return

    def say(kind: str, **fields: Any) -> None:
        to.event({"type": kind, **fields}, kind)

    with to.events():
        say("message_start", message={**whole, "content": [], "stop_reason": None})
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                say("content_block_start", index=index, content_block={"type": "text", "text": ""})
                for piece in to.words(play):
                    say("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
            else:
                say("content_block_start", index=index, content_block={**block, "input": {}})
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
                say("content_block_delta", index=index, delta=delta)
            say("content_block_stop", index=index)
        say("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=usage)
        say("message_stop")


# --------------------------------------------------------------------------------------------- contents


def read_contents(body: Json) -> tuple[list[tuple[str, str]], set[str]]:
    """Messages and names of tools."""
    messages = []
    for message in body.get("contents", []):
        parts = message.get("parts") or []
        answers = any("functionResponse" in part for part in parts)
        role = "assistant" if message.get("role") == "model" else "tool" if answers else "user"
        messages.append((role, text_of(parts)))
    tools = [f["name"] for t in body.get("tools") or [] for f in t.get("functionDeclarations") or []]
    return messages, set(tools)


def write_contents(to: Handler, body: Json, play: script.Play) -> None:
    """Chunks of text, then calls; a request for JSON of a schema gets a plain answer of that schema."""
    config = body.get("generationConfig") or {}
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    text = json.dumps(filled(schema)) if schema and not play.calls else play.step.say
    calls = [{"functionCall": {"name": name, "args": given}} for name, given in play.calls]
    usage = {"promptTokenCount": 1200, "candidatesTokenCount": 80, "totalTokenCount": 1280}

    def chunk(parts: list[Json], end: str | None = None) -> Json:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if end is not None:
            candidate["finishReason"] = end
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "demo"}

    if "stream" not in to.path:
        to._send(chunk([{"text": text}, *calls], "STOP"))  # noqa: SLF001 - our own
        return
    with to.events():
        if schema:
            to.event(chunk([{"text": text}]))
        else:
            for piece in to.words(play):
                to.event(chunk([{"text": piece}]))
        for call in calls:
            to.event(chunk([call]))
        to.event(chunk([{"text": ""}], "STOP"))


def filled(schema: object) -> Any:
    """A plain value of a JSON schema."""
    if not isinstance(schema, dict):
        return None
    if schema.get("enum"):
        return schema["enum"][-1]
    kind = str(schema.get("type") or "object").lower()
    if kind == "object":
        return {name: filled(part) for name, part in (schema.get("properties") or {}).items()}
    return {"string": "ok", "number": 0, "integer": 0, "boolean": False, "array": []}.get(kind)


APIS = (
    (r"/chat/completions$", read_chat, write_chat),
    (r"/responses$", read_responses, write_responses),
    (r"/messages$", read_messages, write_messages),
    (r":(stream)?[gG]enerateContent$", read_contents, write_contents),
)
"""The end of the path, and how its requests are read and answered."""
