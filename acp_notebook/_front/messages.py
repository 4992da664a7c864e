"""What a browser may send to the kernel, checked before anything acts on it.

The shapes are those of ``ToKernel`` in ``js/src/wire.ts``. Browser to kernel goes by custom messages
only, never by a trait: ``save_changes`` goes silent on ipykernel 7.4 after clicks in an async cell.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from acp_notebook._front.wishes import Wish


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Hello(_Message):
    """A browser's model has started; `seq` is the state it holds, -1 for none."""

    kind: Literal["hello"]
    seq: int = -1
    writes_twin: bool = False


class Resync(_Message):
    """A browser's model missed a patch."""

    kind: Literal["resync"]
    seq: int = -1


class Page(_Message):
    """A browser wants the turns before the one with this index."""

    kind: Literal["page"]
    before: int


class Asset(_Message):
    """A browser wants the source of a lazily loaded part."""

    kind: Literal["asset"]
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,40}$")]


class Twin(_Message):
    """A view has no pieces of the static twin to build on."""

    kind: Literal["twin"]


class _Intent(_Message):
    id: Annotated[str, Field(min_length=1, max_length=100)]


class Send(_Intent):
    """A person sends a prompt; `now`: the running turn is stopped for it."""

    kind: Literal["send"]
    text: str
    now: bool = False


class Answer(_Intent):
    """A person chose an option of a permission request."""

    kind: Literal["answer"]
    permission: str
    option: str
    remember: Literal["chat", "folder"] | None = None


class AnswerQuestion(_Intent):
    """A person answers a question of the agent; `content` are the answers of a form by property name."""

    kind: Literal["answer_question"]
    question: str
    action: Literal["accept", "decline", "cancel"]
    content: dict[str, str | int | float | bool | list[str] | None] | None = None


class Apply(_Intent):
    """A person chose hunks of a review, by their index; none refuses it."""

    kind: Literal["apply"]
    review: str
    chosen: list[int]
    stop: bool = False


class TakeBack(_Intent):
    """A person wants to take back a finished edit: the call of that id in the turn with that index."""

    kind: Literal["take_back"]
    turn: int
    call: str


class Untell(_Intent):
    """The agent is not to be told of a review."""

    kind: Literal["untell"]
    report: str


class Cancel(_Intent):
    """Stop the running turn."""

    kind: Literal["cancel"]


class ForceStop(_Intent):
    """The agent does not stop: end its process."""

    kind: Literal["force_stop"]


class Unqueue(_Intent):
    """Take a queued prompt back; `turn` is its index."""

    kind: Literal["unqueue"]
    turn: int


class Restart(_Intent):
    """Start the agent again."""

    kind: Literal["restart"]


class Close(_Intent):
    """End the agent, keep the conversation."""

    kind: Literal["close"]


Query = Hello | Resync | Page | Asset | Twin
Decided = Answer | AnswerQuestion | Apply | TakeBack | Untell
Deed = Send | Decided | Cancel | ForceStop | Unqueue | Restart | Close
Intent = Deed | Wish

_adapter: TypeAdapter[Query | Intent] = TypeAdapter(Annotated[Query | Intent, Field(discriminator="kind")])


def parse(content: Any) -> Query | Intent | str:
    """The message, or a sentence that says what is wrong with it."""
    try:
        return _adapter.validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "message"
        return f"The widget sent something the kernel does not understand ({where}: {first['msg']})."
