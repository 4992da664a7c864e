"""Writes of the agent that wait until a person has chosen from their hunks.

With ``Chat(review=True)`` all of them do, else only those of a rules file, which no agent may change unasked.
"""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_notebook._agent import loop
from acp_notebook._agent.presets import quirks
from acp_notebook._agent.protocol import INTERNAL_ERROR, INVALID_PARAMS, REQUEST_CANCELLED, RpcError
from acp_notebook._chat.open_review import FilePlan, Open
from acp_notebook._chat.plain_writes import PlainWrites
from acp_notebook._client.edits import MismatchError, Plan, plan_edit
from acp_notebook._client.files import Written
from acp_notebook._client.notebooks import check_notebook
from acp_notebook._client.policy import chosen
from acp_notebook._client.rules import RULES_FILE, is_rules_file
from acp_notebook._client.swap import locate, text_now
from acp_notebook._fold.state import Diff, DiffContent, Location, Permission, PermissionOption

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from acp_notebook._chat.reviews import Reviews
    from acp_notebook._client.judge import Judge

_OPTIONS = (
    PermissionOption("allow", "Write", "allow_once"),
    PermissionOption("reject", "Refuse", "reject_once"),
)


class HeldWrites:
    """Serves ``fs/write_text_file`` with a review. Lives on the agent's loop.

    Parameters
    ----------
    reviews
        Where open reviews are decided.
    judge
        The rules and the policy's function, which are asked first.
    attended
        Whether a person can be asked right now.
    every
        Whether every write is held, not only those of a rules file.
    """

    def __init__(
        self, reviews: Reviews, judge: Judge, attended: Callable[[], bool], *, every: bool = True
    ) -> None:
        self._reviews = reviews
        self._judge = judge
        self._attended = attended
        self._every = every
        self._locks: dict[Path, asyncio.Lock] = {}
        self._used: set[tuple[str, Path]] = set()
        self._wrote: dict[Path, str | None] = {}
        self.plain = PlainWrites(reviews.log, reviews.edits, reviews.roots)

    def may_hold(self, params: dict[str, Any]) -> bool:
        """Whether a write may have to wait for a person."""
        return self._every or self._is_rules_file(params)

    def _is_rules_file(self, params: dict[str, Any]) -> bool:
        roots = self._reviews.roots
        try:
            return is_rules_file(roots.resolve(params.get("path")), roots.cwd)
        except RpcError:
            return False

    async def write(self, params: dict[str, Any]) -> dict[str, Any]:
        """Serve a write.

        Raises
        ------
        RpcError
            As `Files.write`; -32602 if nothing of it was accepted, -32800 if the turn was cancelled.
        """
        reviews = self._reviews
        path, content = reviews.roots.resolve(params.get("path")), params.get("content")
        agent = reviews.log.session.agent
        twice = agent is not None and any(quirk.writes_itself for quirk in quirks(agent.name))
        # Nothing could be held back from an agent that writes the file itself as well.
        passes = (twice or not self._every) and not self._is_rules_file(params)
        if passes or not isinstance(content, str):
            return await self._put(params)
        # One after another: the next write of a file is shown against what became of this one.
        async with self._locks.setdefault(path, asyncio.Lock()):
            try:
                now = await asyncio.to_thread(text_now, path)
            except MismatchError as error:
                raise RpcError(INVALID_PARAMS, f"{path} cannot be reviewed: {error}") from error
            if now == content or await self._approved(path, now, content):
                return await self._pass(path, params)
            # What would not be written need not be looked through.
            await asyncio.to_thread(check_notebook, path, content)
            plan = Plan(now, content)
            await asyncio.to_thread(lambda: plan.spans)
            return await self._review(str(params["path"]), path, plan, params)

    async def _approved(self, path: Path, now: str | None, content: str) -> bool:
        """Whether this text is what was allowed a moment ago, by a request with a diff; each counts once."""
        session = self._reviews.log.session
        permissions = session.current.permissions if session.current is not None else ()
        for permission in reversed(permissions):
            option = permission.option
            if option is None or not option.kind.startswith("allow_") or (permission.key, path) in self._used:
                continue
            for edit in self._reviews.edits.of_permission(permission.key):
                try:
                    same = locate(self._reviews.roots, edit.path) == path
                    meant = same and (await asyncio.to_thread(plan_edit, edit, now)).after == content
                except MismatchError:
                    continue
                if meant:
                    self._used.add((permission.key, path))
                    return True
        return False

    async def _pass(self, path: Path, params: dict[str, Any]) -> dict[str, Any]:
        """Write without a review; what was reviewed before is out of date then."""
        result = await self._put(params)
        self._wrote.pop(path, None)
        return result

    async def _put(self, params: dict[str, Any]) -> dict[str, Any]:
        self.plain.wrote(str(params.get("path")), await self._reviews.files.put(params))
        return {}

    async def _review(self, name: str, path: Path, plan: Plan, params: dict[str, Any]) -> dict[str, Any]:
        reviews = self._reviews
        request = _as_permission(reviews.new_key("write"), name, plan, reviews.log.now())
        judgement = self._judge.judge(request, None)
        if judgement.decision is not None:
            return await self._answered(judgement.decision.option_id, path, params)
        decider = self._judge.policy.decider if judgement.asks_decider else None
        if decider is None and not self._attended():
            reviews.warn(nobody_to_review(name))
            raise RpcError(INVALID_PARAMS, f"Nobody can review this write here; {name} is unchanged.")
        decided: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        opened = Open(request.key, "write", decided=decided, files=[FilePlan(name, path, plan)])
        opened.ready.set()
        reviews.open[opened.key] = opened
        reviews.note_offer(opened, None)
        try:
            if decider is not None:
                await self._unless_over(decided, self._decide(opened, request, decider))
            outcome = await self._outcome(opened, decided)
        finally:
            reviews.give_up(opened)
        if outcome == "applied":
            text = self._wrote[path] = await asyncio.to_thread(text_now, path)
            if text is not None:
                self.plain.wrote(name, Written(plan.before, text), reviewed=True)
            return {}
        if outcome == "cancelled":
            raise RpcError(
                REQUEST_CANCELLED, f"The turn was cancelled before {name} was reviewed; it is unchanged."
            )
        self._wrote[path] = plan.before
        raise RpcError(INVALID_PARAMS, _refused(name))

    async def _unless_over(self, decided: asyncio.Future[str], work: Coroutine[Any, Any, None]) -> None:
        """Let a function decide, unless somebody else has before: a person, or a cancel, which ends it."""
        deciding = self._reviews.run(work, "policy's function")
        try:
            either: set[asyncio.Future[Any]] = {deciding, decided}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            deciding.cancel()
            raise
        if not decided.done():
            deciding.result()
        elif decided.result() == "cancelled":
            deciding.cancel()

    async def _outcome(self, opened: Open, decided: asyncio.Future[str]) -> str:
        """Wait for a choice; as long as the policy's timeout, then nothing is accepted."""
        timeout = self._judge.policy.timeout
        while timeout is not None and not (await asyncio.wait([decided], timeout=timeout))[0]:
            await self._reviews.apply(opened.key, (), "policy")
        return await decided

    async def _decide(self, opened: Open, request: Permission, decider: Any) -> None:
        """Let the policy's function decide; it may also choose hunks with `Chat.aapply`."""
        reviews = self._reviews
        review = reviews.find(opened)
        try:
            asked = replace(request, review=review)
            given = await loop.aside(lambda: decider(asked))
            if inspect.isawaitable(given):
                given = await given
            decision = chosen(request, given)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the person's own: whatever it raises, we ask
            decision = None
            if reviews.open.get(opened.key) is opened:
                text = f"The policy's function failed, so you are asked: {type(error).__name__}: {error}"
                reviews.warn(text)
        if reviews.open.get(opened.key) is not opened or opened.busy:
            return
        if decision is not None:
            problem = await reviews.apply(
                opened.key, None if decision.option_id == "allow" else (), decision.by
            )
            if problem is not None:
                raise RpcError(INTERNAL_ERROR, problem)
        elif not self._attended():
            reviews.warn(nobody_to_review(opened.files[0].path))
            await reviews.apply(opened.key, (), "policy")

    async def _answered(self, option_id: str | None, path: Path, params: dict[str, Any]) -> dict[str, Any]:
        if option_id == "allow":
            return await self._pass(path, params)
        raise RpcError(INVALID_PARAMS, _refused(str(params["path"])))

    # afterwards

    def heard(self, method: str, params: object) -> None:
        """When a call ends, look whether the reviewed files still hold what was accepted."""
        self.plain.heard(method, params)
        update = params.get("update") if method == "session/update" and isinstance(params, dict) else None
        if self._wrote and isinstance(update, dict) and update.get("status") in ("completed", "failed"):
            self._reviews.run(self._check(), "look at reviewed files")

    def settle(self) -> None:
        """The turn is over: a last look."""
        self._used.clear()
        if self._wrote:
            self._reviews.run(self._check(last=True), "look at reviewed files")

    async def _check(self, *, last: bool = False) -> None:
        for path, text in list(self._wrote.items()):
            try:
                now = await asyncio.to_thread(text_now, path)
            except MismatchError:
                now = None
            # A later review may have written it meanwhile.
            if self._wrote.get(path) != text:
                continue
            if now != text and not self._reviews.left(path, now):
                self._reviews.warn(
                    f"{path} is not as it was accepted: the agent or a command of it has changed it since."
                )
            if last or now != text:
                self._wrote.pop(path, None)


def _as_permission(key: str, name: str, plan: Plan, now: float) -> Permission:
    """The write as rules and the policy's function see it."""
    return Permission(
        key=key,
        request_id=key,
        session_id=None,
        tool_call_id=None,
        title=f"Write {name}",
        kind="edit",
        content=(DiffContent(Diff(name, plan.before, plan.after or "")),),
        locations=(Location(name, None),),
        raw_input=None,
        options=_OPTIONS,
        asked=now,
    )


def _refused(name: str) -> str:
    return f"The user reviewed this write and accepted nothing of it; {name} is unchanged."


def nobody_to_review(name: str) -> str:
    """The warning for a write that was refused since no person can review it."""
    what = f"Refused without a review: writing {name}. Nobody can be asked here (no notebook front end)."
    if Path(name).name.casefold() == RULES_FILE:
        return f"{what} A rules file is written only if a person agrees."
    return f"{what} Pass review=False, or a policy that decides, to Chat."
