"""Signing in, with a real process that insists on it."""

from __future__ import annotations

import functools
import hashlib
import json
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import Agent, AgentError, AuthRequiredError, Chat, ChatClosedError, Record
from acp_notebook._agent import loop
from acp_notebook._chat import wire_log, wishes
from acp_notebook._front.messages import parse
from acp_notebook._front.wishes import Set

PROGRAM = Path(__file__).parents[1] / "agents" / "sign_in_agent.py"
BROWSER = {"id": "browser", "name": "Log in"}
TERMINAL = {"id": "terminal", "name": "Log in here", "type": "terminal", "args": ["--login"]}
KEY = {"id": "key", "name": "API key", "type": "env_var", "vars": [{"name": "SIGN_IN_TEST_KEY"}]}
SECRET = "sk-0123456789"
TYPED_KEY = {"id": "typed", "name": "Key", "_meta": {"api-key": {"provider": "google"}}}
GATEWAY = {"id": "way", "name": "Gateway", "_meta": {"gateway": {"protocol": "google"}}}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Chat]]:
    """Make chats that are closed afterwards."""
    made: list[Chat] = []

    def make(*methods: dict[str, Any], **settings: Any) -> Chat:
        settings = {"mark": str(tmp_path / "mark"), "methods": methods, **settings}
        agent = Agent(sys.executable, str(PROGRAM), json.dumps(settings), name="strict")
        made.append(Chat(agent, cwd=tmp_path, record=tmp_path / "t.jsonl"))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def methods_sent(chat: Chat) -> list[str]:
    """The methods of our requests, in order."""
    return [
        r.msg["method"] for r in chat._log.records if r.dir == "out" and "id" in r.msg and "method" in r.msg
    ]


def spawns(chat: Chat) -> int:
    return sum(r.dir == "note" and r.msg["kind"] == "spawn" for r in chat._log.records)


def until(chat: Chat, condition: Callable[[Chat], bool]) -> None:
    """Wait for a state of the chat, told by its own changes."""
    changed = threading.Event()
    unsubscribe = chat._subscribe(lambda _: changed.set())
    try:
        while not condition(chat):
            changed.clear()
            assert condition(chat) or changed.wait(10), f"never came: {chat!r} {chat.auth}"
    finally:
        unsubscribe()


def due(chat: Chat) -> bool:
    return chat.auth is not None and chat.auth.required


def test_nobody_there_is_told_the_ways(make: Callable[..., Chat]) -> None:
    """Without a person a prompt fails at once, and the error names what can be done."""
    chat = make(BROWSER)
    with pytest.raises(AuthRequiredError) as failure:
        chat.ask("Hello")
    assert "'browser' (Log in)" in str(failure.value)
    assert "chat.sign_in" in str(failure.value)
    assert chat.turns[-1].status == "error"
    assert chat.status == "idle"


def test_a_sign_in_goes_on_in_the_same_process(make: Callable[..., Chat]) -> None:
    """A person's prompt waits for the sign-in and then goes out; nothing is started anew."""
    chat = make(BROWSER)
    turn = chat._enqueue(("Hello",), attended=True)
    until(chat, due)
    assert turn.status == "queued"
    chat.sign_in()
    turn.handle.done.result(10)
    assert turn.text == "You said: Hello"
    assert methods_sent(chat) == [
        "initialize",
        "session/new",
        "authenticate",
        "session/new",
        "session/prompt",
    ]
    assert spawns(chat) == 1
    assert chat.auth is not None
    assert not chat.auth.required


def test_a_prompt_that_is_refused_in_the_middle_goes_out_again(make: Callable[..., Chat]) -> None:
    """The refused turn stays as it ended; the same prompt is sent again after the sign-in, in its own turn."""
    chat = make(BROWSER, gate="session/prompt")
    chat.start()
    turn = chat._enqueue(("Hello",), attended=True)
    later = chat._enqueue(("And then?",), attended=True)
    until(chat, lambda chat: due(chat) and len(chat.turns) == 3)
    assert [t.status for t in chat.turns] == ["error", "queued", "queued"]
    chat.sign_in("browser")
    later.handle.done.result(10)
    assert [t.status for t in chat.turns] == ["error", "ready", "ready"]
    assert (turn.text, later.text) == ("You said: Hello", "You said: And then?")
    assert methods_sent(chat)[2:] == ["session/prompt", "authenticate", "session/prompt", "session/prompt"]


def test_a_refused_prompt_can_be_stopped(make: Callable[..., Chat]) -> None:
    """Whoever does not want to sign in takes the prompt back."""
    chat = make(BROWSER, gate="session/prompt")
    chat.start()
    turn = chat._enqueue(("Hello",), attended=True)
    until(chat, lambda chat: due(chat) and len(chat.turns) == 2)
    turn.cancel()
    turn.handle.done.result(10)
    assert turn.cancel_requested
    chat.sign_in()
    assert methods_sent(chat).count("session/prompt") == 1


def test_a_terminal_sign_in_gives_the_command_and_looks_again(make: Callable[..., Chat]) -> None:
    """The command is the configured one with the method's arguments; before it ran, the agent still asks."""
    chat = make(TERMINAL, once=True)
    with pytest.raises(AuthRequiredError):
        chat.start()
    assert chat.auth is not None
    [method] = chat.auth.methods
    assert method.kind == "terminal"
    with pytest.raises(AuthRequiredError):
        chat.sign_in()
    assert chat.auth.error == "The agent still asks for a sign-in."
    assert chat.auth.running is None

    command = shlex.split(method.command or "")
    assert command[:2] == [sys.executable, str(PROGRAM)]
    assert command[-1] == "--login"
    subprocess.run(command, check=True)
    chat.sign_in("terminal")
    assert chat.status == "ready"
    assert "authenticate" not in methods_sent(chat)


def test_variables_start_the_agent_again_and_stay_secret(
    make: Callable[..., Chat], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key reaches the process, and no record, file or state."""
    monkeypatch.delenv("SIGN_IN_TEST_KEY", raising=False)
    chat = make(KEY, key="SIGN_IN_TEST_KEY")
    with pytest.raises(AuthRequiredError):
        chat.start()
    with pytest.raises(ValueError, match=r"chat\.sign_in\('key', env=\{'SIGN_IN_TEST_KEY': …\}\)"):
        chat.sign_in()
    chat.sign_in("key", env={"SIGN_IN_TEST_KEY": SECRET})
    assert chat.ask("Hello").text == "You said: Hello"
    # What the agent itself repeats is taken out as well.
    assert chat.ask(SECRET).text == "You said: [redacted]"
    chat.close()
    assert SECRET not in (tmp_path / "t.jsonl").read_text()
    assert SECRET not in json.dumps(chat.session.to_json())
    assert SECRET not in repr(chat._engine.settings)


def test_a_variable_that_is_set_meanwhile_need_not_be_given(
    make: Callable[..., Chat], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What this process has in its environment is enough."""
    monkeypatch.delenv("SIGN_IN_TEST_KEY", raising=False)
    chat = make(KEY, key="SIGN_IN_TEST_KEY")
    with pytest.raises(AuthRequiredError):
        chat.start()
    monkeypatch.setenv("SIGN_IN_TEST_KEY", SECRET)
    chat.sign_in("key")
    assert chat.status == "ready"


def test_a_sign_in_that_fails_says_why(make: Callable[..., Chat]) -> None:
    """The agent's words are raised and stand in the state; the prompt still waits."""
    chat = make(BROWSER, fails="The browser was closed")
    turn = chat._enqueue(("Hello",), attended=True)
    until(chat, due)
    with pytest.raises(AgentError, match="The browser was closed"):
        chat.sign_in()
    assert chat.auth is not None
    assert "The browser was closed" in (chat.auth.error or "")
    assert due(chat)
    assert turn.status == "queued"


def test_a_choice_has_to_be_made(make: Callable[..., Chat]) -> None:
    """With several ways one is named; the error lists them."""
    chat = make(BROWSER, TERMINAL)
    with pytest.raises(ValueError, match=r"'browser' \(Log in\), 'terminal' \(Log in here\)"):
        chat.sign_in()
    with pytest.raises(ValueError, match="Choose a way"):
        chat.sign_in("other")
    with pytest.raises(ValueError, match="offers no way to sign in"):
        make(gate="nothing").sign_in()


def test_methods_that_come_with_the_error_are_ways_too(make: Callable[..., Chat]) -> None:
    """Named only when it refuses: the sign-in works all the same."""
    chat = make(BROWSER, late=True)
    with pytest.raises(AuthRequiredError, match="browser"):
        chat.start()
    chat.sign_in("browser")
    assert chat.status == "ready"


def test_keys_in_meta_are_kept_secret(make: Callable[..., Chat]) -> None:
    """What a vendor wants in `_meta` reaches the agent, and no record."""
    chat = make(BROWSER)
    chat.sign_in(meta={"api-key": {"apiKey": SECRET, "more": [SECRET]}})
    assert chat.status == "ready"
    assert SECRET not in json.dumps([r.msg for r in chat._log.records])


def digest(meta: object) -> str:
    """What the agent knows of a secret: its command line is recorded."""
    return hashlib.sha256(json.dumps(meta).encode()).hexdigest()


def typed(chat: Chat, method: str, **values: str) -> None:
    """What the card does when a person has typed these values."""
    parsed = parse({"id": "1", "kind": "sign_in", "method": method, "values": values})
    assert not isinstance(parsed, str), parsed
    assert "values" not in repr(parsed)
    loop.submit(wishes.carry_out(chat._engine, parsed)).result(10)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "wanted"), [("gemini-cli", SECRET), ("somebody", {"apiKey": SECRET})], ids=["gemini", "others"]
)
def test_a_typed_key_reaches_the_agent_alone(
    make: Callable[..., Chat], tmp_path: Path, name: str, wanted: object
) -> None:
    """In the vendor's own form; it is in no record, also where the agent repeats it, and not in the file."""
    chat = make(TYPED_KEY, name=name, meta=digest({"api-key": wanted}))
    turn = chat._enqueue(("Hello",), attended=True)
    until(chat, due)
    with pytest.raises(AgentError, match="Wrong") as failure:
        typed(chat, "typed", apiKey="sk-of-somebody-else")
    assert "sk-of-somebody-else" not in str(failure.value)
    typed(chat, "typed", apiKey=f" {SECRET}\n")
    turn.handle.done.result(10)
    assert turn.text == "You said: Hello"
    assert spawns(chat) == 1
    for kept in (json.dumps([r.msg for r in chat._log.records]), (tmp_path / "t.jsonl").read_text()):
        assert "authenticate" in kept
        assert "somebody-else" not in kept
        assert SECRET not in kept


def test_a_gateway_gets_its_address_and_a_header(make: Callable[..., Chat], tmp_path: Path) -> None:
    """The address is asked for, the header's value is secret; what is wrong is said before anything is sent."""
    url = "https://gateway.example/v1"
    wanted = {"gateway": {"baseUrl": url, "headers": {"X-Key": f"Bearer {SECRET}"}}}
    chat = make(GATEWAY, meta=digest(wanted))
    with pytest.raises(AuthRequiredError):
        chat.start()
    with pytest.raises(ValueError, match="Give the address of the gateway first"):
        typed(chat, "way", baseUrl=" ", header="")
    with pytest.raises(ValueError, match="Name: value"):
        typed(chat, "way", baseUrl=url, header=SECRET)
    assert "authenticate" not in methods_sent(chat)
    with pytest.raises(AgentError, match="Wrong"):
        typed(chat, "way", baseUrl=url, header="")
    typed(chat, "way", baseUrl=url, header=f"X-Key: Bearer {SECRET}")
    assert chat.status == "ready"
    kept = (tmp_path / "t.jsonl").read_text()
    assert url in kept
    assert SECRET not in kept


def test_a_method_that_nobody_knows_can_be_tried(make: Callable[..., Chat]) -> None:
    """Its `_meta` is kept as text, and `authenticate` goes out without any."""
    chat = make({"id": "odd", "name": "Odd", "_meta": {"oracle": {"price": 5}}})
    with pytest.raises(AuthRequiredError):
        chat.start()
    assert chat.auth is not None
    assert chat.auth.methods[0].meta == '{"oracle": {"price": 5}}'
    chat.sign_in("odd")
    assert chat.status == "ready"


NAMED = [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]
MODES = {"modes": {"currentModeId": "a", "availableModes": NAMED}}
MODELS = {"models": {"currentModelId": "a", "availableModels": [{"modelId": "a", "name": "A"}]}}
SWITCH = {"id": "loud", "name": "Loud", "type": "boolean", "currentValue": False}
OTHER = {"act": "open", "session": "old", "kind": "session"}


@pytest.mark.parametrize(
    ("gate", "wish"),
    [
        ("session/set_mode", {"kind": "set", "what": "mode", "value": "b"}),
        ("session/set_model", {"kind": "set", "what": "model", "value": "b"}),
        ("session/set_config_option", {"kind": "set", "what": "option", "name": "loud", "value": True}),
        ("session/list", {"kind": "sessions"}),
        ("session/load", OTHER),
        ("session/resume", OTHER),
        ("session/fork", {"kind": "session", "act": "fork"}),
        ("session/delete", {"kind": "session", "act": "delete", "session": "old"}),
        ("session/close", {"kind": "session", "act": "close", "session": "old"}),
    ],
)
def test_whatever_is_refused_is_done_after_the_sign_in(
    make: Callable[..., Chat], gate: str, wish: dict[str, Any]
) -> None:
    """A click that the agent refuses shows the ways, waits, and is carried out afterwards by the same process."""
    offers = {"configOptions": [SWITCH]} if "option" in gate else {**MODES, **MODELS}
    able = ["list", "fork", "delete", "close", *(["load"] if gate == "session/load" else ["resume"])]
    chat = make(BROWSER, gate=gate, offers=offers, able=able)
    chat.start()
    session_id = chat.session_id
    parsed = parse({"id": "1", **wish})
    work = loop.submit(wishes.carry_out(chat._engine, parsed))  # type: ignore[arg-type]
    until(chat, due)
    assert (chat.session_id, chat.status) == (session_id, "ready")
    loop.call(lambda: None)
    assert not work.done()
    chat.sign_in("browser")
    problem, data = work.result(10)
    assert problem is None
    assert not due(chat)
    asked = [method for method in methods_sent(chat) if method in (gate, "authenticate")]
    assert asked == [gate, "authenticate", gate]
    assert spawns(chat) == 1
    if gate == "session/list":
        assert [each["id"] for each in data["sessions"]] == ["old"]
    if gate in ("session/load", "session/resume"):
        assert chat.session_id == "old"


def test_without_a_person_a_refusal_is_an_error_with_the_ways(make: Callable[..., Chat]) -> None:
    """Code gets it at once, whatever it asked, and can ask again after a sign-in; methods of vendors too."""
    chat = make(BROWSER, gate="_vendor/do")
    with pytest.raises(AuthRequiredError, match="'browser'"):
        chat.request("_vendor/do", {})
    assert due(chat)
    chat.sign_in()
    assert chat.request("_vendor/do", {}) == {"done": "_vendor/do"}
    chat = make(BROWSER, gate="session/set_mode", offers=MODES)
    chat.sign_out()
    with pytest.raises(AuthRequiredError, match="'browser'"):
        chat.set_mode("b")


def test_who_waits_beside_the_card_gets_the_answer(make: Callable[..., Chat]) -> None:
    """Any request may wait: it returns once somebody has signed in."""
    chat = make(BROWSER, gate="_vendor/do")
    chat.start()
    act = functools.partial(chat._engine.request, "_vendor/do", {})
    work = loop.submit(chat._engine.signing.refused.through(act, attended=True))
    until(chat, due)
    chat.sign_in()
    assert work.result(10) == {"done": "_vendor/do"}


def test_who_signs_in_elsewhere_is_noticed(make: Callable[..., Chat], tmp_path: Path) -> None:
    """The next thing that works lets go on what waits, without a sign-in of ours."""
    chat = make(BROWSER, gate="session/set_mode", offers=MODES)
    chat.start()
    work = loop.submit(wishes.carry_out(chat._engine, mode("b")))
    until(chat, due)
    (tmp_path / "mark").write_text("signed in")
    loop.submit(wishes.carry_out(chat._engine, mode("a"))).result(10)
    assert not due(chat)
    chat.ask("Hello")
    assert work.result(10) == (None, None)
    assert "authenticate" not in methods_sent(chat)


def test_what_waits_for_a_sign_in_ends_with_the_chat(make: Callable[..., Chat]) -> None:
    """Nobody will sign in any more: whoever waits hears of it; whoever was interrupted is not tried again."""
    chat = make(BROWSER, gate="session/set_mode", offers=MODES)
    chat.start()
    interrupted = loop.submit(wishes.carry_out(chat._engine, mode("a")))
    until(chat, due)
    work = loop.submit(wishes.carry_out(chat._engine, mode("b")))
    interrupted.cancel()
    chat.sign_in()
    assert work.result(10) == (None, None)
    assert methods_sent(chat).count("session/set_mode") <= 3
    chat.sign_out()
    work = loop.submit(wishes.carry_out(chat._engine, mode("a")))
    until(chat, lambda chat: chat.auth is not None and chat.auth.refused == "session/set_mode")
    chat.close()
    with pytest.raises(ChatClosedError):
        work.result(10)


def test_settings_that_come_back_wait_for_the_sign_in(make: Callable[..., Chat], tmp_path: Path) -> None:
    """A session that is reopened is there at once; its mode is set again after the sign-in."""
    mark = tmp_path / "mark"
    mark.write_text("signed in")
    chat = make(BROWSER, gate="session/set_mode", offers=MODES, able=["resume"])
    chat.ask("Hello")
    chat.set_mode("b")
    mark.unlink()
    chat.restart()
    assert (due(chat), chat.session.mode) == (True, "a")
    chat.sign_in()
    assert chat.session.mode == "b"
    assert chat.session.warnings == ()


def test_a_summary_that_was_refused_is_told_again(make: Callable[..., Chat], tmp_path: Path) -> None:
    """The prompt that carries what was said before goes out again with it, once somebody has signed in."""
    mark = tmp_path / "mark"
    mark.write_text("signed in")
    chat = make(BROWSER, gate="session/prompt")
    chat.ask("Hello")
    chat.restart()
    mark.unlink()
    turn = chat._enqueue(("And then?",), attended=True)
    until(chat, due)
    chat.sign_in("browser")
    turn.handle.done.result(10)
    prompts = [record.msg["params"]["prompt"] for record in chat.log("session/prompt", direction="out")]
    assert [len(prompt) for prompt in prompts] == [1, 2, 2]
    assert "Hello" in prompts[2][1]["text"]


def mode(value: str) -> Set:
    """A click on a mode."""
    return Set(id="1", kind="set", what="mode", value=value)


def test_signing_out_asks_again_at_the_next_prompt(make: Callable[..., Chat]) -> None:
    """`logout` goes to the agent where it offers that, and the ways are shown."""
    chat = make(BROWSER, gate="session/prompt")
    chat.sign_in()
    assert chat.ask("Hello").stop_reason == "end_turn"
    chat.sign_out()
    assert due(chat)
    with pytest.raises(AuthRequiredError):
        chat.ask("Still there?")
    chat.sign_in()
    assert chat.ask("And now?").text == "You said: And now?"


def test_sending_again_asks_the_agent_again(make: Callable[..., Chat], tmp_path: Path) -> None:
    """Somebody signed in elsewhere: the next prompt finds out, in the same process."""
    chat = make(BROWSER)
    with pytest.raises(AuthRequiredError):
        chat.start()
    (tmp_path / "mark").write_text("signed in")
    assert chat.ask("Hello").text == "You said: Hello"
    assert spawns(chat) == 1


def test_the_wire_log_is_what_went_over_the_wire(make: Callable[..., Chat]) -> None:
    """Newest records last, filtered by text and direction, bounded; one line each, without escapes."""
    chat = make(BROWSER)
    chat.sign_in()
    chat.ask("Hello \x1b[31mred")
    log = chat.log()
    assert [record.msg for record in log] == [record.msg for record in chat._log.records]
    assert [r.msg["method"] for r in chat.log("AUTHENTICATE", direction="out")] == ["authenticate"]
    assert len(chat.log(last=2)) == 2
    assert list(chat.log(last=2)) == list(log[-2:])
    assert "\x1b" not in repr(log)
    assert len(repr(log).splitlines()) == len(log)
    with pytest.raises(ValueError, match="a direction is"):
        chat.log(direction="up")


def test_a_browser_gets_the_newest_of_the_wire_log(make: Callable[..., Chat]) -> None:
    """What it has not got yet, in order, within bounds; a long message is cut and says so."""
    chat = make(BROWSER)
    chat.sign_in()
    records = list(chat._log.records)
    part = wire_log.entries(records, 0)
    assert part["first"] == 0
    assert [json.loads(entry["json"]) for entry in part["entries"]] == [r.msg for r in records]
    assert wire_log.entries(records, len(records)) == {"first": len(records), "entries": []}
    assert wire_log.entries(records, len(records) - 1)["first"] == len(records) - 1

    long = Record(1.0, "in", {"text": "x" * (wire_log.LONGEST + 5)})
    part = wire_log.entries([*records, *[long] * 20], 0)
    assert part["first"] == len(records) + 20 - len(part["entries"]) > 0
    assert part["entries"][-1]["json"].endswith("more characters)")
    assert sum(len(entry["json"]) for entry in part["entries"]) <= wire_log.SCREENFUL + 100


def test_a_click_signs_in(make: Callable[..., Chat]) -> None:
    """The messages of the widget lead to the same deeds; a refusal is a sentence for the person."""
    chat = make(BROWSER)
    turn = chat._enqueue(("Hello",), attended=True)
    until(chat, due)

    def ask(**message: Any) -> Any:
        parsed = parse({"id": "1", **message})
        assert not isinstance(parsed, str), parsed
        return loop.submit(wishes.carry_out(chat._engine, parsed)).result(10)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="Choose a way"):
        ask(kind="sign_in", method="other")
    assert ask(kind="sign_in", method="browser") == (None, None)
    turn.handle.done.result(10)
    problem, log = ask(kind="wire_log", after=0)
    assert problem is None
    assert '"authenticate"' in "".join(entry["json"] for entry in log["entries"])
    ask(kind="sign_out")
    assert due(chat)
