"""Rule 10: terminals by our answers, by `_meta` and by notes."""

from __future__ import annotations

from acp_notebook import Session, fold
from acp_notebook._fold.terminals import KEPT
from tests.fold.wire import MAIN, Wire


def served(wire=None):
    """A wire with a terminal t that we serve."""
    params = {
        "sessionId": MAIN,
        "command": "sh",
        "args": ["-c", "x", 5],
        "cwd": "/p",
        "env": [{"name": "A", "value": "b"}],
    }
    return (wire or Wire()).asks(0, "terminal/create", params).answer(0, {"terminalId": "t"})


def terminal(wire, ident="t"):
    return wire.turn.terminals[ident]


def request(wire, method, ident, result, terminal_id="t"):
    return wire.asks(ident, method, {"sessionId": MAIN, "terminalId": terminal_id}).answer(ident, result)


def meta(wire, call="call", **fields):
    return wire.call(call, start=False, _meta=fields)


def test_a_terminal_that_we_serve():
    """What runs in it is known from the request, its id from our answer."""
    one = terminal(served())
    assert (one.id, one.command, one.args, one.cwd) == ("t", "sh", ("-c", "x"), "/p")
    assert (one.output, one.truncated, one.exited, one.exit_code, one.signal, one.released) == (
        "",
        False,
        False,
        None,
        None,
        False,
    )


def test_its_output_grows_with_our_answers():
    """Each answer holds all output so far; what does not continue replaces."""
    wire = request(served(), "terminal/output", 1, {"output": "ab", "truncated": False})
    assert terminal(wire).output == "ab"
    before = wire.session
    request(wire, "terminal/output", 2, {"output": "abcd", "truncated": False})
    after = wire.session
    assert terminal(wire).output == "abcd"
    assert before.turns[-1].terminals["t"].output == "ab"
    request(wire, "terminal/output", 3, {"output": "cd!", "truncated": True})
    assert (terminal(wire).output, terminal(wire).truncated) == ("cd!", True)
    assert after.turns[-1].terminals["t"].output == "abcd"
    request(
        wire,
        "terminal/output",
        4,
        {"output": "cd!", "truncated": True, "exitStatus": {"exitCode": 3, "signal": None}},
    )
    assert (terminal(wire).exited, terminal(wire).exit_code, terminal(wire).signal) == (True, 3, None)


def test_its_exit():
    """By wait_for_exit: a code or a signal; without either it has not ended."""
    wire = request(served(), "terminal/wait_for_exit", 1, {"exitCode": 0})
    assert (terminal(wire).exited, terminal(wire).exit_code) == (True, 0)
    wire = request(served(), "terminal/wait_for_exit", 1, {"exitCode": None, "signal": "SIGKILL"})
    assert (terminal(wire).exited, terminal(wire).exit_code, terminal(wire).signal) == (True, None, "SIGKILL")
    assert not terminal(request(served(), "terminal/wait_for_exit", 1, {})).exited
    assert not terminal(
        served()
        .asks(1, "terminal/wait_for_exit", {"terminalId": "t"})
        .add("out", {"id": 1, "error": {"code": 1}})
    ).exited


def test_output_stays_after_release():
    """The call that shows it may end later."""
    wire = request(request(served(), "terminal/output", 1, {"output": "ab"}), "terminal/release", 2, {})
    wire.call(content=[{"type": "terminal", "terminalId": "t"}], status="completed")
    assert (terminal(wire).output, terminal(wire).released) == ("ab", True)
    assert wire.the_call.terminals == ("t",)


def test_a_call_names_its_terminals_once():
    """Also after its content dropped them."""
    wire = served().call(
        content=[
            {"type": "terminal", "terminalId": "t"},
            {"type": "terminal", "terminalId": "u"},
            {"type": "terminal", "terminalId": "u"},
        ]
    )
    wire.call(start=False, content=[{"type": "terminal", "terminalId": "t"}]).call(start=False, content=[])
    assert wire.the_call.terminals == ("t", "u")
    assert terminal(wire, "u").command is None


def test_the_agents_own_terminals():
    """Told in `_meta` with an id that nobody created: info, output (both words append) and exit."""
    wire = Wire().call(content=[{"type": "terminal", "terminalId": "own"}])
    meta(wire, terminal_info={"terminal_id": "own", "cwd": "/p", "command": "ls"})
    meta(wire, terminal_output={"terminal_id": "own", "data": "a"})
    meta(wire, terminal_output_delta={"terminal_id": "own", "data": "b"})
    one = terminal(wire, "own")
    assert (one.cwd, one.command, one.output, one.exited) == ("/p", "ls", "ab", False)
    meta(
        wire,
        terminal_info={"terminal_id": "own"},
        terminal_exit={"terminal_id": "own", "exit_code": 1, "signal": None},
    )
    one = terminal(wire, "own")
    assert (one.cwd, one.command, one.exited, one.exit_code) == ("/p", "ls", True, 1)


def test_output_without_any_content():
    """The call has the terminal even if its content never shows it."""
    wire = meta(Wire().call(), terminal_output_delta={"terminal_id": "own", "data": "a"})
    assert wire.the_call.terminals == ("own",)
    assert terminal(wire, "own").output == "a"


def test_meta_that_means_nothing():
    """`_meta` may hold anything."""
    wire = Wire().call()
    before = wire.session
    for value in (
        None,
        5,
        [],
        {"terminal_output": 5},
        {"terminal_output": {"data": "x"}},
        {"terminal_output": {"terminal_id": 5}},
        {"other": {"terminal_id": "t"}},
    ):
        assert fold(before, wire.call(start=False, _meta=value).records[-1]) is before
    wire = meta(Wire().call(), terminal_output={"terminal_id": "own", "data": 5})
    assert terminal(wire, "own").output == ""


def test_notes_of_our_terminals():
    """Are newer than what the agent was answered, so that counts no more; the exit does."""
    wire = served().note("terminal", terminal_id="t", data="ab").note("terminal", terminal_id="t", data="cd")
    assert terminal(wire).output == "abcd"
    request(wire, "terminal/output", 1, {"output": "cd", "truncated": True})
    assert (terminal(wire).output, terminal(wire).truncated) == ("abcd", False)
    wire.note("terminal", terminal_id="t", exit={"code": 2, "signal": None})
    assert (terminal(wire).exited, terminal(wire).exit_code) == (True, 2)
    assert terminal(served().note("terminal", terminal_id="t", exit=3)).exit_code == 3
    assert (
        terminal(served().note("terminal", terminal_id="t", data="", exit={"signal": "SIGTERM"})).signal
        == "SIGTERM"
    )


def test_what_a_note_left_out_stands_in_the_output():
    """As a line of its own, in its place."""
    wire = served().note("terminal", terminal_id="t", data="a", skipped=0)
    wire.note("terminal", terminal_id="t", data="b", skipped=12345)
    assert terminal(wire).output == "a\n[12,345 characters are left out here]\nb"


def test_notes_that_mean_nothing():
    """A note without an id is counted."""
    assert served().note("terminal", data="x").session.unread == {"note terminal": 1}
    wire = served()
    before = wire.session
    assert fold(before, wire.note("terminal", terminal_id="t", data=5, exit="x").records[-1]) is before


def test_a_note_of_an_unknown_terminal():
    """Is shown with the running turn, or before the first one."""
    assert terminal(Wire().note("terminal", terminal_id="new", data="x"), "new").output == "x"
    assert (
        Wire(prompt=None)
        .note("terminal", terminal_id="new", data="x")
        .session.preamble.terminals["new"]
        .output
        == "x"
    )


def test_only_the_end_of_long_output_is_kept():
    """And it says so."""
    wire = served()
    for _ in range(9):
        wire.note("terminal", terminal_id="t", data="x" * (KEPT // 8))
    wire.note("terminal", terminal_id="t", data="end")
    one = terminal(wire)
    assert len(one.output) <= KEPT
    assert one.output.endswith("xend")
    assert one.truncated
    assert terminal(request(served(), "terminal/output", 1, {"output": "y" * (KEPT + 1)})).truncated


def test_a_terminal_shown_in_two_turns():
    """Gets its news in both."""
    show = [{"type": "terminal", "terminalId": "t"}]
    wire = (
        served()
        .call(content=show)
        .note("terminal", terminal_id="t", data="a")
        .end()
        .prompt("b", 101)
        .call("second", content=show)
    )
    wire.note("terminal", terminal_id="t", data="b")
    assert [t.terminals["t"].output for t in wire.session.turns] == ["ab", "ab"]
    assert [t.terminals["t"].command for t in wire.session.turns] == ["sh", "sh"]


def test_a_new_process_has_terminals_of_its_own():
    """The same id is another terminal then."""
    show = [{"type": "terminal", "terminalId": "t"}]
    wire = (
        served()
        .call(content=show)
        .note("terminal", terminal_id="t", data="a")
        .initialize()
        .prompt("b", 101)
        .call("second", content=show)
    )
    wire.note("terminal", terminal_id="t", data="b")
    assert [t.terminals["t"].output for t in wire.session.turns] == ["a", "b"]


def test_a_terminal_belongs_to_the_turn_that_asked_for_it():
    """Even if our answer comes later."""
    wire = (
        Wire()
        .asks(0, "terminal/create", {"sessionId": MAIN, "command": "sh"})
        .end()
        .prompt("b", 101)
        .answer(0, {"terminalId": "t"})
    )
    assert [sorted(t.terminals) for t in wire.session.turns] == [["t"], []]


def test_answers_and_requests_of_any_shape():
    """Nothing of it makes a terminal or changes one."""
    assert (
        Wire().asks(0, "terminal/create", None).answer(0, {"terminalId": "t"}).turn.terminals["t"].args == ()
    )
    for result in (None, {}, {"terminalId": 5}):
        assert Wire().asks(0, "terminal/create", {"command": "x"}).answer(0, result).turn.terminals == {}
    wire = served()
    before = wire.session
    for method in ("terminal/output", "terminal/wait_for_exit", "terminal/release"):
        for params in (None, {"terminalId": 5}):
            wire.asks(9, method, params).answer(9, {"output": "x", "exitCode": 1})
    request(wire, "terminal/output", 9, {"output": 5})
    request(wire, "terminal/release", 9, {}, "nobody")
    request(wire, "terminal/kill", 9, {})
    assert wire.session == before
    assert fold(Session(), wire.records[:-1]).turns[-1].terminals == before.turns[-1].terminals


def test_an_unchanged_terminal_is_the_same_object():
    """An answer without news changes nothing but that it is no longer due."""
    wire = request(served(), "terminal/output", 1, {"output": "ab"})
    before = wire.session
    after = fold(before, request(wire, "terminal/output", 2, {"output": "ab"}).records[-2:])
    assert after.turns[-1] is before.turns[-1]


def test_an_update_that_repeats_a_terminal_changes_nothing():
    """The turn knows it already."""
    show = [{"type": "terminal", "terminalId": "t"}]
    wire = served().call(content=show)
    before = wire.session
    assert fold(before, wire.call(start=False, content=show).records[-1]) is before


def test_notes_stay_newer_than_answers():
    """Also if the agent reports on the same terminal by itself."""
    wire = meta(
        served().call().note("terminal", terminal_id="t", data="a"),
        terminal_output={"terminal_id": "t", "data": "b"},
    )
    assert terminal(request(wire, "terminal/output", 1, {"output": "x"})).output == "ab"
