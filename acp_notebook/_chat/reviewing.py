"""The part of a chat for accepting edits in parts, from code; see `Chat` for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._agent import loop
from acp_notebook._chat.core import ChatCore
from acp_notebook._client.edits import MismatchError
from acp_notebook._front import pump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from acp_notebook._fold.state import Hunk, Permission, Review, ToolCall


class Reviewing(ChatCore):
    """Reviews of edits by hunk."""

    @property
    def reviews(self) -> tuple[Review, ...]:
        """The reviews that wait for a person and belong to no permission: held writes, edits to take back."""
        return self.session.reviews

    def apply(
        self,
        what: Permission | Review | str,
        hunks: Iterable[int | Hunk] | Callable[[Hunk], bool] | None = None,
        *,
        stop: bool = False,
    ) -> None:
        """Accept an edit in parts.

        For a permission the hunks are written here, and the agent is answered with its reject option. For a
        write that waits they are what is written, for an edit that is taken back what is undone.

        Parameters
        ----------
        what
            A permission with `Permission.hunks`, one of `reviews`, or the key of either.
        hunks
            Which hunks: their indices, the hunks themselves, or a function that says of each whether it is
            taken. None: all. None at all (an empty list) refuses a write, and keeps an edit as it is.
        stop
            Stop the turn afterwards, so that the agent does not try again.

        Raises
        ------
        ValueError
            It was decided already, the file has changed meanwhile (then nothing was written and it still
            waits), or there is no such hunk.
        """
        pump.wait(loop.submit(self._apply(what, hunks, stop=stop)), fallback=True)

    async def aapply(
        self,
        what: Permission | Review | str,
        hunks: Iterable[int | Hunk] | Callable[[Hunk], bool] | None = None,
        *,
        stop: bool = False,
    ) -> None:
        """As `apply`, without blocking; a policy's function may choose hunks with it."""
        if loop.on_loop_thread():
            await self._apply(what, hunks, stop=stop)
        else:
            await pump.wait_async(loop.submit(self._apply(what, hunks, stop=stop)))

    async def _apply(self, what: Permission | Review | str, hunks: Any, *, stop: bool) -> None:
        problem = await self._engine.reviews.apply(what if isinstance(what, str) else what.key, hunks)
        if problem is not None:
            raise ValueError(problem)
        if stop:
            self._engine.cancel()

    def take_back(
        self, call: ToolCall, hunks: Iterable[int | Hunk] | Callable[[Hunk], bool] | None = None
    ) -> None:
        """Take back a finished edit, whole or by hunk, if the files still hold it.

        Parameters
        ----------
        call
            A completed tool call with diffs, of this chat.
        hunks
            Which hunks, as in `apply`.

        Raises
        ------
        ValueError
            The call is none of this chat or not finished, the agent did not say what it changed, or the file
            no longer holds it.
        """
        pump.wait(loop.submit(self._take_back(call, hunks)), fallback=True)

    async def atake_back(
        self, call: ToolCall, hunks: Iterable[int | Hunk] | Callable[[Hunk], bool] | None = None
    ) -> None:
        """As `take_back`, without blocking."""
        await pump.wait_async(loop.submit(self._take_back(call, hunks)))

    async def _take_back(self, call: ToolCall, hunks: Any) -> None:
        reviews = self._engine.reviews
        turns = list(enumerate(self._engine.session.turns))
        index = next((i for i, turn in reversed(turns) if any(c.id == call.id for c in turn.tool_calls)), -1)
        try:
            key = await reviews.take_back(index, call.id)
        except MismatchError as error:
            raise ValueError(str(error)) from error
        problem = await reviews.apply(key, hunks)
        if problem is not None:
            await reviews.apply(key, ())
            raise ValueError(problem)
