"""What a policy decides, and what it leaves to a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_notebook._client.facts import facts
from acp_notebook._client.policy import Decision, Policy, answer, refusal
from acp_notebook._fold.state import Permission, PermissionOption


def permission(*options: tuple[str, str]) -> Permission:
    """A request that offers options of these (id, kind)."""
    offered = tuple(PermissionOption(id=id_, name=id_.title(), kind=kind) for id_, kind in options)
    return Permission(
        key="1:0",
        request_id=0,
        session_id="s",
        tool_call_id="c",
        title="Edit a file",
        kind="edit",
        content=(),
        locations=(),
        raw_input=None,
        options=offered,
        asked=0.0,
    )


USUAL = permission(("yes", "allow_once"), ("ever", "allow_always"), ("no", "reject_once"))
QUESTION = permission(("red", "allow_once"), ("blue", "allow_once"), ("skip", "reject_once"))
PLAN = permission(
    ("auto", "allow_always"), ("accept", "allow_always"), ("yes", "allow_once"), ("no", "reject_once")
)
TWO_REFUSALS = permission(("a", "reject_once"), ("b", "reject_once"))


@pytest.mark.parametrize(
    ("policy", "asked", "expected"),
    [
        (Policy.ask(), USUAL, None),
        (Policy.allow_all(), USUAL, Decision("yes", "policy")),
        (Policy.deny_all(), USUAL, Decision("no", "policy")),
        (Policy.allow_all(), QUESTION, None),
        (Policy.deny_all(), QUESTION, Decision("skip", "policy")),
        (Policy.allow_all(), PLAN, Decision("yes", "policy")),
        (Policy.deny_all(), TWO_REFUSALS, None),
        (Policy.allow_all(), permission(("ever", "allow_always")), None),
        (Policy.allow_all(), permission(("odd", "maybe")), None),
        (Policy.deny_all(), permission(("never", "reject_always")), Decision("never", "policy")),
        (Policy.deny_all(), permission(("yes", "allow_once")), Decision(None, "policy")),
        (Policy.allow_all(), permission(), None),
        (Policy.deny_all(), permission(), Decision(None, "policy")),
    ],
)
def test_decides_only_what_is_no_question(
    policy: Policy, asked: Permission, expected: Decision | None
) -> None:
    """A policy picks an offered option of its kind; a choice between several goes to a person."""
    verdict = policy.verdict(facts(asked, None, Path.cwd()), Path.cwd())

    assert expected == answer(asked, verdict)


def test_a_refusal_is_the_reject_option() -> None:
    """`cancelled` may end the turn, so it is the last resort."""
    assert refusal(USUAL, "x") == Decision("no", "x")
    assert refusal(permission(("y", "allow_once")), "x") == Decision(None, "x")


def test_names_itself() -> None:
    """The repr is the code that makes the policy."""
    assert [repr(policy) for policy in (Policy.ask(), Policy.allow_all(), Policy.deny_all())] == [
        "Policy.ask()",
        "Policy.allow_all()",
        "Policy.deny_all()",
    ]
