"""What a chat does on the agent's loop: start, prompt, queue, cancel, restart, close.

One prompt is on the wire at a time; further ones wait in order. After a cancel or an error the queue
waits until somebody sends again or waits for a queued turn, so that a stop means stop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acp_notebook._agent.protocol import RpcError
from acp_notebook._chat.extensions import Extensions
from acp_notebook._chat.link import Link, Settings
from acp_notebook._client.judge import Judge
from acp_notebook._client.memory import FolderMemory
from acp_notebook._errors import AcpNotebookError, AgentExitedError, ChatClosedError

if TYPE_CHECKING:
    from acp_notebook._agent.transport import Exit
    from acp_notebook._chat.handle import Prompt
    from acp_notebook._chat.log import Log
    from acp_notebook._client.questions import Action
    from acp_notebook._fold.state import Session, Turn


class Engine:
    """The moving part of a chat. Every method runs on the agent's loop.

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
        self._link: Link | None = None
        self._starting: asyncio.Task[None] | None = None
        self._queue: deque[Prompt] = deque()
        self._active: Prompt | None = None
        self._paused = False
        self._closed = False
        self._watchers: set[asyncio.Task[None]] = set()
        self.attended = False

    @property
    def session(self) -> Session:
        """The folded state."""
        return self._log.session

    @property
    def queue(self) -> tuple[Prompt, ...]:
        """Prompts that wait, in order."""
        return tuple(self._queue)

    def index(self, prompt: Prompt) -> int | None:
        """Where a prompt's turn stands in ``session.turns``; None if it was taken back."""
        if prompt.index is None and prompt in self._queue:
            return len(self.session.turns) - len(self._queue) + self._queue.index(prompt)
        return prompt.index

    def find(self, prompt: Prompt) -> Turn | None:
        """The newest state of a prompt's turn; None if it was taken back."""
        index = self.index(prompt)
        return prompt.left if index is None else self.session.turns[index]

    # start

    async def start(self) -> None:
        """Have a session to prompt; joins a start that is on its way.

        Raises
        ------
        ChatClosedError
            The chat was closed.
        AgentNotFoundError, AgentExitedError, ProtocolError, AuthRequiredError, AgentError
            As `Link.open`.
        """
        if self._closed:
            raise ChatClosedError
        if self._link is not None and self._link.session_id is not None:
            return
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_task(self._start(), name="start agent")
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        link = self._link = Link(self.settings, self._log, self.judge, lambda: self.attended, self.extensions)
        try:
            await link.open()
        except (AcpNotebookError, RpcError, OSError) as error:
            self._link = None
            await self._failed(link, error)
            raise
        finally:
            self._starting = None
        self._watch(link)
        self._advance()

    async def _failed(self, link: Link, error: Exception) -> None:
        """The agent did not come up: say so in the state and in every waiting prompt."""
        end = await link.close()
        self._log.note(exit_note(end, str(error)))
        while self._queue:
            self._drop(self._queue[0], error=error)

    def _watch(self, link: Link) -> None:
        task = asyncio.get_running_loop().create_task(self._wait_for_exit(link), name="watch agent")
        self._watchers.add(task)
        task.add_done_callback(self._watchers.discard)

    async def _wait_for_exit(self, link: Link) -> None:
        end = await link.exited
        if link is not self._link or self._closed:
            return
        self._link = None
        self._log.note(exit_note(end, None))
        await link.close()
        if self._active is not None:
            agent = self.settings.agent
            error = AgentExitedError((agent.command, *agent.args), end.code, end.signal, end.stderr)
            self._finish(self._active, error)

    # prompts

    def prompt(self, prompt: Prompt) -> None:
        """Send a prompt, or queue it behind the running turn and those that wait.

        Raises
        ------
        ChatClosedError
            The chat was closed.
        """
        if self._closed:
            raise ChatClosedError
        self._queue.append(prompt)
        self._paused = False
        if len(self._queue) > 1 or not self._can_send():
            prompt.noted = True
            self._log.note({"kind": "queued", "id": prompt.id, "prompt": prompt.blocks})
        self._advance()
        self.start_quietly()

    def start_quietly(self) -> None:
        """Start unless it runs, without waiting; what goes wrong is told by the state."""
        if self._link is None and self._starting is None and not self._closed:
            self._start_in_background()

    def _start_in_background(self) -> None:
        task = asyncio.get_running_loop().create_task(self.start(), name="start for prompt")
        self._watchers.add(task)

        def forget(task: asyncio.Task[None]) -> None:
            self._watchers.discard(task)
            if not task.cancelled():
                task.exception()  # told to every waiting prompt already

        task.add_done_callback(forget)

    def resume(self) -> None:
        """Let a queue that waits after a cancel or an error go on."""
        self._paused = False
        self._advance()

    def _can_send(self) -> bool:
        ready = self._link is not None and self._link.session_id is not None
        return ready and self._active is None and not self._paused

    def _advance(self) -> None:
        if not self._queue or not self._can_send():
            return
        assert self._link is not None, "checked by _can_send"
        prompt = self._queue[0]
        if prompt.noted:
            self._log.note({"kind": "unqueued", "id": prompt.id})
        self._queue.popleft()
        self._active = prompt
        self.attended = prompt.attended
        answer = self._link.prompt(prompt.blocks)
        prompt.index = len(self.session.turns) - 1 - len(self._queue)
        answer.add_done_callback(lambda answer: self._answered(prompt, answer))

    def _answered(self, prompt: Prompt, answer: asyncio.Future[Any]) -> None:
        error = None if answer.cancelled() else answer.exception()
        if isinstance(error, AgentExitedError | ChatClosedError):
            return  # the watcher or close() ends the turn, with the exit recorded first
        if self._link is not None:
            self._link.settle()
        turn = self.find(prompt)
        assert turn is not None, "a prompt on the wire has a turn"
        self._finish(prompt, error if turn.status == "error" else None)

    def _finish(self, prompt: Prompt, error: BaseException | None = None) -> None:
        if self._active is prompt:
            self._active = None
        turn = self.find(prompt)
        if error is not None or turn is None or turn.cancel_requested or turn.stop_reason == "cancelled":
            self._paused = True
        prompt.resolve(error)
        self._advance()

    def _drop(self, prompt: Prompt, *, error: Exception | None = None, cancelled: bool = False) -> None:
        """Take a prompt out of the queue; with an error or a cancel its turn stays, ended."""
        stays = error is not None or (cancelled and self._active is None)
        note: dict[str, Any] = {"kind": "unqueued", "id": prompt.id}
        if error is not None:
            note["error"] = str(error)
        elif stays:
            note["cancelled"] = True
        if stays:
            prompt.index = len(self.session.turns) - len(self._queue)
        else:
            left = self.find(prompt)
            prompt.left = None if left is None else replace(left, status="ready", cancel_requested=True)
        self._queue.remove(prompt)
        self._log.note(note)
        prompt.resolve(error)

    def unqueue(self, index: int) -> str | None:
        """Take a queued prompt back, by its turn's index; a sentence if it is not waiting any more."""
        first = len(self.session.turns) - len(self._queue)
        if not first <= index < first + len(self._queue):
            return "This prompt is not waiting any more."
        self._drop(self._queue[index - first])
        return None

    # decisions

    def answer(self, key: str, option_id: str, remember: str | None = None) -> str | None:
        """A person's answer to a permission request; a sentence if it does not count."""
        waiting = next((p for p in self.session.pending if p.key == key), None)
        if waiting is None or self._link is None:
            return "This request does not wait for an answer (any more)."
        return self._link.permits.answer(waiting, option_id, remember)

    def answer_question(self, key: str, action: Action, content: object) -> str | None:
        """A person's answer to a question of the agent; a sentence if it does not count."""
        if self._link is None:
            return "The agent does not run (any more)."
        return self._link.asking.questions.answer(key, action, content)

    # other methods

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the agent anything, once it is there."""
        await self.start()
        return await self._running().request(method, params)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Tell the agent anything, once it is there."""
        await self.start()
        self._running().notify(method, params)

    def _running(self) -> Link:
        if self._link is None:
            raise ChatClosedError
        return self._link

    # ends

    def cancel(self) -> None:
        """Stop the running turn, or take back a prompt that waits for the agent to start."""
        if self._active is not None and self._link is not None:
            self._link.cancel()
        elif self._queue and not self._paused:
            self._drop(self._queue[0], cancelled=True)
            self._paused = bool(self._queue)

    def cancel_prompt(self, prompt: Prompt) -> None:
        """Stop one prompt's turn: on the wire if it runs, out of the queue if it waits."""
        if prompt is self._active:
            self.cancel()
        elif prompt in self._queue:
            self._drop(prompt, cancelled=True)

    async def force_stop(self) -> None:
        """End the turn here and the process with it: the agent does not answer the cancel."""
        link, self._link = self._link, None
        self._log.note({"kind": "force_stop"})
        if link is not None:
            end = await link.close()
            self._log.note(exit_note(end, "Stopped by force."))
        if self._active is not None:
            self._finish(self._active)

    async def restart(self) -> None:
        """End the process and start a new one with a new session; the queue waits."""
        self._paused = True
        if self._starting is not None:
            await asyncio.wait({self._starting})
        if self._link is not None:
            await self.force_stop()
        await self.start()

    async def close(self) -> None:
        """End the agent and everything that runs for it; the conversation stays. Idempotent."""
        if self._closed:
            return
        self._closed = True
        if self._active is not None and self._link is not None:
            self._link.cancel()
        if self._starting is not None:
            self._starting.cancel()
        self.extensions.close()
        link, self._link = self._link, None
        self._log.note({"kind": "closed"})
        if self._active is not None:
            self._active.resolve(ChatClosedError())
        while self._queue:
            self._drop(self._queue[0], error=ChatClosedError())
        if link is not None:
            end = await link.close()
            self._log.note(exit_note(end, None))


def exit_note(end: Exit, reason: str | None) -> dict[str, Any]:
    """The note that a process is gone: exit code or signal, the end of stderr, and why if we know."""
    note: dict[str, Any] = {"kind": "exit", "code": end.code, "signal": end.signal, "stderr": end.stderr}
    if reason is not None:
        note["reason"] = reason
    return note
