"""What becomes of a question of the agent (``elicitation/create``): a person answers, or it is declined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_notebook._agent.protocol import INVALID_PARAMS
from acp_notebook._client.questions import Questions
from acp_notebook._fold.questions import open_questions

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._agent.connection import Incoming
    from acp_notebook._chat.log import Log
    from acp_notebook._fold.questions import Question


class Asking:
    """Serves ``elicitation/create`` for one agent process. Lives on the agent's loop.

    Parameters
    ----------
    log
        The records; the question is read from their state.
    attended
        Whether a person can be asked right now.
    """

    def __init__(self, log: Log, attended: Callable[[], bool]) -> None:
        self.questions = Questions(log.note)
        self._log = log
        self._attended = attended

    def ask(self, request: Incoming) -> None:
        """Let a question wait for a person."""
        problem = _misfit(request.params)
        waiting = (q for q in reversed(open_questions(self._log.session)) if q.request_id == request.id)
        question = next(waiting, None)
        if problem is not None or question is None:
            request.error(INVALID_PARAMS, problem or "The id of this request is not usable.")
            return
        self.questions.wait(request, question)
        if not self._attended():
            self._log.warn(nobody_to_ask(question))
            self.questions.answer(question.key, "decline", by="policy")
            return
        request.on_cancel = lambda: self.questions.withdraw(question.key)

    def settle(self) -> None:
        """Answer what the state counts as ended (its turn is over) but the agent still waits for."""
        self.questions.cancel(keep={question.key for question in open_questions(self._log.session)})


def _misfit(params: dict[str, object]) -> str | None:
    """Why a request cannot be shown; None if it can."""
    mode = params.get("mode", "form")
    if not isinstance(params.get("message"), str):
        return "An elicitation needs a message."
    if mode == "form":
        schema = params.get("requestedSchema")
        fits = isinstance(schema, dict) and isinstance(schema.get("properties", {}), dict)
        return None if fits else "A form needs a requestedSchema: an object with properties."
    if mode == "url":
        fits = isinstance(params.get("url"), str) and isinstance(params.get("elicitationId"), str)
        return None if fits else "An elicitation by link needs a url and an elicitationId."
    return f"This client shows forms and links, not elicitations of the mode {mode!r}."


def nobody_to_ask(question: Question) -> str:
    """The warning for a question that was declined since no person can answer."""
    what = " ".join(question.message.split())[:200] or "a question"
    return f"Declined without asking: {what}. Nobody can answer here (no notebook front end)."
