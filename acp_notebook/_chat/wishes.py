"""Carries out what a person asks of the queue, the settings and the sessions in the widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._chat import session_acts as acts
from acp_notebook._chat import wire_log
from acp_notebook._front.wishes import (
    Edit,
    Move,
    ResumeQueue,
    SessionAct,
    Sessions,
    Set,
    SignIn,
    SignOut,
    WireLog,
)

if TYPE_CHECKING:
    from acp_notebook._chat.engine import Engine
    from acp_notebook._front.wishes import Wish


async def carry_out(engine: Engine, wish: Wish) -> tuple[str | None, Any]:
    """Do it; what the agent refuses until somebody signs in is done afterwards.

    Returns
    -------
    str or None, object
        A sentence if it was not done; what the browser asked for, if it asked for something.

    Raises
    ------
    Exception
        What the agent or the engine says against it.
    """
    held = engine.signing.refused
    match wish:
        case Move(turn=turn, to=to):
            return engine.queue.move(turn, to), None
        case Edit(turn=turn, text=text):
            return engine.queue.edit(turn, text), None
        case ResumeQueue():
            engine.resume()
        case Set():
            await held.through(lambda: _set(engine, wish), attended=True)
        case Sessions():
            return None, await held.through(lambda: acts.picker(engine), attended=True)
        case SessionAct():
            await held.through(lambda: _session(engine, wish), attended=True)
        case SignIn(method=method, values=values):
            await engine.signing.sign_in(method, values=values)
        case SignOut():
            await engine.signing.sign_out()
        case WireLog(after=after):
            return None, wire_log.entries(engine.records, after)
    return None, None


async def _set(engine: Engine, wish: Set) -> None:
    if wish.what == "option":
        await acts.set_option(engine, wish.name, wish.value)
    elif wish.what == "mode":
        await acts.set_mode(engine, str(wish.value))
    else:
        await acts.set_model(engine, str(wish.value))


async def _session(engine: Engine, wish: SessionAct) -> None:
    if wish.act == "new":
        await engine.switch(None)
    elif wish.act == "fork":
        await acts.fork_session(engine, wish.session)
    elif wish.session is None:
        raise ValueError("Which session is meant?")
    elif wish.act == "open":
        await acts.open_session(engine, wish.session)
    else:
        await acts.end_session(engine, wish.session, wish.act)
