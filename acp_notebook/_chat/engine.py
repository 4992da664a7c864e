"""What a chat does on the agent's loop: start, prompt, queue, cancel, restart, close.

One prompt is on the wire at a time; further ones wait in order. After a cancel or an error the queue
waits until somebody sends again or waits for a queued turn, so that a stop means stop.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from acp_notebook._chat.life import Life, exit_note
from acp_notebook._chat.queue import GONE
from acp_notebook._chat.signing_in import SigningIn
from acp_notebook._errors import AgentExitedError, AuthRequiredError, ChatClosedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from acp_notebook._chat.handle import Prompt
    from acp_notebook._chat.link import Settings
    from acp_notebook._chat.log import Log
    from acp_notebook._client.questions import Action
    from acp_notebook._fold.state import Turn


class Engine(Life):
    """The moving part of a chat. Every method runs on the agent's loop.

    Parameters
    ----------
    settings
        What to start and what to serve.
    log
        Where every record goes; its session is the state.
    """

    def __init__(self, settings: Settings, log: Log) -> None:
        super().__init__(settings, log)
        self.signing = SigningIn(self, log)

    def _unsigned(self, error: AuthRequiredError) -> AuthRequiredError:
        explained = self.signing.explained(error)
        self.signing.due(explained)
        return explained

    def _later(self, act: Callable[[], Awaitable[Any]]) -> None:
        self.signing.refused.later(act)

    def index(self, prompt: Prompt) -> int | None:
        """Where a prompt's turn stands in ``session.turns``; None if it was taken back."""
        return self.queue.index(prompt)

    def find(self, prompt: Prompt) -> Turn | None:
        """The newest state of a prompt's turn; None if it was taken back."""
        return self.queue.find(prompt)

    # prompts

    def prompt(self, prompt: Prompt, *, now: bool = False) -> None:
        """Send a prompt, or queue it behind the running turn and those that wait.

        With `now` the running turn is stopped, and the prompt goes before those that wait.

        Raises
        ------
        ChatClosedError
            The chat was closed.
        """
        if self._closed:
            raise ChatClosedError
        # What waits for a sign-in is not refused once more for each further prompt.
        self._paused = self._paused and self.signing.holds
        self.queue.add(prompt, noted=bool(self.queue) or not self._can_send(), first=now)
        if now and self._active is not None:
            self._goes_on = True
            self.cancel()
        self._advance()
        self.start_quietly()

    def resume(self) -> None:
        """Let a queue that waits after a cancel or an error go on."""
        self._paused = False
        self._advance()
        if self.queue:
            self.start_quietly()

    def _can_send(self) -> bool:
        ready = self._link is not None and self._link.session_id is not None
        return ready and self._active is None and not self._paused

    def _advance(self) -> None:
        self.signing.works()
        if not self.queue or not self._can_send():
            return
        assert self._link is not None, "checked by _can_send"
        if self._leaves_replay(self.queue.first):
            return
        prompt = self.queue.take()
        self._active = prompt
        self.attended = prompt.attended
        # Kept with it: a prompt that goes out again tells it again.
        prompt.blocks = [*prompt.blocks, *self.reviews.tell()]
        answer = self._link.prompt(self.history.with_recap(prompt.blocks, self._link))
        prompt.index = len(self.session.turns) - 1 - len(self.queue)
        answer.add_done_callback(lambda answer: self._answered(prompt, answer))

    def _leaves_replay(self, prompt: Prompt) -> bool:
        """Start the agent itself for a prompt that is not recorded, if that is wanted."""
        replay, link = self.settings.replay, self._link
        if replay is None or link is None or not replay.leaves(prompt.blocks, link.offers.prompt, self._log):
            return False
        self._link = None
        task = asyncio.get_running_loop().create_task(link.close(), name="close replay")
        self._watchers.add(task)
        task.add_done_callback(self._watchers.discard)
        self.start_quietly()
        return True

    def _answered(self, prompt: Prompt, answer: asyncio.Future[Any]) -> None:
        error = None if answer.cancelled() else answer.exception()
        if self.settings.replay is not None:
            error = self.settings.replay.explain(error)
        if isinstance(error, AgentExitedError | ChatClosedError):
            return  # the watcher or close() ends the turn, with the exit recorded first
        if self._link is not None:
            self._link.settle()
        self._revival.well()
        turn = self.find(prompt)
        assert turn is not None, "a prompt on the wire has a turn"
        if isinstance(error, AuthRequiredError):
            self.history.refused()
            if self.signing.keeps(prompt, error):
                self._wait_for_sign_in(prompt)
                return
            error = self.signing.explained(error)
        self._finish(prompt, error if turn.status == "error" else None)

    def _finish(self, prompt: Prompt, error: BaseException | None = None) -> None:
        if self._active is prompt:
            self._active = None
        turn = self.find(prompt)
        if error is not None or turn is None or turn.cancel_requested or turn.stop_reason == "cancelled":
            self._paused = not self._goes_on
        self._goes_on = False
        self._log.publish()
        prompt.resolve(error)
        self._advance()

    def _wait_for_sign_in(self, prompt: Prompt) -> None:
        """A prompt that was refused goes out again, as a new turn, once somebody has signed in."""
        self._active, self._goes_on, self._paused = None, False, True
        prompt.index = None
        self.queue.add(prompt, noted=True, first=True)
        self.signing.held = prompt
        self._log.publish()

    def unqueue(self, index: int) -> str | None:
        """Take a queued prompt back, by its turn's index; a sentence if it is not waiting any more."""
        prompt = self.queue.at(index)
        if prompt is None:
            return GONE
        self.queue.drop(prompt)
        return None

    # decisions

    def answer(self, key: str, option_id: str, remember: str | None = None) -> str | None:
        """A person's answer to a permission request; a sentence if it does not count."""
        waiting = next((p for p in self.session.pending if p.key == key), None)
        if waiting is None or self._link is None:
            return "This request does not wait for an answer (any more)."
        if self.reviews.busy(key):
            return "Its hunks are being written."
        return self._link.permits.answer(waiting, option_id, remember)

    def answer_question(self, key: str, action: Action, content: object) -> str | None:
        """A person's answer to a question of the agent; a sentence if it does not count."""
        if self._link is None:
            return "The agent does not run (any more)."
        return self._link.asking.questions.answer(key, action, content)

    # ends

    def cancel(self) -> None:
        """Stop the running turn, or take back a prompt that waits for the agent to start."""
        if self._active is not None and self._link is not None:
            self._link.cancel()
        elif self.queue and not self._paused:
            self.queue.drop(self.queue.first, stays=True)
            self._paused = bool(self.queue)

    def cancel_prompt(self, prompt: Prompt) -> None:
        """Stop one prompt's turn: on the wire if it runs, out of the queue if it waits."""
        if prompt is self._active:
            self.cancel()
        elif prompt in self.queue:
            self.queue.drop(prompt, stays=self._active is None)

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
        """End the process and start a new one in the same session; the queue waits."""
        self._paused = True
        self._revival.stop()
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
        self._revival.stop()
        if self._active is not None and self._link is not None:
            self._link.cancel()
        if self._starting is not None:
            self._starting.cancel()
        self.extensions.close()
        self.reviews.close()
        link, self._link = self._link, None
        self._log.note({"kind": "closed"})
        if self._active is not None:
            self._log.publish()
            self._active.resolve(ChatClosedError())
        while self.queue:
            self.queue.drop(self.queue.first, error=ChatClosedError())
        self.signing.refused.close(ChatClosedError())
        if link is not None:
            end = await link.close()
            self._log.note(exit_note(end, None))
