"""`session/update` notifications: which rule each kind has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .blocks import TextBlock
from .frozen import evolve
from .items import RawItem, TextItem
from .notices import compaction, compaction_chunk, notice
from .places import begin_turn, count, place_for, takes_items, turn_to_fill, with_turn
from .plans import plan, plan_removed, plan_update
from .read import MESSAGE_KINDS, block, string
from .settings import BEHIND, STATE_UPDATES
from .state import Block, Session, Turn
from .text import Text
from .timeline import add_item, add_text, join_blocks
from .tool_calls import tool_call_update

Update: TypeAlias = Mapping[str, Any]
Rule: TypeAlias = Callable[[Session, int, Update, float], Session]


def fold_update(session: Session, session_id: str | None, update: Update, t: float) -> Session:
    """Fold an update of a session of ours; commands, modes and the like make no item."""
    kind = update.get("sessionUpdate")
    if not isinstance(kind, str):
        return _unknown(session, place_for(session, session_id), update, t)
    state_rule = STATE_UPDATES.get(kind)
    if state_rule is not None:
        if _is_behind(session, session_id):
            state_rule = BEHIND.get(kind, _nothing)
        return state_rule(session, update, place_for(session, session_id))
    return ITEM_UPDATES.get(kind, _unknown)(session, place_for(session, session_id), update, t)


def _is_behind(session: Session, session_id: str | None) -> bool:
    """Whether the chat is in another session by now: its modes, options and title are those that show."""
    if session_id is None or session.session_id in (None, session_id):
        return False
    return session.replaying is None or session.replaying[0] != session_id


def _nothing(session: Session, update: Update, place: int) -> Session:
    del update, place
    return session


def _unknown(session: Session, place: int, update: Update, t: float) -> Session:
    """Keep what we do not understand as it is."""
    turn = turn_to_fill(session, place)
    item = RawItem("unknown", string(update.get("sessionUpdate")) or "session/update", update, t, t)
    return with_turn(session, place, add_item(turn, item, t, inside=takes_items(session, place, turn)))


def _chunk(session: Session, place: int, update: Update, t: float) -> Session:
    """A piece of a message or thought."""
    content = update.get("content")
    if content is None:
        return count(session, (update["sessionUpdate"],))
    piece = block(content)
    if isinstance(piece, TextBlock) and piece.content.length == 0:
        return session
    message_id = update.get("messageId")
    if not isinstance(message_id, str):
        message_id = None
    turn = turn_to_fill(session, place)
    kind = MESSAGE_KINDS[update["sessionUpdate"]]
    if kind == "user":
        if turn.active:
            return with_turn(session, place, _live_user(turn, piece, message_id, t))
        if session.replaying is not None:
            return _replayed_prompt(session, session.replaying, piece, message_id, t)
    inside = takes_items(session, place, turn)
    join = message_id is not None or session.replaying is None
    return with_turn(session, place, add_text(turn, kind, message_id, piece, t, inside=inside, join=join))


def _live_user(turn: Turn, piece: Block, message_id: str | None, t: float) -> Turn:
    """A user message in a running turn: an echo of the prompt is dropped, anything else is shown.

    What was taken for an echo and then turns out to be none is shown with the rest.
    """
    last = turn.last
    if isinstance(last, TextItem) and last.kind == "user" and last.message_id == message_id:
        return add_text(turn, "user", message_id, piece, t, inside=True)
    if not isinstance(piece, TextBlock):
        return turn if piece in turn.prompt else add_text(turn, "user", message_id, piece, t, inside=True)
    prompt = "".join(b.text for b in turn.prompt if isinstance(b, TextBlock))
    before = "" if turn.echo == prompt else turn.echo
    heard = before + piece.text
    if prompt.startswith(heard):
        return evolve(turn, echo=heard)
    shown = TextBlock(Text(heard))
    return add_text(evolve(turn, echo=""), "user", message_id, shown, t, inside=True)


def _replayed_prompt(
    session: Session, replaying: tuple[str | None, int, bool], piece: Block, message_id: str | None, t: float
) -> Session:
    """A user message from the history begins a turn; those that follow at once belong to the same prompt."""
    session_id, first, told = replaying
    place = len(session.closed)
    turn = session.current
    if turn is None or place < first or not turn.replayed or turn.last is not None:
        fresh = Turn(
            session_id=session_id,
            prompt=(piece,),
            replayed=True,
            told=told,
            started=t,
            ended=t,
            prompt_id=message_id,
            process=session.process,
        )
        return begin_turn(session, fresh)
    joins = message_id is not None and message_id == turn.prompt_id
    prompt = join_blocks(turn.prompt, piece) if joins else (*turn.prompt, piece)
    return with_turn(session, place, evolve(turn, prompt=prompt, prompt_id=message_id))


def _tool_call(session: Session, place: int, update: Update, t: float) -> Session:
    if not isinstance(update.get("toolCallId"), str):
        return _unknown(session, place, update, t)
    return tool_call_update(session, place, update, t)


def _on_turn(rule: Callable[[Turn, Update, float, bool], Turn | None]) -> Rule:
    """A rule that looks at the turn alone; None from it means that it did not understand the update."""

    def fold(session: Session, place: int, update: Update, t: float) -> Session:
        turn = turn_to_fill(session, place)
        changed = rule(turn, update, t, takes_items(session, place, turn))
        if changed is None:
            return _unknown(session, place, update, t)
        if changed is turn:
            return session
        return with_turn(session, place, changed)

    return fold


ITEM_UPDATES: dict[str, Rule] = {
    "user_message_chunk": _chunk,
    "agent_message_chunk": _chunk,
    "agent_thought_chunk": _chunk,
    "tool_call": _tool_call,
    "tool_call_update": _tool_call,
    "plan": _on_turn(plan),
    "plan_update": _on_turn(plan_update),
    "plan_removed": _on_turn(plan_removed),
    "notice": _on_turn(notice),
    "compaction_update": _on_turn(compaction),
    "compaction_summary_chunk": _on_turn(compaction_chunk),
}
