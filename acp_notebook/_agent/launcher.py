"""Starts one command, watches over it, and ends its whole process group when nobody wants it any more.

Run as a script (`python -I -S launcher.py CONTROL STATUS MODE SOFT HARD -- COMMAND…`), never imported by
what it serves; it needs a few modules of the standard library only, so that it starts in milliseconds.

The starting process, our parent, holds the write end of the pipe CONTROL. It closes when that process
asks for the end *or dies in whatever way*; that agents leave at the end of their input is not relied upon.
On STATUS it is told, a line each: ``pid N`` or ``failed ERRNO``; later ``exit CODE`` or
``signal NUMBER``. The pipe's end means that the group is gone.

MODE ``strict``: what the command left behind in its group is ended with it. ``linger``: it may go on
until CONTROL closes, as in a shell. SOFT and HARD are seconds: from
the closing to SIGTERM, and on to SIGKILL.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

_TICK = 0.01  # the group's other members are not our children: nothing but looking tells that they left
_PARENT_LOOK = 1.5  # some fork that we are not told of may hold CONTROL open after our parent's death
_LAST_WAIT = 2.0  # after SIGKILL only a process stuck in the system can remain; it is not waited for


class Launcher:
    """One command, from its start to the end of its group."""

    def __init__(self, control: int, status: int, linger: bool, soft: float, hard: float) -> None:
        self.control = control
        self.status = status
        self.linger = linger
        self.soft = soft
        self.hard = hard
        self.asked = False
        self.ended = False  # the command itself is a zombie, or reaped
        self.reaped = False
        self.pid = 0
        self.wake = -1

    def run(self, command: list[str]) -> int:
        """Start the command, stay until its group is gone."""
        for descriptor in (self.control, self.status):
            os.set_inheritable(descriptor, False)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP):
            signal.signal(number, signal.SIG_IGN)
        failed = self._start(command)
        if failed:
            self._say(f"failed {failed}")
            return 127
        self._say(f"pid {self.pid}")
        # A reader must see the end of the command's output: hold none of its pipes open.
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        self._watch()
        self._end()
        return 0

    def _start(self, command: list[str]) -> int:
        read, write = os.pipe()  # closes by itself when exec succeeds
        self.pid = os.fork()
        if self.pid == 0:
            error = 1
            try:
                os.setsid()
                # Handlers are reset by exec, but "ignored" would be inherited.
                for number in signal.valid_signals():
                    if signal.getsignal(number) is signal.SIG_IGN:
                        signal.signal(number, signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_SETMASK, ())
                os.execvp(command[0], command)  # noqa: S606 — no shell is what we want
            except OSError as problem:
                error = problem.errno or 1
            finally:
                os.write(write, str(error).encode())
                os._exit(127)
        os.close(write)
        text = os.read(read, 16)
        os.close(read)
        if text:
            os.waitpid(self.pid, 0)
        return int(text or b"0")

    def _watch(self) -> None:
        """Return when the group has to end."""
        self.wake, write = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._ask)
        parent = os.getppid()
        while not self.asked and os.getppid() == parent:
            self._look()
            if self.ended and not self.linger:
                return
            self._wait(_PARENT_LOOK)

    def _ask(self, *_: object) -> None:
        self.asked = True

    def _wait(self, seconds: float) -> None:
        """Sleep until a signal comes, the control pipe closes, or the time is over."""
        poll = select.poll()  # not select(): the numbers of descriptors may be large
        poll.register(self.wake, select.POLLIN)
        if not self.asked:
            poll.register(self.control, select.POLLIN)
        for descriptor, _ in poll.poll(max(0, round(seconds * 1000))):
            if not os.read(descriptor, 1024) and descriptor == self.control:
                self.asked = True

    def _look(self) -> None:
        """Notice that the command itself has ended, and report it; it stays a zombie.

        An unreaped leader reserves the group's number, which could else come to stand for others.
        """
        if self.ended:
            return
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            pid, code = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.ended = self.reaped = True
                self._say(_said(os.waitstatus_to_exitcode(code)))
            return
        result = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if result is not None:
            self.ended = True
            killed = result.si_code != os.CLD_EXITED
            self._say(_said(-result.si_status if killed else result.si_status))

    def _end(self) -> None:
        """End the group: its own time first, then SIGTERM, then SIGKILL."""
        until = time.monotonic() + self.soft
        while not self.ended and time.monotonic() < until:
            self._wait(max(0.0, until - time.monotonic()))
            self._look()
        for number, seconds in ((signal.SIGTERM, self.hard), (signal.SIGKILL, _LAST_WAIT)):
            self._signal(number)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                self._look()
                if self.ended and not self.reaped:
                    os.waitpid(self.pid, 0)
                    self.reaped = True
                if self.reaped and not (self._signal(0) and self._someone_runs()):
                    return
                self._wait(_TICK)

    def _signal(self, number: int) -> bool:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):  # macOS: only zombies are left
            return False
        return True

    def _someone_runs(self) -> bool:
        """Whether a member of the group is more than a zombie that its new parent is slow to reap."""
        try:
            names = os.listdir("/proc")  # noqa: PTH208 — pathlib is slow to import
        except OSError:
            return True  # no Linux: let the signal's answer stand
        for name in filter(str.isdigit, names):
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 — the same
                    # pid (name) state parent group …; the name may hold anything
                    state, _, group = file.read().rpartition(b")")[2].split()[:3]
            except (OSError, ValueError):
                continue  # gone meanwhile
            if int(group) == self.pid and state not in (b"Z", b"X"):
                return True
        return False

    def _say(self, text: str) -> None:
        try:
            os.write(self.status, f"{text}\n".encode())
        except OSError:
            return  # nobody listens any more: the one who started us is dead


def _said(code: int) -> str:
    return f"exit {code}" if code >= 0 else f"signal {-code}"


def main(argv: list[str]) -> int:
    """Read the arguments and run."""
    control, status, mode, soft, hard, _, *command = argv
    return Launcher(int(control), int(status), mode == "linger", float(soft), float(hard)).run(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
