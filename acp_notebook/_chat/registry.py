"""The chats that live in this process, and which cell made them."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_notebook._chat.core import ChatCore

_lock = threading.Lock()
_living: dict[str, ChatCore] = {}


def add(chat: ChatCore) -> list[ChatCore]:
    """Register a chat; returns those that the same cell made when it ran before.

    A cell that runs again replaces its chat, or five runs would leave five agents. Two chats made in
    one run of a cell stay both: the run's request is part of the mark.
    """
    with _lock:
        mark = chat.made_by
        stale = [
            other
            for other in _living.values()
            if mark is not None
            and other.made_by is not None
            and not other.keep
            and other.made_by.cell == mark.cell
            and other.made_by.run != mark.run
        ]
        _living[chat.id] = chat
    return stale


def remove(chat: ChatCore) -> None:
    """A chat was closed."""
    with _lock:
        _living.pop(chat.id, None)


def living() -> list[ChatCore]:
    """Every chat that was not closed, oldest first."""
    with _lock:
        return list(_living.values())


def _after_fork() -> None:
    """A forked child has the conversations, not the agents: their pipes and threads are its parent's."""
    global _lock  # noqa: PLW0603 - another thread may have held it in the moment of the fork
    _lock = threading.Lock()
    for chat in _living.values():
        chat.left_behind()
    _living.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
