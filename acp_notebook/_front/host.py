"""Facts about where the code runs: which kernel, which cell, whether a person can click.

Everything here may be called anywhere, from any thread, and answers "no" or None rather than raise.
"""

from __future__ import annotations

import contextvars
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

from acp_notebook._front.blame import stacklevel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

_warned: set[str] = set()


def kernel() -> Any:
    """Return the kernel object behind ``get_ipython()``, None where no kernel runs.

    IPython is not imported for it: a program that has not imported it runs in no kernel.
    """
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return None
    try:
        return getattr(ipython.get_ipython(), "kernel", None)
    except Exception:  # noqa: BLE001 - a shell half set up or half taken down is no shell
        return None


def is_ipykernel() -> bool:
    """Tell whether the kernel is ipykernel's own (xeus-python, for one, has another)."""
    module = sys.modules.get("ipykernel.kernelbase")
    base = getattr(module, "Kernel", None)
    return isinstance(base, type) and isinstance(kernel(), base)


def ipykernel_version() -> tuple[int, ...] | None:
    """Return ipykernel's version, ``(7, 4, 0)``, or None when none is loaded."""
    module = sys.modules.get("ipykernel")
    version = getattr(module, "__version__", None)
    if not isinstance(version, str):
        return None
    numbers = []
    for part in version.split(".")[:3]:
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers) or None


def request() -> Mapping[str, Any] | None:
    """Return the message that the kernel handles, or handled last; None without one.

    It is an ``execute_request`` in a cell and a ``comm_msg`` in a widget's callback.
    """
    try:
        parent = kernel().get_parent("shell")
    except Exception:  # noqa: BLE001 - no kernel, another kernel's idea of it, 7.0 off the main thread
        return None
    return parent if isinstance(parent, dict) and parent.get("header") else None


def is_headless() -> bool:
    """Tell whether nobody can click: no kernel, or a runner (nbclient, papermill) executes the cell.

    Runners send ``allow_stdin`` false (Jupyter messaging, "Execute"); a front end with a person sends
    true. A silent request is a tool's own and says nothing about who sits there.
    """
    if kernel() is None:
        return True
    content = (request() or {}).get("content")
    if not isinstance(content, dict) or content.get("silent"):
        return False
    return content.get("allow_stdin") is False


def cell_id() -> str | None:
    """Return the id of the cell that runs, as JupyterLab and Notebook name it in the request."""
    metadata = (request() or {}).get("metadata")
    value = metadata.get("cellId") if isinstance(metadata, dict) else None
    return value if isinstance(value, str) and value else None


def on_main_thread() -> bool:
    """Tell whether the caller runs on the interpreter's main thread."""
    return threading.current_thread() is threading.main_thread()


def run_in_empty_context(function: Callable[..., T], /, *args: Any) -> T:
    """Call `function` in an empty :class:`contextvars.Context` and return what it returns.

    A thread or task started in a cell keeps that cell's request for good. What it publishes would
    count as output of that cell, and nbclient drops messages of a cell that has ended. In an empty
    context ipykernel names the newest request instead.
    """
    version = ipykernel_version()
    if version is not None and version[:2] == (7, 0):
        # 7.0 has no such fall-back: without a request in the context nothing can be sent at all.
        return function(*args)
    return contextvars.Context().run(function, *args)


def keep_front_end_subshell(comm: object) -> None:
    """Let clicks on `comm` reach the subshell that the front end chose for them.

    ipykernel 7.4 sends a comm message to the shell that published last on the comm. For a widget that
    an ordinary cell feeds this is the main shell, which is busy until the cell ends; the front end's
    own choice (a subshell) is handled at once. Other versions have no such method and need nothing.

    Remove it once ipykernel honours the ``subshell_id`` of comm messages again.
    """
    if callable(getattr(comm, "_reply_subshell_for", None)):
        comm._reply_subshell_for = _as_asked  # type: ignore[attr-defined]  # noqa: SLF001 - the hook


def _as_asked(_data: object, default: str | None) -> str | None:
    return default


def warn_once_if_broken() -> None:
    """Warn, once, about a kernel in which a live conversation cannot be shown."""
    version = ipykernel_version()
    if version is None or version[:2] != (7, 0) or not is_ipykernel():
        return
    if "ipykernel 7.0" not in _warned:
        _warned.add("ipykernel 7.0")
        warnings.warn(
            "ipykernel 7.0 cannot send from a thread, so the conversation may stay blank while a cell "
            'runs. Upgrade it and restart the kernel: pip install --upgrade "ipykernel>=7.4"',
            RuntimeWarning,
            stacklevel=stacklevel(),
        )
