"""One prompt on its way through a chat."""

from __future__ import annotations

import itertools
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_notebook._fold.state import Turn

_numbers = itertools.count()


@dataclass(eq=False)
class Prompt:
    """A prompt on its way: queued, on the wire, or answered.

    Attributes
    ----------
    blocks
        ACP content blocks.
    attended
        Whether a person can be asked while its turn runs.
    done
        Resolved with None when the turn has ended as turns do, with an error when it ended in one.
    index
        Where its turn stands in ``Session.turns`` once it is on the wire, or ended without.
    noted
        Whether the records say that it waits.
    left
        Its turn as it was when it was taken back; such a turn is in no session any more.
    """

    blocks: list[dict[str, Any]]
    attended: bool
    id: str = field(default_factory=lambda: f"q{next(_numbers)}")
    done: Future[None] = field(default_factory=Future)
    index: int | None = None
    noted: bool = False
    left: Turn | None = None

    def resolve(self, error: BaseException | None = None) -> None:
        """End the wait, once."""
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)
