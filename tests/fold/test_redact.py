"""Secrets are taken out before anything is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_notebook._fold.redact import (
    REDACTED,
    Redactor,
    secrets_in,
    secrets_in_addresses,
    secrets_of_options,
    secrets_of_servers,
)
from tests.fold.wire import Wire


def clean(msg, *secrets):
    return Redactor(secrets).redact(msg)[0]


def test_a_message_without_secrets_is_the_same_object():
    """So that the usual case costs nothing."""
    for record in (
        Wire()
        .message("x")
        .call(rawInput={"env": {"PATH": "/bin"}, "headers": {}, "list": [1, None, True]})
        .records
    ):
        assert Redactor().redact(record.msg) == (record.msg, False)
        assert Redactor(["some-long-secret"]).redact(record.msg)[0] is record.msg


def test_variables_with_secret_names():
    """In lists and in objects; the others stay."""
    env = [
        {"name": "API_KEY", "value": "k"},
        {"name": "PATH", "value": "/bin"},
        {"name": "DB_PASSWORD", "value": "p"},
        5,
        {"name": "GH_TOKEN"},
        {"value": "x"},
    ]
    msg: dict[str, Any] = {
        "params": {"env": env, "mcpServers": [{"env": {"MY_SECRET": "s", "LANG": "C", "A_TOKEN": 5}}]}
    }
    redacted, changed = Redactor().redact(msg)
    assert changed
    assert redacted["params"]["env"] == [
        {"name": "API_KEY", "value": REDACTED},
        env[1],
        {"name": "DB_PASSWORD", "value": REDACTED},
        5,
        {"name": "GH_TOKEN"},
        {"value": "x"},
    ]
    assert redacted["params"]["mcpServers"] == [{"env": {"MY_SECRET": REDACTED, "LANG": "C", "A_TOKEN": 5}}]
    assert msg["params"]["env"][0]["value"] == "k"


def test_headers_and_authorization():
    """All values of headers, and every authorization."""
    msg = {
        "headers": [{"name": "X-Api", "value": "a"}],
        "a": {"Headers": {"Cookie": "c", "n": 5}, "Authorization": "Bearer x"},
        "authorization": ["x"],
    }
    assert clean(msg) == {
        "headers": [{"name": "X-Api", "value": REDACTED}],
        "a": {"Headers": {"Cookie": REDACTED, "n": 5}, "Authorization": REDACTED},
        "authorization": ["x"],
    }
    assert clean({"env": 5, "headers": "x"}) == {"env": 5, "headers": "x"}


def test_known_secrets_wherever_they_stand():
    """In any text of the message, the longest first; short ones are no secrets."""
    msg = {"a": ["x secret-value-long y secret-value z", 5], "env": {"LANG": "secret-value"}, "b": "short"}
    assert clean(msg, "secret-value", "secret-value-long", "short") == {
        "a": [f"x {REDACTED} y {REDACTED} z", 5],
        "env": {"LANG": REDACTED},
        "b": "short",
    }


def test_redacting_twice_changes_nothing():
    """What was taken out is gone."""
    once = clean(
        {"env": {"A_KEY": "x"}, "headers": {"h": "v"}, "authorization": "x", "t": "secret-value"},
        "secret-value",
    )
    again, _ = Redactor(["secret-value"]).redact(once)
    assert again == once


def test_nesting_has_an_end():
    """What is nested without end is taken out as a whole."""
    msg: dict[str, Any] = {"a": 1}
    for _ in range(5000):
        msg = {"a": [msg]}
    redacted = clean(msg, "secret-value")
    assert REDACTED in str(redacted)


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "apikey",
        "AWS_ACCESS_KEY_ID",
        "GITHUB_TOKEN",
        "CLIENT_SECRET",
        "PGPASSWORD",
        "PASSPHRASE",
        "GOOGLE_CREDENTIALS",
        "BASIC_AUTH",
        "Authorization",
        "KEY",
        "ssh-key",
        "MYSQL_PWD",
        "GH_PAT",
        "AZURE_STORAGE_CONNECTION_STRING",
    ],
)
def test_names_of_secrets(name):
    """As people name them."""
    assert secrets_in({name: "a-long-value"}) == ("a-long-value",)


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "PWD",
        "OLDPWD",
        "HOME",
        "KEYBOARD",
        "MONKEY",
        "AUTHOR",
        "SSH_AUTH_SOCK",
        "XDG_SESSION_TYPE",
        "LANG",
        "COMPAT",
        "CONSTRAINTS",
    ],
)
def test_names_of_other_things(name):
    """Taking those out would hide the conversation."""
    assert secrets_in({name: "a-long-value"}) == ()


def test_short_values_are_no_secrets():
    """Nothing is found in them that would not be everywhere."""
    assert secrets_in({"A_TOKEN": "1234567", "B_TOKEN": "12345678"}) == ("12345678",)


@pytest.mark.parametrize(
    "key",
    ["apiKey", "api_key", "API-KEY", "x-api-key", "access_token", "refreshToken", "password", "clientSecret"],
)
def test_keys_that_can_only_name_a_secret(key):
    """Texts under them are taken out, wherever the object stands."""
    assert clean({"a": [{key: "x"}]}) == {"a": [{key: REDACTED}]}
    assert clean({key: 5, "b": {key: ""}}) == {key: 5, "b": {key: ""}}


@pytest.mark.parametrize(
    "key", ["key", "token", "tokens", "inputTokens", "progressToken", "signature", "secret"]
)
def test_keys_that_name_other_things_as_well(key):
    """Stay: the protocol and its agents use them for what has to be read."""
    assert clean({key: "x"}) == {key: "x"}


def test_options_of_commands():
    """The value of an option that is a secret by its name, in one word or in two."""
    words = [
        "x",
        "--api-key",
        "a",
        "--token=b",
        "--verbose",
        "-password",
        "c",
        "--max-tokens",
        "5",
        "--token",
    ]
    hidden = [
        "x",
        "--api-key",
        REDACTED,
        f"--token={REDACTED}",
        "--verbose",
        "-password",
        REDACTED,
        *words[7:],
    ]
    assert clean({"command": words, "args": words}) == {"command": hidden, "args": hidden}
    assert clean({"command": hidden}) == {"command": hidden}
    assert clean({"command": "x --token b", "args": [5, "--token", 6]}) == {
        "command": "x --token b",
        "args": [5, "--token", 6],
    }
    assert clean({"args": ["--token", "--verbose"]}) == {"args": ["--token", "--verbose"]}


def test_secrets_of_an_agents_options():
    """Are taken out wherever they come up again, if they are long enough to be found."""
    words = ("--api-key", "long-secret-1", "--token=long-secret-2", "--token", "short", "plain-long-word")
    assert secrets_of_options(words) == ("long-secret-1", "long-secret-2")


def test_secrets_of_servers():
    """Every header, and the variables with secret names; of a scheme and a secret, the secret alone as well."""
    servers: list[dict[str, Any]] = [
        {"headers": [{"name": "A", "value": "Bearer long-secret"}, {"name": "B"}, 5]},
        {"headers": {"C": "other-secret"}},
        {"env": [{"name": "LANG", "value": "de_DE.UTF-8"}, {"name": "A_TOKEN", "value": "third-secret"}]},
        {"env": {"B_TOKEN": "short", "C_TOKEN": "fourth-secret"}},
        {"headers": "x"},
        {},
    ]
    assert set(secrets_of_servers(servers)) == {
        "Bearer long-secret",
        "long-secret",
        "other-secret",
        "third-secret",
        "fourth-secret",
    }


@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("postgres://me:p4ss-w0rd@host/db?sslmode=require", ["p4ss-w0rd"]),
        ("redis://:s3cret:with@signs@host:6379/0", ["s3cret:with@signs"]),
        ("http://me:p%40ssw0rd@proxy:3128", ["p%40ssw0rd", "p@ssw0rd"]),
        ("https://mcp.example/sse?apiKey=abcd-1234&limit=10000000", ["abcd-1234"]),
        ("https://x.example/blob?sv=2024-01-01&sig=abc%2Bdef%3D", ["abc%2Bdef%3D", "abc+def="]),
        ("postgres://postgres:postgres@localhost/db", ["postgres:postgres"]),
        ("https://example.org:8080/a@b", []),
        ("ssh://git@example.org/repo", []),
        ("me:p4ss-w0rd@host", []),
        ("://" * 50_000 + "?" * 50_000 + "x" * 50_000, []),
    ],
)
def test_passwords_and_tokens_in_addresses(address, secrets):
    """Whatever the variable is called; a mere word goes with its user only, as it stands everywhere."""
    assert list(secrets_in_addresses([address])) == secrets
    assert list(secrets_in({"ANY_URL": address})) == secrets
    assert set(secrets_of_servers([{"url": address}, {"args": [address]}, {"env": {"A": address}}])) == set(
        secrets
    )
    once = clean({"env": [{"name": "A", "value": address}], "args": {"env": {"A": address}}})
    assert not any(secret in str(once) for secret in secrets)
    assert clean(once) is once


def test_secrets_within_json_within_a_text():
    """A key of several lines is written with escapes there."""
    key = '-----BEGIN-----\nabc\u00e4"def\n'
    for text in (key, json.dumps({"key": key}), json.dumps({"key": key}, ensure_ascii=False)):
        assert "abc" not in clean({"text": text}, key)["text"]
