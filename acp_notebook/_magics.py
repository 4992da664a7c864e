"""``%load_ext acp_notebook``: the magics ``%acp`` and ``%%acp``.

``%acp AGENT`` picks the agent of the notebook's chat (``%acp`` alone shows the chat), and a cell that
begins with ``%%acp`` is a prompt to it. The cells share one chat: each is a turn of one conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._chat.chat import Chat

if TYPE_CHECKING:
    from acp_notebook._chat.live_turn import LiveTurn

NAME = "acp_chat"
"""The variable that holds the magics' chat, so that code can reach it."""


class Magics:
    """The chat behind the magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    @property
    def chat(self) -> Chat:
        """The notebook's chat; made with the demo agent if no other was picked."""
        found = self._shell.user_ns.get(NAME)
        if not isinstance(found, Chat) or found.status == "ended":
            found = self._shell.user_ns[NAME] = Chat(keep=True)
        return found

    def line(self, line: str) -> Chat:
        """``%acp``: show the chat; ``%acp COMMAND``: a chat with that agent."""
        if line.strip():
            old = self._shell.user_ns.get(NAME)
            if isinstance(old, Chat):
                old.close()
            self._shell.user_ns[NAME] = Chat(line.strip(), keep=True)
        return self.chat

    def cell(self, line: str, cell: str) -> LiveTurn | None:
        """``%%acp``: send the cell's text and wait for the answer, shown below the cell."""
        if line.strip():
            self.line(line)
        self.chat.ask(cell)
        return None


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext acp_notebook``."""
    magics = Magics(shell)

    def acp(line: str, cell: str | None = None) -> Chat | LiveTurn | None:
        return magics.line(line) if cell is None else magics.cell(line, cell)

    acp.__doc__ = __doc__
    shell.register_magic_function(acp, magic_kind="line_cell", magic_name="acp")
