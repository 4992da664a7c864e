from __future__ import annotations

import asyncio
import gc
import sys

import pytest

from acp_notebook import _errors as errors
from acp_notebook._agent.command import Agent
from tests.agent.peer import Peer, peer, run

ANSWER = {"result": {"stopReason": "end_turn"}}


def note(method: str, **params: object) -> list[object]:
    return ["say", {"jsonrpc": "2.0", "method": method, "params": params}]


def asked(request_id: object, method: str = "x") -> list[object]:
    return ["say", {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {"a": 1}}]


def test_messages_are_tapped_in_wire_order_before_they_are_handled():
    """Whoever records taps sees all messages of both directions, each before its handler runs."""

    async def main():
        async with peer(["take", 1], note("one"), note("two"), ["answer", 0, ANSWER], ["eof"]) as p:
            assert await p.connection.request("session/prompt", {"q": 1}) == ANSWER["result"]
            assert [(d, m.get("method")) for d, m in p.tapped] == [
                ("out", "session/prompt"),
                ("in", "one"),
                ("in", "two"),
                ("in", None),
            ]
            assert [method for method, _ in p.notifications] == ["one", "two"]

    run(main)


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ({"result": 5, "error": None}, 5),
        ({"result": None}, None),
        ({}, None),  # JavaScript leaves `result: undefined` out
    ],
)
def test_an_odd_answer_is_an_answer(body, result):
    """An answer without a result, or with an error of null, ends the request all the same."""

    async def main():
        async with peer(["take", 1], ["answer", 0, body], ["eof"]) as p:
            assert await p.connection.request("x", {}) == result

    run(main)


@pytest.mark.parametrize(
    ("body", "code", "message", "data"),
    [
        ({"error": "boom"}, None, "boom", None),
        ({"error": ["a", 1]}, None, '["a",1]', None),
        ({"error": {}}, None, "{}", None),
        ({"error": {"code": "x", "message": {"m": 1}}}, None, '{"m":1}', None),
        ({"error": {"code": -32603, "message": "m", "data": {"d": 1}}}, -32603, "m", {"d": 1}),
        ({"error": {"code": 1, "message": "both"}, "result": 5}, 1, "both", None),
    ],
)
def test_an_odd_error_is_an_error(body, code, message, data):
    """Whatever an agent takes for an error reaches the one who asked, with all it said."""

    async def main():
        async with peer(["take", 1], ["answer", 0, body], ["eof"]) as p:
            with pytest.raises(errors.AgentError) as caught:
                await p.connection.request("x", {})
            assert (caught.value.code, caught.value.message, caught.value.data) == (code, message, data)

    run(main)


def test_authentication_has_its_own_error():
    """Error -32000 says that somebody has to log in."""

    async def main():
        error = {"error": {"code": -32000, "message": "log in", "data": 1}}
        async with peer(["take", 1], ["answer", 0, error], ["eof"]) as p:
            with pytest.raises(errors.AuthRequiredError, match="log in"):
                await p.connection.request("session/new", {})

    run(main)


@pytest.mark.parametrize("as_sent", ["0", 0.0])
def test_an_answer_may_carry_its_number_in_another_form(as_sent):
    """An agent that answers request 0 as "0" or 0.0 means request 0."""

    async def main():
        said = {"jsonrpc": "2.0", "id": as_sent, "result": 7}
        async with peer(["take", 1], ["say", said], ["eof"]) as p:
            assert await p.connection.request("x", {}) == 7

    run(main)


def test_answers_to_nothing_are_counted():
    """An answer with an id that was never asked changes nothing but a number."""

    async def main():
        ids: list[object] = [9, "zero", True, [1], {}, 0.5]
        strange = [["say", {"jsonrpc": "2.0", "id": i, "result": 1}] for i in ids]
        async with peer(["take", 2], *strange, ["answer", 0, ANSWER], ["answer", 1, ANSWER], ["eof"]) as p:
            await asyncio.gather(p.connection.request("x", {}), p.connection.request("y", {}))
            assert p.connection.unmatched == 6

    run(main)


def test_an_unreadable_message_fails_the_only_request_it_can_mean():
    """An error without an id, while one request waits, is that one's."""

    async def main():
        said = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "too long"}}
        async with peer(["take", 1], ["say", said], ["eof"]) as p:
            with pytest.raises(errors.AgentError, match="too long"):
                await p.connection.request("x", {})

    run(main)


def test_noise_is_skipped_counted_and_shown():
    """Text, numbers, null, lists, blank lines and broken UTF-8 between messages cost nothing."""
    lines = [
        "Loaded credentials.",
        "42",
        "null",
        "[1]",
        '"x"',
        "",
        "{}",
        '{"method": 5}',
        "{broken",
        "[" * 100_000,
    ]
    raw = "\n".join(lines) + "\n"

    async def main():
        steps = (
            ["raw", raw],
            ["hex", "fffe80410a"],
            note("after"),
            ["take", 1],
            ["answer", 0, ANSWER],
            ["eof"],
        )
        async with peer(*steps) as p:
            await p.connection.request("x", {})
            assert p.connection.noise == len(lines) + 1
            assert p.noise[:3] == ["Loaded credentials.", "42", "null"]
            assert max(map(len, p.noise)) == 200
            assert p.notifications == [("after", {})]

    run(main)


def test_a_message_with_half_characters_still_arrives():
    """Broken UTF-8, lone surrogates, NaN and endless numbers inside a message do not cost the message."""

    async def main():
        broken = b'{"method":"m","params":{"a":"\xff","b":"\\ud83d","c":NaN,"d":1e999,"\\udc00":[1]}}\r\n'
        async with peer(["hex", broken.hex()], ["eof"]) as p:
            params = await p.notified("m")
            assert params == {"a": "\ufffd", "b": "\ufffd", "c": None, "d": None, "\ufffd": [1]}

    run(main)


def test_what_we_write_is_one_line_for_every_reader():
    """Line separators and lone surrogates in our text neither break the line nor the encoder."""

    async def main():
        async with peer(["take", 1], ["echo"], ["eof"]) as p:
            p.connection.notify("m", {"text": "a\u2028b\u2029c\u0085d\ne\ud800f"})
            kept = (await p.notified("echo"))["kept"]
            assert kept[0]["params"]["text"] == "a\u2028b\u2029c\u0085d\ne\ufffdf"

    run(main)


def test_requests_of_the_agent_keep_their_ids_and_have_one_answer():
    """Ids 0, "0" and "a" are three requests; a second answer is refused; both directions count apart."""

    async def main():
        async with peer(asked(0), asked("0"), asked("a"), ["take", 4], ["echo"], ["eof"]) as p:
            mine = p.connection.request("mine", {})
            await p.until(lambda: len(p.requests) == 3)
            zero, text, letter = p.requests
            assert text.respond({"r": "text"})
            assert zero.error(-32601, "no", {"d": 1})
            assert not zero.respond({})
            assert letter.respond(None)
            kept = (await p.notified("echo"))["kept"]
            assert kept == [
                {"jsonrpc": "2.0", "id": 0, "method": "mine", "params": {}},
                {"jsonrpc": "2.0", "id": "0", "result": {"r": "text"}},
                {"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "no", "data": {"d": 1}}},
                {"jsonrpc": "2.0", "id": "a", "result": None},
            ]
            assert not mine.done()

    run(main)


def test_a_withdrawn_request_says_so():
    """`$/cancel_request` marks the request with exactly that id; the answer that is owed can still be given."""

    async def main():
        cancels = [note("$/cancel_request", requestId=i) for i in ("0", 5, None, [1], 0)]
        async with peer(asked(0), *cancels, note("after"), ["take", 1], ["echo"], ["eof"]) as p:
            called = []
            await p.until(lambda: bool(p.requests))
            p.requests[0].on_cancel = lambda: called.append(1)
            await p.notified("after")
            assert p.requests[0].cancelled
            assert called == [1]
            assert [name for name, _ in p.notifications] == ["after"]
            assert p.requests[0].error(-32800, "cancelled")
            assert (await p.notified("echo"))["kept"][0]["error"]["code"] == -32800

    run(main)


def test_a_cancelled_request_of_ours_is_withdrawn_on_the_wire():
    """Cancelling the future sends `$/cancel_request`; the late answer is expected, not strange."""

    async def main():
        late = {"error": {"code": -32800, "message": "cancelled"}}
        steps = (["take", 2], ["echo"], ["answer", 0, late], ["take", 1], ["answer", 2, ANSWER], ["eof"])
        async with peer(*steps) as p:
            p.connection.request("slow", {}).cancel()
            kept = (await p.notified("echo"))["kept"]
            assert kept[1] == {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 0}}
            await p.connection.request("next", {})
            assert p.connection.unmatched == 0

    run(main)


def test_a_handler_that_raises_costs_an_answer_not_the_connection(caplog):
    """Our own mistakes in a handler are logged, the agent is answered, and the next message is read."""

    def fail(*_: object) -> None:
        raise RuntimeError

    async def main():
        p = Peer(Agent(sys.executable, "-c", "input()"))
        p.saw = fail  # type: ignore[method-assign, assignment]
        await p.connection.start()
        p.connection._on_line(b'{"id":1,"method":"x"}')
        p.connection._on_line(b'{"method":"x"}')
        assert [(d, m.get("error", {}).get("code")) for d, m in p.tapped[:3]] == [
            ("in", None),
            ("out", -32603),
            ("in", None),
        ]
        await p.connection.close()

    run(main)
    assert len(caplog.records) == 2


def test_an_id_that_is_no_id_is_answered():
    """A request whose id is a list or true gets the error that JSON-RPC has for it."""

    async def main():
        async with peer(asked([1]), asked(True), ["take", 2], ["echo"], ["eof"]) as p:
            kept = (await p.notified("echo"))["kept"]
            assert [m["error"]["code"] for m in kept] == [-32600, -32600]
            assert p.requests == []

    run(main)


def test_everything_waited_for_ends_when_the_agent_dies():
    """An agent that dies fails each open request with its exit code and the end of its stderr, after its last words."""

    async def main():
        steps = (
            ["take", 2],
            note("last"),
            ["raw", '{"jsonrpc":"2.0","id":0,"resu'],
            ["error", "disk full"],
            ["exit", 3],
        )
        async with peer(*steps) as p:
            first, second = p.connection.request("a", {}), p.connection.request("b", {})
            for future, doing in ((first, "a"), (second, "b")):
                with pytest.raises(errors.AgentExitedError, match="disk full") as caught:
                    await future
                assert (caught.value.code, caught.value.signal, caught.value.doing) == (3, None, doing)
                assert caught.value.command[0] == sys.executable
            assert p.notifications == [("last", {})]
            assert p.connection.noise == 1  # the half answer
            with pytest.raises(errors.AgentExitedError):
                await p.connection.request("later", {})
            assert not p.connection.notify("later", {})
            assert p.connection.ended

    run(main)


def test_everything_waited_for_ends_when_we_close():
    """Closing fails open requests with the word for "we closed", and nothing is written any more."""

    async def main():
        async with peer(asked(1), ["eof"]) as p:
            await p.until(lambda: bool(p.requests))
            future = p.connection.request("a", {})
            closing = asyncio.ensure_future(p.connection.close())
            with pytest.raises(errors.ChatClosedError):
                await future
            assert not p.requests[0].respond({})
            exit_ = await closing
            assert (exit_.code, exit_.signal) == (0, None)
            with pytest.raises(errors.ChatClosedError):
                await p.connection.request("later", {})

    run(main)


def test_what_is_no_json_is_refused_at_the_sender():
    """A request that cannot be written raises at once; an answer that cannot be becomes an error for the agent."""

    async def main():
        async with peer(asked(1), asked(2), ["take", 3], ["echo"], ["eof"]) as p:
            with pytest.raises(TypeError):
                p.connection.request("x", {"a": {1, 2}})
            with pytest.raises(ValueError, match="JSON"):
                p.connection.notify("x", {"a": float("nan")})
            await p.until(lambda: len(p.requests) == 2)
            assert p.requests[0].respond({1, 2})
            assert p.requests[1].respond(float("inf"))
            p.connection.notify("last", {})
            kept = (await p.notified("echo"))["kept"]
            assert [(m.get("id"), m.get("error", {}).get("code")) for m in kept] == [
                (1, -32603),
                (2, -32603),
                (None, None),
            ]

    run(main)


def test_an_answered_request_cannot_be_withdrawn():
    """`$/cancel_request` for what was answered changes nothing; the same id may then be asked again."""

    async def main():
        cancel = note("$/cancel_request", requestId=7)
        async with peer(asked(7), ["take", 1], cancel, asked(7), cancel, ["eof"]) as p:
            await p.until(lambda: len(p.requests) == 1)
            p.requests[0].respond({})
            await p.until(lambda: len(p.requests) == 2)
            if not p.requests[1].cancelled:
                withdrawn = asyncio.Event()
                p.requests[1].on_cancel = withdrawn.set
                await withdrawn.wait()
            assert not p.requests[0].cancelled

    run(main)


def test_an_answer_that_crosses_the_withdrawal_is_the_end(caplog):
    """Cancelled and answered in the same moment: nothing more is written, and no failure is left unseen."""

    async def main():
        async with peer(["eof"]) as p:
            p.connection.request("x", {}).cancel()
            p.connection._on_line(b'{"id":0,"result":1}')
            p.connection.request("y", {})
            p.connection._on_line(b'{"id":1,"error":{"code":1,"message":"nobody listens"}}')
            await asyncio.sleep(0)
            assert [m.get("method") for d, m in p.tapped if d == "out"] == ["x", "y"]
            assert p.connection.unmatched == 0

    run(main)
    gc.collect()
    assert caplog.records == []
