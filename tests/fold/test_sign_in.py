"""Signing in: the ways an agent offers, when it insists, and what was tried."""

from __future__ import annotations

from acp_notebook import Record, Session, fold
from acp_notebook._fold.auth import Auth, AuthMethod, AuthVariable
from acp_notebook._fold.patches import apply, patch
from tests.fold.wire import Wire

REQUIRED = {"code": -32000, "message": "Authentication required"}
LOGIN = {"id": "login", "name": "Log in", "description": "In the browser"}


def started(*methods, agent: dict | None = None, env: dict | None = None) -> Wire:
    wire = Wire(opened=False, prompt=None)
    wire.note("spawn", command=["tool", "acp"], cwd="/home/user/project", env=env or {})
    return wire.initialize(authMethods=list(methods), agentCapabilities=agent or {})


def auth(wire: Wire) -> Auth | None:
    return fold(Session(), wire.records).auth


def test_methods_of_all_kinds_are_read():
    """By the agent, in a terminal, by variables, as vendors do it; what is no method is left out."""
    wire = started(
        LOGIN,
        {"id": "t", "type": "terminal", "name": "T", "args": ["--login", 3], "env": {"A": "x y", "B": 1}},
        {
            "id": "e",
            "type": "env_var",
            "name": "Key",
            "vars": [
                {"name": "KEY", "label": "The key"},
                {"name": "URL", "secret": False, "optional": True},
                {},
            ],
            "link": "https://example.org/keys",
        },
        {"id": "old", "type": "env_var", "varName": "OLD_KEY"},
        {"id": "v", "name": "V", "_meta": {"terminal-auth": {"command": "tool", "args": ["login now"]}}},
        {"id": "s", "type": "terminal", "args": "--login"},
        {"id": "w", "name": "W", "type": "oracle", "_meta": {"terminal-auth": {"command": "no"}}},
        {"name": "without an id"},
        "no method",
        env={"HOME_OF": "/opt", "SECRET": "[redacted]", "NUMBER": 5},
    )
    told = auth(wire)
    assert told is not None
    assert told.methods == (
        AuthMethod("login", "Log in", "In the browser"),
        AuthMethod("t", "T", kind="terminal", command="env HOME_OF=/opt A='x y' tool acp --login"),
        AuthMethod(
            "e",
            "Key",
            kind="env_var",
            variables=(
                AuthVariable("KEY", "The key"),
                AuthVariable("URL", None, secret=False, optional=True),
            ),
            link="https://example.org/keys",
        ),
        AuthMethod("old", "old", kind="env_var", variables=(AuthVariable("OLD_KEY"),)),
        AuthMethod("v", "V", kind="terminal", command="tool 'login now'"),
        AuthMethod("s", "s", kind="terminal", command="env HOME_OF=/opt tool acp"),
        AuthMethod("w", "W", kind="oracle", meta='{"terminal-auth": {"command": "no"}}'),
    )
    assert not told.required
    assert not told.logout


def test_what_vendors_take_in_meta_is_read():
    """A key and a gateway have fields to type into; the rest is kept as text, within bounds."""
    told = auth(
        started(
            {"id": "k", "_meta": {"api-key": {"provider": "google"}, "more": 1}},
            {"id": "n", "_meta": {"api-key": {}}},
            {"id": "g", "_meta": {"gateway": {"protocol": "google"}}},
            {"id": "e", "type": "env_var", "_meta": {"api-key": {"provider": "google"}}},
            {"id": "l", "_meta": {"long": "x" * 5_000}},
            {"id": "s", "_meta": {"api-key": "no object"}},
        )
    )
    assert told is not None
    key, nameless, gateway, variable, long, odd = told.methods
    assert (key.kind, key.meta) == ("api-key", '{"more": 1}')
    assert key.fields == (AuthVariable("apiKey", "API key (google)", optional=True),)
    assert nameless.fields[0].label == "API key"
    assert (gateway.kind, gateway.meta) == ("gateway", None)
    assert [(field.name, field.secret, field.optional) for field in gateway.fields] == [
        ("baseUrl", False, False),
        ("header", True, True),
    ]
    assert (variable.kind, variable.fields) == ("env_var", ())
    assert variable.meta == '{"api-key": {"provider": "google"}}'
    assert long.meta is not None
    assert len(long.meta) == 2_001
    assert (odd.kind, odd.meta) == ("agent", '{"api-key": "no object"}')


def test_without_anything_offered_there_is_nothing_to_show():
    """No methods, no sign-out: no state about it. A list that is none counts as none."""
    assert auth(started()) is None
    wire = Wire(opened=False, prompt=None)
    assert auth(wire.initialize(authMethods="all", agentCapabilities={"auth": {"logout": None}})) is None
    told = auth(started(agent={"auth": {"logout": {}}}))
    assert told is not None
    assert told.logout


def test_a_start_that_needs_a_sign_in_waits_for_it():
    """The refused session is no warning and nothing that starts: the ways are shown with the agent's words."""
    wire = started(LOGIN).ask(1, "session/new", {"cwd": "/home/user/project"})
    session = fold(Session(), wire.failed(1, REQUIRED).records)
    assert session.auth is not None
    assert (session.auth.required, session.auth.message) == (True, "Authentication required")
    assert session.warnings == ()
    assert (session.status, session.waits_for) == ("idle", None)
    # Another error is a warning, and asks for nothing.
    other = fold(Session(), started(LOGIN).ask(1, "session/new", {}).failed(1, {"code": -32603}).records)
    assert other.auth is not None
    assert not other.auth.required
    assert len(other.warnings) == 1


def test_methods_may_come_with_the_error_only():
    """An agent that named none before may name them now; what it said first stays."""
    late = {**REQUIRED, "data": {"authMethods": [{"id": "late", "type": "terminal", "args": ["in"]}]}}
    wire = started().ask(1, "session/new", {}).failed(1, late)
    told = auth(wire)
    assert told is not None
    assert told.methods == (AuthMethod("late", "late", kind="terminal", command="tool acp in"),)
    told = auth(started(LOGIN).ask(1, "session/new", {}).failed(1, late))
    assert told is not None
    assert [method.id for method in told.methods] == ["login"]
    # Also without a word about the process.
    bare = Wire(opened=False, prompt=None).ask(1, "session/new", {}).failed(1, late)
    told = auth(bare)
    assert told is not None
    assert told.methods[0].command is None


def test_a_try_runs_and_works():
    """The method that is tried shows; once the agent has answered, nothing is due any more."""
    wire = started(LOGIN).ask(1, "session/new", {}).failed(1, REQUIRED)
    wire.ask(2, "authenticate", {"methodId": "login"})
    told = auth(wire)
    assert told is not None
    assert (told.running, told.required) == ("login", True)
    told = auth(wire.told(2, {}))
    assert told is not None
    assert (told.running, told.required, told.message) == (None, False, None)


def test_a_try_that_fails_says_why_and_leaves_the_choice():
    """The error stands beside the ways until the next try."""
    wire = started(LOGIN).ask(1, "session/new", {}).failed(1, REQUIRED)
    wire.ask(2, "authenticate", {"methodId": "login"}).failed(2, {"code": -32603, "message": "No browser"})
    told = auth(wire)
    assert told is not None
    assert told.error is not None
    assert "No browser" in told.error
    assert (told.running, told.required) == (None, True)
    told = auth(wire.ask(3, "authenticate", {"methodId": "login"}))
    assert told is not None
    assert told.error is None


def test_a_sign_in_may_be_due_in_the_middle():
    """A prompt that is refused ends its turn in the error and asks; one that works again takes that back."""
    wire = Wire().failed(100, REQUIRED)
    session = fold(Session(), wire.records)
    assert session.turns[-1].status == "error"
    told = Auth(required=True, message="Authentication required", refused="session/prompt")
    assert session.auth == told
    wire.ask(101, "session/prompt", {"sessionId": "main-session", "prompt": []})
    assert auth(wire) == session.auth
    assert auth(wire.told(101, {"stopReason": "end_turn"})) == Auth()


def test_a_session_that_is_refused_later_leaves_the_older_one():
    """Loading another session needs a sign-in: the one that is open goes on."""
    wire = Wire(prompt=None).ask(5, "session/load", {"sessionId": "other", "cwd": "/"}).failed(5, REQUIRED)
    session = fold(Session(), wire.records)
    assert session.status == "ready"
    assert session.auth is not None
    assert session.auth.required


def test_a_session_that_opens_needs_no_sign_in():
    """However the person signed in: an opened session ends what was due."""
    wire = started(LOGIN).ask(1, "session/new", {}).failed(1, REQUIRED).note("sign_in", method="t")
    told = auth(wire)
    assert told is not None
    assert told.running == "t"
    told = auth(wire.ask(2, "session/new", {}).told(2, {"sessionId": "s"}))
    assert told is not None
    assert told == Auth(methods=told.methods)


def test_tries_outside_the_wire_are_noted():
    """A command in a terminal that has not helped says so."""
    wire = started(LOGIN).ask(1, "session/new", {}).failed(1, REQUIRED)
    wire.note("sign_in", method="t").note("sign_in", error="Still signed out.")
    told = auth(wire)
    assert told is not None
    assert (told.running, told.error, told.required) == (None, "Still signed out.", True)


def test_signing_out_asks_for_a_sign_in():
    """After `logout` live sessions will be refused, so the ways are shown at once."""
    wire = Wire(prompt=None).ask(7, "logout", {}).told(7, {})
    assert auth(wire) == Auth(required=True)
    assert auth(Wire(prompt=None).ask(7, "logout", {}).failed(7, {"code": -32601})) is None


def test_a_new_process_starts_without_old_tries():
    """What one process refused is not held against the next."""
    wire = started(LOGIN).ask(1, "session/new", {}).failed(1, REQUIRED)
    told = auth(wire.initialize(authMethods=[LOGIN]))
    assert told is not None
    assert not told.required


def test_patches_carry_it():
    """A browser that follows by patches knows the same."""
    wire = started(LOGIN).ask(1, "session/new", {}).failed(1, REQUIRED)
    before = fold(Session(), wire.records[:-1])
    after = fold(Session(), wire.records)
    assert apply(before.to_json(), patch(before, after)) == after.to_json()
    assert after.to_json()["auth"]["methods"][0]["kind"] == "agent"
    assert Session().to_json()["auth"] is None


def test_what_changes_nothing_leaves_the_same_value():
    """A turn that works as ever does not touch what is known about signing in."""
    wire = Wire()
    wire.records[1] = fold_ready(LOGIN)
    before = fold(Session(), wire.records)
    after = fold(before, wire.told(100, {"stopReason": "end_turn"}).records[-1])
    assert before.auth is not None
    assert after.auth is before.auth


def fold_ready(*methods: dict) -> Record:
    """The answer to `initialize` with these methods."""
    return Record(
        0.1, "in", {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "authMethods": [*methods]}}
    )
