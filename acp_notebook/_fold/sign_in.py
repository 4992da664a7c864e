"""Signing in: what the agent offers, when it insists, what was tried (protocol page "Authentication")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from .about import AgentInfo
from .auth import Auth, AuthMethod, auth_methods
from .frozen import evolve
from .read import error_text, integer, mapping, string
from .state import Session

Json: TypeAlias = Mapping[str, Any]

REQUIRED = -32000
"""Error code "authentication required" (protocol schema, ``ErrorCode``)."""

_NOT_DUE: dict[str, Any] = {
    "required": False,
    "message": None,
    "running": None,
    "error": None,
    "refused": None,
}


def offered(session: Session, result: Json) -> Session:
    """Take the methods from the answer to ``initialize``; a new process knows nothing of earlier tries."""
    methods = _methods(session, result.get("authMethods"))
    logout = mapping(mapping(result.get("agentCapabilities")).get("auth")).get("logout")
    told = Auth(methods=methods, logout=isinstance(logout, dict))
    return _with(session, told if told != Auth() else None)


def refused(session: Session, method: str, error: object) -> Session:
    """The agent has answered with an error; it may be the one that asks for a sign-in."""
    if integer(mapping(error).get("code")) != REQUIRED:
        return session
    auth = session.auth or Auth()
    # Some name their methods only now.
    named = _methods(session, mapping(mapping(error).get("data")).get("authMethods"))
    message = string(mapping(error).get("message"))
    return _with(
        session,
        evolve(
            auth,
            required=True,
            message=message,
            methods=auth.methods or named,
            running=None,
            refused=method,
        ),
    )


def needs_sign_in(error: object) -> bool:
    """Whether an error is the one that asks for a sign-in."""
    return integer(mapping(error).get("code")) == REQUIRED


def works(session: Session) -> Session:
    """The agent has done something that needs a sign-in where one is needed."""
    if session.auth is None:
        return session
    return evolve_auth(session, **_NOT_DUE)


def answered(session: Session, method: str) -> Session:
    """The agent has done what was asked; if it had refused that before, somebody has signed in."""
    due = session.auth is not None and session.auth.refused == method
    return works(session) if due else session


def trying(session: Session, params: Json, t: float) -> tuple[Session, Any]:
    """Our ``authenticate``."""
    del t
    return _try(session, string(params.get("methodId"))), None


def tried(session: Session, msg: Json) -> Session:
    """The answer to our ``authenticate``; whether it helped shows with the next request."""
    if "error" in msg:
        return evolve_auth(session, running=None, error=error_text(msg["error"]))
    return evolve_auth(session, **_NOT_DUE)


def signed_out(session: Session) -> Session:
    """Our ``logout`` was done: live sessions need a sign-in again."""
    return evolve_auth(session, required=True, message=None, running=None, error=None)


def noted(session: Session, note: Json, t: float) -> Session:
    """A try that does not cross the wire: a command in a terminal, variables for the next process."""
    del t
    if "error" in note:
        return evolve_auth(session, running=None, error=string(note["error"]))
    return _try(session, string(note.get("method")))


def _methods(session: Session, told: object) -> tuple[AuthMethod, ...]:
    agent = session.agent or AgentInfo()
    return auth_methods(told, agent.command, agent.env)


def _try(session: Session, method: str | None) -> Session:
    return evolve_auth(session, running=method, error=None)


def evolve_auth(session: Session, **changes: Any) -> Session:
    """The session with changes to what is known about signing in."""
    return _with(session, evolve(session.auth or Auth(), **changes))


def _with(session: Session, auth: Auth | None) -> Session:
    return session if auth == session.auth else evolve(session, auth=auth)
