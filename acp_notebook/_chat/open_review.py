"""A review that waits for a choice, and what a choice means."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from acp_notebook._client.broker import Broker
    from acp_notebook._client.edits import Plan
    from acp_notebook._fold.state import Permission, Review

Way = Literal["permission", "write", "take_back"]


@dataclass
class FilePlan:
    """What may be done to one file; without a plan there is a problem."""

    path: str
    real: Path | None = None
    plan: Plan | None = None
    problem: str | None = None
    earlier: str | None = None

    def note(self) -> dict[str, Any]:
        """The file as it stands in a note."""
        plan = self.plan
        if plan is None:
            return {"path": self.path, "kind": "change", "hunks": [], "problem": self.problem}
        kind = "create" if plan.before is None else "delete" if plan.after is None else "change"
        return {"path": self.path, "kind": kind, "hunks": list(plan.hunks()), "earlier": self.earlier}


@dataclass
class Open:
    """A review that waits for a choice."""

    key: str
    way: Way
    permission: Permission | None = None
    broker: Broker | None = None
    decided: asyncio.Future[str] | None = None
    files: list[FilePlan] = field(default_factory=list)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    busy: bool = False

    @property
    def hunks(self) -> int:
        """How many hunks there are to choose from."""
        return sum(len(file.plan.spans) for file in self.files if file.plan is not None)

    def shares(self, chosen: Collection[int]) -> list[tuple[FilePlan, set[int]]]:
        """The files with chosen hunks, and which of their own they are."""
        shares, first = [], 0
        for file in self.files:
            count = 0 if file.plan is None else len(file.plan.spans)
            mine = {index - first for index in chosen if first <= index < first + count}
            if mine:
                shares.append((file, mine))
            first += count
        return shares


def chosen_of(review: Review, choice: Any) -> list[int] | str:
    """The indices that a choice means, or a sentence about one that means nothing."""
    hunks = review.hunks
    if choice is None:
        return list(range(len(hunks)))
    if callable(choice):
        return [hunk.index for hunk in hunks if choice(hunk)]
    found = sorted({one if isinstance(one, int) else one.index for one in choice})
    if any(not 0 <= index < len(hunks) for index in found):
        return f"There are {len(hunks)} hunks, counted from 0; {found} are not all among them."
    return found
