"""Which variables of this process a command gets that an agent runs in a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from acp_notebook._fold.redact import SECRET_NAME

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    #: ``"safe"``: all but secrets. ``"all"``: all. Names: all but secrets, and these.
    PassedOn = Literal["safe", "all"] | Collection[str]

# Addresses that usually hold a password; not matched by the names of secrets.
_WITH_PASSWORD = re.compile(
    r"(^|_)(dsn|(database|db|redis|mongo(db)?|amqp|broker|postgres(ql)?)_ur[il])$", re.IGNORECASE
)
_HARMLESS = frozenset({"TOKENIZERS_PARALLELISM"})


def is_secret(name: str) -> bool:
    """Whether a variable's name says that its value is a secret.

    So it is for names with key, token, secret, password, credential, private, auth, cookie, signature in
    them (``SSH_AUTH_SOCK`` is none), and for addresses of databases and brokers, which hold passwords.
    """
    if name.upper() in _HARMLESS:
        return False
    return SECRET_NAME.search(name) is not None or _WITH_PASSWORD.search(name) is not None


def passed_on(own: Mapping[str, str], which: PassedOn = "safe") -> dict[str, str]:
    """The variables of this process that commands get.

    Parameters
    ----------
    own : mapping of str to str
        ``os.environ``.
    which : {"safe", "all"} or collection of str
        What the person has passed on: all but secrets; everything; or all but secrets, and these names.
    """
    if which == "all":
        return dict(own)
    named = frozenset() if which == "safe" else frozenset(which)
    return {name: value for name, value in own.items() if name in named or not is_secret(name)}
