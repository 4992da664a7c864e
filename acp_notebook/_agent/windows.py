"""The same on Windows: a job object in the place of the launcher.

Everything that the command starts is in its job, and the job dies with its last handle, which only this
process has: however we end, the system ends the whole group (``JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE``). The
command starts suspended and runs once it is in the job, so that nothing it starts can be outside. There is
no SIGTERM: an agent is asked by the end of its input and then given the same time as elsewhere.

Pages of the Win32 documentation: "Job Objects", "JOBOBJECT_EXTENDED_LIMIT_INFORMATION". Needs Windows 8,
where jobs may be nested (Jupyter itself may run in one).
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import subprocess
import sys
from ctypes import wintypes
from typing import TYPE_CHECKING, Any

from acp_notebook._agent import process

assert sys.platform == "win32", "imported on Windows only"

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_TICK = 0.05  # the job's members are not our children: nothing but looking tells that they left
_CREATE_SUSPENDED = 0x4
_KILL_ON_JOB_CLOSE = 0x2000
_BASIC_ACCOUNTING, _EXTENDED_LIMITS = 1, 9  # JOBOBJECTINFOCLASS


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _Limits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class _Accounting(ctypes.Structure):
    _fields_ = (
        ("TotalUserTime", ctypes.c_int64),
        ("TotalKernelTime", ctypes.c_int64),
        ("ThisPeriodTotalUserTime", ctypes.c_int64),
        ("ThisPeriodTotalKernelTime", ctypes.c_int64),
        ("TotalPageFaultCount", ctypes.c_uint32),
        ("TotalProcesses", ctypes.c_uint32),
        ("ActiveProcesses", ctypes.c_uint32),
        ("TotalTerminatedProcesses", ctypes.c_uint32),
    )


_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_ntdll = ctypes.WinDLL("ntdll")
_kernel.CreateJobObjectW.argtypes = (wintypes.LPVOID, wintypes.LPCWSTR)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD)
_kernel.QueryInformationJobObject.argtypes = (
    wintypes.HANDLE,
    ctypes.c_int,
    wintypes.LPVOID,
    wintypes.DWORD,
    wintypes.LPVOID,
)
_kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
_kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
# The handle of the first thread is closed by `subprocess` before anybody can resume it, so the process is
# resumed as a whole. Not documented, unchanged since Windows XP, and what debuggers use; to go once
# `subprocess` can start a process in a job (PROC_THREAD_ATTRIBUTE_JOB_LIST).
_ntdll.NtResumeProcess.argtypes = (wintypes.HANDLE,)
_ntdll.NtResumeProcess.restype = ctypes.c_int32


class Job:
    """A job object that ends with this value's handle. The handle is not inherited by anybody."""

    def __init__(self) -> None:
        self._handle: int | None = _kernel.CreateJobObjectW(None, None)
        if not self._handle:
            raise ctypes.WinError(ctypes.get_last_error())
        limits = _Limits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
        size = ctypes.sizeof(limits)
        if not _kernel.SetInformationJobObject(self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), size):
            raise ctypes.WinError(ctypes.get_last_error())

    def take(self, handle: int) -> None:
        """Put a suspended process in, and let it run."""
        if not _kernel.AssignProcessToJobObject(self._handle, handle):
            raise ctypes.WinError(ctypes.get_last_error())
        status = _ntdll.NtResumeProcess(handle)
        if status < 0:
            raise OSError(f"the process could not be resumed (NTSTATUS {status & 0xFFFFFFFF:#x})")

    @property
    def empty(self) -> bool:
        """Whether no process of it runs any more."""
        if self._handle is None:
            return True
        told = _Accounting()
        size = ctypes.sizeof(told)
        known = _kernel.QueryInformationJobObject(
            self._handle, _BASIC_ACCOUNTING, ctypes.byref(told), size, None
        )
        return bool(known) and told.ActiveProcesses == 0

    def terminate(self) -> None:
        """End every process of it, now."""
        if self._handle is not None:
            _kernel.TerminateJobObject(self._handle, 1)

    def close(self) -> None:
        """Let go of the handle; what still runs in it is ended by the system."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _kernel.CloseHandle(handle)


class WindowsProcess(process.Process, asyncio.SubprocessProtocol):
    """A running command in its job; see `process.Process`."""

    def __init__(self, linger: bool, soft: float, hard: float) -> None:
        super().__init__()
        self._linger = linger
        self._patience = soft + hard
        self._job = Job()
        self._transport: asyncio.SubprocessTransport | None = None
        self._callbacks: dict[int, Callable[[bytes], None]] = {}
        self._open: set[int] = set()
        self._on_lost: Callable[[], None] | None = None
        self._ending: asyncio.Task[None] | None = None

    async def launch(
        self,
        command: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        on_stdout: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None] | None,
        on_lost: Callable[[], None] | None,
    ) -> None:
        """Start the command; raises OSError if that cannot be done, and leaves nothing behind then."""
        self._on_lost = on_lost
        self._callbacks = {1: on_stdout, **({} if on_stderr is None else {2: on_stderr})}
        self._open = set(self._callbacks)
        flags = _CREATE_SUSPENDED | subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        try:
            transport, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: self,
                *command,
                stdin=subprocess.PIPE if on_lost else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if on_stderr else subprocess.STDOUT,
                cwd=cwd,
                env=dict(env),
                creationflags=flags,
            )
        except BaseException:
            self._job.close()
            raise
        self._transport = transport
        self.pid = transport.get_pid()
        popen: Any = transport.get_extra_info("subprocess")
        try:
            self._job.take(int(popen._handle))  # noqa: SLF001 — the only place where the handle is
        except OSError:
            transport.kill()
            self.release()
            raise

    # what asyncio tells

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Hand on a piece of output."""
        callback = self._callbacks.get(fd)
        if callback is not None:
            callback(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """A pipe is at its end."""
        del exc
        self._open.discard(fd)
        if not self._open and not self.drained.done():
            self.drained.set_result(None)
        if fd in (0, 1) and self._on_lost is not None:
            self._on_lost()

    def process_exited(self) -> None:
        """The command itself has ended; what it left behind is ended, too, unless it may linger."""
        code = self._transport.get_returncode() if self._transport is not None else None
        if not self.ended.done():
            self.ended.set_result(process.Ended(code, None))
        self._finish(0.0 if not self._linger else None)

    # what the transport asks

    def write(self, data: bytes) -> bool:
        """Queue bytes for the command's input; False if it no longer takes any. Never blocks."""
        pipe = self._pipe()
        if pipe is None or pipe.is_closing():
            return False
        pipe.write(data)
        return True

    def close_stdin(self) -> None:
        """Close the command's input once everything queued is written."""
        pipe = self._pipe()
        if pipe is not None:
            pipe.close()

    def _pipe(self) -> Any:
        return None if self._transport is None else self._transport.get_pipe_transport(0)

    def end(self) -> None:
        """Ask for the end of the whole group; `gone` tells when it came. May be called twice."""
        self.close_stdin()
        self._finish(self._patience)

    def kill(self) -> None:
        """End the group now."""
        self._job.terminate()

    def release(self) -> None:
        """Let go of all pipes and of the job, which ends what still runs in it."""
        if self._transport is not None:
            self._transport.close()
        self._job.close()

    def _finish(self, patience: float | None) -> None:
        """See the group to its end, after some time of its own; None: as long as it likes."""
        if self.gone.done():
            return
        if self._ending is not None:
            self._ending.cancel()
        work = self._see_to_the_end(patience)
        self._ending = asyncio.get_running_loop().create_task(work, name="acp-notebook job")

    async def _see_to_the_end(self, patience: float | None) -> None:
        with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
            await asyncio.wait_for(self._until_empty(), patience)
        self._job.terminate()
        await self._until_empty()
        if not self.gone.done():
            self.gone.set_result(None)

    async def _until_empty(self) -> None:
        while not self._job.empty:  # noqa: ASYNC110 — nobody tells
            await asyncio.sleep(_TICK)


async def start(
    command: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    on_stdout: Callable[[bytes], None],
    on_stderr: Callable[[bytes], None] | None,
    on_lost: Callable[[], None] | None,
    linger: bool,
    soft: float,
    hard: float,
) -> process.Process:
    """As `process.start`."""
    running = WindowsProcess(linger, soft, hard)
    await running.launch(command, cwd=cwd, env=env, on_stdout=on_stdout, on_stderr=on_stderr, on_lost=on_lost)
    return running
