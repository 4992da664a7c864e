"""Write the golden file about replays anew: which turns of a folded session are drawn.

Each entry of ``replays.json`` holds what counts of a session (``session``) and the prompts of the turns that are drawn, in
order (``shown``); the static copies and the live views are held to it. Run
``python -m tests.golden.shown.regenerate`` from the root of the repository and review every difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from acp_notebook._fold.blocks import TextBlock
from acp_notebook._render.session_parts import shown_turns
from tests.fold.wire import MAIN, Wire

FILE = Path(__file__).resolve().parent / "replays.json"
HISTORY = ("one", "two")


def load(wire: Wire, ident: int = 50, session: str = MAIN, prompts: tuple[str, ...] = HISTORY) -> Wire:
    """A new process loads a session and gets its history."""
    wire.initialize().ask(ident, "session/load", {"sessionId": session, "cwd": "/x", "mcpServers": []})
    for prompt in prompts:
        wire.chunk("user_message_chunk", {"type": "text", "text": prompt}, session=session)
        wire.message(f"answer to {prompt}", session=session)
    return wire.told(ident, {})


def live(wire: Wire, prompts: tuple[str, ...] = HISTORY, first: int = 101) -> Wire:
    """Prompts of this chat, each answered."""
    for ident, prompt in enumerate(prompts, first):
        wire.prompt(prompt, ident).message(f"answer to {prompt}").end(ident=ident)
    return wire


def cases() -> dict[str, Wire]:
    """What may happen, by a sentence about it."""
    during = Wire(prompt=None).initialize().ask(50, "session/load", {"sessionId": MAIN, "cwd": "/x"})
    during.prompt("sent during the replay", 101).message("yes").end(ident=101)
    return {
        "a loaded session shows its history": load(Wire(opened=False, prompt=None)),
        "and keeps it when prompts follow": live(load(Wire(opened=False, prompt=None)), ("three",)),
        "a live session that is loaded again is not shown twice": load(live(Wire(prompt=None))),
        "nor when prompts follow": live(load(live(Wire(prompt=None))), ("three",), 201),
        "a session that is loaded twice is shown once": load(load(Wire(opened=False, prompt=None)), 51),
        "nor does a turn between the two loads show it again": load(
            live(load(Wire(opened=False, prompt=None)), ("three",)), 51, prompts=(*HISTORY, "three")
        ),
        "another session's history is shown beside what was live": load(
            live(Wire(prompt=None), ("zero",)), session="another"
        ),
        "a prompt during the replay hides no history": during.user("one").message("a").told(50, {}),
    }


def golden() -> str:
    """The text of the golden file."""
    return (
        json.dumps([entry(name, wire) for name, wire in cases().items()], ensure_ascii=False, indent=1) + "\n"
    )


def entry(name: str, wire: Wire) -> dict[str, Any]:
    """One entry of the file."""
    session = wire.session
    texts = [[b.text for b in turn.prompt if isinstance(b, TextBlock)] for _, turn in shown_turns(session)]
    shown = ["".join(text) for text in texts]
    whole = session.to_json()
    turns = [
        {key: turn[key] for key in ("session_id", "prompt", "status", "replayed", "told")}
        for turn in whole["turns"]
    ]
    return {"name": name, "shown": shown, "session": {"preamble": whole["preamble"], "turns": turns}}


if __name__ == "__main__":
    FILE.write_text(golden(), encoding="utf-8")
