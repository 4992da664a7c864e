"""The public registry of agents: a JSON file that says how each can be started.

Its form: https://github.com/agentclientprotocol/registry/blob/main/FORMAT.md. It is read only when somebody
names it, and nothing that it points to is fetched from here.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from acp_notebook._agent.command import Agent, program

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BYTES = 8_000_000
"""A longer file is no registry."""

PATIENCE = 20.0
"""Seconds that an address has to answer."""

_RUNNERS = {"npx": ("npx", "--yes"), "uvx": ("uvx",)}


@dataclass(frozen=True)
class Entry:
    """One agent of a registry, as far as starting it goes.

    Attributes
    ----------
    distribution
        As in the file: ``npx``, ``uvx`` and ``binary``, whichever there are.
    """

    id: str
    name: str
    version: str
    description: str
    distribution: Mapping[str, Any]

    def agent(self, *, download: bool = False) -> Agent:
        """The agent as it is started here.

        Raises
        ------
        ValueError
            It can only be had by a download that was not allowed, or not by us.
        """
        installed = self._binary()
        if installed is not None:
            return installed
        ways = [way for way in _RUNNERS if isinstance(self.distribution.get(way), dict)]
        if not ways:
            raise ValueError(self._where_to_get())
        if not download:
            packages = " or ".join(f"{way} downloads {self._package(way)}" for way in ways)
            raise ValueError(
                f"the registry's {self.id} is run by a program that fetches it: {packages}. "
                "Allow that with download=True."
            )
        way = next((way for way in ways if program(way) is not None), ways[0])
        return self._packaged(way)

    def _package(self, way: str) -> str:
        return str(self.distribution[way].get("package") or self.id)

    def _packaged(self, way: str) -> Agent:
        how = self.distribution[way]
        return Agent(
            *_RUNNERS[way], self._package(way), *_words(how.get("args")), env=_env(how), name=self.id
        )

    def _binary(self) -> Agent | None:
        """The agent by a program that is installed already, if its binary's name is on ``PATH``."""
        how = self._for_this_machine()
        command = how.get("cmd")
        if not isinstance(command, str):
            return None
        name = PureWindowsPath(command).name if "\\" in command else PurePosixPath(command).name
        if program(name) is None:
            return None
        return Agent(name, *_words(how.get("args")), env=_env(how), name=self.id)

    def _for_this_machine(self) -> dict[str, Any]:
        binaries = self.distribution.get("binary")
        how = binaries.get(machine()) if isinstance(binaries, dict) else None
        return how if isinstance(how, dict) else {}

    def _where_to_get(self) -> str:
        how = self._for_this_machine()
        if not how:
            return f"the registry's {self.id} has no way to be started on {machine()}"
        return (
            f"the registry's {self.id} is a program to be installed by hand: unpack {how.get('archive')} "
            f"and put {how.get('cmd')} on PATH"
        )


def machine() -> str:
    """The name of this machine in the registry's words, such as ``linux-x86_64``."""
    system = {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")
    chip = platform.machine().lower()
    return f"{system}-{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(chip, chip) }"


def read(source: str | os.PathLike[str]) -> dict[str, Entry]:
    """Read a registry: every entry by its id.

    Raises
    ------
    ValueError
        It is no registry.
    OSError
        It cannot be read.
    """
    try:
        content = json.loads(_fetch(source))
    except ValueError as error:
        raise ValueError(f"{os.fspath(source)} is no registry of agents: {error}") from error
    agents = content.get("agents") if isinstance(content, dict) else None
    if not isinstance(agents, list):
        raise ValueError(f"{os.fspath(source)} is no registry of agents: it has no list `agents`")  # noqa: TRY004 - a file's content, no argument
    entries = (_entry(agent) for agent in agents if isinstance(agent, dict))
    return {entry.id: entry for entry in entries if entry is not None}


def entry(source: str | os.PathLike[str], agent_id: str) -> Entry:
    """One entry of a registry; raises as `read`, and ValueError if there is none of that id."""
    entries = read(source)
    if agent_id not in entries:
        raise ValueError(
            f"there is no agent {agent_id!r} in {os.fspath(source)}, but {', '.join(sorted(entries))}"
        )
    return entries[agent_id]


def _entry(agent: dict[str, Any]) -> Entry | None:
    name, how = agent.get("id"), agent.get("distribution")
    if not isinstance(name, str) or not isinstance(how, dict):
        return None
    return Entry(name, _text(agent, "name"), _text(agent, "version"), _text(agent, "description"), how)


def _fetch(source: str | os.PathLike[str]) -> bytes:
    if isinstance(source, str) and urlsplit(source).scheme in ("http", "https"):
        from urllib.request import Request, urlopen

        request = Request(source, headers={"Accept": "application/json", "User-Agent": "acp-notebook"})  # noqa: S310 - http(s) only, see above
        with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - as above
            data: bytes = answer.read(MOST_BYTES + 1)
    else:
        with Path(source).expanduser().open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it is longer than {MOST_BYTES} bytes")
    return data


def _text(agent: Mapping[str, Any], field: str) -> str:
    value = agent.get(field)
    return value if isinstance(value, str) else ""


def _words(args: object) -> tuple[str, ...]:
    return tuple(arg for arg in args if isinstance(arg, str)) if isinstance(args, list) else ()


def _env(how: Mapping[str, Any]) -> dict[str, str]:
    env = how.get("env")
    return {k: v for k, v in env.items() if isinstance(v, str)} if isinstance(env, dict) else {}
