"""One prompt and what comes of it, while it runs and afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._fold.state import Turn
from acp_notebook._render.visible import visible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator

    from acp_notebook._chat.core import ChatCore
    from acp_notebook._chat.handle import Prompt
    from acp_notebook._fold.state import Item


class LiveTurn:
    """The turn of a prompt, returned by ``Chat.send`` and ``Chat.ask``.

    Its attributes read the newest frozen `Turn` (``turn.text``, ``turn.diffs``, ``turn.status`` …);
    `snapshot` gives that value itself. Awaiting it waits until the turn has ended and returns the
    same object; ``async for item in turn`` gives the items as they are finished.

    A turn that ended in an error raises from ``await`` and ``async for``, with ``.turn`` on the error. One
    that was cancelled, refused or cut short returns and says so in ``stop_reason``.
    """

    def __init__(self, chat: ChatCore, handle: Prompt) -> None:
        self._chat = chat
        self.handle = handle
        """The engine's half of the turn."""
        self._last = Turn()

    @property
    def snapshot(self) -> Turn:
        """The newest state of the turn, a frozen value."""
        found = self._chat._find(self.handle)  # noqa: SLF001 - the chat's own other half
        if found is not None:
            self._last = found
        return self._last

    @property
    def chat(self) -> ChatCore:
        """The chat that the turn belongs to."""
        return self._chat

    @property
    def done(self) -> bool:
        """Whether the turn has ended."""
        return self.handle.done.done()

    def cancel(self) -> None:
        """Stop this turn: ``session/cancel`` if it runs, out of the queue if it waits."""
        self._chat._cancel_prompt(self.handle)  # noqa: SLF001 - as above

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.snapshot, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in dir(Turn) if not name.startswith("_"))})

    def __await__(self) -> Generator[Any, None, LiveTurn]:
        return self._chat._wait_async(self).__await__()  # noqa: SLF001 - as above

    def __aiter__(self) -> AsyncIterator[Item]:
        """The finished items in order, until the turn ends; an interrupt cancels the turn."""
        return self._chat._items(self)  # noqa: SLF001 - as above

    def __repr__(self) -> str:
        turn = self.snapshot
        text = turn.text.strip().replace("\n", " ")
        short = text if len(text) <= 60 else text[:57] + "…"
        reason = f", {visible(turn.stop_reason)}" if turn.stop_reason else ""
        return f"<LiveTurn {turn.status}{reason}: {short!r}>"

    def _ipython_display_(self) -> None:
        self._chat._display_turn(self)  # noqa: SLF001 - as above
