"""The static twin of a chat in the notebook: its first display, and keeping it right afterwards.

A live view that can write the notebook's outputs gets the pieces that changed and writes them itself
(after a reload ``update_display`` does not reach the output any more); otherwise the kernel replaces the
display. Nothing is published where no IPython kernel runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._front import host
from acp_notebook._front.display import replace, show
from acp_notebook._render.turn_reference import turn_reference
from acp_notebook._render.twin import TwinPieces, assemble

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._fold.state import Session


class StaticTwin:
    """Publishes the twin of one chat.

    Parameters
    ----------
    chat_id
        Marks the output.
    mode
        ``"text"``, ``"full"``, or False for no twin.
    post
        Sends a custom message to the chat's model.
    """

    def __init__(
        self, chat_id: str, mode: Literal["text", "full", False], post: Callable[[dict[str, Any]], None]
    ) -> None:
        self._chat_id = chat_id
        self._mode = mode
        self._post = post
        self._pieces = TwinPieces(chat_id, mode or "text")
        self._shown = False
        self.writes = False

    @property
    def wanted(self) -> bool:
        """Whether outputs are to have a copy beside the view."""
        return bool(self._mode) and host.kernel() is not None

    @property
    def _display_id(self) -> str:
        return f"acp-notebook-{self._chat_id}"

    def show(self, session: Session) -> None:
        """Display the twin in the cell that runs."""
        if self.wanted:
            self._shown = True
            show(self._bundle(session), display_id=self._display_id)

    def show_reference(self, turn: int, session: Session) -> None:
        """Display, in the cell that runs, the line that stands for the view of a turn."""
        show(turn_reference(self._chat_id, turn, session))

    def publish(self, session: Session) -> None:
        """Replace the displayed twin, from the calling thread and in its context."""
        if self._shown:
            replace(self._bundle(session), self._display_id)

    def changed(self, session: Session) -> None:
        """A turn ended while a view is there: give it what changed, or replace the display."""
        if not self._shown:
            return
        if self.writes:
            self._post(self._pieces.update(session).to_message())
        else:
            host.run_in_empty_context(self.publish, session)

    def resend(self, session: Session) -> None:
        """A view has no pieces to build on: give it all of them."""
        if self._shown:
            self._post(self._pieces.everything(session).to_message())

    def _bundle(self, session: Session) -> dict[str, Any]:
        twin = assemble(session, self._mode or "text", self._chat_id)
        return {
            "text/html": twin.html,
            "text/markdown": twin.markdown,
            "text/plain": "A static copy of the chat.",
        }
