"""What the explorer's browser side may ask for, checked before anything answers it.

The shapes are those of ``ToKernel`` in ``js/src/explorer/wire.ts``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

_Id = Annotated[str, Field(min_length=1, max_length=100)]
_Words = Annotated[tuple[str, ...], Field(max_length=200)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Hello(_Message):
    """A view wants the outline anew."""

    kind: Literal["hello"]


class Asset(_Message):
    """A view wants the source of a lazily loaded part."""

    kind: Literal["asset"]
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,40}$")]


class _Query(_Message):
    """`near`: the browser runs on the server's machine, see `NEAR` in ``widget.py``."""

    id: _Id
    near: bool = False


class Rows(_Query):
    """More turns of the outline, from `first` on."""

    kind: Literal["rows"]
    first: int


class Turns(_Query):
    """Turns, as they are or as they were after `at` records; `focus` is the item that must be there."""

    kind: Literal["turns"]
    first: int
    count: Annotated[int, Field(ge=1, le=50)] = 1
    at: int | None = None
    focus: int = 0


class ItemQuery(_Query):
    """All of one item."""

    kind: Literal["item"]
    turn: int
    item: int
    after: bool = False
    at: int | None = None


class Search(_Query):
    """What fits a search and the filters; rows from `first` on."""

    kind: Literal["search"]
    text: Annotated[str, Field(max_length=1_000)] = ""
    kinds: _Words = ()
    statuses: _Words = ()
    sessions: _Words = ()
    path: str | None = None
    first: int = 0


class Seek(_Query):
    """The state at a moment: a place on the axis, a number of records, a turn's beginning, or an item.

    Turns are named by their position in the outline, here and in all messages. `have` is the last moment
    that the browser holds, `first` and `last` the turns that it shows.
    """

    kind: Literal["seek"]
    x: float | None = None
    index: int | None = None
    turn: int | None = None
    item: int | None = None
    after: bool = False
    have: int = -1
    first: int = 0
    last: int = -1


class Records(_Query):
    """The raw records behind an item, from the `first` of them on."""

    kind: Literal["records"]
    turn: int
    item: int = -1
    after: bool = False
    first: int = 0


Message = Hello | Asset | Rows | Turns | ItemQuery | Search | Seek | Records

_adapter: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def parse(content: Any) -> Message | None:
    """The message; None if it is none of ours."""
    try:
        return _adapter.validate_python(content)
    except ValidationError:
        return None
