"""What is decided before a person is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_notebook._fold.state import Permission, PermissionOption

Effect = Literal["ask", "allow", "refuse"]

_ALLOW = ("allow_once",)
_REFUSE = ("reject_once", "reject_always")


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer to a permission request.

    Attributes
    ----------
    option_id
        One of the offered option ids, or None for the outcome ``cancelled``.
    by
        Who decided: ``"person"``, ``"policy"``, ``"cancel"``, or the name of a rule.
    """

    option_id: str | None
    by: str


@dataclass(frozen=True, slots=True)
class Policy:
    """Decides permission requests before a person is asked.

    A policy picks only options that were offered, and never answers a question: where two options
    are of the kind it wants, the agent asks for a choice, not for leave, and a person is asked.

    Examples
    --------
    >>> Policy.ask()
    Policy.ask()
    >>> Policy.allow_all()
    Policy.allow_all()
    """

    default: Effect = "ask"

    @classmethod
    def ask(cls) -> Policy:
        """Ask a person every time (the default of a chat)."""
        return cls("ask")

    @classmethod
    def allow_all(cls) -> Policy:
        """Allow once whatever is asked, without a person; questions still go to one."""
        return cls("allow")

    @classmethod
    def deny_all(cls) -> Policy:
        """Refuse whatever is asked, by the agent's own reject option."""
        return cls("refuse")

    @property
    def may_ask(self) -> bool:
        """Whether a request can reach a person under this policy."""
        return self.default == "ask"

    def decide(self, permission: Permission) -> Decision | None:
        """The answer to a request, or None: a person is to be asked.

        Parameters
        ----------
        permission
            The request as folded; its options are the offer.
        """
        match self.default:
            case "ask":
                return None
            case "allow":
                option = pick(permission.options, _ALLOW)
                return None if option is None else Decision(option.id, "policy")
            case "refuse":
                return None if asks_question(permission.options, _REFUSE) else refusal(permission, "policy")

    def __repr__(self) -> str:
        name = {"ask": "ask", "allow": "allow_all", "refuse": "deny_all"}[self.default]
        return f"Policy.{name}()"


def pick(options: Sequence[PermissionOption], kinds: Sequence[str]) -> PermissionOption | None:
    """The only option of the first of `kinds` that is offered; None if there is none or a choice."""
    for kind in kinds:
        found = [option for option in options if option.kind == kind]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def asks_question(options: Sequence[PermissionOption], kinds: Sequence[str]) -> bool:
    """Whether several options are of the wanted kind: the request asks for a choice."""
    for kind in kinds:
        count = sum(option.kind == kind for option in options)
        if count:
            return count > 1
    return False


def refusal(permission: Permission, by: str) -> Decision:
    """Refuse by the reject option; `cancelled` only if none is offered (it may end the turn)."""
    for kind in _REFUSE:
        for option in permission.options:
            if option.kind == kind:
                return Decision(option.id, by)
    return Decision(None, by)
