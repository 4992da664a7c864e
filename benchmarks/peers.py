"""The same turns through what a person would use instead, as it is: its own code, driven by the same agent.

Run ``python benchmarks/peers.py``. ``jupyter-ai-acp-client`` keeps the chat in a shared document on the
server, ``use-acp`` keeps and merges it in the page; ours patches the page's state. None of them draws here,
so that what is compared is the way from the agent to the message for the browser. A peer that cannot be
driven is told with the command that shows why.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from report import Options, Report, percentile, ratio, run
from tools import Missing, jupyter_ai, use_acp, versions

HERE = Path(__file__).resolve().parent
AGENT = HERE / "agents" / "stream_agent.py"
PATIENCE = 120
STAMP = re.compile(r"t(\d{13})")


def ours(work: dict[str, Any]) -> dict[str, Any]:
    """Our chat in this process, with the patches that a browser would get."""
    from acp_notebook import Agent, Chat
    from acp_notebook._agent import loop
    from acp_notebook._front.sync import Sync

    chat = Chat(Agent(sys.executable, str(AGENT), name="bench"), record=False)
    seen = {"bytes": 0, "updates": 0}
    lags: list[float] = []

    def send(message: dict[str, Any]) -> None:
        text = json.dumps(message)
        seen["bytes"] += len(text)
        seen["updates"] += 1
        now = time.time() * 1000
        lags.extend(now - int(stamp) for stamp in STAMP.findall(text))

    chat.start()
    sync = Sync(chat._log, send, loop.loop())  # noqa: SLF001 - as the chat's own view does
    loop.call(lambda: sync.hello(0))
    unsubscribe = chat._subscribe(sync.changed)  # noqa: SLF001 - the same
    seen.update(bytes=0, updates=0)
    lags.clear()
    cpu, begin = time.process_time(), time.perf_counter()
    turn = chat.send(json.dumps(work))
    turn.handle.done.result()
    seconds = time.perf_counter() - begin
    loop.call(sync.flush)
    found = {"cpu": time.process_time() - cpu, "seconds": seconds, **seen, "lags": lags}
    found["shown"] = len(turn.text) + sum(len(call.title or "") for call in turn.tool_calls)
    unsubscribe()
    chat.close()
    return found


def theirs(work: dict[str, Any]) -> dict[str, Any]:
    """The client of jupyter-ai, in its environment."""
    return _run(
        [str(jupyter_ai()), str(HERE / "agents" / "jupyter_ai_client.py"), json.dumps(work), str(AGENT)]
    )


def in_node(work: dict[str, Any]) -> dict[str, Any]:
    """use-acp in node."""
    node, folder = use_acp()
    script = str(HERE / "js" / "use_acp_live.mjs")
    return _run([node, script, str(folder), json.dumps(work), sys.executable, str(AGENT)])


def _run(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    try:
        found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise Missing(f"`{' '.join(Path(word).name for word in command[:2])}`: {said}") from None
    return found


WAYS = {"acp-notebook": ours, "jupyter-ai-acp-client": theirs, "use-acp": in_node}


def measure(report: Report, options: Options) -> None:
    """Each work through each of them."""
    works = {
        "text": {"mode": "text", "chunks": options.pick(5_000, 500, 20), "rate": 500},
        "tools": {"mode": "tools", "calls": options.pick(200, 20, 2), "updates": 5, "rate": 200},
    }
    rows = []
    for mode, work in works.items():
        base: dict[str, Any] = {}
        for way, play in WAYS.items():
            if options.smoke and play is not ours:
                continue
            try:
                found = play(work)
            except (Missing, subprocess.TimeoutExpired) as why:
                report.note(f"{way}, {mode}: {why}")
                continue
            base = base or found
            rows.append(
                {
                    "way": way,
                    "turn": mode,
                    "seconds": found["seconds"],
                    "processor s": found["cpu"],
                    "/ ours": ratio(found["cpu"], base["cpu"]),
                    "to each browser MB": found["bytes"] / 1e6,
                    "bytes / ours": ratio(found["bytes"], base["bytes"]),
                    "lag p50 ms": percentile(found["lags"], 0.5),
                    "lag p95 ms": percentile(found["lags"], 0.95),
                    "lag max ms": percentile(found["lags"], 1.0),
                    "characters shown": found["shown"],
                }
            )
    report.table(f"From the agent to the message for the browser ({versions()})", rows)


if __name__ == "__main__":
    run(__doc__, "peers", measure)
