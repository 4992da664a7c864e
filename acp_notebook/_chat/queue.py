"""The prompts that wait for the running turn, in order, with the notes that tell the records of it."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_notebook._chat.handle import Prompt
    from acp_notebook._chat.log import Log
    from acp_notebook._fold.state import Turn

GONE = "This prompt is not waiting any more."


class Queue:
    """Prompts that wait. Lives on the agent's loop.

    Parameters
    ----------
    log
        Told of everything that happens to a prompt that the records know to wait.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._prompts: deque[Prompt] = deque()

    def __bool__(self) -> bool:
        return bool(self._prompts)

    def __len__(self) -> int:
        return len(self._prompts)

    def __contains__(self, prompt: Prompt) -> bool:
        return prompt in self._prompts

    @property
    def first(self) -> Prompt:
        """The next one."""
        return self._prompts[0]

    def index(self, prompt: Prompt) -> int | None:
        """Where a prompt's turn stands in ``session.turns``; None if it was taken back."""
        if prompt.index is None and prompt in self._prompts:
            return self._start + self._prompts.index(prompt)
        return prompt.index

    def find(self, prompt: Prompt) -> Turn | None:
        """The newest state of a prompt's turn; as it was when it was taken back, if it was."""
        index = self.index(prompt)
        return prompt.left if index is None else self._log.session.turns[index]

    def unattended(self) -> tuple[Prompt, ...]:
        """Those during whose turns nobody can be asked."""
        return tuple(prompt for prompt in self._prompts if not prompt.attended)

    def at(self, index: int) -> Prompt | None:
        """The waiting prompt whose turn has this index."""
        place = index - self._start
        return self._prompts[place] if 0 <= place < len(self._prompts) else None

    @property
    def _start(self) -> int:
        return len(self._log.session.turns) - sum(prompt.noted for prompt in self._prompts)

    def add(self, prompt: Prompt, *, noted: bool, first: bool = False) -> None:
        """Let a prompt wait; `noted`: the records are told, since it will not go out at once."""
        if first:
            self._prompts.appendleft(prompt)
        else:
            self._prompts.append(prompt)
        if noted:
            prompt.noted = True
            note = {"kind": "queued", "id": prompt.id, "prompt": prompt.blocks}
            self._log.note({**note, "at": 0} if first else note)

    def take(self) -> Prompt:
        """Take out the next one: it is sent now."""
        prompt = self._prompts[0]
        if prompt.noted:
            self._log.note({"kind": "unqueued", "id": prompt.id})
        self._prompts.popleft()
        return prompt

    def drop(self, prompt: Prompt, *, error: Exception | None = None, stays: bool = False) -> None:
        """Take a prompt out unsent; with an error, or if it `stays`, its turn stays, ended."""
        note: dict[str, Any] = {"kind": "unqueued", "id": prompt.id}
        if error is not None:
            note["error"] = str(error)
        elif stays:
            note["cancelled"] = True
        if stays or error is not None:
            prompt.index = len(self._log.session.turns) - len(self._prompts)
        else:
            left = self.find(prompt)
            prompt.left = None if left is None else replace(left, status="ready", cancel_requested=True)
        self._prompts.remove(prompt)
        self._log.note(note)
        self._log.publish()
        prompt.resolve(error)

    def move(self, index: int, to: int) -> str | None:
        """Let a prompt wait at another place, both by their turns' indices; a sentence if it does not."""
        prompt, place = self.at(index), to - self._start
        if prompt is None or not 0 <= place < len(self._prompts):
            return GONE
        self._prompts.remove(prompt)
        self._prompts.insert(place, prompt)
        self._log.note({"kind": "moved", "id": prompt.id, "to": place})
        return None

    def edit(self, index: int, text: str) -> str | None:
        """Give a waiting prompt another text; what is attached to it stays. A sentence if it does not."""
        prompt = self.at(index)
        if prompt is None:
            return GONE
        rest = [block for block in prompt.blocks if block.get("type") != "text"]
        words = [{"type": "text", "text": text}] if text.strip() else []
        if not words and not rest:
            return "There is nothing to send: give the prompt some text."
        prompt.blocks = [*words, *rest]
        self._log.note({"kind": "edited", "id": prompt.id, "prompt": prompt.blocks})
        return None
