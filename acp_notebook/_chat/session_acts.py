"""What a person may do with sessions and their settings, on the agent's loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._chat import controls, listing
from acp_notebook._chat.opening import Wanted, offers
from acp_notebook._errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._agent.protocol import Initialized
    from acp_notebook._chat.engine import Engine
    from acp_notebook._chat.listing import SessionInfo
    from acp_notebook._chat.opening import Way
    from acp_notebook._fold.state import Session

NOT_FOUND = -32002
"""For close and delete this counts as done: the session is gone."""


async def set_option(engine: Engine, option_id: str, value: str | bool) -> None:
    """Set a config option; ValueError if there is none of that id, AgentError if the agent refuses."""
    await _ask(engine, lambda session: controls.option_step(session, option_id, value))


async def set_mode(engine: Engine, mode: str) -> None:
    """Change the mode; ValueError if the agent has none, AgentError if it refuses."""
    await _ask(engine, lambda session: controls.mode_step(session, mode))


async def set_model(engine: Engine, model: str) -> None:
    """Change the model; ValueError if the agent offers no choice, AgentError if it refuses."""
    await _ask(engine, lambda session: controls.model_step(session, model))


async def _ask(engine: Engine, step: Callable[[Session], controls.Step]) -> None:
    await engine.start()
    method, params = step(engine.session)
    await engine.request(method, params)


async def sessions(engine: Engine) -> tuple[SessionInfo, ...]:
    """The sessions of this agent in this folder: the agent's list, and those that only we know of."""
    await engine.start()
    recorded = await listing.of_records(engine.settings)
    link = engine.link
    listed = (
        await listing.of_agent(link, engine.settings.cwd) if link and listing.can_list(link.offers) else []
    )
    return listing.merged(listed, recorded)


async def open_session(engine: Engine, session_id: str, way: Way | None = None) -> None:
    """Go on with a session from before in this chat."""
    if session_id == engine.session.session_id and way != "fork":
        raise ValueError("The chat is in this session already.")
    await engine.switch(Wanted(session_id, await engine.history.find(session_id), way))


async def fork_session(engine: Engine, session_id: str | None = None) -> None:
    """Go on with a copy of a session; None: of the current one."""
    await engine.start()
    wanted = session_id or engine.session.session_id
    if wanted is None:
        raise ValueError("There is no session to copy yet.")
    _needs(engine, "fork", "copy sessions")
    await engine.switch(Wanted(wanted, None, "fork"))


async def end_session(engine: Engine, session_id: str, verb: str) -> None:
    """Close or delete a session that is not the current one."""
    await engine.start()
    _needs(engine, verb, f"{verb} sessions")
    if session_id == engine.session.session_id:
        raise ValueError(f"The chat is in this session: open another one before you {verb} it.")
    try:
        await engine.request(f"session/{verb}", {"sessionId": session_id})
    except AgentError as error:
        if error.code != NOT_FOUND:
            raise


def abilities(agent: Initialized) -> list[str]:
    """What this agent lets clients do with sessions, for the picker."""
    able: list[str] = [way for way in ("load", "resume", "fork") if offers(agent, way)]
    return [*able, *(verb for verb in ("list", "close", "delete") if verb in agent.session)]


def _needs(engine: Engine, capability: str, what: str) -> None:
    link = engine.link
    if link is None or capability not in link.offers.session:
        raise ValueError(f"This agent does not let clients {what}.")


async def picker(engine: Engine) -> dict[str, Any]:
    """What the widget's session picker shows."""
    found = await sessions(engine)
    return {
        "current": engine.session.session_id,
        "able": [] if engine.link is None else abilities(engine.link.offers),
        "sessions": [vars(info) for info in found],
    }
