"""The errors of this package.

::

    AcpNotebookError              anything this package raises on purpose
    ├── AgentNotFoundError        the agent's command is not there to be started
    │   └── AgentUnreachableError ... or the agent on another machine cannot be connected to
    ├── AgentExitedError          the agent's process ended before it had answered
    ├── AgentError                the agent answered a request with an error
    │   └── AuthRequiredError     ... namely that somebody has to sign in first
    ├── ProtocolError             what the agent says is not the protocol we speak
    ├── ChatClosedError           we closed the chat; nothing can be sent any more
    ├── RulesError                rules for permission requests cannot be read; also a ValueError
    └── TranscriptError           a transcript file cannot be read or written
        └── ReplayError           a prompt is not in the transcript that is replayed

Each error builds its own message from its data, says what to do where we know it, and keeps the data as
attributes. An error that a turn ended in has that turn as ``turn``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "AcpNotebookError",
    "AgentError",
    "AgentExitedError",
    "AgentNotFoundError",
    "AgentUnreachableError",
    "AuthRequiredError",
    "ChatClosedError",
    "ProtocolError",
    "ReplayError",
    "RulesError",
    "TranscriptError",
]

AUTH_REQUIRED = -32000
"""Error code of "authentication required" (protocol schema, ``ErrorCode``)."""

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
# Controls except line feed and tab, and the marks that reorder what follows.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def similar(word: str, words: Iterable[str]) -> str | None:
    """The one of some words that was probably meant by a misspelt one; None if none is like it."""
    import difflib

    return next(iter(difflib.get_close_matches(word, words, 1)), None)


class AcpNotebookError(Exception):
    """Root of the errors that this package raises on purpose.

    Attributes
    ----------
    turn : Turn or None
        The turn that ended in this error, if it was one.
    """

    turn: Any = None

    def __str__(self) -> str:
        """The message, unable to paint over a traceback: much of it is an agent's words."""
        text = _COLOURS.sub("", super().__str__()).replace("\r\n", "\n")
        return _UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


class AgentNotFoundError(AcpNotebookError):
    """Raised when the agent's command cannot be found or started.

    Parameters
    ----------
    command : sequence of str
        The command line that was tried.
    hint : str, optional
        What to do about it, for example how this agent is installed.
    """

    def __init__(self, command: Sequence[str], hint: str | None = None) -> None:
        self.command = tuple(command)
        self.hint = hint
        name = self.command[0] if self.command else "(empty command)"
        advice = hint or (
            f"Install it, or give its full path: Agent({f'/path/to/{name}'!r}). "
            "Programs installed after Jupyter was started may need a restart of Jupyter to be on PATH."
        )
        super().__init__(f"The agent's command {name!r} was not found. {advice}")


class AgentUnreachableError(AgentNotFoundError):
    """Raised when an agent on another machine cannot be connected to.

    Parameters
    ----------
    address : str
        Its url, without secrets.
    why : str
        What happened, and what to do about it.
    """

    def __init__(self, address: str, why: str) -> None:
        self.command = (address,)
        self.hint = why
        AcpNotebookError.__init__(self, f"The agent at {address} cannot be reached: {why}")


class AgentExitedError(AcpNotebookError):
    """Raised when the agent's process, or the connection to it, ended while an answer was still due.

    Parameters
    ----------
    command : sequence of str
        The command line of the agent.
    code : int or None
        Exit code; None if a signal ended it or the code is unknown.
    signal : str or None
        Name of the signal that ended it, such as ``"SIGKILL"``.
    stderr : str
        The end of what it wrote to its standard error; of a connection how it was closed.
    doing : str, optional
        What we were waiting for.
    """

    def __init__(
        self,
        command: Sequence[str],
        code: int | None = None,
        signal: str | None = None,
        stderr: str = "",
        doing: str | None = None,
    ) -> None:
        self.command = tuple(command)
        self.code = code
        self.signal = signal
        self.stderr = stderr
        self.doing = doing
        if command and command[0].startswith(("ws://", "wss://")):
            # Of an agent behind an address only the connection is known.
            during = f" It was to answer {doing}." if doing else ""
            said = stderr.strip() or f"The connection to {command[0]} was closed."
            super().__init__(f"{said}{during} Connect again with chat.restart().")
            return
        how = _how_it_ended(code, signal)
        during = f" during {doing}" if doing else ""
        line = shlex.join(self.command) or "(unknown command)"
        tail = stderr.strip()
        said = f"The end of its error output:\n{tail}" if tail else "It wrote nothing to its error output."
        super().__init__(
            f"The agent {line} ended{during} ({how}). Start it again with chat.restart(). {said}"
        )


def _how_it_ended(code: int | None, signal: str | None) -> str:
    if signal is not None:
        return f"signal {signal}"
    return "exit code unknown" if code is None else f"exit code {code}"


class AgentError(AcpNotebookError):
    """Raised when the agent answered a request with a JSON-RPC error.

    Parameters
    ----------
    code : int or None
        The error's code; None if the agent gave none.
    message : str
        The error's message, as sent.
    data : object
        The error's data, any JSON value.
    """

    def __init__(self, code: int | None, message: str, data: object = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        number = "" if code is None else f" (code {code})"
        super().__init__(f"The agent answered with an error{number}: {message}{_details(data)}")


def _details(data: object) -> str:
    """The part of an error's data that agents use for the human reason, if it is there."""
    if isinstance(data, dict):
        for key in ("details", "detail", "message", "reason"):
            if isinstance(text := data.get(key), str) and text:
                return f" ({text})"
    return f" ({data})" if isinstance(data, str) and data else ""


class AuthRequiredError(AgentError):
    """Raised when the agent wants a sign-in before it works (error code -32000).

    Parameters
    ----------
    message : str
        The agent's message.
    methods : sequence of str, optional
        The ways to sign in that the agent offers.
    data : object, optional
        The error's data.
    """

    def __init__(self, message: str, methods: Sequence[str] = (), data: object = None) -> None:
        super().__init__(AUTH_REQUIRED, message, data)
        self.methods = tuple(methods)
        offers = f" It offers: {'; '.join(self.methods)}." if self.methods else ""
        text = (
            f"The agent wants you to sign in first: {message.rstrip('.')}.{offers} Use chat.sign_in(...), or "
            "sign in once with the agent's own program in a terminal, or give its key: Agent(..., env={...})."
        )
        self.args = (text,)


class ProtocolError(AcpNotebookError):
    """Raised when the agent breaks the protocol in a way that cannot be worked around.

    Parameters
    ----------
    message : str
        What was wrong and what to do.
    """


class ChatClosedError(AcpNotebookError):
    """Raised when something is asked of a chat that we have closed."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(
            message
            or "This chat is closed. Its conversation stays readable; make a new Chat(...) to go on talking."
        )


class RulesError(AcpNotebookError, ValueError):
    """Raised when rules for permission requests cannot be read; the message says where and what to write."""


class TranscriptError(AcpNotebookError):
    """Raised when a transcript file cannot be read or written.

    Parameters
    ----------
    path : object
        The file.
    message : str
        What went wrong.
    """

    def __init__(self, path: object, message: str) -> None:
        self.path = path
        super().__init__(f"{message}: {path}")


class ReplayError(TranscriptError):
    """Raised when a prompt is not in the transcript that a chat replays.

    Parameters
    ----------
    prompt : str
        What was to be sent.
    nearest : str or None
        The recorded prompt that it resembles most; None if none is recorded.
    path : object
        The transcript.
    """

    def __init__(self, prompt: str, nearest: str | None, path: object) -> None:
        self.prompt = prompt
        self.nearest = nearest
        known = "Nothing is recorded there." if nearest is None else f"Recorded is:\n{_indented(nearest)}"
        super().__init__(path, "This prompt is not in the transcript that is replayed")
        text = (
            f"This prompt is not in the transcript {path}, which is replayed:\n{_indented(prompt)}\n{known}\n"
            "Record it anew (without replay, with record=PATH), or let the agent answer what is missing: "
            'Chat(..., replay_missing="live").'
        )
        self.args = (text,)


def _indented(text: str) -> str:
    """A text for an error: not endless, and set off from the words around it."""
    short = text if len(text) <= 2000 else f"{text[:2000]}… ({len(text) - 2000:,} more characters)"
    return "\n".join(f"    {line}" for line in short.split("\n"))
