"""Rules as TOML: reading with errors that say where, and writing."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from acp_notebook._client.rules import Rule
from acp_notebook._errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FIELDS = {"effect", "kinds", "tools", "paths", "command", "name"}


def parse_rules(table: dict[str, Any], where: str) -> tuple[Rule, ...]:
    """The rules in a table's ``rules`` list.

    Raises
    ------
    RulesError
        An entry is no table, has an unknown key, or makes no rule.
    """
    entries = table.get("rules", [])
    if not isinstance(entries, list):
        msg = f"{where}: `rules` must be a list of tables, written as [[rules]]."
        raise RulesError(msg)
    return tuple(_rule(entry, f"{where}, rule {number}") for number, entry in enumerate(entries, 1))


def _rule(entry: Any, where: str) -> Rule:
    if not isinstance(entry, dict):
        msg = f'{where}: a rule is a table, written as [[rules]] with `effect = "allow"` below it.'
        raise RulesError(msg)
    unknown = sorted(set(entry) - FIELDS)
    if unknown:
        msg = f"{where}: unknown key {unknown[0]!r}; a rule has {', '.join(sorted(FIELDS))}."
        raise RulesError(msg)
    for name in ("kinds", "tools", "paths"):
        value = entry.get(name, [])
        words = [value] if isinstance(value, str) else value
        if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
            msg = f"{where}: `{name}` must be a text or a list of texts."
            raise RulesError(msg)
    for name in ("effect", "command", "name"):
        if not isinstance(entry.get(name, ""), str):
            msg = f"{where}: `{name}` must be a text."
            raise RulesError(msg)
    try:
        return Rule(**{"effect": "", **entry})
    except ValueError as error:
        msg = f"{where}: {error}"
        raise RulesError(msg) from error


def load_toml(text: str, where: str) -> dict[str, Any]:
    """Parse TOML.

    Raises
    ------
    RulesError
        With the place of the mistake.
    """
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        msg = f"{where} is no valid TOML: {error}."
        raise RulesError(msg) from error
    return table


def dump(stored: Mapping[str, tuple[Rule, ...]]) -> str:
    """The text of the user's file."""
    lines = ["# What acp-notebook was told to allow, folder by folder. Remove what you no longer want."]
    for folder, rules in stored.items():
        for rule in rules:
            lines += ["", f"[[folders.{_text(folder)}.rules]]", *_fields(rule)]
    return "\n".join(lines) + "\n"


def _fields(rule: Rule) -> Iterable[str]:
    yield f"effect = {_text(rule.effect)}"
    for name in ("kinds", "tools", "paths"):
        words = getattr(rule, name)
        if words:
            yield f"{name} = [{', '.join(map(_text, words))}]"
    if rule.command is not None:
        yield f"command = {_text(rule.command)}"
    if rule.name:
        yield f"name = {_text(rule.name)}"


def _text(value: str) -> str:
    """A TOML basic string: JSON's escapes are a part of TOML's, but for the delete character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
