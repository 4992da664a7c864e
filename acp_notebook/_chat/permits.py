"""What becomes of a permission request: rules first, then the policy's function, then a person."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any, TypeAlias

from acp_notebook._agent import loop
from acp_notebook._agent.protocol import INVALID_PARAMS
from acp_notebook._client.broker import Broker
from acp_notebook._client.policy import Decision, chosen, pick, refusal
from acp_notebook._errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._agent.connection import Incoming
    from acp_notebook._chat.guarded_commands import OwnRequest
    from acp_notebook._chat.log import Log
    from acp_notebook._client.judge import Judge
    from acp_notebook._client.rules import Rule
    from acp_notebook._fold.state import Permission, Session, ToolCall

    _Request: TypeAlias = Incoming | OwnRequest


class Permits:
    """Serves ``session/request_permission`` for one agent process. Lives on the agent's loop.

    Parameters
    ----------
    log, judge
        The records, and the rules.
    attended
        Whether a person can be asked right now.
    """

    def __init__(self, log: Log, judge: Judge, attended: Callable[[], bool]) -> None:
        self.broker = Broker(log.note)
        self._log = log
        self._judge = judge
        self._attended = attended
        self._offers: dict[str, Rule] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, request: _Request) -> None:
        """Decide a request, or let it wait for a person."""
        asked = (p for p in reversed(self._log.session.pending) if p.request_id == request.id)
        permission = next(asked, None)
        if permission is None:
            request.error(INVALID_PARAMS, "A permission request needs a toolCall and a list of options.")
            return
        judgement = self._judge.judge(permission, call_of(self._log.session, permission))
        if judgement.decision is not None:
            self.broker.settle(request, judgement.decision)
        elif judgement.asks_decider and self._judge.policy.decider is not None:
            self._own(self._decide(request, permission, judgement.remembered))
        else:
            self._ask_person(request, permission, judgement.remembered)

    async def _decide(self, request: _Request, permission: Permission, remembered: Rule | None) -> None:
        """Let the policy's function decide; if it fails, a person is asked."""
        decider = self._judge.policy.decider
        assert decider is not None, "checked by the caller"
        decision = None
        # Until it has decided, a cancel must find the request waiting.
        self.broker.wait(request, permission)
        request.on_cancel = lambda: self.broker.withdraw(permission.key)
        try:
            given = await loop.aside(lambda: decider(permission))
            if inspect.isawaitable(given):
                given = await given
            decision = chosen(permission, given)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the person's own: whatever it raises, we ask
            text = f"The policy's function failed, so you are asked: {type(error).__name__}: {error}"
            self._log.warn(text)
        if not self.broker.holds(permission.key):
            return
        if decision is not None:
            self.broker.answer(permission.key, decision)
        else:
            self._ask_person(request, permission, remembered)

    def _ask_person(self, request: _Request, permission: Permission, remembered: Rule | None) -> None:
        if not self._attended():
            self._log.warn(nobody_to_ask(permission))
            self.broker.wait(request, permission)
            self.broker.answer(permission.key, refusal(permission, "policy"))
            return
        if remembered is not None:
            self._offers[permission.key] = remembered
            self._log.note({"kind": "offer", "request_id": request.id, "covers": remembered.covers})
        self.broker.wait(request, permission)
        request.on_cancel = lambda: self.broker.withdraw(permission.key)
        timeout = self._judge.policy.timeout
        if timeout is not None:
            late = Decision(refusal(permission, "policy").option_id, "rule", f"no answer in {timeout:g} s")
            asyncio.get_running_loop().call_later(timeout, self.broker.answer, permission.key, late)

    def answer(self, permission: Permission, option_id: str, remember: str | None = None) -> str | None:
        """A person's answer; with `remember` it is kept for the chat or for the folder.

        Returns
        -------
        str or None
            None if it counts, else a sentence that says why not; the request then still waits.
        """
        if remember is None:
            return self.broker.answer(permission.key, Decision(option_id, "person"))
        rule = self._offers.get(permission.key)
        allow = pick(permission.options, ("allow_once",))
        if rule is None or allow is None:
            return "This request cannot be remembered: answer it with one of its options."
        if not self.broker.holds(permission.key):
            return "This request has already been answered."
        problem = self._remember(rule, remember)
        if problem is None:
            note = {"kind": "remembered", "request_id": permission.request_id, "scope": remember}
            self._log.note(note)
            problem = self.broker.answer(permission.key, Decision(allow.id, "person"))
        return problem

    def _remember(self, rule: Rule, scope: str) -> str | None:
        if scope == "chat":
            self._judge.chat_rules.append(rule)
        else:
            try:
                self._judge.memory.remember(rule)
            except (OSError, UnicodeError, RulesError) as error:
                return f"The rule could not be kept: {error}"
        return None

    def settle(self) -> None:
        """Answer what the state counts as ended (its turn is over) but the agent still waits for."""
        pending = {permission.key for permission in self._log.session.pending}
        for permission in self.broker.waiting:
            if permission.key not in pending:
                self.broker.withdraw(permission.key)

    def close(self) -> None:
        """Answer what waits with `cancelled`, and stop asking functions."""
        self.broker.cancel()
        for task in tuple(self._tasks):
            task.cancel()

    def _own(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work, name="policy's function")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def call_of(session: Session, permission: Permission) -> ToolCall | None:
    """The tool call that a permission was asked for, as known so far."""
    turns = [*session.turns, *([session.preamble] if session.preamble is not None else [])]
    for turn in reversed(turns):
        for call in turn.tool_calls:
            if any(held.key == permission.key for held in call.permissions):
                return call
        if any(held.key == permission.key for held in turn.permissions):
            return None
    return None


def nobody_to_ask(permission: Permission) -> str:
    """The warning for a request that was refused since no person can answer."""
    what = permission.title or permission.tool_call_id or "a tool call"
    return (
        f"Refused without asking: {what}. Nobody can answer here (no notebook front end). "
        "Pass a policy to Chat to decide in code: Policy(rules=[…]) for single tools, paths and commands, "
        "Policy.allow_all() or Policy.deny_all() for everything."
    )
