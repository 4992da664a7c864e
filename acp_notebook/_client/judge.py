"""Puts together everything that may decide a request: the folder's rules, the policy, what is remembered.

The order is by who may be trusted with what. A rules file inside the folder may come from a stranger, so it
can only refuse or ask. Then the policy given in code. What a person told us to remember (for this chat, or
for this folder) only turns "a person is asked" into "allowed", never a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_notebook._client.facts import Facts, facts
from acp_notebook._client.policy import Decision, Verdict, answer, pick
from acp_notebook._client.rules import Rule, first_match, rule_for, touches_rules_file

if TYPE_CHECKING:
    from pathlib import Path

    from acp_notebook._client.memory import FolderMemory
    from acp_notebook._client.policy import Policy
    from acp_notebook._fold.state import Permission, ToolCall


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found about a request.

    Attributes
    ----------
    decision
        The answer, or None: a person is asked.
    remembered
        The rule that "always" would make, if this request may be remembered.
    asks_decider
        Whether the policy's function may still decide.
    """

    decision: Decision | None
    remembered: Rule | None
    asks_decider: bool


class Judge:
    """Judges the requests of one chat.

    Parameters
    ----------
    policy
        Given in code.
    root
        The chat's folder.
    memory
        Rules of the folder: its own file, and what the user had us remember.
    """

    def __init__(self, policy: Policy, root: Path, memory: FolderMemory) -> None:
        self.policy = policy
        self.root = root
        self.memory = memory
        self.chat_rules: list[Rule] = []
        """Allowed for this chat, by a person; they end with it."""

    def judge(self, permission: Permission, call: ToolCall | None) -> Judgement:
        """Decide a request by rules, or find that a person has to."""
        about = facts(permission, call, self.root)
        verdict, final = self._verdict(about)
        decision = answer(permission, verdict)
        if decision is None and verdict.effect == "ask" and not final:
            allowed = self._remembered(about)
            decision = None if allowed is None else answer(permission, Verdict("allow", allowed))
        can_allow_once = pick(permission.options, ("allow_once",)) is not None
        offer = rule_for(about, self.root) if can_allow_once and not final else None
        return Judgement(decision, offer, asks_decider=decision is None and not final)

    def _verdict(self, about: Facts) -> tuple[Verdict, bool]:
        """What the rules say, and whether nothing remembered may soften it."""
        strict = first_match(self.memory.strict_rules(), about, self.root)
        verdict = self.policy.verdict(about, self.root)
        if strict is not None and strict.effect == "refuse":
            return Verdict("refuse", strict), True
        if verdict.effect == "refuse":
            return verdict, True
        if strict is not None:
            return Verdict("ask", strict), True
        if touches_rules_file(about, self.root):
            return Verdict("ask"), True
        return verdict, verdict.effect == "ask" and verdict.rule is not None

    def _remembered(self, about: Facts) -> Rule | None:
        return first_match([*self.chat_rules, *self.memory.allowed()], about, self.root)
