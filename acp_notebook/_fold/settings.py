"""What a session offers and how it is set: commands, modes, options, models, title, context.

None of these makes an item or interrupts a message (protocol pages "Slash Commands", "Session Modes",
"Session Config Options").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .about import Command, ConfigChoice, ConfigOption, Context, Cost, Models, Named
from .frozen import evolve
from .places import PREAMBLE, count, turn_to_fill, with_turn
from .read import integer, many, mapping, number, string
from .state import Session

Update: TypeAlias = Mapping[str, Any]


def _changed(session: Session, **changes: Any) -> Session:
    """The session with changed fields; itself if they are equal to what it has."""
    new = {name: value for name, value in changes.items() if getattr(session, name) != value}
    return evolve(session, **new) if new else session


def opened(session: Session, result: Mapping[str, Any]) -> Session:
    """Take modes, options and models from the answer that opened a session."""
    if isinstance(modes := result.get("modes"), dict):
        unread: list[str] = []
        offered = many(modes.get("availableModes"), _named("id"), unread, "modes")
        session = _changed(count(session, unread), modes=offered, mode=string(modes.get("currentModeId")))
    if isinstance(models := result.get("models"), dict):
        unread = []
        available = many(models.get("availableModels"), _named("modelId"), unread, "models")
        session = _changed(
            count(session, unread), models=Models(string(models.get("currentModelId")), available)
        )
    return options_told(session, result)


def options_told(session: Session, told: Mapping[str, Any]) -> Session:
    """Take the complete list of options from an answer or an update; nothing without a list."""
    if not isinstance(told.get("configOptions"), list):
        return session
    unread: list[str] = []
    options = many(told["configOptions"], _config_option, unread, "config_option")
    return _changed(count(session, unread), options=options)


def mode_set(session: Session, mode: str | None) -> Session:
    """The session in another mode; nothing without one."""
    return session if mode is None else _changed(session, mode=mode)


def model_set(session: Session, model: str | None) -> Session:
    """The session with another current model, for agents of the older ``models`` field."""
    if model is None or session.models is None:
        return session
    return _changed(session, models=evolve(session.models, current=model))


def _named(key: str) -> Callable[[Mapping[str, Any]], Named | None]:
    def read(value: Mapping[str, Any]) -> Named | None:
        ident = string(value.get(key))
        if ident is None:
            return None
        return Named(ident, string(value.get("name")) or ident, string(value.get("description")))

    return read


def _config_option(value: Mapping[str, Any]) -> ConfigOption | None:
    ident, kind = string(value.get("id")), string(value.get("type"))
    if ident is None:
        return None
    current = value.get("currentValue")
    return ConfigOption(
        ident,
        string(value.get("name")) or ident,
        string(value.get("description")),
        string(value.get("category")),
        kind or "unknown",
        current if isinstance(current, (str, bool)) else None,
        _choices(value.get("options"), None),
    )


def _choices(value: object, group: str | None) -> tuple[ConfigChoice, ...]:
    """The choices of a select, flat or in groups of one level."""
    found: list[ConfigChoice] = []
    for entry in value if isinstance(value, list) else ():
        choice = mapping(entry)
        if (ident := string(choice.get("value"))) is not None:
            name, about = string(choice.get("name")), string(choice.get("description"))
            found.append(ConfigChoice(ident, name or ident, about, group))
        elif group is None and (title := string(choice.get("group"))) is not None:
            found.extend(_choices(choice.get("options"), string(choice.get("name")) or title))
    return tuple(found)


def _command(value: Mapping[str, Any]) -> Command | None:
    name = string(value.get("name"))
    if name is None:
        return None
    hint = string(mapping(value.get("input")).get("hint"))
    return Command(name, string(value.get("description")) or "", hint)


# ----------------------------------------------------------------------------------------------- updates


def _commands(session: Session, update: Update, place: int) -> Session:
    del place
    unread: list[str] = []
    commands = many(update.get("availableCommands"), _command, unread, "available_commands_update")
    return _changed(count(session, unread), commands=commands)


def _mode(session: Session, update: Update, place: int) -> Session:
    del place
    return mode_set(session, string(update.get("currentModeId")))


def _options(session: Session, update: Update, place: int) -> Session:
    del place
    return options_told(session, update)


def _info(session: Session, update: Update, place: int) -> Session:
    """An absent title keeps, null clears (protocol page "Session List")."""
    del place
    title = update.get("title", session.title)
    return _changed(session, title=title) if title is None or isinstance(title, str) else session


def _usage(session: Session, update: Update, place: int) -> Session:
    """Context use, and the session's cost so far, of which the last turn gets its share."""
    told = _cost(update)
    before = session.context or Context(None, None)
    used, size = integer(update.get("used")), integer(update.get("size"))
    context = Context(
        before.used if used is None else used, before.size if size is None else size, told or before.cost
    )
    return _spent(_changed(session, context=context), update, place)


def _spent(session: Session, update: Update, place: int) -> Session:
    """The turn with its share of the session's cost."""
    told, turn = _cost(update), turn_to_fill(session, place)
    if told is None or place == PREAMBLE or turn.replayed:
        return session
    return with_turn(session, place, evolve(turn, cost=_share(told, turn.cost_before)))


def _cost(update: Update) -> Cost | None:
    told = mapping(update.get("cost"))
    amount, currency = number(told.get("amount")), told.get("currency")
    return None if amount is None or not isinstance(currency, str) else Cost(amount, currency)


def _share(total: Cost, before: Cost | None) -> Cost:
    """What came on top. A sum that is smaller than before was begun anew."""
    if before is None or before.currency != total.currency or before.amount > total.amount:
        return total
    # Sums of money in binary fractions; ten digits hide the dust and no cost.
    return Cost(round(total.amount - before.amount, 10), total.currency)


STATE_UPDATES: dict[str, Callable[[Session, Update, int], Session]] = {
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _options,
    "session_info_update": _info,
    "usage_update": _usage,
}

BEHIND: dict[str, Callable[[Session, Update, int], Session]] = {"usage_update": _spent}
"""What news of a session still means once the chat is in another one: its last turn's cost."""
