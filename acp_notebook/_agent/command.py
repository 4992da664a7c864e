"""How an agent is started: the public value `Agent`, and what people may write in its place."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from acp_notebook._errors import AgentNotFoundError, similar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FIELDS = ("command", "args", "env", "cwd", "name", "url", "headers", "ca")


class Agent:
    """A command that speaks the Agent Client Protocol on its standard input and output.

    The value is frozen; two of them are equal if all their fields are.

    Parameters
    ----------
    command : str
        The program: a name that is looked up on ``PATH``, or a path.
    *args : str
        Its arguments, passed as they are (no shell reads them).
    env : mapping of str to str, optional
        Variables set *over* the whole environment of this process.
    cwd : str or path, optional
        The folder that the process starts in; by default that of the chat. The session's own
        folder is told to the agent separately (protocol page "session setup").
    name : str, optional
        What people call it; by default the command's last path part.
    url : str, optional
        Where an agent that runs already listens, ``ws://`` or ``wss://``; no process is started then, and
        `command` is left out. Needs the extra ``remote``. Folders are meant as that machine has them.
    headers : mapping of str to str, optional
        Sent with the connection to `url`, for example ``{"Authorization": "Bearer …"}``. Never recorded.
    ca : str or path, optional
        A file of certificates to trust for ``wss://`` in the place of the system's.
    """

    __slots__ = _FIELDS

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None
    name: str
    url: str | None
    headers: Mapping[str, str]
    ca: str | None

    def __init__(
        self,
        command: str = "",
        *args: str,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        name: str | None = None,
        url: str | None = None,
        headers: Mapping[str, str] | None = None,
        ca: str | os.PathLike[str] | None = None,
    ) -> None:
        if not isinstance(command, str) or not all(isinstance(arg, str) for arg in args):
            raise TypeError(f"an agent's command and arguments are strings, not {(command, *args)!r}")
        if not command and url is None:
            raise ValueError("an agent needs a command, for example Agent('opencode', 'acp')")
        if url is not None and urlsplit(url).scheme not in ("ws", "wss"):
            raise ValueError(f"an agent's url begins with ws:// or wss://, unlike {address(url)!r}")
        values = (
            command if url is None else address(url),
            args,
            MappingProxyType(dict(env or {})),
            None if cwd is None else os.fspath(cwd),
            name or Path(command).name or (url and urlsplit(url).hostname) or "agent",
            url,
            MappingProxyType(dict(headers or {})),
            None if ca is None else os.fspath(ca),
        )
        for field, value in zip(_FIELDS, values, strict=True):
            object.__setattr__(self, field, value)

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"an Agent does not change; make a new one to set {field!r}")

    def __delattr__(self, field: str) -> None:
        raise AttributeError(f"an Agent does not change; {field!r} stays")

    def _key(self) -> tuple[object, ...]:
        pairs = (tuple(sorted(self.env.items())), tuple(sorted(self.headers.items())))
        return (self.command, self.args, pairs, self.cwd, self.name, self.url, self.ca)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Agent) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[object, ...]:
        values = {field: getattr(self, field) for field in _FIELDS}
        return _restore, ({**values, "env": dict(self.env), "headers": dict(self.headers)},)

    def __repr__(self) -> str:
        # Values of variables are often keys and tokens: a repr that lands in a notebook names them only.
        parts = [repr(part) for part in (self.command, *self.args)]
        if self.url is not None:
            parts[0] = f"url={self.command!r}"
        if self.headers:
            parts.append(f"headers=<{', '.join(sorted(self.headers))}>")
        if self.env:
            parts.append(f"env=<{', '.join(sorted(self.env))}>")
        if self.cwd is not None:
            parts.append(f"cwd={self.cwd!r}")
        return f"Agent({', '.join(parts)})"

    @property
    def command_line(self) -> str:
        """The command as one could type it into a shell."""
        return shlex.join((self.command, *self.args))

    @classmethod
    def preset(cls, name: str, *, download: bool = False, env: Mapping[str, str] | None = None) -> Agent:
        """One of the agents that go by a short name, as it is installed here.

        Parameters
        ----------
        name : str
            As ``acp-notebook agents`` lists them: ``"claude"``, ``"codex"``, ``"gemini"`` …
        download : bool
            Whether npx or uvx may download the agent's package at each start, if it is not installed.
        env : mapping of str to str, optional
            Variables set over the environment of this process.

        Raises
        ------
        ValueError
            No preset has that name; the message lists them.
        """
        from acp_notebook._agent import presets

        found = presets.preset(name)
        if found is None:
            raise ValueError(f"there is no preset {name!r}, but {', '.join(presets.presets())}")
        return found.agent(download=download).with_env(env or {})

    @classmethod
    def from_registry(cls, source: str | os.PathLike[str], agent_id: str, *, download: bool = False) -> Agent:
        """An agent from a file in the form of the public ACP registry.

        Parameters
        ----------
        source : str or path
            The JSON file, or its http(s) address, which is then read now. The public one is
            https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json.
        agent_id : str
            The entry's ``id``.
        download : bool
            Whether npx or uvx may download the agent's package when it is started. An entry that has
            binaries only is never downloaded: its program has to be on ``PATH``.

        Raises
        ------
        ValueError
            The file is no such registry, has no such entry, or the entry cannot be started without a
            download.
        OSError
            It cannot be read.
        """
        from acp_notebook._agent import registry

        return registry.entry(source, agent_id).agent(download=download)

    def with_env(self, env: Mapping[str, str]) -> Agent:
        """The same agent with further variables in its environment."""
        if not env:
            return self
        values = {field: getattr(self, field) for field in _FIELDS}
        return _restore({**values, "env": {**self.env, **env}})


def _restore(values: dict[str, Any]) -> Agent:
    fields = dict(values)
    return Agent(fields.pop("command"), *fields.pop("args"), **fields)


def demo_agent() -> Agent:
    """Return the agent that comes with this package: offline, deterministic, needs no account."""
    return Agent(sys.executable, "-m", "acp_notebook", "demo-agent", name="demo agent")


def resolve(agent: str | Sequence[str] | Agent | None) -> Agent:
    """Turn what a person may write for an agent into an `Agent`.

    Parameters
    ----------
    agent : str, sequence of str, Agent or None
        A preset's name, else a command line (split as a shell would); or the command and its
        arguments; or an `Agent`; or None for the demo agent.

    Raises
    ------
    ValueError
        If the command is empty or its quotes do not close.
    TypeError
        If it is none of these.
    """
    if agent is None:
        return demo_agent()
    if isinstance(agent, Agent):
        return agent
    if isinstance(agent, str):
        from acp_notebook._agent import presets

        known = presets.preset(agent)
        if known is not None:
            return known.agent()
        if agent.startswith(("ws://", "wss://")):
            return Agent(url=agent)
        try:
            # Backslashes of Windows paths would vanish under the POSIX rules.
            words = shlex.split(agent, posix=os.name != "nt")
        except ValueError as error:
            raise ValueError(f"cannot split the agent's command line {agent!r}: {error}") from error
    else:
        try:
            words = [os.fspath(word) for word in agent]
        except TypeError as error:
            raise TypeError(
                f"an agent is a name, a command line, a list of words or an Agent, not {agent!r}"
            ) from error
    if not words:
        raise ValueError("the agent's command is empty; try Chat() for the demo agent")
    return Agent(*words)


def address(url: str) -> str:
    """A url for people: without what may be a secret in it, that is user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def environment(agent: Agent) -> dict[str, str]:
    """Return the whole environment that the agent's process gets."""
    return {**os.environ, **agent.env}


def find(agent: Agent, cwd: str) -> str:
    """Return the path of the agent's program.

    Parameters
    ----------
    agent : Agent
        What to start.
    cwd : str
        The folder it starts in; a command with a slash in it is relative to that.

    Raises
    ------
    AgentNotFoundError
        If there is no such program; it names the command and the ``PATH`` looked at.
    """
    path = environment(agent).get("PATH", os.defpath)
    if os.path.dirname(agent.command):  # noqa: PTH120 — Path would drop the "./" that makes it relative
        found = shutil.which(str(Path(cwd, agent.command)))
        if found is None:
            raise not_found(agent, f"seen from {cwd} there is no such file that may be executed")
    else:
        found = program(agent.command, path)
    if found is None:
        raise not_found(
            agent, f"there is no such program beside {sys.executable} or on PATH, which is {path}"
        )
    return found


def program(name: str, path: str | None = None) -> str | None:
    """Where a program is: on `path` (by default ``PATH``) or beside this Python; None if it is not there.

    Kernels are often started without their environment's bin folder on ``PATH``; what pip installed beside
    this Python is meant all the same.
    """
    path = os.environ.get("PATH", os.defpath) if path is None else path
    return shutil.which(name, path=os.pathsep.join((path, str(Path(sys.executable).parent))))


def not_found(agent: Agent, why: str) -> AgentNotFoundError:
    """Build the error for a command that cannot be started, with what to do about it."""
    from acp_notebook._agent import presets

    known = presets.preset(agent.name)
    if known is not None and any(agent.command == c.command[0] for c in known.candidates):
        hint = (
            f"{known.looked_for()} Programs installed after Jupyter was started may need a restart of "
            f"Jupyter to be on PATH; {why}."
        )
        return AgentNotFoundError((agent.command, *agent.args), hint)
    name = similar(agent.command, presets.presets())
    meant = f"Did you mean the short name {name!r}? " if name else ""
    hint = (
        f"{meant}Tried `{agent.command_line}`: {why}. Install it, or give its full path, as in "
        f"Agent('/path/to/{Path(agent.command).name}'). Programs installed after Jupyter was started "
        "may need a restart of Jupyter to be on PATH."
    )
    return AgentNotFoundError((agent.command, *agent.args), hint)
