"""What is known about a session besides its turns, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .frozen import no_entries


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of money in an ISO 4217 currency."""

    amount: float
    currency: str


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """What the agent says about itself; what is absent from `capabilities` is unsupported."""

    name: str | None = None
    title: str | None = None
    version: str | None = None
    command: tuple[str, ...] = ()
    protocol_version: int | None = None
    capabilities: Any = None
    auth_methods: tuple[Any, ...] = ()
    # The fold's own memory: variables that it is started with, secrets left out.
    env: Mapping[str, str] = field(default_factory=no_entries)

    @property
    def remote(self) -> bool:
        """Whether it is behind an address (``Agent(url=...)``), which then stands for its command."""
        return self.command[:1] != () and self.command[0].startswith(("ws://", "wss://"))


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command; it is sent as prompt text ``/name arguments``."""

    name: str
    description: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """A mode or a model."""

    id: str
    name: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Models:
    """The models of agents that speak the older ``models`` field."""

    current: str | None
    available: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class ConfigChoice:
    """One value of a config option."""

    value: str
    name: str
    description: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigOption:
    """A setting of the session: `type` select or boolean, or a word that the protocol does not know."""

    id: str
    name: str
    description: str | None
    category: str | None
    type: str
    value: str | bool | None
    choices: tuple[ConfigChoice, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """Tokens in the agent's context window, its size, and the session's cost so far."""

    used: int | None
    size: int | None
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class Exit:
    """How the agent's process, or the chat, ended."""

    code: int | None = None
    signal: str | None = None
    stderr: str = ""
    reason: str | None = None
