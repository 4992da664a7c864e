"""An agent of raw lines: does what its script says, good manners or bad. The script is JSON, a list of steps.

Steps: ``["say", message]``, ``["raw", text]`` and ``["hex", digits]`` (as they are, no line end added),
``["long", n]`` (a message of more than n bytes), ``["take", n]`` (n messages of the client, kept), ``["answer", i,
body]`` (to the i-th kept message), ``["echo"]`` (tell the client all that was kept), ``["stderr", n]`` (n bytes),
``["error", text]``, ``["signal", name]`` (kill itself), ``["deaf", names…]`` (ignore these signals), ``["child",
mode]`` (start a process that lives for minutes, in this group or with "away" in its own; tell its pid),
``["pids"]``, ``["close", fd]``, ``["hang"]``, ``["eof"]`` (wait for the end of the input), ``["exit", code]``,
``["write", path, text]`` (a file, by itself).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

CHILD = "import signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\nprint(end='!', flush=True)\ntime.sleep(600)"


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def say(message: object) -> None:
    write(json.dumps(message).encode() + b"\n")


def child(away: bool, pids: list[int]) -> None:
    # Its first byte on a pipe of ours says that it ignores the signals by now; stdout stays the agent's.
    ready, inform = os.pipe()
    code = CHILD.replace("print(end='!', flush=True)", f"import os; os.write({inform}, b'!')")
    process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[inform], start_new_session=away)
    os.read(ready, 1)
    pids.append(process.pid)


def step(word: str, args: list, kept: list[dict], pids: list[int]) -> None:
    if word == "say":
        say(args[0])
    elif word == "raw":
        write(args[0].encode())
    elif word == "hex":
        write(bytes.fromhex(args[0]))
    elif word == "long":
        say({"jsonrpc": "2.0", "method": "long", "params": {"text": "x" * args[0]}})
    elif word == "take":
        kept.extend(json.loads(sys.stdin.buffer.readline()) for _ in range(args[0]))
    elif word == "answer":
        say({"jsonrpc": "2.0", "id": kept[args[0]]["id"], **args[1]})
    elif word == "echo":
        say({"jsonrpc": "2.0", "method": "echo", "params": {"kept": kept}})
    elif word == "stderr":
        sys.stderr.write("e" * args[0])
        sys.stderr.flush()
    elif word == "error":
        print(args[0], file=sys.stderr, flush=True)
    elif word == "child":
        child(args[0] == "away", pids)
    elif word == "pids":
        say({"jsonrpc": "2.0", "method": "pids", "params": {"pids": [os.getpid(), *pids]}})
    else:
        end(word, args)


def end(word: str, args: list) -> None:
    if word == "signal":
        os.kill(os.getpid(), getattr(signal, args[0]))
    elif word == "deaf":
        for name in args:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    elif word == "write":
        Path(args[0]).write_bytes(args[1].encode())
    elif word == "close":
        os.close(args[0])
    elif word == "hang":
        while True:
            signal.pause()
    elif word == "eof":
        sys.stdin.buffer.read()
    elif word == "exit":
        os._exit(args[0])
    else:
        raise ValueError(word)


def script() -> str:
    """The script itself, or ``@`` and the file that holds it: an argument has its limit."""
    given = sys.argv[1]
    return Path(given[1:]).read_text() if given.startswith("@") else given


if __name__ == "__main__":
    messages: list[dict] = []
    children: list[int] = []
    for name, *rest in json.loads(script()):
        step(name, rest, messages, children)
