"""Questions of the agent (forms and links), with a real process at the other end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, Chat
from tests.chat.scripts import DONE, PROMPTED, SESSION, answer, ask, replies, scripted, tell, turn
from tests.chat.test_chat import attended, notes, until

CAPTURES = Path(__file__).parents[1] / "captures"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}
FORM = {"sessionId": SESSION, "mode": "form", "message": "How many?", "requestedSchema": SCHEMA}
LINK = {
    "sessionId": SESSION,
    "mode": "url",
    "message": "Sign in",
    "elicitationId": "e1",
    "url": "https://example.org/?a=1",
}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Chat]]:
    """Make chats that are closed afterwards."""
    made: list[Chat] = []

    def make(agent: Agent) -> Chat:
        made.append(Chat(agent, cwd=tmp_path, record=False))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def asked(chat: Chat, count: int = 1) -> Any:
    """Prompt as a person does, and wait for the questions."""
    running = attended(chat, "go")
    until(chat, lambda chat: len(chat.pending_questions) == count)
    return running


def result(chat: Chat, ident: Any) -> Any:
    return replies(chat)[ident]["result"]


def test_forms_and_links_are_offered_to_the_agent(make):
    """The capability says both, since both are served."""
    chat = make(scripted(*PROMPTED, *DONE))
    chat.ask("go")
    hello = next(record.msg for record in chat._log.records if record.msg.get("method") == "initialize")
    assert hello["params"]["clientCapabilities"]["elicitation"] == {"form": {}, "url": {}}


def test_a_form_is_answered_once_and_checked(make):
    """Answers that do not fit are refused and it still waits; the right ones go out; then it is over."""
    chat = make(turn(ask(0, "elicitation/create", **FORM), ["take", 1]))
    running = asked(chat)
    assert chat.status == "waiting"
    [question] = chat.pending_questions
    assert (question.mode, question.message, question.schema) == ("form", "How many?", SCHEMA)
    for wrong in ({}, {"n": 0}, {"n": "1"}, {"n": 1, "m": 2}):
        with pytest.raises(ValueError, match=r"n: |no field"):
            chat.answer_question(question, wrong)
    chat.answer_question(question, {"n": 2.0})
    with pytest.raises(ValueError, match="does not wait"):
        chat.answer_question(question.key, action="decline")
    running.handle.done.result(20)
    assert result(chat, 0) == {"action": "accept", "content": {"n": 2}}
    [item] = running.items
    assert (item.raw["decided_by"], item.raw["response"]) == ("person", result(chat, 0))
    assert chat.pending_questions == ()


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_decline_and_cancel_need_no_answers(make, action):
    """They go out as they are, without content."""
    chat = make(turn(ask("q", "elicitation/create", **FORM), ["take", 1]))
    running = asked(chat)
    chat.answer_question(chat.pending_questions[0], {"n": 5}, action=action)
    running.handle.done.result(20)
    assert result(chat, "q") == {"action": action}


def test_a_link_is_agreed_to_and_later_done(make):
    """Accepting says no more than that; `elicitation/complete` marks it, and unknown ids are ignored."""
    told = [tell("elicitation/complete", elicitationId=name) for name in ("other", "e1")]
    chat = make(turn(ask(0, "elicitation/create", **LINK), ["take", 1], *told))
    running = asked(chat)
    [question] = chat.pending_questions
    assert (question.mode, question.url) == ("url", LINK["url"])
    chat.answer_question(question)
    running.handle.done.result(20)
    assert result(chat, 0) == {"action": "accept"}
    assert running.items[0].raw["complete"] is True
    assert not chat.session.unread


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "https:///x", "http://a\n.b", "//example.org", "http://a\\b"]
)  # fmt: skip
def test_other_addresses_are_not_opened(make, url):
    """A link that is no plain web address can be declined only."""
    chat = make(turn(ask(0, "elicitation/create", **{**LINK, "url": url}), ["take", 1]))
    running = asked(chat)
    with pytest.raises(ValueError, match="cannot be opened"):
        chat.answer_question(chat.pending_questions[0])
    chat.answer_question(chat.pending_questions[0], action="decline")
    running.handle.done.result(20)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {**FORM, "message": 5},
        {**FORM, "requestedSchema": None},
        {**FORM, "requestedSchema": {"properties": []}},
        {**FORM, "mode": "dance"},
        {**LINK, "url": None},
        {**LINK, "elicitationId": 1},
    ],
)
def test_what_cannot_be_shown_is_an_error(make, params):
    """Requests of a wrong form are answered -32602, nobody is asked, and the turn goes on."""
    chat = make(turn(ask(0, "elicitation/create", **params), ["take", 1]))
    attended(chat, "go").handle.done.result(20)
    assert replies(chat)[0]["error"]["code"] == -32602
    assert chat.pending_questions == ()


def test_where_nobody_can_answer_it_is_declined(make):
    """Headless: at once, with a warning, decided by the policy."""
    chat = make(turn(ask(0, "elicitation/create", **FORM), ["take", 1]))
    with pytest.warns(UserWarning, match="Declined without asking: How many"):
        done = chat.ask("go")
    assert result(chat, 0) == {"action": "decline"}
    assert done.items[0].raw["decided_by"] == "policy"


def test_a_cancel_answers_every_question(make):
    """`session/cancel` first, then `cancel` for each; late answers change nothing."""
    steps = [ask(0, "elicitation/create", **FORM), ask("0", "elicitation/create", **LINK), ["take", 3]]
    chat = make(turn(*steps))
    running = asked(chat, 2)
    questions = chat.pending_questions
    chat.cancel()
    running.handle.done.result(20)
    out = [record.msg for record in chat._log.records if record.dir == "out"][-3:]
    assert [out[0]["method"], *(m["result"] for m in out[1:])] == [
        "session/cancel",
        *2 * [{"action": "cancel"}],
    ]
    with pytest.raises(ValueError, match="does not wait"):
        chat.answer_question(questions[0], {"n": 1})


def test_the_agent_takes_a_question_back(make):
    """`$/cancel_request` ends it; the owed `cancel` goes out."""
    chat = make(
        turn(ask(0, "elicitation/create", **FORM), tell("$/cancel_request", requestId=0), ["take", 1])
    )
    running = attended(chat, "go")
    running.handle.done.result(20)
    assert result(chat, 0) == {"action": "cancel"}
    assert running.items[0].raw["decided_by"] == "cancel"


def test_the_end_of_the_turn_ends_what_was_asked_in_it(make):
    """An agent that answers the prompt first still gets what it is owed: for questions and permissions."""
    permission = {
        "sessionId": SESSION,
        "toolCall": {"toolCallId": "c"},
        "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
    }
    chat = make(
        scripted(
            *PROMPTED,
            ask(0, "elicitation/create", **FORM),
            ask(1, "session/request_permission", **permission),
            answer(2, {"stopReason": "end_turn"}),
            ["take", 2],
            tell("_x/got"),
            ["eof"],
        )
    )
    running = attended(chat, "go")
    running.handle.done.result(20)
    until(chat, lambda chat: "_x/got" in chat.session.unread)
    assert result(chat, 0) == {"action": "cancel"}
    assert result(chat, 1) == {"outcome": {"outcome": "cancelled"}}
    assert chat.status == "ready"


def test_an_agent_that_dies_leaves_no_question_open(make):
    """It is over with the process, and an answer says so."""
    chat = make(scripted(*PROMPTED, ask(0, "elicitation/create", **FORM), ["exit", 3]))
    running = attended(chat, "go")
    until(chat, lambda chat: chat.status == "ended")
    assert running.items[0].raw["response"] == {"action": "cancel"}
    with pytest.raises(ValueError, match="not run"):
        chat.answer_question("1:0", {"n": 1})


@pytest.mark.parametrize("name", ["claude22-ask", "kimicode-ask"])
def test_forms_of_real_agents(make, name):
    """What two agents send is shown, and the choice goes out under the field's name."""
    records = map(json.loads, (CAPTURES / f"{name}.jsonl").read_text().splitlines())
    params = next(
        r["msg"]["params"] for r in records if r.get("msg", {}).get("method") == "elicitation/create"
    )
    chat = make(turn(ask(0, "elicitation/create", **{**params, "sessionId": SESSION}), ["take", 1]))
    running = asked(chat)
    [question] = chat.pending_questions
    field = next(iter(question.schema["properties"]))
    with pytest.raises(ValueError, match="Colour: must be one of"):
        chat.answer_question(question, {field: "Green"})
    chat.answer_question(question, {field: "Blue"})
    running.handle.done.result(20)
    assert result(chat, 0) == {"action": "accept", "content": {field: "Blue"}}
    assert notes(chat, "decision") == [{"kind": "decision", "request_id": 0, "by": "person"}]
