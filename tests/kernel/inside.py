"""What the cells of the tests use: a button on the wire, and futures that a click completes."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets
import zmq
from tornado.ioloop import PeriodicCallback

if TYPE_CHECKING:
    from collections.abc import Callable

from acp_notebook._front import channel, host, pump

__all__ = ["Button", "Future", "awake", "channel", "deaf", "host", "pump", "spin", "threading"]


class Watched(Future[Any]):
    """A future that says once that somebody looks whether it is done: the pump does when it hears interrupts.

    Said before the call, an interrupt could come before the pump's handler is there, and a cell that
    awaits would lose it: the kernel only asks the loop, which stands still.
    """

    def __init__(self, looked: Callable[[], None]) -> None:
        super().__init__()
        self._looked: Callable[[], None] | None = looked

    def done(self) -> bool:
        if (looked := self._looked) is not None:
            self._looked = None
            looked()
        return super().done()


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
        self.future = Watched(lambda: self.send({"kind": "waiting"}))
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


def rescue() -> PeriodicCallback | None:
    """Keep ipykernel 7.0 to 7.3 awake, which overlook a request once in about a thousand (its issue 1554).

    They do so without this package too, and it is not what the tests are about.
    """
    kernel = host.kernel()
    thread = getattr(kernel, "shell_channel_thread", None)
    if not hasattr(thread, "_shell_socket"):
        return None
    again = PeriodicCallback(lambda: kernel.shell_stream.flush(zmq.POLLIN), 50)
    thread.io_loop.add_callback(again.start)
    return again


def deaf(stream: Any, is_deaf: bool) -> None:
    """Let the thread of a stream overlook all that arrives, or hear again."""
    done = threading.Event()

    def switch() -> None:
        if is_deaf:
            stream.io_loop.remove_handler(stream.socket)
        else:
            stream.io_loop.add_handler(stream.socket, stream._handle_events, stream.io_loop.READ)
        done.set()

    stream.io_loop.add_callback(switch)
    done.wait()


awake = rescue()


def spin(button: Button) -> int:
    """Compute until a click has arrived or enough is computed: an ordinary cell's loop."""
    button.send({"kind": "spinning"})
    rounds = 0
    while not button.future.done() and rounds < 150:
        sum(range(200_000))
        rounds += 1
    return rounds
