"""Takes secrets out of messages before they are folded, shown or written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

REDACTED = "[redacted]"
"""What stands where a secret stood."""

SECRET_NAME = re.compile(
    r"api[_-]?key|access[_-]?key|(^|[_-])key($|[_-])|token|secret|passw|passphrase|credential|private"
    r"|(^|[_-])auth($|[_-](?!sock))|authorization|cookie|signature|[_-]pwd$|(^|[_-])pat$|conn(ection)?[_-]?str",
    re.IGNORECASE,
)
"""Names of variables and headers whose values are taken out."""

SHORTEST = 8
"""Shorter values are no secrets: taking out every "1" would destroy the text."""

_DEEPEST = 200


def secrets_in(env: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables that look secret by their name, and the passwords and tokens in addresses.

    Parameters
    ----------
    env : mapping of str to str

    Returns
    -------
    tuple of str
        For `Redactor`.
    """
    named = [value for name, value in env.items() if SECRET_NAME.search(name) and len(value) >= SHORTEST]
    return (*named, *secrets_in_addresses(env.values()))


# "postgres://user:password@host" and "https://host/?api_key=…"; of the scheme only what ends it, so that a
# long text is gone through once.
_USER_RE = re.compile(r"://([^\s/@:?#]*):([^\s/?#]+)@")
_QUERY_RE = re.compile(r"[?&]([^\s?&=#]{1,60})=([^\s&#]+)")


def secrets_in_addresses(texts: Iterable[str]) -> tuple[str, ...]:
    """The passwords and the tokens (by their names in the query) of the addresses that stand in texts.

    A password that is a mere word, as in ``postgres:postgres``, is taken out with its user only: the word
    alone stands everywhere.
    """
    found: list[str] = []
    for text in texts:
        if "://" not in text:
            continue
        for user, password in _USER_RE.findall(text):
            mere_word = password.isalpha() and password.islower()
            found.append(f"{user}:{password}" if mere_word else password)
        found += [
            value for name, value in _QUERY_RE.findall(text) if name == "sig" or SECRET_NAME.search(name)
        ]
    found += [plain for value in found if (plain := unquote(value)) != value]
    return tuple(value for value in found if len(value) >= SHORTEST and value != REDACTED)


def secrets_of_servers(servers: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The values of MCP servers' headers, of their variables with secret names, and what addresses hold.

    They are taken out wherever they stand: an agent may well repeat them in an error message.

    Parameters
    ----------
    servers : iterable of mapping
        In the form of ``session/new``.
    """
    found: list[str] = []
    texts: list[object] = []
    for server in servers:
        args = server.get("args")
        texts += [server.get("url"), *(args if isinstance(args, list) else ())]
        for key in ("headers", "env"):
            entries = server.get(key)
            pairs: list[tuple[object, object]] = list(entries.items()) if isinstance(entries, Mapping) else []
            if isinstance(entries, list):
                pairs = [(e.get("name"), e.get("value")) for e in entries if isinstance(e, Mapping)]
            found += [str(v) for n, v in pairs if _is_secret(n, v, every=key == "headers")]
            texts += [value for _, value in pairs]
    # "Bearer abc": the second word alone is the secret.
    words = (word for value in found for word in (value, value.split(" ")[-1]) if len(word) >= SHORTEST)
    return (*words, *secrets_in_addresses(text for text in texts if isinstance(text, str)))


def secrets_of_options(words: Sequence[str]) -> tuple[str, ...]:
    """The values of options that are secret by their name in a command's words, as ``--api-key abc``."""
    found = []
    for index, (before, after) in enumerate(zip(words, _words(list(words)), strict=True)):
        if before != after:
            option = _OPTION_RE.match(words[index])
            found.append(before if option is None else (option[2] or "")[1:])
    return tuple(value for value in found if len(value) >= SHORTEST)


class Redactor:
    """Replaces secrets in messages by ``[redacted]``.

    Taken out are the values of variables with names like ``TOKEN`` or ``PASSWORD`` in every ``env`` (a list
    of ``{name, value}`` or an object), all values in ``headers``, what stands under a name that can only be
    a secret's (``apiKey``, ``access_token``, ``password``, ``authorization``), what follows such an option
    in ``args`` or a command's list of words (``--api-key``), passwords of addresses in every ``env``, and the
    given secrets wherever they stand, also in JSON within a text. A secret that comes in pieces, as a model
    spells it chunk by chunk, is not found: each message is looked at alone.

    Parameters
    ----------
    secrets : iterable of str
        Texts that must never appear, for example ``secrets_in(os.environ)``. Those under 8 characters are
        ignored.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {s for s in secrets if len(s) >= SHORTEST}
        # A key of several lines, or one with quotes, is written otherwise in JSON within a text.
        known |= {json.dumps(s, ensure_ascii=ascii_only)[1:-1] for s in known for ascii_only in (True, False)}
        # The longest first: a secret may be part of another one.
        self._secrets = tuple(sorted(known, key=len, reverse=True))

    def and_of(self, secrets: Iterable[str]) -> Redactor:
        """One that takes out these secrets as well."""
        return Redactor((*self._secrets, *secrets))

    def redact(self, msg: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Take the secrets out of a message.

        Parameters
        ----------
        msg : dict
            A message as JSON; it is not changed.

        Returns
        -------
        tuple of dict and bool
            The message without secrets (the same object if there are none), and whether it changed.
        """
        clean = self._clean(msg, 0)
        return clean, clean is not msg

    def _clean(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value) if self._secrets else value
        if isinstance(value, dict):
            return self._object(value, depth)
        if isinstance(value, list):
            # Nothing that means anything is nested so deeply, and recursion has an end.
            new = [REDACTED if depth > _DEEPEST else self._clean(v, depth + 1) for v in value]
            return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
        return value

    def _text(self, text: str) -> str:
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return text

    def _object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        changed: dict[str, Any] | None = None
        for key, old in value.items():
            special = (
                _SPECIAL.get(key.lower()) if isinstance(key, str) and len(key) <= _LONGEST_NAME else None
            )
            new = old if special is None else special(old)
            new = REDACTED if depth > _DEEPEST else self._clean(new, depth + 1)
            if new is not old:
                changed = dict(value) if changed is None else changed
                changed[key] = new
        return value if changed is None else changed


def _env(value: Any) -> Any:
    return _pairs(value, every=False)


def _headers(value: Any) -> Any:
    return _pairs(value, every=True)


def _pairs(value: Any, *, every: bool) -> Any:
    """Named values, as a list of ``{name, value}`` or an object, without the secret ones."""
    if isinstance(value, dict):
        clean = {name: _open_value(name, text, every=every) for name, text in value.items()}
        return clean if any(clean[name] is not text for name, text in value.items()) else value
    if isinstance(value, list):
        new = [_pair(pair, every=every) for pair in value]
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    return value


def _pair(pair: Any, *, every: bool) -> Any:
    if not isinstance(pair, dict):
        return pair
    old = pair.get("value")
    new = _open_value(pair.get("name"), old, every=every)
    return pair if new is old else {**pair, "value": new}


def _open_value(name: object, value: Any, *, every: bool) -> Any:
    """A named value as far as it is no secret: the same object, nothing of it, or without its passwords."""
    if _is_secret(name, value, every=every):
        return REDACTED
    if isinstance(value, str):
        for secret in secrets_in_addresses((value,)):
            value = value.replace(secret, REDACTED)
    return value


def _is_secret(name: object, value: object, *, every: bool) -> bool:
    if not isinstance(value, str) or value == REDACTED:
        return False
    return every or (isinstance(name, str) and SECRET_NAME.search(name) is not None)


def _taken_out(value: Any) -> Any:
    return REDACTED if isinstance(value, str) and value else value


# Of options only those whose value is the secret itself: not --max-tokens, not --token-limit.
_OPTION_RE = re.compile(
    r"(--?(?:[\w-]+-)?(?:api-?key|access-?key|secret-?key|private-?key|secret|token|password|passwd"
    r"|passphrase|credentials?|bearer))(=.+)?\Z",
    re.IGNORECASE | re.DOTALL,
)


def _words(value: Any) -> Any:
    """A command's words without the values of options that are secret by their name."""
    if not isinstance(value, list):
        return value
    new, follows = [], False
    for word in value:
        option = _OPTION_RE.match(word) if isinstance(word, str) else None
        if follows and isinstance(word, str) and not word.startswith("-"):
            new.append(word if word == REDACTED else REDACTED)
        elif option is not None and option[2]:
            new.append(f"{option[1]}={REDACTED}")
        else:
            new.append(word)
        follows = option is not None and not option[2]
    return new if new != value else value


_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "env": _env,
    "headers": _headers,
    "args": _words,
    "command": _words,
    **dict.fromkeys(
        (
            "authorization",
            "password",
            "passphrase",
            "apikey",
            "api_key",
            "api-key",
            "x-api-key",
            "accesstoken",
            "access_token",
            "refreshtoken",
            "refresh_token",
            "idtoken",
            "id_token",
            "authtoken",
            "auth_token",
            "bearertoken",
            "bearer_token",
            "clientsecret",
            "client_secret",
            "secretkey",
            "secret_key",
            "privatekey",
            "private_key",
        ),
        _taken_out,
    ),
}
_LONGEST_NAME = max(map(len, _SPECIAL))
