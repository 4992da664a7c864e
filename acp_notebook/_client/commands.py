"""Command lines as rules see them: words, never the beginning of a text.

A rule may allow a command only if we know all that it runs. So a line is taken apart by the shell's own
rules, and one that does more than start a single program (``;``, pipes, substitutions, redirections,
variables, wildcards that the shell would expand) is *compound*: no allowing rule matches it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePath

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "cmd.exe", "powershell", "pwsh"})

LONGEST = 16_384
"""Characters of a line that is taken apart by the shell's rules: of megabytes it would hold up everybody."""

# What makes a shell do more than start one program with these words.
_ACTIVE = frozenset(";&|<>()`$\n\r{}*?[]~!#")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line, taken apart.

    Attributes
    ----------
    words
        The program and its arguments; of a compound line what could be read of it.
    simple
        Whether it starts one program with exactly these words.
    text
        The line as it was given.
    """

    words: tuple[str, ...]
    simple: bool
    text: str


def parse(command: str | list[str] | tuple[str, ...]) -> CommandLine:
    """Take a command apart.

    Parameters
    ----------
    command
        A line for a shell, or the words of one program. ``bash -lc "line"`` is read as its line.
    """
    if isinstance(command, str):
        return _line(command)
    words = tuple(command)
    script = _script(words)
    if script is not None:
        return _line(script)
    simple = bool(words) and not _is_shell(words[0])
    return CommandLine(words, simple, shlex.join(words))


def _line(text: str) -> CommandLine:
    if len(text) > LONGEST:
        return CommandLine(tuple(text.split()), simple=False, text=text)
    try:
        words = tuple(shlex.split(text, comments=False))
    except ValueError:  # quotes that do not close
        return CommandLine(tuple(text.split()), simple=False, text=text)
    script = _script(words)
    if script is not None and not _active(text, quoted=True):
        inner = _line(script)
        return CommandLine(inner.words, inner.simple, text)
    simple = bool(words) and not _active(text) and not _is_shell(words[0]) and "=" not in words[0]
    return CommandLine(words, simple, text)


def _script(words: tuple[str, ...]) -> str | None:
    """The line in ``sh -c "line"``; None if that is not what it is."""
    if len(words) == 3 and _is_shell(words[0]) and words[1] in ("-c", "-lc"):
        return words[2]
    return None


def _is_shell(word: str) -> bool:
    return PurePath(word).name.lower() in SHELLS


def _active(text: str, *, quoted: bool = False) -> bool:
    """Whether a shell would do something with a character of the line.

    Within single quotes nothing is active, within double quotes ``$`` and the backtick are. With `quoted`
    only what stands outside of any quotes counts.
    """
    quote = ""
    skip = False
    for char in text:
        if skip:
            skip = False
        elif char == "\\" and quote != "'":
            skip = True
        elif quote:
            if char == quote:
                quote = ""
            elif quote == '"' and char in "$`" and not quoted:
                return True
        elif char in "'\"":
            quote = char
        elif char in _ACTIVE:
            return True
    return False


def matches(pattern: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether words fit a pattern: ``*`` stands for one word, ``**`` at the end for any that follow."""
    if pattern and pattern[-1] == "**":
        head = pattern[:-1]
        return len(words) >= len(head) and _each(head, words[: len(head)])
    return len(words) == len(pattern) and _each(pattern, words)


def _each(pattern: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return all(wanted in ("*", word) for wanted, word in zip(pattern, words, strict=True))


_SEPARATORS = re.compile(r"[;&|()<>\n]+")
_QUOTES = str.maketrans("", "", "'\"\\")


def compound_words(text: str) -> list[tuple[str, ...]]:
    """The simple commands that can be made out in a compound line, for rules that refuse.

    This errs on the side of finding too much: a refusal may match what would never have run. Of a line longer
    than `LONGEST` quotes are left out and every word counts.
    """
    if len(text) > LONGEST:
        parts = _SEPARATORS.split(text.replace("\\\n", "").translate(_QUOTES))
        return [tuple(part.split()) for part in parts if part.strip()]
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found: list[tuple[str, ...]] = []
    words: list[str] = []
    try:
        for token in lexer:
            if token and set(token) <= set(";&|()<>\n"):
                found.append(tuple(words))
                words = []
            else:
                words.append(token)
    except ValueError:
        words = text.split()
    found.append(tuple(words))
    return [words for words in found if words]
