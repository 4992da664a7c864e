"""Messages by which a person changes the queue, what the agent offers, the session, and signs in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Wish(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(min_length=1, max_length=100)]


class Move(_Wish):
    """A queued prompt goes to another place in the queue; both are indices of turns."""

    kind: Literal["move"]
    turn: int
    to: int


class Edit(_Wish):
    """A queued prompt gets another text."""

    kind: Literal["edit"]
    turn: int
    text: str


class ResumeQueue(_Wish):
    """The queue goes on that waits after a cancel or an error."""

    kind: Literal["resume_queue"]


class Set(_Wish):
    """Set a config option (`name` is its id), the mode or the model."""

    kind: Literal["set"]
    what: Literal["option", "mode", "model"]
    name: str = ""
    value: str | bool


class Sessions(_Wish):
    """The session picker asks what there is."""

    kind: Literal["sessions"]


class SessionAct(_Wish):
    """Begin, open, copy, close or delete a session."""

    kind: Literal["session"]
    act: Literal["new", "open", "fork", "close", "delete"]
    session: str | None = None


class SignIn(_Wish):
    """Sign in by one of the ways that the agent offers; `values` are what the person typed for it."""

    kind: Literal["sign_in"]
    method: str
    values: Annotated[dict[str, Annotated[str, Field(max_length=10_000)]], Field(repr=False)] = {}


class SignOut(_Wish):
    """Sign out, where the agent offers that."""

    kind: Literal["sign_out"]


class WireLog(_Wish):
    """The wire log asks for the records after the first `after` of them."""

    kind: Literal["wire_log"]
    after: Annotated[int, Field(ge=0)]


Wish = Move | Edit | ResumeQueue | Set | Sessions | SessionAct | SignIn | SignOut | WireLog
