"""Edits that a person accepts in parts: what is open, chosen, written, and told to the agent.

Three ways lead here. A permission with diffs: besides its options its hunks can be written by us, and the
agent is answered with its reject option. A write through ``fs/write_text_file`` that waits (`held_writes`). A
finished edit that is taken back. All of them end in `apply`.
"""

from __future__ import annotations

import asyncio
import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

from acp_notebook._chat.known_edits import KnownEdits
from acp_notebook._chat.open_review import FilePlan, Open, chosen_of
from acp_notebook._chat.told import report
from acp_notebook._client.edits import Edit, MismatchError, Version
from acp_notebook._client.files import Files
from acp_notebook._client.policy import Decision, refusal
from acp_notebook._client.roots import Roots
from acp_notebook._client.swap import locate, plan_file, swap, unchanged

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine, Sequence
    from pathlib import Path

    from acp_notebook._chat.log import Log
    from acp_notebook._chat.open_review import Way
    from acp_notebook._client.broker import Broker
    from acp_notebook._fold.state import Review


class Reviews:
    """The reviews of one chat. Lives on the agent's loop.

    Parameters
    ----------
    log
        Where the notes go; its session is the state.
    cwd, additional
        The folders in which files may be changed.
    """

    def __init__(self, log: Log, cwd: Path, additional: Sequence[Path]) -> None:
        self.log = log
        self.roots = Roots(cwd, additional)
        self.files = Files(self.roots)
        self.edits = KnownEdits()
        self.open: dict[str, Open] = {}
        self._versions: dict[Path, list[Version]] = {}
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()

    # what the agent says

    def heard(self, method: str, params: object) -> None:
        """Note the diffs of a tool call."""
        update = params.get("update") if method == "session/update" and isinstance(params, dict) else None
        if isinstance(update, dict) and str(update.get("sessionUpdate", "")).startswith("tool_call"):
            self.edits.heard(self._turn(), update)

    def asked(self, request_id: Any, params: dict[str, Any], broker: Broker) -> None:
        """A permission request has come; if it waits for somebody, its diffs are offered by hunk."""
        session = self.log.session
        places = [turn for turn in (session.current, session.preamble) if turn is not None]
        # Those that wait, and those that a rule has just answered.
        permissions = (
            *reversed(session.pending),
            *(p for turn in places for p in reversed(turn.permissions)),
        )
        permission = next((p for p in permissions if p.request_id == request_id), None)
        if permission is None:
            return
        edits = self.edits.asked(self._turn(), permission, params)
        refusable = any(option.kind.startswith("reject_") for option in permission.options)
        if not edits or not refusable or not permission.waiting:
            return
        opened = self.open[permission.key] = Open(permission.key, "permission", permission, broker)
        self.run(self._offer(opened, edits), "hunks of a request")

    async def _offer(self, opened: Open, edits: Sequence[Edit]) -> None:
        opened.files = await self.plan(edits, back=False)
        opened.ready.set()
        permission, broker = opened.permission, opened.broker
        assert permission is not None
        assert broker is not None
        if broker.holds(permission.key):
            self.note_offer(opened, permission.tool_call_id)
        else:  # somebody was faster
            self.open.pop(opened.key, None)

    def note_offer(self, opened: Open, call_id: str | None) -> None:
        """Let everybody see the hunks."""
        files = [file.note() for file in opened.files]
        note = {"kind": "hunks", "event": "offered", "key": opened.key, "way": opened.way}
        self.log.note({**note, "call_id": call_id, "files": files})

    async def plan(self, edits: Sequence[Edit], *, back: bool) -> list[FilePlan]:
        """Plan edits on the files as they are now, one plan a file; never fails."""
        by_path: dict[str, list[Edit]] = {}
        for edit in edits:
            by_path.setdefault(edit.path, []).append(edit)
        plans = []
        for path, own in by_path.items():
            file = FilePlan(path)
            try:
                file.real = locate(self.roots, path)
                versions = tuple(self._versions.get(file.real, ()))
                work = partial(plan_file, own, file.real, versions, back=back)
                file.plan, file.earlier = await asyncio.to_thread(work)
            except MismatchError as error:
                file.problem = str(error)
            plans.append(file)
        return plans

    def new_key(self, way: Way) -> str:
        """A key that no other review of this chat has."""
        taken = {p.key for turn in self.log.session.turns for p in turn.permissions}
        return next(key for n in self._numbers if (key := f"{way}-{n}") not in taken)

    # choices

    async def apply(self, key: str, choice: Any, by: str = "person") -> str | None:
        """Write the chosen hunks, or none, and end the review.

        Parameters
        ----------
        key : str
            Of the review or permission.
        choice : iterable of int or Hunk, function, or None
            Indices, hunks, what says of a hunk whether it is taken, or all.

        Returns
        -------
        str or None
            None if it was done, else a sentence that says why not; a review then stays open.
        """
        opened = self.open.get(key)
        if opened is None:
            return "There is nothing to choose from: it was decided already, or holds no diff."
        await opened.ready.wait()
        if opened.busy or self.open.get(key) is not opened:
            return "This has been decided already."
        review = self.find(opened)
        if review is None:
            return "This has been decided already."
        chosen = chosen_of(review, choice)
        if isinstance(chosen, str):
            return chosen
        if not chosen and opened.way == "permission":
            return "Choose at least one hunk, or answer with one of the agent's options."
        opened.busy = True
        try:
            problem = await self._carry_out(opened, review, chosen, by)
        finally:
            opened.busy = False
        if problem is not None and self.open.get(key) is opened:
            self.log.note({"kind": "hunks", "event": "failed", "key": key, "problem": problem})
        return problem

    async def _carry_out(self, opened: Open, review: Review, chosen: list[int], by: str) -> str | None:
        permission, broker = opened.permission, opened.broker
        if permission is not None and (broker is None or not broker.holds(permission.key)):
            del self.open[opened.key]
            return "This request has already been answered."
        problem = await self._write(opened, chosen)
        if problem is not None:
            return problem
        outcome = "applied" if chosen else "refused"
        self._decide(opened, outcome, chosen, by)
        words = report(review, chosen, by)
        if words is not None:
            self.log.note({"kind": "hunks", "event": "report", "key": opened.key, "text": words})
        if permission is not None and broker is not None:
            broker.answer(permission.key, Decision(refusal(permission, by).option_id, by))
        return None

    def _decide(self, opened: Open, outcome: str, chosen: Collection[int], by: str) -> None:
        self.open.pop(opened.key, None)
        note = {"kind": "hunks", "event": "decided", "key": opened.key, "outcome": outcome, "by": by}
        self.log.note({**note, "chosen": list(chosen)})
        if opened.decided is not None and not opened.decided.done():
            opened.decided.set_result(outcome)

    async def _write(self, opened: Open, chosen: Collection[int]) -> str | None:
        """Write the files, if all of them are still what was shown."""
        shares = opened.shares(chosen)
        written: list[str] = []
        try:
            for file, _ in shares:
                assert file.plan is not None
                assert file.real is not None
                await unchanged(file.real, file.plan.before)
            for file, mine in shares:
                assert file.plan is not None
                assert file.real is not None
                after = file.plan.result(mine)
                await swap(self.files, file.real, file.plan.before, after)
                numbers = len(mine), len(file.plan.spans)
                version = Version(file.plan.before, after, *numbers, file.plan.places(mine))
                self._remember(file.real, version)
                written.append(file.path)
        except MismatchError as error:
            done = f" Written before that: {', '.join(written)}." if written else " Nothing was written."
            return f"{error}{done}"
        return None

    def _remember(self, path: Path, version: Version) -> None:
        versions = self._versions.setdefault(path, [])
        if versions and versions[-1].after != version.before:
            versions.clear()
        versions.append(version)
        del versions[:-10]

    def left(self, path: Path, text: str | None) -> bool:
        """Whether a file's text is what a person's last choice made of it."""
        versions = self._versions.get(path, [])
        return bool(versions) and versions[-1].after == text

    def find(self, opened: Open) -> Review | None:
        """The review in the state; None if it has ended there."""
        session = self.log.session
        if opened.way != "permission":
            return next((review for review in session.reviews if review.key == opened.key), None)
        turns = [*session.turns, *((session.preamble,) if session.preamble is not None else ())]
        permissions = (p for turn in reversed(turns) for p in turn.permissions)
        return next((p.review for p in permissions if p.key == opened.key), None)

    # taking back

    async def take_back(self, turn: int, call_id: str) -> str:
        """Open a review of a finished edit: its accepted hunks are taken back.

        Returns
        -------
        str
            The key of the review.

        Raises
        ------
        MismatchError
            There is no such edit, or no file holds it any more.
        """
        turns = self.log.session.turns
        calls = turns[turn].tool_calls if 0 <= turn < len(turns) else ()
        call = next((call for call in calls if call.id == call_id), None)
        if call is None or call.status != "completed":
            raise MismatchError("Only a finished edit can be taken back.")
        edits = self.edits.of_finished(turn, call)
        if not edits:
            raise MismatchError("The agent has not said what this call changed.")
        files = await self.plan(edits, back=True)
        if all(file.plan is None for file in files):
            raise MismatchError(" ".join(dict.fromkeys(f"{file.path}: {file.problem}" for file in files)))
        opened = Open(self.new_key("take_back"), "take_back", files=files)
        opened.ready.set()
        self.open[opened.key] = opened
        self.note_offer(opened, call_id)
        return opened.key

    # ends

    def busy(self, key: str) -> bool:
        """Whether the hunks of a request are being written right now: no option counts then."""
        opened = self.open.get(key)
        return opened is not None and opened.busy

    def settle(self) -> None:
        """Forget requests that somebody answered otherwise."""
        for key, opened in list(self.open.items()):
            permission, broker = opened.permission, opened.broker
            if permission is not None and broker is not None and not broker.holds(permission.key):
                del self.open[key]

    def give_up(self, opened: Open) -> None:
        """End a review undecided."""
        if self.open.get(opened.key) is opened:
            self._decide(opened, "cancelled", (), "cancel")

    def cancel(self) -> None:
        """The turn is cancelled or over: writes that wait are not made."""
        for opened in list(self.open.values()):
            if opened.way == "write":
                self.give_up(opened)
        self.settle()

    def close(self) -> None:
        """The chat is closed: nothing is open any more."""
        for opened in list(self.open.values()):
            self.give_up(opened)
        for task in tuple(self._tasks):
            task.cancel()

    # the next prompt

    def tell(self) -> list[dict[str, Any]]:
        """What goes with the next prompt; it is then told."""
        reports = self.log.session.reports
        for one in reports:
            self.log.note({"kind": "hunks", "event": "told", "key": one.key})
        text = "\n\n".join(one.text for one in reports)
        return [{"type": "text", "text": text}] if text else []

    def untell(self, key: str) -> str | None:
        """Take a report out; a sentence if it is not there any more."""
        if all(one.key != key for one in self.log.session.reports):
            return "This has been sent or taken out already."
        self.log.note({"kind": "hunks", "event": "untold", "key": key})
        return None

    def warn(self, text: str) -> None:
        """Tell the person."""
        self.log.note({"kind": "warning", "text": text})

    def run(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Work in the background that ends with the chat."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _turn(self) -> int:
        session = self.log.session
        return len(session.closed) if session.current is not None else -1
