"""The anywidget model of the explorer."""

from __future__ import annotations

from typing import Any, Protocol

import traitlets

from acp_notebook._front import host
from acp_notebook._front.widget import _Base, with_plain


class Controller(Protocol):
    """What the widget needs of its explorer."""

    def handle(self, content: Any) -> None: ...

    def snapshot(self) -> dict[str, Any]: ...

    def plain(self) -> str: ...


class ExplorerWidget(_Base):
    """The model: an outline that is serialised when somebody asks for it; all else goes by message."""

    _bundle_name = "explorer.js"
    state = traitlets.Any().tag(sync=True, to_json=lambda _value, widget: widget.controller.snapshot())

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        super().__init__()
        self.on_msg(lambda _widget, content, _buffers: controller.handle(content))

    def post(self, content: dict[str, Any]) -> None:
        """Send a custom message; any thread."""
        host.run_in_empty_context(lambda: self.send(content))

    def push_state(self) -> None:
        """Send the whole state as the trait."""
        host.run_in_empty_context(lambda: self.send_state("state"))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        return with_plain(super()._repr_mimebundle_(**kwargs), self.controller.plain())
