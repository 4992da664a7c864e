"""The agent's questions in forms and by links that wait for a person, each answered exactly once.

As the broker of permissions, it decides nothing and draws nothing: it keeps open requests and writes the
answer on the wire, after a ``decision`` note that says who gave it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from acp_notebook._client.forms import FormError, checked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from acp_notebook._client.broker import Answerable
    from acp_notebook._fold.questions import Question

Action = Literal["accept", "decline", "cancel"]


class Questions:
    """Open questions of one agent process. Lives on the agent's loop; never awaits.

    Parameters
    ----------
    note
        Records a note in the transcript.
    """

    def __init__(self, note: Callable[[dict[str, Any]], None]) -> None:
        self._note = note
        self._open: dict[str, tuple[Answerable, Question]] = {}

    def wait(self, request: Answerable, question: Question) -> None:
        """Keep a question open until somebody answers it."""
        self._open[question.key] = (request, question)

    def answer(self, key: str, action: Action, content: object = None, by: str = "person") -> str | None:
        """Answer an open question.

        Parameters
        ----------
        key
            Of the question.
        action
            accept (a form with `content`, a link with the person's consent to open it), decline, or cancel
            (neither yes nor no).
        content
            Answers by property name, for a form that is accepted.
        by
            Who answers.

        Returns
        -------
        str or None
            None if this was the answer, else a sentence that says why it was not; it then still waits.
        """
        entry = self._open.get(key)
        if entry is None:
            return "This question does not wait for an answer (any more)."
        request, question = entry
        result: dict[str, Any] = {"action": action}
        if action == "accept":
            if question.mode == "form":
                try:
                    result["content"] = checked(question.schema, content)
                except FormError as error:
                    return str(error)
            elif not can_open(question.url):
                return "This address cannot be opened from here: it is neither http nor https."
        del self._open[key]
        self._note({"kind": "decision", "request_id": request.id, "by": by})
        request.respond(result)
        return None

    def withdraw(self, key: str) -> None:
        """Nobody wants the answer any more: the owed `cancel` is sent."""
        self.answer(key, "cancel", by="cancel")

    def cancel(self, keep: Collection[str] = ()) -> None:
        """Answer every waiting question with `cancel`, but for those to keep."""
        for key in tuple(self._open):
            if key not in keep:
                self.withdraw(key)


def can_open(url: str | None) -> bool:
    """Whether an address may be offered to a person to open: complete, http or https, without tricks."""
    if url is None or any(ord(char) <= 32 or char == "\\" for char in url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
