"""Checks the answers to an agent's form against the schema that it sent (protocol page "elicitation").

The schema is a JSON Schema object with flat properties: texts, numbers, whole numbers, yes or no, choices. It
comes from the agent: anything may stand in it, and what cannot be understood sets no limit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit

from acp_notebook._client.patterns import safe

#: Fields of a form, and choices of a field, that are looked at.
MOST_FIELDS = 100
MOST_CHOICES = 1000
#: Characters of one answer.
LONGEST_ANSWER = 100_000

Schema = Mapping[str, Any]
Check = Callable[[Schema, Any], Any]

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


class FormError(ValueError):
    """Answers that do not fit the form; the message has a sentence for each field, with its title."""


def checked(schema: Schema, content: object) -> dict[str, Any]:
    """The answers as they go to the agent.

    Parameters
    ----------
    schema : mapping
        The request's ``requestedSchema``.
    content : object
        Answers by property name. Absent, None and (where a text need not be given) ``""`` mean no answer.

    Returns
    -------
    dict
        Only properties of the schema; whole numbers as int.

    Raises
    ------
    FormError
        If a required answer is missing or one does not fit.
    """
    given: Schema = content if isinstance(content, Mapping) else {}
    wanted = required(schema)
    answers: dict[str, Any] = {}
    fields = properties(schema)
    problems = [f"The form has no field {name!r}." for name in given if name not in fields]
    for name, field in fields.items():
        value = given.get(name)
        title = _title(name, field)
        if value is None or (value == "" and not (name in wanted and _takes(field, ""))):
            if name in wanted:
                problems.append(f"{title}: an answer is required.")
            continue
        check: Check = _CHECKS.get(_type(field), _unknown)
        try:
            answers[name] = check(field, value)
        except FormError as error:
            problems.append(f"{title}: {error}")
    if problems:
        raise FormError(" ".join(problems))
    return answers


def properties(schema: Schema) -> dict[str, Schema]:
    """The fields of a form, in the agent's order."""
    found = schema.get("properties")
    entries = found.items() if isinstance(found, Mapping) else ()
    return {name: field for name, field in list(entries)[:MOST_FIELDS] if isinstance(field, Mapping)}


def required(schema: Schema) -> frozenset[str]:
    """The names of the fields that need an answer."""
    found = schema.get("required")
    return (
        frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()
    )


def choices(field: Schema) -> tuple[str, ...] | None:
    """The values of ``enum``, else the ``const`` of ``oneOf`` or ``anyOf``; None: a field takes any."""
    plain = field.get("enum")
    if isinstance(plain, list):
        return tuple(value for value in plain[:MOST_CHOICES] if isinstance(value, str))
    titled = field.get("oneOf", field.get("anyOf"))
    if not isinstance(titled, list):
        return None
    values = (option.get("const") for option in titled[:MOST_CHOICES] if isinstance(option, Mapping))
    return tuple(value for value in values if isinstance(value, str))


def _title(name: str, field: Schema) -> str:
    title = field.get("title")
    return title if isinstance(title, str) and title else name


def _type(field: Schema) -> str:
    kind = field.get("type")
    return kind if isinstance(kind, str) else ""


def _takes(field: Schema, value: str) -> bool:
    """Whether an empty text is an answer."""
    offered = choices(field)
    return _type(field) == "string" and offered is not None and value in offered


def _text(field: Schema, value: object) -> str:
    if not isinstance(value, str):
        raise FormError("must be a text.")
    offered = choices(field)
    if offered is not None:
        if value not in offered:
            raise FormError("must be one of the choices.")
        return value
    least, most = _number(field, "minLength"), _number(field, "maxLength")
    if least is not None and len(value) < least:
        raise FormError(f"must have at least {least:g} characters.")
    if len(value) > min(LONGEST_ANSWER if most is None else most, LONGEST_ANSWER):
        raise FormError(f"must have at most {min(most or LONGEST_ANSWER, LONGEST_ANSWER):g} characters.")
    _check_format(field, value)
    _check_pattern(field, value)
    return value


def _check_pattern(field: Schema, value: str) -> None:
    pattern = field.get("pattern")
    compiled = safe(pattern, len(value)) if isinstance(pattern, str) else None
    if compiled is not None and compiled.search(value) is None:
        raise FormError(f"must match the pattern {pattern}")


def _check_format(field: Schema, value: str) -> None:
    form = field.get("format")
    word, fits = _FORMATS.get(form, ("", None)) if isinstance(form, str) else ("", None)
    if fits is not None and not fits(value):
        raise FormError(f"must be {word}.")


def _is_uri(value: str) -> bool:
    try:
        urlsplit(value)
    except ValueError:
        return False
    return _URI.fullmatch(value) is not None


def _is_date(value: str) -> bool:
    try:
        return len(value) == 10 and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _is_time(value: str) -> bool:
    """RFC 3339: a date, a time and an offset."""
    # Before 3.11 Python reads neither Z nor other than three or six digits of a second.
    text = re.sub(r"\.\d+", "", value.upper().replace("Z", "+00:00"), count=1)
    try:
        return "T" in text and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


_FORMATS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "email": ("an e-mail address", lambda value: _EMAIL.fullmatch(value) is not None),
    "uri": ("a complete address such as https://example.org", _is_uri),
    "date": ("a date such as 2024-12-31", _is_date),
    "date-time": ("a date and time such as 2024-12-31T23:59:00Z", _is_time),
}


def _number(field: Schema, name: str) -> float | None:
    value = field.get(name)
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return value if fits else None


def _decimal(field: Schema, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise FormError("must be a number.")
    least, most = _number(field, "minimum"), _number(field, "maximum")
    if least is not None and value < least:
        raise FormError(f"must be {least} or more.")
    if most is not None and value > most:
        raise FormError(f"must be {most} or less.")
    return value


def _whole(field: Schema, value: object) -> int:
    number = _decimal(field, value)
    if number != int(number):
        raise FormError("must be a whole number.")
    return int(number)


def _yes_or_no(field: Schema, value: object) -> bool:
    del field
    if not isinstance(value, bool):
        raise FormError("must be true or false.")
    return value


def _several(field: Schema, value: object) -> list[str]:
    items = field.get("items")
    offered = choices(items) if isinstance(items, Mapping) else None
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise FormError("must be a list of texts.")
    chosen = list(dict.fromkeys(value))
    if offered is not None and not set(chosen) <= set(offered):
        raise FormError("must be among the choices.")
    least, most = _number(field, "minItems"), _number(field, "maxItems")
    if least is not None and len(chosen) < least:
        raise FormError(f"choose at least {least:g}.")
    if most is not None and len(chosen) > most:
        raise FormError(f"choose at most {most:g}.")
    return chosen


def _unknown(field: Schema, value: object) -> Any:
    del value
    raise FormError(
        f"a field of the type {_type(field)!r} cannot be answered here; decline the form instead."
    )


_CHECKS: dict[str, Check] = {
    "string": _text,
    "number": _decimal,
    "integer": _whole,
    "boolean": _yes_or_no,
    "array": _several,
}
