"""What the cells of the tests use: a button on the wire, and futures that a click completes."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import anywidget
import traitlets

from acp_notebook._front import channel, host, pump

__all__ = ["Button", "Future", "channel", "host", "pump", "spin", "threading"]


class Button(anywidget.AnyWidget):
    """Each click completes the future that waits, and says on which thread and beside what it did."""

    _esm = "export default {};"
    value = traitlets.Int(0).tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        host.keep_front_end_subshell(self.comm)
        self.future: Future[Any] = Future()
        self.on_click: Any = None
        self.on_msg(self._clicked)

    def wait(self, **kwargs: Any) -> Any:
        """Block until the next click that carries a value."""
        self.future = Future()
        self.send({"kind": "waiting"})
        return pump.wait(self.future, **kwargs)

    async def wait_async(self) -> Any:
        """Await the next click that carries a value."""
        self.future = Future()
        self.send({"kind": "waiting"})
        return await pump.wait_async(self.future)

    def _clicked(self, _widget: object, content: Any, _buffers: object) -> None:
        self.send({"kind": "clicked", "main": host.on_main_thread(), "content": content})
        if self.on_click is not None:
            self.on_click(content)
        if "value" in content and not self.future.done():
            self.future.set_result(content["value"])


def spin(button: Button) -> int:
    """Compute until a click has arrived or enough is computed: an ordinary cell's loop."""
    button.send({"kind": "spinning"})
    rounds = 0
    while not button.future.done() and rounds < 150:
        sum(range(200_000))
        rounds += 1
    return rounds
