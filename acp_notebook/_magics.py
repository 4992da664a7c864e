"""``%load_ext acp_notebook``: the magics ``%acp`` and ``%%acp``.

``%acp AGENT`` picks the agent of the notebook's chat (``%acp`` alone shows the chat), and a cell that
begins with ``%%acp`` is a prompt to it. The cells share one chat: each is a turn of one conversation.
"""

from __future__ import annotations

import sys
from typing import Any

from acp_notebook._chat.chat import Chat
from acp_notebook._front import host
from acp_notebook._render.visible import visible

NAME = "acp_chat"
"""The variable that holds the magics' chat, so that code can reach it."""


class Magics:
    """The chat behind the magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._picked: str | None = None

    @property
    def chat(self) -> Chat:
        """The notebook's chat; made anew once closed, with the demo agent if no other was picked."""
        found = self._shell.user_ns.get(NAME)
        # One whose agent has ended starts it again with the next prompt.
        if not isinstance(found, Chat) or found not in Chat.all():
            found = self._shell.user_ns[NAME] = Chat(self._picked, keep=True)
        return found

    def line(self, line: str) -> Chat:
        """``%acp``: show the chat; ``%acp COMMAND``: a chat with that agent."""
        if picked := line.strip():
            chat = Chat(picked, keep=True)
            old = self._shell.user_ns.get(NAME)
            if isinstance(old, Chat):
                old.close()
            self._picked, self._shell.user_ns[NAME] = picked, chat
        return self.chat

    def cell(self, line: str, cell: str) -> None:
        """``%%acp``: send the cell's text and wait for the answer, shown below the cell."""
        self.line(line)
        turn = self.chat.ask(cell)
        if host.kernel() is None:  # a terminal: there is no view that shows the answer
            sys.stdout.write(visible(turn.text, multiline=True) + "\n")


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext acp_notebook``."""
    magics = Magics(shell)

    def acp(line: str, cell: str | None = None) -> Chat | None:
        if cell is None:
            return magics.line(line)
        magics.cell(line, cell)
        return None

    acp.__doc__ = __doc__
    shell.register_magic_function(acp, magic_kind="line_cell", magic_name="acp")
