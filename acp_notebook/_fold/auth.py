"""How a person can sign in with the agent, and how far that has come, as frozen values."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .read import mapping, string
from .redact import REDACTED

LONGEST = 2_000
"""Characters that are kept of what a vendor says about its method and nobody here understands."""


@dataclass(frozen=True, slots=True)
class AuthVariable:
    """A value that a method wants: a variable in the agent's environment, or what a person types."""

    name: str
    label: str | None = None
    secret: bool = True
    optional: bool = False


@dataclass(frozen=True, slots=True)
class AuthMethod:
    """One way to sign in (protocol page "Authentication").

    Attributes
    ----------
    kind : str
        ``agent`` (it does all by itself when asked), ``terminal`` (a command that the person runs),
        ``env_var`` (variables that it is started with), ``api-key`` and ``gateway`` (vendors' own: it is
        asked with values that the person types), or a word that the protocol does not know.
    command : str or None
        What the person runs in a terminal, for the kind ``terminal``.
    variables : tuple of AuthVariable
        For the kind ``env_var``.
    link : str or None
        Where to get what it wants.
    fields : tuple of AuthVariable
        What the person types, for the kinds ``api-key`` and ``gateway``.
    meta : str or None
        What the vendor says in ``_meta`` that is not understood here, as JSON.
    """

    id: str
    name: str
    description: str | None = None
    kind: str = "agent"
    command: str | None = None
    variables: tuple[AuthVariable, ...] = ()
    link: str | None = None
    fields: tuple[AuthVariable, ...] = ()
    meta: str | None = None


@dataclass(frozen=True, slots=True)
class Auth:
    """Whether a sign-in is due, and what there is to do about it.

    Attributes
    ----------
    required : bool
        Whether the agent has said that somebody has to sign in, and nothing has worked since.
    message : str or None
        Its words.
    methods : tuple of AuthMethod
    running : str or None
        The method that is being tried.
    error : str or None
        Why the last try failed.
    logout : bool
        Whether the agent lets a person sign out.
    refused : str or None
        The method of the protocol that was refused last.
    """

    required: bool = False
    message: str | None = None
    methods: tuple[AuthMethod, ...] = ()
    running: str | None = None
    error: str | None = None
    logout: bool = False
    refused: str | None = None


def auth_methods(value: object, command: tuple[str, ...], env: Mapping[str, str]) -> tuple[AuthMethod, ...]:
    """Read a list of methods; what cannot be read as one is left out.

    Parameters
    ----------
    value : object
        ``authMethods``, whatever it is.
    command, env
        How the agent itself is started: a terminal method is that with more behind it.
    """
    if not isinstance(value, (list, tuple)):
        return ()
    read = (_method(mapping(each), command, env) for each in value)
    return tuple(method for method in read if method is not None)


def _method(told: Mapping[str, Any], command: tuple[str, ...], env: Mapping[str, str]) -> AuthMethod | None:
    ident = string(told.get("id"))
    if ident is None:
        return None
    kind = string(told.get("type")) or "agent"
    line: str | None = None
    meta = mapping(told.get("_meta"))
    vendor = mapping(meta.get("terminal-auth"))
    fields: tuple[AuthVariable, ...] = ()
    if kind == "terminal":
        # The method cannot name a command: it is the one that the person has configured.
        words = (*command, *_words(told.get("args")))
        line = _line(words, {**env, **_env(told.get("env"))}) if command else None
    elif kind == "agent" and string(vendor.get("command")) is not None:
        kind = "terminal"
        line = _line((vendor["command"], *_words(vendor.get("args"))), _env(vendor.get("env")))
    elif kind == "agent":
        kind, fields = _typed(meta)
    known = kind if fields else "terminal-auth" if kind == "terminal" else None
    return AuthMethod(
        id=ident,
        name=string(told.get("name")) or ident,
        description=string(told.get("description")),
        kind=kind,
        command=line,
        variables=_variables(told),
        link=string(told.get("link")),
        fields=fields,
        meta=_text({name: said for name, said in meta.items() if name != known}),
    )


def _typed(meta: Mapping[str, Any]) -> tuple[str, tuple[AuthVariable, ...]]:
    """The kind of a method that the agent carries out, and what a person types for it."""
    if isinstance(meta.get("api-key"), dict):
        provider = string(meta["api-key"].get("provider"))
        label = "API key" if provider is None else f"API key ({provider})"
        # Without one the agent may know where to look.
        return "api-key", (AuthVariable("apiKey", label, optional=True),)
    if isinstance(meta.get("gateway"), dict):
        address = AuthVariable("baseUrl", "Address of the gateway", secret=False)
        return "gateway", (address, AuthVariable("header", "A header, as Name: value", optional=True))
    return "agent", ()


def _text(meta: Mapping[str, Any]) -> str | None:
    """What is not understood, to be shown."""
    if not meta:
        return None
    text = json.dumps(meta, ensure_ascii=False, default=repr)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _variables(told: Mapping[str, Any]) -> tuple[AuthVariable, ...]:
    one = string(told.get("varName"))  # an earlier form of the draft: one variable
    listed = told.get("vars")
    if not isinstance(listed, list):
        return () if one is None else (AuthVariable(one),)
    read = (mapping(each) for each in listed)
    return tuple(
        AuthVariable(
            v["name"], string(v.get("label")), v.get("secret") is not False, v.get("optional") is True
        )
        for v in read
        if string(v.get("name")) is not None
    )


def _words(value: object) -> tuple[str, ...]:
    return tuple(word for word in value if isinstance(word, str)) if isinstance(value, list) else ()


def _env(value: object) -> dict[str, str]:
    return {name: text for name, text in mapping(value).items() if isinstance(text, str)}


def _line(words: tuple[str, ...], env: Mapping[str, str]) -> str:
    """The command as it is typed into a shell; what was redacted is not needed to sign in."""
    sets = [f"{name}={shlex.quote(text)}" for name, text in env.items() if text != REDACTED]
    return " ".join([*(["env"] if sets else []), *sets, shlex.join(words)])
