"""The scenarios of the matrix: what is done with an agent, and the facts that are then looked at.

Each takes a `Bench` and gives facts by name. What they must be stands in ``expected.toml``; facts come from
the folded state, from what crossed the wire, and from the files on disk.
"""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable
from typing import Any

from acp_notebook import AcpNotebookError, AgentError, Chat, Session, Turn
from scripts.agents import script
from scripts.agents.bench import Bench, calls, choosing, methods, picture, sent, shows, stopping

Facts = dict[str, Any]

ONCE = choosing("allow_once", "allow_always")
ALWAYS = choosing("allow_always", "allow_once")
REJECT = choosing("reject_once", "reject_always")


def allow(bench: Bench) -> Facts:
    """Everything is allowed once: files on disk, output, one answer for each request."""
    return _full(bench, ONCE)


def reject(bench: Bench) -> Facts:
    """Everything is refused by the agent's own option."""
    return _full(bench, REJECT)


def always(bench: Bench) -> Facts:
    """Everything is allowed for good."""
    return _full(bench, ALWAYS)


def _full(bench: Bench, answer: Callable[[Chat], None]) -> Facts:
    with bench.chat() as chat:
        turn = bench.turn(
            bench.ready(chat), "Correct notes.md, add hello.py and run it. #full", answer=answer
        )
        ran = shows(turn, "hello from the demo")
        return {**_ended(turn), **_disk(bench), "ran": ran, "sent": sent(chat), "calls": calls(turn)}


def cancel(bench: Bench) -> Facts:
    """The turn is stopped while a request waits: the request is answered `cancelled`, a next turn works."""
    with bench.chat() as chat:
        turn = bench.turn(bench.ready(chat), "Correct notes.md and run it. #full", answer=stopping)
        out = methods(chat, "out")
        return {
            **_ended(turn),
            **_disk(bench),
            "sent": sent(chat),
            "told": "session/cancel" in out,
            "open": len(chat.pending),
            "next": _next(bench, chat),
        }


def slow_cancel(bench: Bench) -> Facts:
    """The turn is stopped while text streams."""
    stopped = False

    def stop(session: Session) -> None:
        nonlocal stopped
        if not stopped and "sentence 2" in session.turns[-1].text:
            stopped = True
            chat.cancel()

    with bench.chat() as chat:
        turn = bench.turn(bench.ready(chat), "Tell me something long. #slow", watch=stop)
        whole = "sentence 149" in turn.text
        return {**_ended(turn), "stopped": stopped, "whole": whole, "next": _next(bench, chat)}


def load(bench: Bench) -> Facts:
    """A second process brings the session back with its history."""
    return _again(bench, "load")


def resume(bench: Bench) -> Facts:
    """A second process goes on in the session without its history."""
    return _again(bench, "resume")


def _again(bench: Bench, way: Any) -> Facts:
    with bench.chat() as chat:
        bench.turn(bench.ready(chat), "Correct notes.md. #edit", answer=ONCE)
        session_id = chat.session_id
    assert session_id is not None
    with bench.chat() as chat:
        try:
            chat.open_session(session_id, way=way)
        except AgentError as error:
            return {"way": f"error {error.code}"}
        except AcpNotebookError:
            return {"way": "not offered"}
        # One record a session: the turns of the first process are taken over from our own file or told again.
        known = any("Correct notes.md" in str(turn.to_json()["prompt"]) for turn in chat.turns)
        return {
            "way": f"session/{way}" in methods(chat, "out") and way,
            "known": known,
            "next": _next(bench, chat),
        }


def modes(bench: Bench) -> Facts:
    """Each mode is set, and the state says so."""
    took = []
    with bench.chat() as chat:
        chat.start()
        for mode in [mode.id for mode in chat.session.modes]:
            chat.set_mode(mode)
            if mode in (chat.session.mode, *(o.value for o in chat.session.options if o.category == "mode")):
                took.append(mode)
        return {"modes": took, "next": _next(bench, chat)}


def options(bench: Bench) -> Facts:
    """Of each config option up to three values are set; the state says so, or the agent refuses."""
    took: dict[str, None] = {}
    refused: dict[str, None] = {}
    with bench.chat() as chat:
        chat.start()
        for option in chat.session.options:
            if option.category == "mode" or option.id == "mode":
                continue  # see `modes`; this one would change what is asked
            values = [True, False] if option.type == "boolean" else [c.value for c in option.choices[:3]]
            for value in values:
                try:
                    chat.set_option(option.id, value)
                except (ValueError, AgentError):
                    refused[option.id] = None
                else:
                    now = next((o.value for o in chat.session.options if o.id == option.id), None)
                    (took if now == value else refused)[option.id] = None
            if option.value is not None and option.id not in refused:
                with contextlib.suppress(AgentError):  # what it was may be nothing that can be chosen
                    chat.set_option(option.id, option.value)
        return {"options": sorted(took), "refused": sorted(refused), "next": _next(bench, chat)}


def failing(bench: Bench) -> Facts:
    """A missing file and a command that fails: both are shown as what they are, the turn ends well."""
    with bench.chat() as chat:
        turn = bench.turn(bench.ready(chat), "Read no-such-file.txt. #fail", answer=ONCE)
        return {**_ended(turn), "calls": calls(turn), "after": bool(turn.text.strip())}


def long_shell(bench: Bench) -> Facts:
    """A command of six seconds: its output is shown, and comes while it runs."""
    live = False

    def watch(session: Session) -> None:
        nonlocal live
        turn = session.turns[-1]
        live = live or (turn.active and shows(turn, "step 2") and not shows(turn, "step 6"))

    with bench.chat() as chat:
        turn = bench.turn(bench.ready(chat), "Count slowly. #long", answer=ONCE, watch=watch)
        return {**_ended(turn), "shown": shows(turn, "step 6"), "live": live}


def error(bench: Bench) -> Facts:
    """The model answers with an error: the person is told, and the next turn works."""
    with bench.chat() as chat:
        turn = bench.turn(bench.ready(chat), "This goes wrong. #error", answer=ONCE)
        said = f"{turn.error} {turn.text} {turn.to_json()['items']}"
        return {**_ended(turn), "told": script.FAILURE in said, "next": _next(bench, chat)}


def image(bench: Bench) -> Facts:
    """A picture in the prompt goes out as one, and reaches the model."""
    data = base64.b64encode(picture()).decode()
    block = {"type": "image", "mimeType": "image/png", "data": data}
    with bench.chat() as chat:
        turn = bench.turn(bench.ready(chat), "What is this? #hi", block)
        prompts = chat.log("session/prompt", direction="out")
        kinds = [part["type"] for part in prompts[-1].msg["params"]["prompt"]]
        return {**_ended(turn), "sent": "image" in kinds, "seen": bench.model.images > 0}


def question(bench: Bench) -> Facts:
    """The agent asks something of its own: a person answers, and the agent goes on."""
    how: list[str] = []

    def answer(chat: Chat) -> None:
        for permission in chat.pending:
            red = [o for o in permission.options if o.name.startswith("Red")]
            how.append("permission")
            chat.answer(permission, (red or list(permission.options))[0])
        for asked in chat.pending_questions:
            how.append("form")
            chat.answer_question(asked, _filled(asked.schema))

    with bench.chat() as chat:
        turn = bench.turn(bench.ready(chat), "Ask me for a colour. #ask", answer=answer)
        return {**_ended(turn), "asked": how[0] if how else "not at all", "thanked": "Thank you" in turn.text}


def _filled(schema: Any) -> dict[str, Any]:
    """The first choice of each required or offered field of a form."""
    found: dict[str, Any] = {}
    for name, field in ((schema or {}).get("properties") or {}).items():
        choices = [c.get("const") for c in field.get("oneOf") or []] or field.get("enum") or []
        if choices:
            found[name] = choices[0]
    return found


def _ended(turn: Turn) -> Facts:
    return {"status": turn.status, "stop": turn.stop_reason or "none"}


def _disk(bench: Bench) -> Facts:
    notes, hello = bench.project / "notes.md", bench.project / "hello.py"
    return {
        "edited": notes.read_text(encoding="utf-8") == script.NOTES_FIXED,
        "made": hello.exists() and hello.read_text(encoding="utf-8") == script.HELLO,
    }


def _next(bench: Bench, chat: Chat) -> str:
    """Whether a further prompt works."""
    turn = bench.turn(chat, "Say hello. #hi", answer=ONCE)
    return (turn.stop_reason or "none") if "Good day" in turn.text else f"without an answer: {turn.status}"


SCENARIOS: dict[str, Callable[[Bench], Facts]] = {
    "allow": allow,
    "reject": reject,
    "always": always,
    "cancel": cancel,
    "slow-cancel": slow_cancel,
    "load": load,
    "resume": resume,
    "modes": modes,
    "options": options,
    "failing": failing,
    "long-shell": long_shell,
    "error": error,
    "image": image,
    "question": question,
}
"""In the order of the matrix."""
