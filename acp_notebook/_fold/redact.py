"""Takes secrets out of messages before they are folded, shown or written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

REDACTED = "[redacted]"
"""What stands where a secret stood."""

SECRET_NAME = re.compile(
    r"api[_-]?key|access[_-]?key|(^|[_-])key($|[_-])|token|secret|passw|passphrase|credential|private"
    r"|(^|[_-])auth($|[_-](?!sock))|authorization|cookie|signature",
    re.IGNORECASE,
)
"""Names of variables and headers whose values are taken out."""

SHORTEST = 8
"""Shorter values are no secrets: taking out every "1" would destroy the text."""

_DEEPEST = 200


def secrets_in(env: Mapping[str, str]) -> tuple[str, ...]:
    """The values of an environment's variables that look secret by their name.

    Parameters
    ----------
    env : mapping of str to str

    Returns
    -------
    tuple of str
        For `Redactor`.
    """
    return tuple(value for name, value in env.items() if SECRET_NAME.search(name) and len(value) >= SHORTEST)


class Redactor:
    """Replaces secrets in messages by ``[redacted]``.

    Taken out are the values of variables with names like ``TOKEN`` or ``PASSWORD`` in every ``env`` (a list
    of ``{name, value}`` or an object), all values in ``headers``, every ``authorization``, and the given
    secrets wherever they stand.

    Parameters
    ----------
    secrets : iterable of str
        Texts that must never appear, for example ``secrets_in(os.environ)``. Those under 8 characters are
        ignored.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # The longest first: a secret may be part of another one.
        self._secrets = tuple(sorted({s for s in secrets if len(s) >= SHORTEST}, key=len, reverse=True))

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
            special = _SPECIAL.get(key.lower()) if isinstance(key, str) and len(key) <= 13 else None
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
        secret = {name for name, text in value.items() if _is_secret(name, text, every=every)}
        return {n: REDACTED if n in secret else v for n, v in value.items()} if secret else value
    if isinstance(value, list):
        new = [_pair(pair, every=every) for pair in value]
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    return value


def _pair(pair: Any, *, every: bool) -> Any:
    if isinstance(pair, dict) and _is_secret(pair.get("name"), pair.get("value"), every=every):
        return {**pair, "value": REDACTED}
    return pair


def _is_secret(name: object, value: object, *, every: bool) -> bool:
    if not isinstance(value, str) or value == REDACTED:
        return False
    return every or (isinstance(name, str) and SECRET_NAME.search(name) is not None)


def _authorization(value: Any) -> Any:
    return REDACTED if isinstance(value, str) else value


_SPECIAL = {"env": _env, "headers": _headers, "authorization": _authorization}
