"""Every word about states, ends and decisions in static copies; the views in the browser say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_notebook._render.visible import visible

if TYPE_CHECKING:
    from acp_notebook._fold.state import Permission, Review, Session, ToolCall, Turn

_KNOWN_STATUS = frozenset({"pending", "in_progress", "completed", "failed"})

_STOP_WORDS = {
    "refusal": "The agent refused to go on.",
    "max_tokens": "Cut short: the answer reached the model's limit of tokens.",
    "max_turn_requests": "Cut short: the turn reached its limit of model requests.",
}


def call_word(call: ToolCall) -> str:
    """Return the state of a call in a word or two; an unknown status as the agent's own word."""
    own = visible(call.status) if call.status is not None and call.status not in _KNOWN_STATUS else None
    match call.state:
        case "approval-requested":
            return "waits for a decision"
        case "output-denied":
            return "refused"
        case "output-available":
            return "done"
        case "output-error":
            return "failed"
        case "stopped":
            return own or "stopped"
        case "approval-responded":
            return own or "running"
        case _:
            return own or ("pending" if call.status == "pending" else "running")


def end_word(turn: Turn) -> str | None:
    """How a turn ended, where that needs saying; None when the answer speaks for itself."""
    if turn.status == "error" or turn.active or turn.stop_reason is None:
        return None
    if turn.stop_reason == "end_turn":
        return "The agent was asked to stop; it had already finished." if turn.cancel_requested else None
    if turn.stop_reason == "cancelled":
        return "Stopped on request." if turn.cancel_requested else "The agent stopped this turn."
    return _STOP_WORDS.get(turn.stop_reason) or f"Ended: {visible(turn.stop_reason)}"


def decision_word(permission: Permission) -> str:
    """Who decided what, by the option's own name; or that nobody has yet."""
    names = " / ".join(visible(option.name) for option in permission.options)
    if permission.outcome is None:
        return f"Waits for a decision: {names or 'no options offered'}"
    if permission.outcome == "cancelled":
        return "Withdrawn unanswered" + ("" if permission.decided_by == "cancel" else _by_whom(permission))
    option = permission.option
    name = visible(option.name if option else permission.option_id or "?")
    review = permission.review
    if review is not None and review.outcome == "applied":
        return f"{review_word(review)}; the agent was answered: {name}"
    return f"{_verb(permission)}{_by_whom(permission)}: {name}"


def review_word(review: Review) -> str:
    """What became of a review by hunk, and who decided."""
    by = _by_whom(review)
    match review.outcome:
        case None:
            return "Waits for a decision by hunk"
        case "applied":
            verb = "taken back" if review.way == "take_back" else "applied"
            return f"{len(review.chosen)} of {count(len(review.hunks), 'hunk')} {verb}{by}"
        case "refused":
            return ("Nothing taken back" if review.way == "take_back" else "Refused") + by
        case "cancelled":
            return "Withdrawn undecided"


def _verb(permission: Permission) -> str:
    option = permission.option
    if option is None:
        return "Answered"
    if option.kind.startswith("reject"):
        return "Refused"
    # Several options of one kind are a question; "allowed" would misread the answer.
    choices = sum(one.kind == option.kind for one in permission.options)
    if not option.kind.startswith("allow") or choices > 1:
        return "Answered"
    return {"allow_once": "Allowed once", "allow_always": "Allowed for good"}.get(option.kind, "Allowed")


def _by_whom(decided: Permission | Review) -> str:
    match decided.decided_by:
        case "person":
            return " by you"
        case None:
            # A transcript without our notes does not say.
            return ""
        case "policy":
            return " by the chat's policy"
        case "cancel":
            return " by the stop"
        case rule:
            return f" by the rule {visible(rule)}"


def plan_word(status: str | None) -> str:
    """Return the state of a plan's step in words."""
    known = {"completed": "done", "in_progress": "in progress", "pending": "to do", None: ""}
    return known[status] if status in known else visible(status or "")


def agent_words(session: Session) -> str:
    """Return the agent's name and version, as far as they are known."""
    agent = session.agent
    if agent is None:
        return "an agent"
    name = agent.title or agent.name or (agent.command[0] if agent.command else "an agent")
    return visible(f"{name} {agent.version}" if agent.version else name)


def duration(seconds: float) -> str:
    """Return ``"4 s"``, ``"3 min 05 s"``, ``"2 h 04 min"``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return ``"1 turn"``, ``"2 turns"``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
