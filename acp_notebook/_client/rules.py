"""Rules that decide permission requests: what they look at, and which one matches first."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import re
import shlex
import sys
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from acp_notebook._client.commands import compound_words, matches
from acp_notebook._errors import similar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acp_notebook._client.commands import CommandLine
    from acp_notebook._client.facts import Facts

Effect = Literal["ask", "allow", "refuse"]
EFFECTS: tuple[Effect, ...] = ("ask", "allow", "refuse")

_KIND_WORDS = {
    "read": "reading files",
    "edit": "editing files",
    "delete": "deleting files",
    "move": "moving files",
    "search": "searching",
    "execute": "running commands",
    "fetch": "fetching from the network",
}

KINDS = (*_KIND_WORDS, "think", "switch_mode", "other")
"""Tool kinds that the protocol names (protocol schema, ``ToolKind``)."""

RULES_FILE = ".acp-notebook.toml"
"""Name of a rules file inside a folder; it can only make rules stricter."""


def _no_such_kind(kind: str) -> str:
    known = similar(kind, KINDS)
    meant = f" Did you mean {known!r}?" if known else ""
    return (
        f"The protocol has no tool kind {kind!r}; it has {', '.join(KINDS)}.{meant} "
        "The rule matches only what an agent calls so."
    )


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: it matches a request if everything that it names does.

    A rule that allows must cover *all* of a request: every path that is named, and the one command; a
    compound command line is never allowed by a rule with a command. One without, but with the tool or the
    kind ``execute``, allows whatever is run. A rule that refuses or asks matches if any path, or any command
    of a compound line, fits.

    Parameters
    ----------
    effect
        ``"allow"``, ``"refuse"`` or ``"ask"``.
    kinds
        Tool kinds (read, edit, execute …; protocol page "Tool Calls"); empty: any. One that the protocol does
        not name brings a warning: it matches only what an agent calls so.
    tools
        Names of tools; ``*`` stands for any characters. Empty: any.
    paths
        Globs: ``*`` within one part of a path, ``**`` over parts; relative ones are meant from the chat's
        folder. Empty: any.
    command
        A command as words: ``*`` stands for one word, ``**`` at the end for any that follow. None: any.
    name
        What it is called in the transcript and on the card; made from its parts if empty.

    Raises
    ------
    ValueError
        The effect is none, or a command pattern is empty or does not parse.
    """

    effect: Effect
    kinds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    command: str | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.effect not in EFFECTS:
            msg = f"The effect of a rule is one of {', '.join(EFFECTS)}, not {self.effect!r}."
            raise ValueError(msg)
        for field in ("kinds", "tools", "paths"):
            value = getattr(self, field)
            object.__setattr__(self, field, (value,) if isinstance(value, str) else tuple(value))
        for kind in self.kinds:
            if kind not in KINDS:
                warnings.warn(_no_such_kind(kind), stacklevel=3)
        if self.command is not None:
            self._pattern()

    def _pattern(self) -> tuple[str, ...]:
        try:
            words = tuple(shlex.split(self.command or ""))
        except ValueError as error:
            msg = f"The command {self.command!r} of a rule does not parse: {error}."
            raise ValueError(msg) from error
        if not words:
            msg = "The command of a rule needs at least one word, for example 'python -m pytest **'."
            raise ValueError(msg)
        return words

    @property
    def label(self) -> str:
        """Its name, else what it covers in words."""
        return self.name or self.covers

    @property
    def covers(self) -> str:
        """What it covers, in words for a person."""
        words = [_KIND_WORDS.get(kind, kind) for kind in self.kinds] + list(self.tools)
        what = ", ".join(words) or "everything"
        if self.command is not None:
            return f"the command “{self.command}”"
        if self.paths == ("**",):
            return f"{what} anywhere in the chat's folder"
        return f"{what} in {', '.join(self.paths)}" if self.paths else what

    def matches(self, facts: Facts, root: Path) -> bool:
        """Whether it is about this request.

        Parameters
        ----------
        facts
            What the request is about.
        root
            The chat's folder, for relative globs.
        """
        return self._matches_tool(facts) and self._matches_paths(facts, root) and self._matches_command(facts)

    def _matches_tool(self, facts: Facts) -> bool:
        strict = self.effect == "allow"
        if self.kinds:
            fits = [kind in self.kinds for kind in facts.kinds]
            if not (fits and (all(fits) if strict else any(fits))):
                return False
        return not self.tools or any(
            fnmatch.fnmatchcase(name, pattern) for name in facts.tool_names for pattern in self.tools
        )

    def _matches_paths(self, facts: Facts, root: Path) -> bool:
        if not self.paths:
            return True
        if self.effect == "allow":
            globs = [_glob(pattern, root) for pattern in self.paths]
            return bool(facts.paths) and all(_fits(path, globs) for path in facts.paths)
        # By either name: the file's own, and that of a link to it, in the request or in the rule.
        patterns = dict.fromkeys((*self.paths, *(_without_links(pattern, root) for pattern in self.paths)))
        globs = [_glob(pattern, root, strict=True) for pattern in patterns]
        return any(_fits(path, globs) for path in (*facts.paths, *facts.named))

    def _matches_command(self, facts: Facts) -> bool:
        if self.command is None:
            # A rule about paths says nothing about what a command does besides.
            return not (self.effect == "allow" and self.paths and facts.command is not None)
        if facts.command is None:
            return False
        pattern = self._pattern()
        if facts.command.simple:
            return matches(pattern, facts.command.words)
        return self.effect != "allow" and any(
            matches(pattern, words) for words in compound_words(facts.command.text)
        )


def _fits(path: Path, globs: Iterable[re.Pattern[str]]) -> bool:
    return any(glob.match(path.as_posix()) for glob in globs)


def _without_links(pattern: str, root: Path) -> str:
    """A path glob with the links resolved that lie before its first wildcard."""
    parts = _anchored(pattern, root).parts
    plain = next((n for n, part in enumerate(parts) if "*" in part or "?" in part), len(parts))
    return Path(os.path.realpath(Path(*parts[:plain])), *parts[plain:]).as_posix()


def _anchored(pattern: str, root: Path) -> Path:
    return root / Path(pattern).expanduser()


_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@lru_cache(maxsize=512)
def _glob(pattern: str, root: Path, strict: bool = False) -> re.Pattern[str]:
    """A path glob as a regular expression over whole absolute paths."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", _anchored(pattern, root).as_posix())
    out = [_WILD.get(part, re.escape(part)) for part in parts]
    # Most disks of macOS take both cases for one name: what is stricter must not miss the other.
    any_case = os.path.normcase("A") == "a" or (strict and sys.platform == "darwin")
    flags = re.IGNORECASE if any_case else 0
    return re.compile("".join(out) + r"\Z", flags | re.DOTALL)


def first_match(rules: Iterable[Rule], facts: Facts, root: Path) -> Rule | None:
    """The first rule that is about this request."""
    return next((rule for rule in rules if rule.matches(facts, root)), None)


def is_rules_file(path: Path, root: Path) -> bool:
    """Whether a resolved path is that of a rules file, or of what the folder's own is a link to."""
    return path.name.casefold() == RULES_FILE or path == Path(os.path.realpath(root / RULES_FILE))


def touches_rules_file(facts: Facts, root: Path) -> bool:
    """Whether a request would change a rules file, which no rule may allow."""
    named = any(is_rules_file(path, root) for path in facts.paths)
    if named or any(_holds_name(text) for text in facts.said):
        return True
    return facts.command is not None and names_rules_file(facts.command, root)


def names_rules_file(command: CommandLine, root: Path, cwd: str | None = None) -> bool:
    """Whether a command names a rules file in any of its words, whatever it would do with it.

    This errs on the side of finding too much: quotes are taken out, a wildcard, variable or substitution
    stands for anything, and a word that leads to the file by a link counts too.

    Parameters
    ----------
    command
        What would be run.
    root
        The chat's folder.
    cwd
        Where it would run, if not there.
    """
    said = (command.text, *command.words)
    if sum(map(len, said)) > _LOOKED_THROUGH or any(map(_holds_name, said)):
        return True
    bare = command.text.replace("\\\n", "").translate(_QUOTES)
    texts = [*said, bare, bare.translate(_BRACES)]
    parts = dict.fromkeys(part for text in texts for part in _PARTS.split(text) if part)
    names = dict.fromkeys(name for part in parts if (name := _pattern(part)))
    if len(names) > _PATTERNS or any(
        len(name) > _LONGEST_PATTERN or fnmatch.fnmatchcase(RULES_FILE, name) for name in names
    ):
        return True
    return len(parts) > _LINKS or _leads_there(parts, root, root if cwd is None else root / cwd)


def _leads_there(words: Iterable[str], root: Path, start: Path) -> bool:
    """Whether one of the words is a path to a rules file under another name."""
    name = Path(os.path.realpath(root / RULES_FILE)).name
    for word in words:
        with contextlib.suppress(RuntimeError, ValueError):  # nobody's home, no name that a file can have
            path = start / Path(word).expanduser()
            # Resolving is slow, and what is not there leads nowhere: it can only be the file itself.
            there = path.name == name or os.path.lexists(path)
            if there and is_rules_file(Path(os.path.realpath(path)), root):
                return True
    return False


_QUOTES = str.maketrans("", "", "'\"\\")
_BRACES = str.maketrans("{},", "   ")
_PARTS = re.compile(r"[\s=:;<>|&()'\"]+")
_ANYTHING = re.compile(r"\{.*|\$\{?\w*\}?|`.*", re.DOTALL)
_LINKS = 50_000
"""So many words are looked up as links; of more anything is assumed."""
_PATTERNS = 500
"""So many patterns are compared, each so long; of more anything is assumed."""
_LONGEST_PATTERN = 255
_LOOKED_THROUGH = 2_000_000
"""Characters of a command and its words that are looked through; of more anything is assumed."""


def _holds_name(text: str) -> bool:
    text = text.casefold()
    return RULES_FILE in text or RULES_FILE in text.replace("\n", "").translate(_QUOTES)


def _pattern(word: str) -> str | None:
    """What a word's last name may stand for, as a pattern; None if that cannot be a rules file."""
    name = word.rpartition("/")[2].replace("\n", "").translate(_QUOTES).casefold()
    # Shells match a name that begins with a dot only by a pattern that does.
    if not name.startswith("."):
        return None
    name = _ANYTHING.sub("*", name)
    return name if any(char in name for char in "*?[") else None


def rule_for(facts: Facts, root: Path) -> Rule | None:
    """The rule that "always" would make of a request; None where it could not be told what it covers.

    A command is remembered word by word; an edit or read covers the files of the same kind in the folder.
    """
    if facts.command is not None:
        if not facts.command.simple:
            return None
        return Rule("allow", kinds=facts.kinds, command=shlex.join(facts.command.words))
    if not facts.kinds or touches_rules_file(facts, root):
        return None
    if facts.paths and all(path.is_relative_to(root) for path in facts.paths):
        return Rule("allow", kinds=facts.kinds, paths=("**",))
    if facts.paths:
        return Rule("allow", kinds=facts.kinds, paths=tuple(path.as_posix() for path in facts.paths))
    return Rule("allow", kinds=facts.kinds, tools=facts.tool_names)
