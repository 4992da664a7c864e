"""The static twin: its limits, what it says it left out, and its pieces as a browser keeps them."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_notebook import Transcript
from acp_notebook._fold.state import AgentInfo, Exit, ImageBlock, Session, TextItem, ToolCall, ToolCallItem
from acp_notebook._render.cut import cut
from acp_notebook._render.options import RenderOptions
from acp_notebook._render.turn_html import turn_html
from acp_notebook._render.twin import TWIN_LIMIT, TwinPieces, assemble, piece, plain_line
from tests.render.samples import PNG, Reader, message, permission, session_of, turn_of

CAPTURES = Path(__file__).resolve().parent.parent / "captures"


class Browser:
    """Keeps pieces as ``js/src/twin.ts`` does."""

    def __init__(self) -> None:
        self.pieces: dict[int, dict] = {}
        self.head = self.tail = ""

    def receive(self, update: dict) -> None:
        if update["reset"]:
            self.pieces.clear()
        for one in update["pieces"]:
            self.pieces[one["turn"]] = one
        self.pieces = {turn: one for turn, one in self.pieces.items() if turn >= update["first"]}
        self.head, self.tail = update["head"], update["tail"]

    @property
    def twin(self) -> tuple[str, str]:
        order = [self.pieces[turn] for turn in sorted(self.pieces)]
        html = self.head + "".join(one["html"] for one in order) + self.tail
        return html, "\n".join(one["markdown"] for one in order if one["markdown"])


def size(twin: tuple[str, str]) -> int:
    return sum(len(part.encode()) for part in twin)


def call(output: str, **fields) -> ToolCallItem:
    return ToolCallItem(ToolCall("c", **({"title": "Run it", "raw_output": output} | fields)), 0)


@pytest.mark.parametrize(
    "name", ["quirks", "codex-load", "opencode-resume", "claude22-modes", "kimicode-reject"]
)
def test_pieces_add_up_to_the_whole(name):
    """However often the pieces are brought up to date, the browser's copy is the one made at once."""
    transcript = Transcript.load(CAPTURES / f"{name}.jsonl")
    pieces, browser, chance = TwinPieces("x", "full"), Browser(), random.Random(1)
    for index in range(len(transcript.records) + 1):
        if chance.random() < 0.3 or index == len(transcript.records):
            session = transcript.at(index=index)
            browser.receive(pieces.update(session).to_message())
            assert browser.twin == assemble(session, "full", "x")
    assert browser.twin == assemble(transcript.session, "full", "x")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 9000), max_size=12), st.integers(8_000, 40_000), st.randoms())
def test_pieces_add_up_under_a_tight_limit(sizes, limit, chance):
    """Turns that come, change, go (from the queue) and no longer fit leave the browser with the right copy."""
    pieces, browser = TwinPieces("x", limit=limit), Browser()
    turns = []
    for number, length in enumerate(sizes):
        turns.append(turn_of(message(f"answer {number} " + "x" * length), prompt=f"prompt {number}"))
        if len(turns) > 1 and chance.random() < 0.3:
            turns.pop()
        if chance.random() < 0.3:
            # A turn turns out to be told elsewhere, or is told after all.
            place = chance.randrange(len(turns))
            turns[place] = replace(turns[place], told=not turns[place].told)
        if chance.random() < 0.3:
            continue
        session = session_of(*turns)
        browser.receive(pieces.update(session).to_message())
        assert browser.twin == assemble(session, "text", "x", limit=limit)
        assert size(browser.twin) <= limit


def test_an_unchanged_session_sends_no_piece():
    """Only what changed is sent; asking for everything sends everything."""
    session = session_of(turn_of(message("a")), turn_of(message("b")))
    pieces = TwinPieces("x")
    assert [one.turn for one in pieces.update(session).pieces] == [0, 1]

    assert pieces.update(session).pieces == ()
    longer = session_of(*session.turns, turn_of(message("c")))
    assert [one.turn for one in pieces.update(longer).pieces] == [2]
    update = pieces.everything(longer)
    assert (update.reset, [one.turn for one in update.pieces]) == (True, [0, 1, 2])


def test_a_turn_more_in_a_long_chat_sends_that_turn_and_one_line():
    """Once turns are left out, those that stay do not cross the wire again; only the line about the others does."""
    turns = [turn_of(message(f"answer {n} " + "x" * 4000), prompt=f"prompt {n}") for n in range(40)]
    pieces, browser = TwinPieces("x"), Browser()
    browser.receive(pieces.update(session_of(*turns[:39])).to_message())

    update = pieces.update(session_of(*turns))
    browser.receive(update.to_message())

    line, newest = sorted(update.pieces)
    assert "earlier turns left out of this copy" in line.html
    assert "answer" not in line.html + line.markdown
    assert newest.turn == 39
    assert browser.twin == assemble(session_of(*turns), "text", "x")


def test_the_oldest_turns_are_left_out_first_and_said_so():
    """A long conversation keeps its newest turns within 200 KB and counts the missing ones."""
    session = session_of(
        *(turn_of(message(f"answer {n} " + "word " * 2000), prompt=f"prompt {n}") for n in range(60))
    )

    twin = assemble(session, "text", "x")

    assert TWIN_LIMIT - 30_000 < size(twin) <= TWIN_LIMIT
    shown = [n for n in range(60) if f"prompt {n}\n" in Reader(twin.html).text]
    assert shown == list(range(shown[0], 60))
    for form in twin:
        assert f"{shown[0]} earlier turns left out of this copy" in form


@pytest.mark.parametrize("mode", ["text", "full"])
def test_one_giant_turn_fits(mode):
    """A turn larger than the limit keeps its prompt and its end, and says what is missing."""
    items = [message(f"step {n} " + "\n\n" * 40 + "<&>" * 2000) for n in range(100)]
    session = session_of(turn_of(*items, call("x\n" * 100_000), message("the end"), prompt="the start"))

    twin = assemble(session, mode, "x")

    assert size(twin) <= TWIN_LIMIT
    for form in (Reader(twin.html).text, twin.markdown):
        assert form.index("the start") < form.index("left out of this copy") < form.index("the end")
    assert "earlier steps of this turn left out of this copy" in twin.html


def test_outputs_are_cut_at_two_kilobytes():
    """A long output keeps its start and a line says how much is missing; a short one has no such line."""
    html, markdown = assemble(session_of(turn_of(call("line\n" * 1000))), "text", "x")

    for form in (html, markdown):
        assert form.count("line\n") <= 2048 / 5
        assert "characters more left out of this copy" in form
    assert "left out" not in assemble(session_of(turn_of(call("line\n" * 10))), "text", "x").html


def test_a_long_diff_says_how_many_lines_are_missing():
    """No diff line disappears without a word."""
    new = "".join(f"line {n}\n" for n in range(5000))
    edit = session_of(turn_of(call("", raw_output=None, own_diffs=(diff_of(new),))))

    twin = assemble(edit, "text", "x")

    for form in twin:
        shown = form.count("+line ")
        assert f"{5000 - shown:,} more lines left out of this copy" in form
        assert "+5000 −0" in form


def diff_of(new: str):
    from acp_notebook._fold.state import Diff

    return Diff("/w/p/a.py", None, new)


def test_pictures_show_in_full_copies_up_to_their_limit():
    """100 KB and a picture is a line; in a text copy every picture is."""
    big = PNG.rstrip("=") + "A" * 200_000
    session = session_of(turn_of(TextItem("message", (ImageBlock("image/png", PNG, None),), None, False, 0)))
    large = session_of(turn_of(TextItem("message", (ImageBlock("image/png", big, None),), None, False, 0)))

    assert "<img" in assemble(session, "full", "x").html
    for html in (assemble(session, "text", "x").html, assemble(large, "full", "x").html):
        assert "<img" not in html
        assert "left out of this copy" in html


def test_thoughts_are_folded_or_left_out():
    """A text copy has no thoughts, a full one folds them."""
    session = session_of(turn_of(message("secret idea", "thought"), message("answer")))

    assert "secret idea" not in "".join(assemble(session, "text", "x"))
    assert "<details" in assemble(session, "full", "x").html
    assert all("secret idea" in form for form in assemble(session, "full", "x"))


def test_the_class_names_the_chat_alone():
    """The chat's id goes into one class; what is no letter, digit, dash or underscore does not."""
    tags = Reader(assemble(session_of(), "text", 'a1-b_"><script>').html).tags

    assert tags[0][1]["class"].split()[:2] == ["acp-notebook-twin", "acp-notebook-twin-a1-b_script"]


def test_an_empty_chat_says_so():
    """A chat without a turn has a copy too; the first turn takes its place."""
    pieces, browser = TwinPieces("x"), Browser()
    browser.receive(pieces.update(Session()).to_message())
    assert "No messages yet." in browser.twin[0]

    browser.receive(pieces.update(session_of(turn_of(message("hello")))).to_message())
    assert "No messages yet." not in "".join(browser.twin)


def test_how_the_agent_ended_is_told_once_at_the_end():
    """A crash shows exit code and the end of the error output after the last turn."""
    session = session_of(
        turn_of(message("a")), turn_of(message("b")), exit=Exit(3, None, "Traceback\nboom\n", "died")
    )

    shown = Reader(assemble(session, "text", "x").html).text
    assert shown.index("b\n") < shown.index("The agent ended (exit code 3)") < shown.index("boom")
    assert shown.count("boom") == 1


def test_a_replay_of_what_stands_there_is_left_out():
    """After a restart the history is replayed: it is shown once. A loaded session's history stays."""
    old = turn_of(message("old"), prompt="old prompt")
    new = turn_of(message("new"), prompt="new prompt")

    for replayed in (
        (old, turn_of(message("old"), prompt="old prompt", replayed=True, told=True), new),
        (turn_of(message("old"), prompt="old prompt", replayed=True), new),
    ):
        assert Reader(assemble(session_of(*replayed), "text", "x").html).text.count("old prompt") == 1


def test_decisions_say_who_and_what():
    """The option's own name, who chose it; a question is answered, not allowed."""

    def said(**fields) -> str:
        asked = permission(**fields)
        return Reader(assemble(session_of(turn_of(call("", permissions=(asked,)))), "text", "x").html).text

    assert "Allowed once by you: Allow once" in said()
    assert "Refused by the chat's policy: Reject" in said(option_id="r", decided_by="policy")
    assert "Allowed once by the rule pytest: Allow once" in said(decided_by="pytest")
    assert "Allowed once: Allow once" in said(decided_by=None)
    assert "Waits for a decision: Allow once / Reject" in said(outcome=None, option_id=None)
    assert "Withdrawn unanswered\n" in said(outcome="cancelled", option_id=None, decided_by="cancel") + "\n"
    two = tuple(type(permission().options[0])(n, n, "allow_once") for n in ("Red", "Blue"))
    assert "Answered by you: Blue" in said(options=two, option_id="Blue")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"stop_reason": "end_turn"}, ""),
        ({"stop_reason": "cancelled", "cancel_requested": True}, "Stopped on request."),
        ({"stop_reason": "max_tokens"}, "Cut short: the answer reached the model's limit of tokens."),
        ({"stop_reason": "refusal"}, "The agent refused to go on."),
        ({"stop_reason": "tired"}, "Ended: tired"),
        ({"status": "error", "error": "no model"}, "The turn ended in an error\nno model"),
        ({"status": "streaming"}, "Still running when this copy was made."),
        ({"status": "queued"}, "Queued: not sent to the agent yet."),
    ],
)
def test_ends_in_words(fields, words):
    """How a turn ended is said in words, unless it just ended."""
    shown = Reader(turn_html(turn_of(message("answer"), **fields), RenderOptions())).text

    assert shown == f"Do it\nanswer\n{words}".strip()


def test_a_turn_alone_can_be_rendered():
    """One turn, as later exports use it, without limits."""
    turn = turn_of(message("word " * 100_000), call("x\n" * 100_000))

    assert "left out" not in turn_html(turn, RenderOptions())
    assert piece(turn, "text", limit=20_000).size <= 20_000


def test_the_plain_line():
    """What is shown where neither widget nor HTML can be."""
    session = session_of(turn_of(message("a")))
    assert plain_line(session) == "Chat with Demo 1.0, in /w/p"
    assert plain_line(Session()) == "Chat with an agent"
    assert plain_line(Session(agent=AgentInfo(command=("my-agent",)))) == "Chat with my-agent"


@given(st.text(), st.integers(0, 50), st.booleans())
def test_cut_keeps_the_limit_and_counts_what_it_drops(value, limit, keep_end):
    """At most `limit` bytes stay, and kept and dropped characters make the whole."""
    one = cut(value, limit, keep_end=keep_end)

    assert len(one.text.encode("utf-8", "replace")) <= limit
    assert len(one.text) + one.dropped == len(value)
    assert value.endswith(one.text) if keep_end else value.startswith(one.text)


def test_prompts_keep_their_lines():
    """Line breaks of a prompt survive in both forms."""
    twin = assemble(session_of(turn_of(prompt="one\n\n  two * <b>\nthree")), "text", "x")

    assert "one\n" in Reader(twin.html).text
    assert "two * <b>\nthree" in Reader(twin.html).text
