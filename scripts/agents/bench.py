"""One agent in one fresh project, driven through `Chat`; what the scenarios look at afterwards."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acp_notebook import Agent, Chat, Policy, Session, Turn
from scripts.agents import install, script
from scripts.agents.model import Model

PATIENCE = 150.0
"""Seconds that a turn may take: some agents try a failing model for more than a minute."""


def picture(size: int = 16) -> bytes:
    """A small red PNG; codecs of agents look at checksums, so it is made, not copied."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xe0\x20\x20" * size) * size)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Bench:
    """An agent and its place.

    Parameters
    ----------
    name, spec
        An entry of ``agents.toml``.
    cache
        Where the agents are installed.
    folder
        A folder for this run alone; project and home are made in it.
    """

    def __init__(self, name: str, spec: Mapping[str, Any], cache: Path, folder: Path, model: Model) -> None:
        self.name = name
        self.spec = spec
        self.model = model
        self.project = folder / "project"
        self.home = folder / "home"
        self._folder = folder
        self._words = {
            "install": str(cache / name),
            "root": str(Path(__file__).parents[2]),
            "node": install.node(cache, spec),
            "home": str(self.home),
            "project": str(self.project),
            "model": f"{model.address}",
        }
        self._make_project()
        model.project = str(self.project)
        model.images = 0

    def _make_project(self) -> None:
        self.project.mkdir(parents=True)
        self.home.mkdir()
        (self.project / "notes.md").write_text(script.NOTES, encoding="utf-8")
        git = ["git", "-c", "user.name=Demo", "-c", "user.email=demo@example.org"]
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "start"]):
            env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
            subprocess.run([*git, *words], cwd=self.project, env=env, check=True)
        for path, text in self.spec.get("files", {}).items():
            file = self.home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self._fill(text), encoding="utf-8")

    def _fill(self, text: str) -> str:
        # Not str.format: the files are full of braces of their own.
        for word, value in self._words.items():
            text = text.replace("{" + word + "}", value)
        return text

    @contextmanager
    def chat(self) -> Iterator[Chat]:
        """A chat with the agent, in the mode that asks."""
        words = [self._fill(word) for word in self.spec["command"]]
        env = {name: self._fill(value) for name, value in self.spec.get("env", {}).items()}
        here = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config"), "TERM": "xterm"}
        here |= {"XDG_DATA_HOME": str(self.home / ".data"), "XDG_CACHE_HOME": str(self.home / ".cache")}
        agent = Agent(*words, env={**here, **env}, name=self.name)
        record = self._folder / "wire.jsonl"
        with Chat(agent, cwd=self.project, policy=Policy.ask(), record=record) as chat:
            yield chat

    def ready(self, chat: Chat) -> Chat:
        """Start it, and choose the mode in which it asks."""
        chat.start()
        if "mode" in self.spec:
            chat.set_mode(self.spec["mode"])
        return chat

    def turn(
        self, chat: Chat, *parts: object, answer: Answer | None = None, watch: Watch | None = None
    ) -> Turn:
        """Send a prompt as a person does, answer what is asked, and wait for the end."""
        handle = chat._enqueue(parts, attended=True)  # noqa: SLF001 - the way in that a widget has
        changed = threading.Event()
        leave = chat._subscribe(lambda _: changed.set())  # noqa: SLF001 - as above
        try:
            end = time.monotonic() + PATIENCE
            while not handle.handle.done.done():
                if time.monotonic() > end:
                    raise TimeoutError(f"the turn takes longer than {PATIENCE:g} s")
                if answer is not None and (chat.pending or chat.pending_questions):
                    answer(chat)
                if watch is not None:
                    watch(chat.session)
                changed.wait(0.1)
                changed.clear()
        finally:
            leave()
        return handle.snapshot

    def remove(self) -> None:
        """Take the run's folder away."""
        shutil.rmtree(self._folder, ignore_errors=True)


Answer = Callable[[Chat], None]
Watch = Callable[[Session], None]


def choosing(*kinds: str) -> Answer:
    """A person who presses the first button of the first of these kinds."""

    def answer(chat: Chat) -> None:
        for permission in chat.pending:
            options = [option for kind in kinds for option in permission.options if option.kind == kind]
            chat.answer(permission, options[0] if options else permission.options[0])

    return answer


def stopping(chat: Chat) -> None:
    """A person who stops the turn at the first request."""
    if not chat.session.turns[-1].cancel_requested:
        chat.cancel()


# --------------------------------------------------------------------------- what is looked at afterwards


def sent(chat: Chat) -> list[str]:
    """The kinds of the answers to permission requests that crossed the wire, each once."""
    kinds: dict[str, dict[str, str]] = {}
    found = set()
    for record in chat.log(last=100_000):
        msg = record.msg
        if record.dir == "in" and msg.get("method") == "session/request_permission":
            kinds[str(msg["id"])] = {o["optionId"]: o["kind"] for o in msg["params"]["options"]}
        elif record.dir == "out" and "method" not in msg and str(msg.get("id")) in kinds:
            outcome = (msg.get("result") or {}).get("outcome") or {}
            if "outcome" in outcome:
                found.add(kinds[str(msg["id"])].get(str(outcome.get("optionId")), outcome["outcome"]))
    return sorted(found)


def methods(chat: Chat, direction: str) -> list[str]:
    """The methods of one direction, in order."""
    return [r.msg["method"] for r in chat.log(last=100_000, direction=direction) if "method" in r.msg]


def calls(turn: Turn) -> list[str]:
    """The states in which its calls ended, each once."""
    return sorted({call.state for call in turn.tool_calls})


def shows(turn: Turn, words: str) -> bool:
    """Whether a line of a call's output, as a person sees it, begins with these words."""
    told = turn.to_json()
    found = [item["call"] for item in (*told["items"], *told["after"]) if item["kind"] == "tool_call"]
    parts = [[call["content"], call["raw_output"]] for call in found]
    texts = _texts([parts, [terminal["output"] for terminal in told["terminals"].values()]])
    return any(line.strip().startswith(words) for text in texts for line in text.splitlines())


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
