"""A chat's widget and everything that keeps it right: patches, intents, the static twin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._agent import loop
from acp_notebook._chat import wishes
from acp_notebook._front import host
from acp_notebook._front.display import show_widget
from acp_notebook._front.messages import (
    Answer,
    AnswerQuestion,
    Apply,
    Asset,
    Cancel,
    Close,
    ForceStop,
    Hello,
    Page,
    Restart,
    Resync,
    Send,
    TakeBack,
    Twin,
    Unqueue,
    Untell,
)
from acp_notebook._front.sync import Sync
from acp_notebook._front.twin import StaticTwin
from acp_notebook._front.widget import ChatWidget, TurnWidget, asset
from acp_notebook._front.wishes import Wish
from acp_notebook._render.turn_cell import reference_line
from acp_notebook._render.twin import plain_line

if TYPE_CHECKING:
    from acp_notebook._chat.core import ChatCore
    from acp_notebook._front.messages import Decided, Deed, Intent, Query

Static = Literal["full", "text", False]


class ChatView:
    """The front end of one chat. Made on the thread that displays; acts on the agent's loop.

    Parameters
    ----------
    chat
        Whose conversation it shows, and who carries out what a person asks.
    info
        Facts that never change, see ``ChatInfo`` in ``js/src/wire.ts``.
    static
        What the static twin holds.
    """

    def __init__(self, chat: ChatCore, info: dict[str, Any], static: Static) -> None:
        self._chat = chat
        self._log = chat._log  # noqa: SLF001 - the chat's own other half
        self._sync = Sync(self._log, self._post, loop.loop())
        self.twin = StaticTwin(chat.id, static, self._post)
        self._idle_told = self._log.session
        self.widget = ChatWidget(self, info)
        self._turns: dict[int, TurnWidget] = {}
        loop.post(self._follow)

    def _follow(self) -> None:
        self._log.subscribe(self._changed)

    def _post(self, content: dict[str, Any]) -> None:
        self.widget.post(content)

    def _changed(self, session: Any) -> None:
        self._sync.changed()
        if session.status in ("ready", "ended") and session.turns:
            loop.post(self._idle)

    def _idle(self) -> None:
        """A turn has ended: bring the static twin up to date, and the state where nobody follows."""
        session = self._log.session
        if session is self._idle_told or session.status not in ("ready", "ended"):
            return
        self._idle_told = session
        self._sync.flush()
        if self._sync.live:
            self.twin.changed(session)
        elif not self._chat._waiting:  # noqa: SLF001 - as above
            # Whoever waits in a cell sends this himself: only that cell's context reaches its output.
            host.run_in_empty_context(lambda: self.finish(heard=False))

    def finish(self, *, heard: bool = True) -> None:
        """Send the final state and twin from the calling thread, if no browser follows.

        nbclient keeps only what is published while a cell runs, in that cell's context.
        """
        if not self._sync.live:
            self.widget.push_state()
            self.twin.publish(self._log.session, heard=heard)

    def show(self) -> None:
        """Display the chat in the cell that runs, with its static twin beside it."""
        show_widget(self.widget)
        self.twin.show(self._log.session)

    def show_turn(self, index: int) -> None:
        """Display one turn in the cell that runs, with a line beside it that stays in a saved notebook."""
        session = self._log.session
        found = self._turns.get(index)
        if found is None:
            plain = "" if self.twin.wanted else reference_line(session)
            found = self._turns[index] = TurnWidget(self._chat.id, index, plain)
        show_widget(found)
        if self.twin.wanted:
            self.twin.show_reference(index, session)

    # the widget's controller

    def snapshot(self) -> dict[str, Any]:
        """What the state trait serialises to."""
        return self._sync.snapshot()

    def plain(self) -> str:
        """One readable line about the chat."""
        return plain_line(self._log.session)

    def reject(self, id: str | None, problem: str) -> None:  # noqa: A002 - the message's field
        """Tell the browser that a message could not be understood."""
        if id is not None:
            loop.post(self._ack, id, problem)

    def handle(self, message: Query | Intent) -> None:
        """Carry out what a browser sent; any thread, returns at once."""
        loop.post(self._act, message)

    def _act(self, message: Query | Intent) -> None:
        match message:
            case Hello(seq=seq, writes_twin=writes):
                self.twin.writes |= writes
                self._sync.hello(seq)
            case Resync():
                self._sync.resync()
            case Page(before=before):
                self._sync.page(before)
            case Asset(name=name):
                self._post({"kind": "asset", "name": name, "source": asset(f"parts/{name}.js")})
            case Twin():
                self.twin.resend(self._log.session)
            case _:
                loop.submit(self._carry_out(message))

    async def _carry_out(self, message: Intent) -> None:
        """Do what a person asks, and tell the browser whether it was done."""
        data = None
        try:
            if isinstance(message, Wish):
                problem, data = await wishes.carry_out(self._chat._engine, message)  # noqa: SLF001 - as above
            else:
                problem = await self._do(message)
        except Exception as error:  # noqa: BLE001 - the person gets an answer, whatever it was
            problem = str(error) or type(error).__name__
        self._ack(message.id, problem, data)

    async def _do(self, message: Deed) -> str | None:
        engine = self._chat._engine  # noqa: SLF001 - as above
        match message:
            case Send(text=text, now=now):
                self._chat._enqueue((text,), attended=True, now=now)  # noqa: SLF001 - as above
            case Answer() | AnswerQuestion() | Apply() | TakeBack() | Untell():
                return await self._decide(message)
            case Cancel():
                engine.cancel()
            case Unqueue(turn=turn):
                return engine.unqueue(turn)
            case ForceStop():
                await engine.force_stop()
            case Restart():
                await engine.restart()
            case Close():
                await self._chat.aclose()
        return None

    async def _decide(self, message: Decided) -> str | None:
        """Carry out a person's decision."""
        engine = self._chat._engine  # noqa: SLF001 - as above
        match message:
            case Answer(permission=key, option=option, remember=remember):
                return engine.answer(key, option, remember)
            case AnswerQuestion(question=key, action=action, content=content):
                return engine.answer_question(key, action, content)
            case Apply(review=key, chosen=chosen, stop=stop):
                problem = await engine.reviews.apply(key, chosen)
                if problem is None and stop:
                    engine.cancel()
                return problem
            case TakeBack(turn=turn, call=call):
                await engine.reviews.take_back(turn, call)
            case Untell(report=key):
                return engine.reviews.untell(key)
        return None

    def _ack(self, id: str, problem: str | None, data: Any = None) -> None:  # noqa: A002 - the message's field
        self._sync.flush()
        self._post({"kind": "ack", "id": id, "error": problem, "data": data})
