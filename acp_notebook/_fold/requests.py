"""What we ask the agent, and its answers: starting, opening sessions, prompts, settings, cancelling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from . import sign_in
from .about import AgentInfo
from .ends import end_everything, end_turn
from .frozen import EMPTY, evolve, with_key, without_key
from .places import active_places, begin_turn, count, turn_at, turn_to_fill, with_turn
from .read import blocks, error_text, integer, mapping, string, usage
from .reopened import holds
from .settings import mode_set, model_set, opened, options_told
from .state import Session, Turn

Json: TypeAlias = Mapping[str, Any]

OPENS = frozenset({"session/new", "session/load", "session/resume", "session/fork"})
"""Requests whose answer or parameters name a session of ours."""

CANCELLED = -32800
"""Error code of a cancelled request (protocol page "Cancellation")."""


def asked_agent(
    session: Session, method: str, request_id: int | str | None, params: Json, t: float
) -> Session:
    """Fold a request of ours."""
    rule = _REQUESTS.get(method)
    session, info = rule(session, params, t) if rule is not None else (session, None)
    if request_id is None:
        return session
    return evolve(session, sent=with_key(session.sent, request_id, (method, info)))


def _initialize(session: Session, params: Json, t: float) -> tuple[Session, Any]:
    """A new process: whatever the last one left open has ended, and request ids start anew."""
    del params
    session = end_everything(session, t, "error", "The agent was started anew before it had answered.")
    session = evolve(
        session,
        phase="starting",
        process=session.process + 1,
        exit=None,
        sent=EMPTY,
        asked=EMPTY,
        terminal_turns=EMPTY,
        replaying=None,
    )
    return session, None


def _open(session: Session, params: Json, t: float) -> tuple[Session, Any]:
    del t
    cwd = string(params.get("cwd"))
    session = evolve(session, phase="starting", cwd=session.cwd if cwd is None else cwd)
    return session, (string(params.get("sessionId")), session.title, session.context)


def _reopen(session: Session, params: Json, t: float) -> tuple[Session, Any]:
    """Load and resume name a session of ours, and its history may be replayed until they are answered."""
    session, info = _open(session, params, t)
    session_id = info[0]
    first = len(session.closed) + (session.current is not None)
    session = evolve(session, replaying=(session_id, first, holds(session, session_id)))
    if session_id != session.session_id:
        # What is known of it holds until the agent tells something else, which may come with the history.
        title, context = session.left.get(session_id or "", (None, None))
        session = evolve(session, title=title, context=context)
    return (session if session_id is None else named(session, session_id)), info


def named(session: Session, session_id: str) -> Session:
    """The session with one more id that is its own."""
    return evolve(session, own_ids=session.own_ids | {session_id})


def _prompt(session: Session, params: Json, t: float) -> tuple[Session, Any]:
    """A prompt begins a turn; it takes over a queued one with the same content."""
    session_id, prompt = string(params.get("sessionId")), blocks(params.get("prompt"))
    if session_id is not None:
        session = named(session, session_id)
        session = evolve(session, session_id=session_id) if session.session_id is None else session
    turn = next((q for q in session.queued if q.prompt == prompt), None)
    if turn is not None:
        session = evolve(session, queued=tuple(q for q in session.queued if q is not turn))
    cost = session.context.cost if session.context else None
    turn = evolve(
        turn or Turn(prompt=prompt),
        session_id=session_id,
        status="submitted",
        started=t,
        cost_before=cost,
        process=session.process,
    )
    session = evolve(begin_turn(session, turn), phase="ready")
    return session, len(session.closed)


def _set_mode(session: Session, params: Json, t: float) -> tuple[Session, Any]:
    del t
    return session, string(params.get("modeId"))


def _set_model(session: Session, params: Json, t: float) -> tuple[Session, Any]:
    del t
    return session, string(params.get("modelId"))


_REQUESTS: dict[str, Callable[[Session, Json, float], tuple[Session, Any]]] = {
    "initialize": _initialize,
    "session/new": _open,
    "session/fork": _open,
    "session/load": _reopen,
    "session/resume": _reopen,
    "authenticate": sign_in.trying,
    "session/prompt": _prompt,
    "session/set_mode": _set_mode,
    "session/set_model": _set_model,
}


def cancelled(session: Session, params: Json) -> Session:
    """Fold our `session/cancel`: the running turns of that session are asked to stop."""
    session_id = string(params.get("sessionId"))
    for place in active_places(session):
        turn = turn_to_fill(session, place)
        if not turn.cancel_requested and session_id in (None, turn.session_id):
            session = with_turn(session, place, evolve(turn, cancel_requested=True))
    return session


# ----------------------------------------------------------------------------------------------- answers


def agent_answered(session: Session, value: object, msg: Json, t: float) -> Session:
    """Fold the agent's answer to a request of ours."""
    request_id = _which(session, value)
    if request_id is None:
        return count(session, ("response",))
    method, info = session.sent[request_id]
    session = evolve(session, sent=without_key(session.sent, request_id))
    if "error" in msg:
        session = sign_in.refused(session, method, msg["error"])
    else:
        session = sign_in.answered(session, method)
    if method == "authenticate":
        return sign_in.tried(session, msg)
    if method == "session/prompt":
        return _prompt_answered(session, info, msg, t)
    if method in OPENS:
        return _open_answered(session, method, info, msg)
    rule = _ANSWERS.get(method)
    return session if rule is None or "error" in msg else rule(session, info, mapping(msg.get("result")))


def _which(session: Session, value: object) -> int | str | None:
    """Our request that an answer means. Some agents turn the number into a string or a float."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, (int, str)) and value in session.sent:
        return value
    return next((i for i in session.sent if str(i) == value), None)


def _open_answered(session: Session, method: str, info: Any, msg: Json) -> Session:
    """A session is open, or could not be opened: then an older one goes on, if there is any."""
    session_id, title, context = info
    if method in ("session/load", "session/resume"):
        session = evolve(session, replaying=None)
        if "error" in msg and session_id != session.session_id:
            session = evolve(session, title=title, context=context)
    if "error" in msg and sign_in.needs_sign_in(msg["error"]):
        return evolve(session, phase="idle" if session.session_id is None else "ready")
    if "error" in msg:
        warning = f"{method}: {error_text(msg['error'])}"
        phase = "starting" if session.session_id is None else "ready"
        return evolve(session, phase=phase, warnings=(*session.warnings, warning))
    result = mapping(msg.get("result"))
    if method in ("session/new", "session/fork"):
        session_id = string(result.get("sessionId"))
        # It has no title yet, and its tokens and cost are counted anew.
        session = evolve(session, title=None, context=None)
    if session.session_id not in (None, session_id):
        session = evolve(session, left=with_key(session.left, session.session_id, (title, context)))
    if session_id is not None:
        session = evolve(named(session, session_id), session_id=session_id)
    return opened(sign_in.works(evolve(session, phase="ready")), result)


def _prompt_answered(session: Session, place: int, msg: Json, t: float) -> Session:
    turn = turn_at(session, place)
    assert turn is not None
    result, error = mapping(msg.get("result")), msg.get("error")
    reason = string(result.get("stopReason"))
    if not turn.active:
        # It was given up before; the agent's word and its counts are still worth having.
        late = evolve(turn, stop_reason=reason, usage=usage(result.get("usage")))
        return with_turn(session, place, late)
    if "error" in msg:
        if turn.cancel_requested and integer(mapping(error).get("code")) == CANCELLED:
            return end_turn(session, place, t, stop_reason="cancelled")
        return end_turn(session, place, t, "error", error=error_text(error))
    session = sign_in.works(session)
    if reason is None:
        session = count(session, ("stop_reason",))
    return end_turn(session, place, t, stop_reason=reason, usage=usage(result.get("usage")))


def _initialized(session: Session, info: Any, result: Json) -> Session:
    del info
    said, methods = mapping(result.get("agentInfo")), result.get("authMethods")
    agent = evolve(
        session.agent or AgentInfo(),
        name=string(said.get("name")),
        title=string(said.get("title")),
        version=string(said.get("version")),
        protocol_version=integer(result.get("protocolVersion")),
        capabilities=result.get("agentCapabilities"),
        auth_methods=tuple(methods) if isinstance(methods, list) else (),
    )
    return sign_in.offered(evolve(session, agent=agent), result)


_ANSWERS: dict[str, Callable[[Session, Any, Json], Session]] = {
    "initialize": _initialized,
    "logout": lambda session, *_: sign_in.signed_out(session),
    "session/set_mode": lambda session, mode, _: mode_set(session, mode),
    "session/set_model": lambda session, model, _: model_set(session, model),
    "session/set_config_option": lambda session, _, result: options_told(session, result),
}
