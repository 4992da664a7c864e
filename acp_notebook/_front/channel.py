"""The shell channel of an ipykernel, seen from the thread that runs its cells.

The only module that touches ipykernel's and pyzmq's private names. :func:`find` checks each of them
and says in words what is missing. Tried with ipykernel 6.31, 7.3 and 7.4, in `tests/kernel`; it can go
once ipykernel itself can handle comm messages while a cell blocks.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import signal
import threading
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from acp_notebook._front import host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Around = Callable[[], AbstractContextManager[None]]

#: What is handled while a cell waits. A page that reloads asks for the info of the kernel and its comms
#: before it asks for the widgets' states, so without these two it would stay blank until the cell ends.
COMM = frozenset({"comm_open", "comm_msg", "comm_close"})
URGENT = COMM | {"comm_info_request", "kernel_info_request"}

_known: list[ShellChannel] = []
_lock = threading.Lock()


def find() -> ShellChannel | str:
    """Return the channel whose cells the calling thread runs, else the reason why there is none."""
    kernel = host.kernel()
    if kernel is None:
        return "no Jupyter kernel runs here"
    if not host.is_ipykernel():
        return f"this kernel ({type(kernel).__module__}) is not ipykernel"
    try:
        stream, reply = _ends(kernel)
        if stream is None or stream.closed():
            return "the kernel's shell channel is closed"
        loop = stream.io_loop.asyncio_loop
    except AttributeError as error:
        return f"this ipykernel is built differently from those known ({error})"
    if asyncio._get_running_loop() is not loop:  # noqa: SLF001 - the public one raises instead of None
        return "the call comes from a thread other than the one that runs the cells"
    with _lock:
        for channel in _known:
            if channel.stream is stream:
                return channel
        channel = ShellChannel(kernel, stream, reply)
        if missing := channel.missing():
            return f"this ipykernel is built differently from those known ({missing})"
        _known[:] = [*(each for each in _known if not each.closed()), channel]
    return channel


def _ends(kernel: Any) -> tuple[Any, Any]:
    """Return the stream from which the calling thread's shell reads, and where its replies go.

    Both are the same stream in ipykernel 6. From 7 on, the main shell and each subshell, a thread of
    its own, have a pair of sockets for each direction.
    """
    if getattr(kernel, "shell_channel_thread", None) is None:
        return kernel.shell_stream, kernel.shell_stream
    thread: Any = threading.current_thread()
    if hasattr(thread, "shell_channel_to_subshell"):
        # JupyterLab sends the clicks of all widgets to one subshell. A callback that waits there holds
        # up the click it waits for, as a cell does on the main shell.
        return thread.shell_channel_to_subshell.to_stream, thread.subshell_to_shell_channel.from_socket
    manager = kernel.shell_channel_thread.manager
    reply = manager.get_subshell_to_shell_channel_socket(None)
    return manager._shell_channel_to_main.to_stream, reply  # noqa: SLF001 - see the module's text


class ShellChannel:
    """One shell's channel: take messages off it, handle the urgent ones, put off the others."""

    def __init__(self, kernel: Any, stream: Any, reply: Any) -> None:
        self.stream = stream
        self._reply = reply
        self._kernel = kernel
        self._listeners = 0
        self._original: Any = None
        self._tasks: set[asyncio.Future[Any]] = set()

    def missing(self) -> str | None:
        """Name what this ipykernel lacks of what is used here, None if all is there."""
        stream = self.stream
        wanted = {
            "kernel": (
                self._kernel,
                ("session", "shell_handlers", "set_parent", "_parent_ident", "_publish_status"),
            ),
            "stream": (stream, ("on_recv", "flush", "socket", "_recv_callback", "_recv_copy")),
        }
        for owner, (thing, names) in wanted.items():
            for name in names:
                if not hasattr(thing, name):
                    return f"{owner}.{name}"
        if not callable(stream._recv_callback) or stream._recv_copy:  # noqa: SLF001 - see the module's text
            return "stream.on_recv"
        return None

    def closed(self) -> bool:
        """Tell whether the kernel has closed the channel."""
        return bool(self.stream.closed())

    # --- taking and handling -------------------------------------------------------------------------

    def take(self) -> Any:
        """Take the next message's frames off the channel, None if none has arrived."""
        import zmq

        try:
            return self.stream.socket.recv_multipart(zmq.NOBLOCK, copy=False)
        except zmq.Again:
            return None

    def poll(self, bell: int, seconds: float) -> None:
        """Wait until a message arrives, the file number `bell` can be read, or `seconds` are over."""
        import zmq

        poller = zmq.Poller()
        poller.register(self.stream.socket, zmq.POLLIN)
        poller.register(bell, zmq.POLLIN)
        poller.poll(int(seconds * 1000))

    def is_urgent(self, frames: Any) -> bool:
        """Tell whether a message is one of `URGENT`; its content is not read."""
        session = self._kernel.session
        try:
            _, rest = session.feed_identities(frames, copy=False)
            # Without its content a message leaves no digest behind, so that it can be read once more.
            kind = session.deserialize(rest, content=False, copy=False)["header"]["msg_type"]
        except Exception:  # noqa: BLE001 - broken messages and ipykernel's own marks are ipykernel's to read
            return False
        return kind in URGENT and kind in self._kernel.shell_handlers

    def put_off(self, frames: Any) -> None:
        """Give a message to the kernel as if it had just arrived: it is handled, in order, after the cell."""
        result = self._pass_on(frames)
        if inspect.isawaitable(result):
            task = asyncio.ensure_future(result)
            self._tasks.add(task)  # a loop holds its tasks weakly
            task.add_done_callback(self._tasks.discard)

    def handle(self, frames: Any, around: Around) -> None:
        """Handle an urgent message now, as ipykernel does it when no cell runs.

        Busy and idle are published, since ipywidgets sends a widget's next change only after an idle.
        The message is the parent of what its handler sends: a browser ignores a trait for as long as
        the echo of its own change has another parent. `around` surrounds the handler alone.
        """
        kernel = self._kernel
        try:
            idents, rest = kernel.session.feed_identities(frames, copy=False)
            message = kernel.session.deserialize(rest, content=True, copy=False)
        except Exception:  # a forged or doubled message, refused as ipykernel does
            kernel.log.exception("Invalid message")
            return
        before = self._parent()
        try:
            contextvars.copy_context().run(self._dispatch, idents, message, around)
        finally:
            # Another shell may have gone on to its next request meanwhile; that one stays.
            if self._parent()[1] in (message, before[1]):
                contextvars.Context().run(kernel.set_parent, before[0], before[1], "shell")

    def _dispatch(self, idents: Any, message: Mapping[str, Any], around: Around) -> None:
        kernel, kind = self._kernel, message["header"]["msg_type"]
        kernel.set_parent(idents, message, "shell")
        kernel._publish_status("busy", "shell", parent=message)  # noqa: SLF001 - see the module's text
        try:
            # Only what runs a person's callbacks can be interrupted: half an info reply helps nobody.
            with around() if kind in COMM else nullcontext():
                _finish(kernel.shell_handlers[kind](self._reply, idents, message))
        except Exception:
            kernel.log.exception("Exception in message handler")
        finally:
            kernel._publish_status("idle", "shell", parent=message)  # noqa: SLF001 - see the module's text
            if self._reply is self.stream:
                import zmq

                # A stream sends when its loop turns, and the loop stands still under a blocking call.
                self._reply.flush(zmq.POLLOUT)

    def _parent(self) -> tuple[Any, Any]:
        """Return the identity and the message that threads without a context of their own see as parent."""
        kernel = self._kernel

        def read() -> tuple[Any, Any]:
            return kernel._parent_ident["shell"], kernel.get_parent("shell")  # noqa: SLF001

        try:
            return contextvars.Context().run(read)
        except LookupError:  # ipykernel 7.0 knows it in the cell's context only
            return read()

    # --- listening while the loop turns --------------------------------------------------------------

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Handle urgent messages as soon as the loop reads them, until the last listener leaves.

        Listeners leave in any order (``gather`` of two waits), so they are counted.
        """
        if self._listeners == 0 and self.stream._recv_callback != self._received:  # noqa: SLF001
            self._original = self.stream._recv_callback  # noqa: SLF001
            self.stream.on_recv(self._received, copy=False)
        self._listeners += 1
        try:
            yield
        finally:
            self._listeners -= 1
            # Whoever has put another callback there meanwhile may put ours back: it then passes all on.
            if self._listeners == 0 and not self.closed() and self.stream._recv_callback == self._received:  # noqa: SLF001
                self.stream.on_recv(self._original, copy=False)

    def _received(self, frames: Any) -> Any:
        if self._listeners and self.is_urgent(frames):
            self.handle(frames, _interruptible)
            return None
        return self._original(frames)

    def _pass_on(self, frames: Any) -> Any:
        """Call the kernel's own callback."""
        callback = self.stream._recv_callback  # noqa: SLF001
        return (self._original if callback == self._received else callback)(frames)

    def wake(self) -> None:
        """Make the loop look for messages once more.

        The loop is told of new messages by the edge of a file descriptor, and reading past the loop may
        have swallowed that edge.
        """
        if not self.closed():
            self.stream.io_loop.add_callback(_read_on, self.stream)
        self.nudge(0.0, 0.1, 0.5)

    def nudge(self, *delays: float) -> None:
        """Make ipykernel 7.0 to 7.3 look, after each delay in seconds, for messages it has overlooked.

        There the thread of the shell channel sends replies past the stream that watches the socket, and
        may miss a request that arrives meanwhile, and all after it (ipykernel issue 1554, fixed in 7.4).
        Remove with the support of 7.3.
        """
        thread = getattr(self._kernel, "shell_channel_thread", None)
        if thread is None or not hasattr(thread, "_shell_socket"):
            return

        def look() -> None:
            for delay in delays:
                thread.io_loop.call_later(delay, _read_on, self._kernel.shell_stream)

        thread.io_loop.add_callback(look)


def _read_on(stream: Any) -> None:
    import zmq

    if not stream.closed():
        stream.flush(zmq.POLLIN)


def _finish(result: Any) -> None:
    """Run a handler's coroutine to its end: those of ipykernel for info requests never wait."""
    if not inspect.iscoroutine(result):
        return
    try:
        result.send(None)
    except StopIteration:
        return
    result.close()
    raise RuntimeError("a handler that waits cannot run while a cell does")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let an interrupt end a widget's callback that runs on the turning loop, and the waiting cell too.

    There the kernel's SIGINT handler only asks the loop to cancel the cell, and the loop stands still
    while the callback runs. KeyboardInterrupt must not reach the loop: it would end the kernel.
    """
    if not host.on_main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        if callable(before) and before is not signal.default_int_handler:
            before(signal.SIGINT, None)
    finally:
        signal.signal(signal.SIGINT, before)
