"""What is decided before a person is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from acp_notebook._client.rules import EFFECTS, Effect, Rule, first_match
from acp_notebook._client.rules_text import load_toml, parse_rules
from acp_notebook._errors import RulesError

if TYPE_CHECKING:
    import os

    from acp_notebook._client.facts import Facts
    from acp_notebook._fold.state import Permission, PermissionOption

Answer: TypeAlias = "Effect | PermissionOption | str | bool | None"
Decider: TypeAlias = "Callable[[Permission], Answer | Awaitable[Answer]]"

_ALLOW = ("allow_once",)
_REFUSE = ("reject_once", "reject_always")
_EDITS = ("edit", "delete", "move")


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer to a permission request.

    Attributes
    ----------
    option_id
        One of the offered option ids, or None for the outcome ``cancelled``.
    by
        Who decided: ``"person"``, ``"policy"``, ``"rule"`` or ``"cancel"``.
    rule
        The rule's name if one did.
    """

    option_id: str | None
    by: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What rules say about a request: what to do, and the rule that says so (None: the default)."""

    effect: Effect
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """Decides permission requests before a person is asked.

    Rules are looked through in order and the first that matches decides; where none does, the default.
    A policy picks only options that were offered, and never answers a question: where two options are of
    the kind it wants, the agent asks for a choice, not for leave, and a person is asked.

    Parameters
    ----------
    default
        ``"ask"``, ``"allow"`` or ``"refuse"``: what to do where no rule matches.
    rules
        See `Rule`.
    decider
        Asked where rules and default say "ask": gets the request (a `Permission`) and returns
        ``"allow"``, ``"refuse"``, one of the options or its id, or None for a person. May be async. If it
        raises, a person is asked.
    timeout
        Seconds that a person is waited for before the request is refused; None: without limit.

    Examples
    --------
    >>> Policy.ask()
    Policy.ask()
    >>> Policy.allow_edits_in("src").rules[-1].covers
    'editing files, deleting files, moving files in src/**'
    """

    default: Effect = "ask"
    rules: tuple[Rule, ...] = ()
    decider: Decider | None = field(default=None, compare=False)
    timeout: float | None = None

    def __post_init__(self) -> None:
        if self.default not in EFFECTS:
            msg = f"The default of a policy is one of {', '.join(EFFECTS)}, not {self.default!r}."
            raise ValueError(msg)
        object.__setattr__(self, "rules", tuple(self.rules))

    @classmethod
    def ask(cls, *, timeout: float | None = None) -> Policy:
        """Ask a person every time (the default of a chat)."""
        return cls("ask", timeout=timeout)

    @classmethod
    def allow_all(cls) -> Policy:
        """Allow once whatever is asked, without a person; questions still go to one."""
        return cls("allow")

    @classmethod
    def deny_all(cls) -> Policy:
        """Refuse whatever is asked, by the agent's own reject option."""
        return cls("refuse")

    @classmethod
    def allow_reads(cls) -> Policy:
        """Allow reading and searching in the chat's folder, ask for the rest."""
        return cls(
            "ask", (Rule("allow", kinds=("read", "search"), paths=("**",), name="reads in the folder"),)
        )

    @classmethod
    def allow_edits_in(cls, *roots: str | os.PathLike[str]) -> Policy:
        """As `allow_reads`, and edits below these folders (the chat's own if none is given).

        What lies in a ``.git`` is asked for all the same: git runs commands that stand there (hooks,
        configuration), so that writing it is more than an edit.
        """
        globs = tuple(f"{str(root).rstrip('/')}/**" for root in roots) or ("**",)
        git = Rule("ask", kinds=_EDITS, paths=("/**/.git", "/**/.git/**"), name="git's own files")
        return cls("ask", (*cls.allow_reads().rules, git, Rule("allow", kinds=_EDITS, paths=globs)))

    @classmethod
    def from_toml(cls, source: str | os.PathLike[str]) -> Policy:
        """Read a policy from a TOML file (a path) or text: ``default = "ask"`` and ``[[rules]]``.

        Raises
        ------
        RulesError
            The text cannot be read; the message says where and what to write.
        OSError
            The file cannot be read.
        """
        return read_policy(source)

    @classmethod
    def when(cls, decider: Decider, *, rules: Iterable[Rule] = (), timeout: float | None = None) -> Policy:
        """Let a function decide, sync (on a thread of its own, so it may block) or async; see `decider`."""
        return cls("ask", tuple(rules), decider, timeout)

    @property
    def may_ask(self) -> bool:
        """Whether a request can reach a person under this policy."""
        return self.default == "ask" or any(rule.effect == "ask" for rule in self.rules)

    def verdict(self, facts: Facts, root: Path) -> Verdict:
        """What the rules say; the default where none matches."""
        rule = first_match(self.rules, facts, root)
        return Verdict(self.default) if rule is None else Verdict(rule.effect, rule)

    def __repr__(self) -> str:
        names = {"ask": "ask()", "allow": "allow_all()", "refuse": "deny_all()"}
        if not self.rules and self.decider is None and self.timeout is None:
            return f"Policy.{names[self.default]}"
        return f"Policy({self.default!r}, {len(self.rules)} rules)"


def read_policy(source: str | os.PathLike[str]) -> Policy:
    """As `Policy.from_toml`; a str with a line break or an equals sign is the text itself."""
    if isinstance(source, str) and ("\n" in source or "=" in source):
        where, text = "the rules", source
    else:
        where, text = str(source), Path(source).read_text(encoding="utf-8")
    table = load_toml(text, where)
    unknown = sorted(set(table) - {"default", "timeout", "rules"})
    if unknown:
        msg = f"{where}: unknown key {unknown[0]!r}; a policy has default, timeout and [[rules]]."
        raise RulesError(msg)
    default, timeout = table.get("default", "ask"), table.get("timeout")
    if default not in EFFECTS:
        msg = f"{where}: `default` is one of {', '.join(EFFECTS)}, not {default!r}."
        raise RulesError(msg)
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int | float)):
        msg = f"{where}: `timeout` is a number of seconds, not {timeout!r}."
        raise RulesError(msg)
    return Policy(default, parse_rules(table, where), timeout=timeout)


def answer(permission: Permission, verdict: Verdict) -> Decision | None:
    """The option that carries out a verdict; None: a person is asked.

    With no option of the wanted kind the other of the same side serves for refusals only.
    """
    by = "policy" if verdict.rule is None else "rule"
    name = None if verdict.rule is None else verdict.rule.label
    match verdict.effect:
        case "ask":
            return None
        case "allow":
            option = pick(permission.options, _ALLOW)
            return None if option is None else Decision(option.id, by, name)
        case "refuse":
            return None if asks_question(permission.options, _REFUSE) else refusal(permission, by, name)


def pick(options: Iterable[PermissionOption], kinds: Iterable[str]) -> PermissionOption | None:
    """The only option of the first of `kinds` that is offered; None if there is none or a choice."""
    for kind in kinds:
        found = [option for option in options if option.kind == kind]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def asks_question(options: Iterable[PermissionOption], kinds: Iterable[str]) -> bool:
    """Whether several options are of the wanted kind: the request asks for a choice."""
    for kind in kinds:
        count = sum(option.kind == kind for option in options)
        if count:
            return count > 1
    return False


def refusal(permission: Permission, by: str, rule: str | None = None) -> Decision:
    """Refuse by the reject option; `cancelled` only if none is offered (it may end the turn)."""
    for kind in _REFUSE:
        for option in permission.options:
            if option.kind == kind:
                return Decision(option.id, by, rule)
    return Decision(None, by, rule)


def chosen(permission: Permission, given: Answer) -> Decision | None:
    """What a decider's answer means; None: a person is asked.

    Raises
    ------
    ValueError
        It named an option that was not offered.
    """
    if given is None or given == "ask":
        return None
    if given in ("allow", True):
        return answer(permission, Verdict("allow"))
    if given in ("refuse", False):
        return answer(permission, Verdict("refuse"))
    option_id = given if isinstance(given, str) else getattr(given, "id", None)
    if option_id not in {option.id for option in permission.options}:
        msg = f"The decider returned {given!r}; it may return 'allow', 'refuse', None or an offered option."
        raise ValueError(msg)
    return Decision(option_id, "policy")
