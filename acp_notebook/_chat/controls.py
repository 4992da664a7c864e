"""Setting what a session offers: config options, modes and models, by what the agent has advertised.

An agent that has config options means those, and its modes are for older clients (protocol page "Session
Config Options"). ``session/set_model`` is the older way for models that some agents still have alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._agent.protocol import set_config_option_params, set_mode_params
from acp_notebook._errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from acp_notebook._fold.state import ConfigOption, Session

    Ask = Callable[[str, dict[str, Any]], Awaitable[Any]]

Step = tuple[str, dict[str, Any]]
"""A method and its params."""


def option_step(session: Session, option_id: str, value: str | bool) -> Step:
    """What to ask the agent to set an option.

    Raises
    ------
    ValueError
        The agent offers no such option.
    """
    if not any(option.id == option_id for option in session.options):
        offered = ", ".join(repr(option.id) for option in session.options) or "none"
        raise ValueError(f"This agent has no option {option_id!r}; it has: {offered}.")
    return "session/set_config_option", set_config_option_params(_id(session), option_id, value)


def mode_step(session: Session, mode: str) -> Step:
    """What to ask the agent to change the mode; a config option of that category goes first.

    Raises
    ------
    ValueError
        The agent offers no modes.
    """
    option = of_category(session, "mode")
    if option is not None:
        return option_step(session, option.id, mode)
    if not session.modes:
        raise ValueError("This agent offers no modes.")
    return "session/set_mode", set_mode_params(_id(session), mode)


def model_step(session: Session, model: str) -> Step:
    """What to ask the agent to change the model; a config option of that category goes first.

    Raises
    ------
    ValueError
        The agent does not let clients choose a model.
    """
    option = of_category(session, "model")
    if option is not None:
        return option_step(session, option.id, model)
    if session.models is None:
        raise ValueError("This agent does not offer a choice of models.")
    return "session/set_model", {"sessionId": _id(session), "modelId": model}


def of_category(session: Session, category: str) -> ConfigOption | None:
    """The first option of a category."""
    return next((option for option in session.options if option.category == category), None)


async def restore(ask: Ask, now: Callable[[], Session], before: Session, warn: Callable[[str], None]) -> None:
    """Set again what was set before, as far as it is still offered.

    Parameters
    ----------
    ask
        Sends a request and waits for its answer.
    now
        The newest state: setting one option may change or remove others.
    before
        The state that is to come back.
    warn
        Told what could not be set.
    """
    for step in _steps(before):
        found = step(now())
        if found is None:
            continue
        name, (method, params) = found
        try:
            await ask(method, params)
        except AgentError as error:
            warn(f"{name} could not be set as before: {error.message}")


def _steps(before: Session) -> list[Callable[[Session], tuple[str, Step] | None]]:
    """Models first, then modes, then the rest: a model may bring its own set of options."""
    first = [option for option in before.options if option.category in ("model", "mode")]
    first.sort(key=lambda option: option.category != "model")
    rest = [option for option in before.options if option not in first]
    steps = [_option(option) for option in (*first, *rest)]
    if not before.options:
        steps += [lambda session: _model(session, before), lambda session: _mode(session, before)]
    return steps


def _option(wanted: ConfigOption) -> Callable[[Session], tuple[str, Step] | None]:
    def step(session: Session) -> tuple[str, Step] | None:
        option = next((each for each in session.options if each.id == wanted.id), None)
        value = wanted.value
        if option is None or value is None or option.value == value or option.type != wanted.type:
            return None
        if option.type == "select" and not any(choice.value == value for choice in option.choices):
            return None
        return option.name, option_step(session, option.id, value)

    return step


def _model(session: Session, before: Session) -> tuple[str, Step] | None:
    wanted = before.models.current if before.models is not None else None
    models = session.models
    if wanted is None or models is None or models.current == wanted:
        return None
    return ("The model", model_step(session, wanted)) if wanted in {m.id for m in models.available} else None


def _mode(session: Session, before: Session) -> tuple[str, Step] | None:
    wanted = before.mode
    if wanted is None or session.mode == wanted or wanted not in {mode.id for mode in session.modes}:
        return None
    return "The mode", mode_step(session, wanted)


def _id(session: Session) -> str:
    if session.session_id is None:
        raise ValueError("There is no session yet.")
    return session.session_id
