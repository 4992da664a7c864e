"""The anywidget model of the explorer."""

from __future__ import annotations

import os
from typing import Any, Protocol

import traitlets

from acp_notebook._front import host
from acp_notebook._front.widget import _Base, with_plain

NEAR = os.urandom(66_000)
"""Goes with each answer to a browser on the same machine; nobody reads it.

Jupyter Server leaves Nagle's algorithm on (it never calls Tornado's ``set_nodelay``): a "busy" goes
out at once, and an answer smaller than a segment waits until the browser has acknowledged that, which it does
after 40 ms. A segment of loopback holds 65,483 bytes; elsewhere it holds 1,448, which most answers are larger
than. Random, so that no compression takes it away. Until a moment is drawn: 64 ms without, 36 ms with.
To be removed once the server sets nodelay.
"""


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

    def post(self, content: dict[str, Any], *, near: bool = False) -> None:
        """Send a custom message; any thread. `near`: see `NEAR`."""
        host.run_in_empty_context(lambda: self.send(content, [NEAR] if near else None))

    def push_state(self) -> None:
        """Send the whole state as the trait."""
        host.run_in_empty_context(lambda: self.send_state("state"))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        return with_plain(super()._repr_mimebundle_(**kwargs), self.controller.plain())
