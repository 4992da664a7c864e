"""The static twin of a chat in the notebook: its first display, and keeping it right afterwards.

A live view that can write the notebook's outputs gets the pieces that changed and writes them itself
(after a reload ``update_display`` does not reach the output any more); otherwise the kernel replaces the
display. Cells of single turns have a line, and a copy of their own once the chat's leaves them out. Nothing
is published where no IPython kernel runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._front import host
from acp_notebook._front.display import replace, show
from acp_notebook._render.turn_cell import turn_copy, turn_reference
from acp_notebook._render.twin import TwinPieces

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_notebook._fold.state import Session
    from acp_notebook._render.twin import TwinUpdate


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
        self._referred: set[int] = set()
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
            show(self._bundle(self._all(session)), display_id=self._display_id)

    def show_reference(self, turn: int, session: Session) -> None:
        """Display, in the cell that runs, the line that stands for the view of a turn."""
        self._referred.add(turn)
        show(turn_reference(self._chat_id, turn, session), display_id=self._turn_id(turn))

    def publish(self, session: Session, *, heard: bool = True) -> None:
        """Replace what is displayed, from the calling thread and in its context.

        A runner such as nbclient may not hear what is sent outside of the cell that runs; what is sent once
        only is then sent again the next time.
        """
        if self._shown:
            update = self._all(session)
            replace(self._bundle(update), self._display_id)
            self._tell_left_out(session, update.told, heard=heard)

    def changed(self, session: Session) -> None:
        """A turn ended while a view is there: give it what changed, or replace the display."""
        if not self._shown:
            return
        if self.writes:
            update = self._pieces.update(session)
            self._post(update.to_message())
            host.run_in_empty_context(self._tell_left_out, session, update.told)
        else:
            host.run_in_empty_context(self.publish, session)

    def resend(self, session: Session) -> None:
        """A view has no pieces to build on: give it all of them."""
        if self._shown:
            self._post(self._pieces.everything(session).to_message())

    def _tell_left_out(self, session: Session, told: int, *, heard: bool = True) -> None:
        """Give the cells of turns that the chat's copy does not tell any more a copy of their own.

        After a reload of the page such an update does not reach its cell any more, and the line stays.
        """
        for turn in sorted(turn for turn in self._referred if turn < told):
            replace(turn_copy(self._chat_id, turn, session, self._mode or "text"), self._turn_id(turn))
            if heard:
                self._referred.discard(turn)

    def _turn_id(self, turn: int) -> str:
        return f"{self._display_id}-turn-{turn}"

    def _all(self, session: Session) -> TwinUpdate:
        return TwinPieces(self._chat_id, self._mode or "text").update(session)

    def _bundle(self, update: TwinUpdate) -> dict[str, Any]:
        twin = update.whole()
        return {
            "text/html": twin.html,
            "text/markdown": twin.markdown,
            "text/plain": "A static copy of the chat.",
        }
