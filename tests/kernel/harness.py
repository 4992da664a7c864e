"""A front end without a screen: it speaks the Jupyter messaging protocol with one kernel.

Nothing here sleeps: every wait reads messages until its condition holds or its deadline is over.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zmq
from jupyter_client.manager import KernelManager

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

Message = dict[str, Any]


class Kernel:
    """One kernel process with a client of its own."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.folder = folder
        self.log = (folder / "kernel.log").open("ab")
        self.manager = KernelManager(connection_file=str(folder / "connection.json"))
        spec = self.manager.kernel_spec
        assert spec is not None
        spec.argv[0] = str(python)
        env = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT)]),
            "IPYTHONDIR": str(folder / "ipython"),
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
        }
        self.manager.start_kernel(env=env, cwd=str(folder), stdout=self.log, stderr=self.log)
        self.client = self.manager.client()
        self.client.start_channels(hb=False)
        self.client.wait_for_ready(timeout=40)
        self.iopub: list[Message] = []
        self.replies: dict[str, Message] = {}
        self._sent = 0
        info = self.reply(self.ask("kernel_info_request"))
        self.has_subshells = "kernel subshells" in info["content"].get("supported_features", [])
        self.subshell: str | None = None
        if self.has_subshells:
            self.subshell = self.reply(self.ask("create_subshell_request", channel="control"))["content"][
                "subshell_id"
            ]

    @property
    def pid(self) -> int:
        pid = getattr(self.manager.provisioner, "pid", None)
        assert isinstance(pid, int)
        return pid

    # --- sending -------------------------------------------------------------------------------------

    def ask(
        self,
        kind: str,
        content: Mapping[str, Any] | None = None,
        *,
        channel: str = "shell",
        subshell: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> str:
        """Send a message and return its id."""
        message = self.client.session.msg(kind, dict(content or {}), metadata=dict(metadata or {}))
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        getattr(self.client, f"{channel}_channel").send(message)
        return str(message["header"]["msg_id"])

    def execute(
        self, code: str, *, subshell: str | None = None, cell: str | None = None, stdin: bool = True
    ) -> str:
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": stdin,
            "stop_on_error": True,
        }
        return self.ask(
            "execute_request", content, subshell=subshell, metadata={"cellId": cell} if cell else None
        )

    def custom(self, comm: str, content: object, *, subshell: str | None = None) -> str:
        """Send a widget's custom message, as `model.send` does."""
        return self.ask(
            "comm_msg", {"comm_id": comm, "data": {"method": "custom", "content": content}}, subshell=subshell
        )

    def interrupt(self) -> None:
        self.manager.interrupt_kernel()

    # --- waiting -------------------------------------------------------------------------------------

    def read(self, seconds: float) -> None:
        """Take in what has arrived, waiting at most `seconds` for a first message."""
        channels = {
            channel.socket: channel
            for channel in (self.client.shell_channel, self.client.iopub_channel, self.client.control_channel)
        }
        poller = zmq.Poller()
        for socket in channels:
            poller.register(socket, zmq.POLLIN)
        for socket, _ in poller.poll(int(seconds * 1000)):
            _, message = self.client.session.recv(socket)
            if message is None:
                continue
            message["arrived"] = time.monotonic()
            if channels[socket] is self.client.iopub_channel:
                self.iopub.append(message)
            else:
                self.replies[message["parent_header"]["msg_id"]] = message

    def until(self, condition: Callable[[], Any], seconds: float = 10, *, what: str = "") -> Any:
        """Read messages until `condition` holds and return its value; fail after `seconds`."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"not within {seconds} s: {what or condition}; {self.errors()}")
            self.read(min(left, 0.2))
        return value

    def reply(self, request: str, seconds: float = 10) -> Message:
        """Wait for the reply to a request."""
        self.until(lambda: request in self.replies, seconds, what="a reply")
        return self.replies[request]

    def idle(self, request: str, seconds: float = 10) -> None:
        """Wait until everything a request has published is here."""
        self.until(lambda: "idle" in self.states(request), seconds, what="idle")

    def run(self, code: str, *, seconds: float = 10, status: str = "ok", **kwargs: Any) -> str:
        """Run a cell to its end and return what it printed."""
        request = self.execute(code, **kwargs)
        content = self.reply(request, seconds)["content"]
        self.idle(request)
        assert content["status"] == status, self.errors() or content
        return self.printed(request)

    def failed(self, request: str, error: str, seconds: float = 3) -> None:
        """Wait until a cell has ended in `error` and the kernel takes cells again.

        Cells that arrive in the moment of an error are aborted with those that were queued.
        """
        content = self.reply(request, seconds)["content"]
        assert content.get("ename") == error, content
        self.until(
            lambda: self.reply(self.execute("pass"))["content"]["status"] == "ok", what="a cell to run"
        )

    # --- looking -------------------------------------------------------------------------------------

    def published(self, parent: str, kind: str) -> list[Message]:
        return [m for m in self.iopub if m["msg_type"] == kind and m["parent_header"].get("msg_id") == parent]

    def states(self, request: str) -> list[str]:
        return [m["content"]["execution_state"] for m in self.published(request, "status")]

    def printed(self, request: str) -> str:
        return "".join(m["content"]["text"] for m in self.published(request, "stream"))

    def errors(self) -> list[str]:
        texts = ["\n".join(m["content"]["traceback"]) for m in self.iopub if m["msg_type"] == "error"]
        return [re.sub(r"\x1b\[[0-9;]*m", "", text)[-700:] for text in texts[-1:]]

    def customs(self, comm: str, kind: str) -> list[Message]:
        """Return the widget's custom messages whose content is of `kind`, oldest first."""
        found = []
        for message in self.iopub:
            if message["msg_type"] != "comm_msg" or message["content"]["comm_id"] != comm:
                continue
            data = message["content"]["data"]
            if data.get("method") == "custom" and data["content"].get("kind") == kind:
                found.append(message)
        return found

    def heard(self, comm: str, kind: str, count: int = 1, seconds: float = 10) -> Message:
        """Wait for the widget's `count`-th custom message of `kind`."""
        self.until(
            lambda: len(self.customs(comm, kind)) >= count, seconds, what=f"{count} × {kind} from the widget"
        )
        return self.customs(comm, kind)[count - 1]

    def widget(self, code: str) -> str:
        """Run `code`, which makes one anywidget, and return its comm's id."""
        seen = len(self.iopub)
        self.run(code)
        opened = [
            m["content"]["comm_id"]
            for m in self.iopub[seen:]
            if m["msg_type"] == "comm_open"
            and m["content"]["data"]["state"].get("_model_module") == "anywidget"
        ]
        assert len(opened) == 1, Counter(m["msg_type"] for m in self.iopub[seen:])
        return str(opened[0])

    def close(self) -> None:
        """End the kernel, the polite way if it listens."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()
        self.log.close()
