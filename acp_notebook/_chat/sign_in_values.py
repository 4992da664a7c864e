"""What a person typed to sign in, in the form in which the agent's vendor takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._agent.presets import quirks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from acp_notebook._fold.auth import AuthMethod


def to_meta(method: AuthMethod, values: Mapping[str, str], agent_name: str | None) -> dict[str, Any]:
    """Build ``_meta`` of ``authenticate``. The protocol leaves it to vendors; these are the forms of theirs.

    Parameters
    ----------
    method
        A method with fields.
    values
        By the names of the fields; empty ones count as not given.
    agent_name
        What the agent calls itself.

    Raises
    ------
    ValueError
        A value is missing, or cannot be read.
    """
    given = {name: text for name, value in values.items() if (text := value.strip())}
    for field in method.fields:
        if not field.optional and field.name not in given:
            raise ValueError(f"Give the {(field.label or field.name).lower()} first.")
    if method.kind == "api-key" and "apiKey" in given:
        plain = any(quirk.plain_api_key for quirk in quirks(agent_name))
        return {"api-key": given["apiKey"] if plain else {"apiKey": given["apiKey"]}}
    if method.kind == "gateway":
        headers = _header(given["header"]) if "header" in given else {}
        return {"gateway": {"baseUrl": given["baseUrl"], "headers": headers}}
    return {}


def secrets(method: AuthMethod, values: Mapping[str, str]) -> list[str]:
    """The texts that must not appear in any record."""
    hidden = [values.get(field.name, "").strip() for field in method.fields if field.secret]
    # "Authorization: Bearer abc": the last word alone is the secret.
    return [text for value in hidden for text in (value, *value.split()[-1:])]


def _header(line: str) -> dict[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or not value.strip():
        raise ValueError("A header is written as Name: value.")
    return {name.strip(): value.strip()}
