"""The messages we send, and tolerant reading of the ones that matter before a turn.

What we send is built by functions, one a message; what an agent sends stays the plain JSON object that
came over the wire, because nothing in it may be lost (the fold reads it).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from acp_notebook._errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: The version of the protocol that this package speaks.
PROTOCOL_VERSION = 1

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800
AUTH_REQUIRED = -32000
RESOURCE_NOT_FOUND = -32002

JsonObject = dict[str, Any]


class RpcError(Exception):
    """Raised by what serves an agent's request; becomes the error that the agent is answered with.

    Parameters
    ----------
    code : int
        A JSON-RPC error code, one of the constants of this module.
    message : str
        One sentence for the agent, which often shows it to its model.
    data : object, optional
        Further JSON.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def initialize_params(*, fs: bool, terminal: bool, version: str, elicitation: bool = False) -> JsonObject:
    """Build the params of ``initialize``: who we are and what we serve.

    Parameters
    ----------
    fs, terminal : bool
        Whether files (both methods) and terminals (all five) are served.
    version : str
        The version of this package.
    elicitation : bool
        Whether forms and links are served.
    """
    capabilities: JsonObject = {
        "fs": {"readTextFile": fs, "writeTextFile": fs},
        "terminal": terminal,
        # Agents of two vendors offer a gateway of one's own to clients that can ask for its address.
        "auth": {"terminal": True, "_meta": {"gateway": True}},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        # Agents that run commands themselves then report the output as it comes.
        "_meta": {"terminal_output": True, "terminal-auth": True},
    }
    if elicitation:
        capabilities["elicitation"] = {"form": {}, "url": {}}
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": capabilities,
        "clientInfo": {"name": "acp-notebook", "title": "acp-notebook", "version": version},
    }


@dataclass(frozen=True)
class Initialized:
    """What an agent said about itself in its answer to ``initialize``.

    Capabilities that it left out, or sent in a form we cannot read, count as unsupported
    (protocol page "initialization").
    """

    name: str | None = None
    title: str | None = None
    version: str | None = None
    load_session: bool = False
    #: Prompt content besides text and links: image, audio, embeddedContext.
    prompt: frozenset[str] = frozenset()
    #: MCP servers besides stdio: http, sse.
    mcp: frozenset[str] = frozenset()
    #: list, resume, close, delete, fork, additionalDirectories …
    session: frozenset[str] = frozenset()
    auth_methods: tuple[JsonObject, ...] = ()
    raw: JsonObject = field(default_factory=dict, repr=False)


def read_initialize(result: object, command: str, stderr: str = "") -> Initialized:
    """Read an agent's answer to ``initialize`` and check the version.

    Parameters
    ----------
    result : object
        The answer's ``result``, whatever it is.
    command : str
        The agent's command line, for the error.
    stderr : str
        The end of what it wrote to stderr, for the error.

    Raises
    ------
    ProtocolError
        If the answer is no object, or the agent speaks another version of the protocol.
    """
    tail = stderr.strip()[-2000:]
    said = f" The end of its error output:\n{tail}" if tail else ""
    if not isinstance(result, dict):
        raise ProtocolError(
            f"`{command}` answered `initialize` with {type(result).__name__} instead of an object; "
            f"does this command speak the Agent Client Protocol?{said}"
        )
    spoken = result.get("protocolVersion")
    if isinstance(spoken, bool) or spoken != PROTOCOL_VERSION:
        raise ProtocolError(
            f"`{command}` speaks version {spoken!r} of the Agent Client Protocol, this package speaks "
            f"version {PROTOCOL_VERSION}. Upgrade the older of the two (pip install -U acp-notebook).{said}"
        )
    info = _object(result.get("agentInfo"))
    capabilities = _object(result.get("agentCapabilities"))
    methods = result.get("authMethods")
    return Initialized(
        name=_text(info.get("name")),
        title=_text(info.get("title")),
        version=_text(info.get("version")),
        load_session=capabilities.get("loadSession") is True,
        prompt=_flags(capabilities.get("promptCapabilities")),
        mcp=_flags(capabilities.get("mcpCapabilities")),
        session=_flags(capabilities.get("sessionCapabilities")),
        auth_methods=tuple(m for m in methods if isinstance(m, dict)) if isinstance(methods, list) else (),
        raw=result,
    )


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _flags(value: object) -> frozenset[str]:
    # Booleans must be true, object markers merely present and not null.
    return frozenset(
        key
        for key, mark in _object(value).items()
        if key != "_meta" and (mark is True or isinstance(mark, dict))
    )


def new_session_params(
    cwd: str, *, mcp_servers: Sequence[JsonObject] = (), additional_directories: Sequence[str] = ()
) -> JsonObject:
    """Build the params of ``session/new``; `cwd` is absolute, directories only where the agent takes them."""
    params: JsonObject = {"cwd": cwd, "mcpServers": list(mcp_servers)}
    if additional_directories:
        params["additionalDirectories"] = list(additional_directories)
    return params


def load_session_params(
    session_id: str,
    cwd: str,
    *,
    mcp_servers: Sequence[JsonObject] = (),
    additional_directories: Sequence[str] = (),
) -> JsonObject:
    """Build the params of ``session/load`` and ``session/resume``."""
    return {
        "sessionId": session_id,
        **new_session_params(cwd, mcp_servers=mcp_servers, additional_directories=additional_directories),
    }


def prompt_params(session_id: str, prompt: Iterable[JsonObject]) -> JsonObject:
    """Build the params of ``session/prompt`` from content blocks in the protocol's form."""
    return {"sessionId": session_id, "prompt": list(prompt)}


def cancel_params(session_id: str) -> JsonObject:
    """Build the params of ``session/cancel``."""
    return {"sessionId": session_id}


def set_mode_params(session_id: str, mode_id: str) -> JsonObject:
    """Build the params of ``session/set_mode``."""
    return {"sessionId": session_id, "modeId": mode_id}


def set_config_option_params(session_id: str, config_id: str, value: str | bool) -> JsonObject:
    """Build the params of ``session/set_config_option``; a boolean option says its type."""
    params: JsonObject = {"sessionId": session_id, "configId": config_id, "value": value}
    if isinstance(value, bool):
        params["type"] = "boolean"
    return params


def authenticate_params(method_id: str) -> JsonObject:
    """Build the params of ``authenticate``; the id is one that the agent advertised."""
    return {"methodId": method_id}


def permission_selected(option_id: str) -> JsonObject:
    """Build the result of ``session/request_permission`` when an option was chosen."""
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


def permission_cancelled() -> JsonObject:
    """Build the result of ``session/request_permission`` when nothing was chosen."""
    return {"outcome": {"outcome": "cancelled"}}
