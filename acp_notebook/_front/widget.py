"""The anywidget models: one full model a chat, and a small one for a turn shown in its own cell."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any, Protocol

import anywidget
import traitlets

from acp_notebook._errors import AcpNotebookError
from acp_notebook._front import host
from acp_notebook._front.messages import parse

if TYPE_CHECKING:
    from acp_notebook._front.messages import Intent, Query

__all__ = ["ChatWidget", "Controller", "TurnWidget", "asset"]


class Controller(Protocol):
    """What a widget needs of its chat. `handle` may be called on any thread and must not block."""

    def handle(self, message: Query | Intent) -> None: ...

    def reject(self, id: str | None, problem: str) -> None: ...  # noqa: A002 - the message's field

    def snapshot(self) -> dict[str, Any]: ...

    def plain(self) -> str: ...


def asset(name: str) -> str | None:
    """The source of a built file under ``static/``; None if there is none."""
    file = resources.files("acp_notebook") / "static" / name
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _bundle(name: str) -> str:
    source = asset(name)
    if source is None:
        msg = (
            f"The widget's front end (static/{name}) was not built. "
            "Install the package from a wheel, or run `make js` in a checkout."
        )
        raise AcpNotebookError(msg)
    return source


class _Base(anywidget.AnyWidget):
    """Sends from any thread without the context of the cell that happens to run."""

    _bundle_name = ""
    _esm = traitlets.Unicode().tag(sync=True)

    @traitlets.default("_esm")
    def _default_esm(self) -> str:
        return _bundle(self._bundle_name)

    def open(self) -> None:
        host.warn_once_if_broken()
        super().open()
        if self.comm is not None:
            host.keep_front_end_subshell(self.comm)


class ChatWidget(_Base):
    """The widget of a chat; `chat.widget`.

    The `state` trait is serialised only when somebody asks for it (a new view, a reload, a saved
    notebook); changes go as patches by custom message.
    """

    _bundle_name = "widget.js"
    state = traitlets.Any().tag(sync=True, to_json=lambda _value, widget: widget.controller.snapshot())
    info = traitlets.Dict().tag(sync=True)

    def __init__(self, controller: Controller, info: dict[str, Any]) -> None:
        self.controller = controller
        super().__init__(info=info)
        self.on_msg(self._on_message)

    def _on_message(self, _widget: object, content: Any, _buffers: object) -> None:
        message = parse(content)
        if isinstance(message, str):
            id_ = content.get("id") if isinstance(content, dict) else None
            self.controller.reject(id_ if isinstance(id_, str) else None, message)
        else:
            self.controller.handle(message)

    def post(self, content: dict[str, Any]) -> None:
        """Send a custom message; any thread."""
        host.run_in_empty_context(lambda: self.send(content))

    def push_state(self) -> None:
        """Send the whole state as the trait, for front ends that only keep what traits hold."""
        self.send_state("state")

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        return with_plain(super()._repr_mimebundle_(**kwargs), self.controller.plain())


class TurnWidget(_Base):
    """A turn in its own cell: borrows code and state from the chat's model in the browser.

    `plain` is empty where the line stands in an output beside it: front ends that draw no widget would show
    both, and nbconvert complains of an output without any text.
    """

    _bundle_name = "turn.js"
    chat_id = traitlets.Unicode().tag(sync=True)
    turn = traitlets.Int().tag(sync=True)

    def __init__(self, chat_id: str, turn: int, plain: str) -> None:
        self._plain = plain
        super().__init__(chat_id=chat_id, turn=turn)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        return with_plain(super()._repr_mimebundle_(**kwargs), self._plain)


def with_plain(
    bundle: tuple[dict[str, Any], dict[str, Any]] | None, plain: str
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The bundle with one readable line as its ``text/plain``."""
    if bundle is None:
        return None
    data, metadata = bundle
    return {**data, "text/plain": plain}, metadata
