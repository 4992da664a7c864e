"""The life of a chat's agent: started, watched, brought back, asked; with nothing of prompts in it."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from acp_notebook._chat import opening
from acp_notebook._chat.extensions import Extensions
from acp_notebook._chat.history import History
from acp_notebook._chat.link import Link, Settings
from acp_notebook._chat.queue import Queue
from acp_notebook._chat.reviews import Reviews
from acp_notebook._chat.revival import Revival
from acp_notebook._client.judge import Judge
from acp_notebook._client.memory import FolderMemory
from acp_notebook._errors import AgentExitedError, AuthRequiredError, ChatClosedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from acp_notebook._agent.transport import Exit
    from acp_notebook._chat.handle import Prompt
    from acp_notebook._chat.log import Log
    from acp_notebook._fold.record import Record
    from acp_notebook._fold.state import Session


class Life(ABC):
    """What an `Engine` knows of the agent's process. Every method runs on the agent's loop.

    Parameters
    ----------
    settings
        What to start and what to serve.
    log
        Where every record goes; its session is the state.
    """

    def __init__(self, settings: Settings, log: Log) -> None:
        self.settings = settings
        self._log = log
        self.judge = Judge(settings.policy, settings.cwd, FolderMemory(settings.cwd, log.warn))
        self.extensions = Extensions(log.warn)
        self.reviews = Reviews(log, settings.cwd, settings.additional_directories)
        self._link: Link | None = None
        self._starting: asyncio.Task[None] | None = None
        self.queue = Queue(log)
        self._active: Prompt | None = None
        self._paused = False
        self._goes_on = False
        self._closed = False
        self.history = History(settings, log)
        self._revival = Revival(self._start_again)
        self._watchers: set[asyncio.Task[Any]] = set()
        self.attended = False

    @property
    def session(self) -> Session:
        """The folded state."""
        return self._log.session

    @property
    def records(self) -> Sequence[Record]:
        """Every record so far."""
        return self._log.records

    @abstractmethod
    def _advance(self) -> None:
        """Send the next prompt if that is possible."""

    @abstractmethod
    def _finish(self, prompt: Prompt, error: BaseException | None = None) -> None:
        """The turn of a prompt is over."""

    @abstractmethod
    def _unsigned(self, error: AuthRequiredError) -> AuthRequiredError:
        """The agent wants a sign-in: tell the person; gives the error with what to do."""

    @abstractmethod
    def _later(self, act: Callable[[], Awaitable[Any]]) -> None:
        """Do something once somebody has signed in."""

    def left_behind(self) -> None:
        """In a forked child: the process, its pipes and the tasks belong to the parent."""
        self._closed = True
        self._link = self._starting = self._active = None

    # start

    async def start(self) -> None:
        """Have a session to prompt; joins a start that is on its way.

        Raises
        ------
        ChatClosedError
            The chat was closed.
        AgentNotFoundError, AgentExitedError, ProtocolError, AuthRequiredError, AgentError
            As `Link.connect` and `opening.enter`.
        """
        if self._closed:
            raise ChatClosedError
        if self._link is not None and self._link.session_id is not None:
            return
        self._revival.hold()
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_task(self._start(), name="start agent")
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        link, connected = self._link, self._link is not None
        if link is None:
            link = self._link = Link(
                self.settings, self._log, self.judge, lambda: self.attended, self.extensions, self.reviews
            )
        try:
            await self._open(link, connected=connected)
        except AuthRequiredError as error:
            # The process stays: after a sign-in it is asked again.
            explained = self._unsigned(error)
            if not connected:
                self._watch(link)
            raise explained from None
        except Exception as error:
            # Whatever it was, the prompts that wait for this start must hear of it.
            self._link = None
            await self._failed(link, error)
            raise
        finally:
            self._starting = None
        if not connected:
            self._watch(link)
        self._advance()

    async def _open(self, link: Link, *, connected: bool) -> None:
        """Bring the agent up, in the session that there was before if there was one."""
        wanted = await self.history.wanted()
        if not connected:
            await link.connect()
        wanted = wanted or await self.history.newest_of_agent(link)
        how = await opening.enter(link, self._log, wanted, ask=self._ask_or_later)
        self.history.entered(how, link, wanted)

    async def _failed(self, link: Link, error: Exception) -> None:
        """The agent did not come up: say so in the state and in every prompt that waits for it."""
        end = await link.close()
        more = f" {self._revival.again()}" if self._revival.trying else ""
        self._log.note(exit_note(end, f"{error}{more}"))
        # After a stop or an error the queue waits for a person, not for this start.
        while self.queue and not self._paused:
            self.queue.drop(self.queue.first, error=error)

    def _watch(self, link: Link) -> None:
        task = asyncio.get_running_loop().create_task(self._wait_for_exit(link), name="watch agent")
        self._watchers.add(task)
        task.add_done_callback(self._watchers.discard)

    async def _wait_for_exit(self, link: Link) -> None:
        end = await link.exited
        if link is not self._link or self._closed:
            return
        self._link = None
        died = self._active is None and end.code != 0
        # Of a process its code and stderr tell; of a connection only its own word does.
        words = [end.stderr] if self.settings.agent.url is not None else []
        words += [self._revival.again()] if died else []
        self._log.note(exit_note(end, " ".join(words) or None))
        await link.close()
        if self._active is not None:
            agent = self.settings.agent
            error = AgentExitedError((agent.command, *agent.args), end.code, end.signal, end.stderr)
            self._finish(self._active, error)

    async def _start_again(self) -> None:
        with contextlib.suppress(Exception):  # told by the state
            await self.start()

    def start_quietly(self) -> None:
        """Start unless it runs, without waiting; what goes wrong is told by the state."""
        started = self._link is not None and self._link.session_id is not None
        if not started and self._starting is None and not self._closed:
            self._start_in_background()

    def _start_in_background(self) -> None:
        task = asyncio.get_running_loop().create_task(self.start(), name="start for prompt")
        self._watchers.add(task)

        def forget(task: asyncio.Task[None]) -> None:
            self._watchers.discard(task)
            if not task.cancelled():
                task.exception()  # told to every waiting prompt already

        task.add_done_callback(forget)

    async def reconnect(self) -> None:
        """Start the process anew in the same session, while no turn runs."""
        self._revival.stop()
        if self._starting is not None:
            await asyncio.wait({self._starting})
        link, self._link = self._link, None
        if link is not None:
            await link.close()
        await self.start()

    # other methods

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the agent anything, once it is there."""
        await self.start()
        return await self._running().request(method, params)

    async def _ask_or_later(self, method: str, params: dict[str, Any]) -> Any:
        """Ask; what needs a sign-in first is not waited for."""
        try:
            return await self._running().request(method, params)
        except AuthRequiredError:
            self._later(lambda: self.request(method, params))
            return None

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Tell the agent anything, once it is there."""
        await self.start()
        self._running().notify(method, params)

    async def switch(self, wanted: opening.Wanted | None) -> None:
        """Have another session in the same process: one from before, or (None) a new one.

        Raises
        ------
        ValueError
            A turn is running.
        AcpNotebookError
            As `opening.enter`; the chat then stays in its session.
        """
        while self._starting is not None:  # of several that waited, one has begun another by now
            await asyncio.wait({self._starting})
        if self._active is not None:
            raise ValueError("A turn is running: stop it first, or wait until it has ended.")
        if self._link is None:
            self.history.target(wanted)
            return await self.start()
        self._starting = asyncio.get_running_loop().create_task(self._switch(self._link, wanted))
        await asyncio.shield(self._starting)
        return None

    async def _switch(self, link: Link, wanted: opening.Wanted | None) -> None:
        before, link.session_id = link.session_id, None
        try:
            how = await opening.enter(link, self._log, wanted, ask=self._ask_or_later, told=True)
            self.history.entered(how, link, wanted)
        except BaseException:
            link.session_id = before
            raise
        finally:
            self._starting = None
            self._advance()

    def _running(self) -> Link:
        if self._link is None:
            raise ChatClosedError
        return self._link

    @property
    def link(self) -> Link | None:
        """The running agent process."""
        return self._link


def exit_note(end: Exit, reason: str | None) -> dict[str, Any]:
    """The note that a process is gone: exit code or signal, the end of stderr, and why if we know."""
    note: dict[str, Any] = {"kind": "exit", "code": end.code, "signal": end.signal, "stderr": end.stderr}
    if reason is not None:
        note["reason"] = reason
    return note
