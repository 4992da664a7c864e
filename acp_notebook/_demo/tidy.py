"""A scene with an edit in several places, of which a person may take a part."""

from __future__ import annotations

from acp_notebook._demo.turn import Turn, content
from acp_notebook._demo.wire import RpcError

BARE, TYPED = "(values):", "(values: list[float]) -> float:"


def tidy(turn: Turn, argument: str) -> None:
    """Propose type hints for each function of the sample's module; look again if that is refused."""
    del argument
    path = turn.session.cwd / "weather" / "stats.py"
    turn.say("I would give the functions in `weather/stats.py` type hints.\n\n")
    try:
        old = turn.read(path)
    except RpcError:
        turn.say("But there is no such file here.")
        return
    new = old.replace(BARE, TYPED)
    if new == old:
        turn.say("They have them all.")
        return
    diff = {"type": "diff", "path": str(path), "oldText": old, "newText": new}
    call = turn.start(
        "Edit weather/stats.py",
        "edit",
        status="pending",
        locations=[{"path": str(path), "line": old[: old.index(BARE)].count("\n") + 1}],
        rawInput={"path": str(path)},
    )
    if not turn.allowed(call, "edit", title="Edit weather/stats.py", content=[diff]):
        turn.progress(call, status="failed")
        now = turn.read(path)
        done, left = now.count(TYPED) - old.count(TYPED), now.count(BARE)
        kept = f"You took {done} of them; {left} functions stay as they are." if done else "Then I leave it."
        turn.say(kept)
        return
    turn.progress(call, status="in_progress")
    try:
        turn.write(path, new)
    except RpcError as error:
        turn.progress(call, status="failed", content=[diff, content(error.message)])
        turn.say("That was not written.")
        return
    turn.progress(call, status="completed", content=[diff])
    turn.say("Done: each function says what it takes and gives.")
