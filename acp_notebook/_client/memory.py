"""Rules that outlive a chat: what the user allowed for a folder, and the folder's own strict rules.

What a person answers with "always in this folder" is kept in the *user's* configuration, keyed by the
folder with links resolved, readable by the user alone. A file inside the folder may be a stranger's, or
written by the agent: of it only rules that refuse or ask are taken.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from acp_notebook._agent.protocol import RpcError
from acp_notebook._client.files import read_text
from acp_notebook._client.locked import locked
from acp_notebook._client.rules import RULES_FILE, Rule
from acp_notebook._client.rules_text import dump, load_toml, parse_rules
from acp_notebook._errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Callable


_UNREADABLE = Rule("ask", name=f"{RULES_FILE} cannot be read")
_LONGEST = 1_000_000
"""Bytes of a rules file inside a folder."""


def rules_path() -> Path:
    """Where the user's remembered rules are kept."""
    return Path(platformdirs.user_config_dir("acp-notebook", appauthor=False)) / "rules.toml"


class FolderMemory:
    """The rules about one folder.

    Parameters
    ----------
    folder
        The chat's folder, resolved.
    warn
        Told once about each file that cannot be read; such a file is never overwritten.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self._folder = folder
        self._warn = warn
        self._told: set[str] = set()
        self._cache: dict[Path, tuple[tuple[int, int, int] | None, tuple[Rule, ...]]] = {}

    def strict_rules(self) -> tuple[Rule, ...]:
        """Rules of the file inside the folder that refuse or ask; those that allow are not taken.

        Of a file that cannot be read nobody knows what it refuses: then everything is asked for.
        """
        rules = self._cached(self._folder / RULES_FILE, self._read_strict, (_UNREADABLE,))
        return tuple(rule for rule in rules if rule.effect != "allow")

    def allowed(self) -> tuple[Rule, ...]:
        """What the user allowed for this folder."""
        return self._cached(rules_path(), lambda path: self._stored(path).get(str(self._folder), ()))

    def remember(self, rule: Rule) -> None:
        """Keep a rule for this folder; two kernels that do so at once both keep theirs.

        Raises
        ------
        OSError, RulesError
            The file cannot be read or written; it is left as it is.
        """
        path = rules_path()
        with locked(path):
            stored = self._stored(path) if path.exists() else {}
            kept = stored.get(str(self._folder), ())
            if rule not in kept:
                stored[str(self._folder)] = (*kept, rule)
                write_private(path, dump(stored))

    def _read_strict(self, path: Path) -> tuple[Rule, ...]:
        # A stranger's file may be a pipe, or a link to a device without an end.
        text = read_text(Path(os.path.realpath(path)), most=_LONGEST)
        return parse_rules(load_toml(text, str(path)), str(path))

    @staticmethod
    def _stored(path: Path) -> dict[str, tuple[Rule, ...]]:
        table = load_toml(path.read_text(encoding="utf-8"), str(path)).get("folders", {})
        if not isinstance(table, dict):
            msg = f"{path}: `folders` must be a table."
            raise RulesError(msg)
        return {
            folder: parse_rules(entry if isinstance(entry, dict) else {"rules": entry}, f"{path}, {folder}")
            for folder, entry in table.items()
        }

    def _cached(
        self, path: Path, read: Callable[[Path], tuple[Rule, ...]], unreadable: tuple[Rule, ...] = ()
    ) -> tuple[Rule, ...]:
        """Read a file again only when it has changed."""
        try:
            state = path.stat()
            stamp: tuple[int, int, int] | None = (state.st_mtime_ns, state.st_size, state.st_ino)
        except (FileNotFoundError, NotADirectoryError):
            stamp = None
        except OSError:
            stamp = (0, 0, 0)  # it is there; reading it says what is wrong
        known = self._cache.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        rules: tuple[Rule, ...] = ()
        if stamp is not None:
            try:
                rules = read(path)
            except (OSError, UnicodeDecodeError, RpcError, RulesError) as error:
                rules = unreadable
                why = str((error.strerror if isinstance(error, OSError) else None) or error)
                named = why if str(path) in why else f"{path}: {why}"
                self._tell(f"Rules are not used, and you are asked instead: {named}")
        self._cache[path] = (stamp, rules)
        return rules

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._warn(text)


def write_private(path: Path, text: str) -> None:
    """Replace a file at once, readable by the user alone."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
            file.write(text)
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
