"""Agents that go by a short name: how each may be started, and where it parts from the protocol.

The facts are data, in ``presets.toml`` beside this module.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from acp_notebook._agent.command import Agent, program

if TYPE_CHECKING:
    from collections.abc import Mapping

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEMO = "demo"
"""The name of the agent that comes with this package."""


@dataclass(frozen=True)
class Candidate:
    """One way to start an agent.

    Attributes
    ----------
    command
        Program and arguments.
    package
        What the program downloads if it is not there yet; None: it downloads nothing.
    """

    command: tuple[str, ...]
    package: str | None = None


@dataclass(frozen=True)
class Quirk:
    """Where an agent parts from the protocol; `until` says when the entry can go.

    Attributes
    ----------
    missing_reads_empty
        Whether a file that is not there is served as an empty one.
    writes_itself
        Whether the agent writes a file itself too after it has written it through the client.
    plain_api_key
        Whether the agent takes a key in ``_meta`` of ``authenticate`` as a text, not inside an object.
    """

    about: str
    link: str
    until: str
    missing_reads_empty: bool = False
    writes_itself: bool = False
    plain_api_key: bool = False


@dataclass(frozen=True)
class Preset:
    """An agent that goes by a short name; the fields are those of ``presets.toml``."""

    name: str
    title: str
    candidates: tuple[Candidate, ...]
    install: str
    home: str | None = None
    also: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    quirks: tuple[Quirk, ...] = ()

    @property
    def found(self) -> Candidate | None:
        """The first way that needs no download and whose program is there."""
        here = (c for c in self.candidates if c.package is None and program(c.command[0]) is not None)
        return next(here, None)

    @property
    def download(self) -> Candidate | None:
        """The way that downloads, if its runner (npx, uvx) is there."""
        ways = (c for c in self.candidates if c.package is not None and program(c.command[0]) is not None)
        return next(ways, None)

    def agent(self, *, download: bool = False) -> Agent:
        """The agent as it is started here.

        Parameters
        ----------
        download
            Whether a way that downloads may be taken when nothing is installed.
        """
        chosen = self.found or (self.download if download else None) or self.candidates[0]
        title = "demo agent" if self.name == DEMO else self.name
        return Agent(*chosen.command, name=title)

    def looked_for(self) -> str:
        """What is looked for, and what else there is to do; for the error when nothing is found."""
        programs = " or ".join(f"`{' '.join(c.command)}`" for c in self.candidates if c.package is None)
        text = f"For {self.title}, {programs} was looked for. Install it: {self.install}."
        packaged = next((c for c in self.candidates if c.package is not None), None)
        if packaged is None:
            return text
        runner = packaged.command[0]
        if self.download is None:
            return f"{text} ({runner} would run it without installing, and is not there either.)"
        return (
            f"{text} Or let {runner} download {packaged.package} at each start: "
            f"Agent.preset({self.name!r}, download=True)."
        )


@functools.cache
def presets() -> Mapping[str, Preset]:
    """Every preset by its name, in the order of the file."""
    text = (resources.files("acp_notebook._agent") / "presets.toml").read_text(encoding="utf-8")
    return MappingProxyType({name: _read(name, table) for name, table in tomllib.loads(text).items()})


def _read(name: str, table: dict[str, Any]) -> Preset:
    ways = (
        Candidate(
            tuple(sys.executable if word == "{python}" else word for word in c["command"]), c.get("package")
        )
        for c in table["candidates"]
    )
    return Preset(
        name=name,
        title=table["title"],
        candidates=tuple(ways),
        install=table["install"],
        home=table.get("home"),
        also=tuple(table.get("also", ())),
        says=tuple(table.get("says", ())),
        env=tuple(table.get("env", ())),
        quirks=tuple(Quirk(**quirk) for quirk in table.get("quirks", ())),
    )


def preset(name: str) -> Preset | None:
    """The preset that a name means, also by another of its names; None if there is none."""
    word = name.strip().lower()
    return presets().get(word) or next((p for p in presets().values() if word in p.also), None)


def quirks(agent_name: str | None) -> tuple[Quirk, ...]:
    """The quirks of an agent by the name that it gives itself (``agentInfo.name``), however it is started."""
    return next((p.quirks for p in presets().values() if agent_name in p.says), ())
