"""Search: what is found, where it is, and what is not."""

from __future__ import annotations

import pytest

from acp_notebook import Transcript
from acp_notebook._explore.search import Query
from tests.explore.sessions import Wire, many, two_turns
from tests.fold.captures import ALL, records


def found(text, **filters):
    return [(m.turn, m.item, m.kind) for m in two_turns().transcript().search(text, **filters)]


def test_words_are_found_in_prompts_messages_calls_outputs_and_diffs():
    """Upper and lower case are the same, and every kind of text is looked at."""
    assert found("why does") == [(0, -1, "prompt")]
    assert found("MEAN WAS") == [(0, 3, "message")]
    assert found("values") == [(0, 1, "read")]
    assert found('"new line"') == [(0, 2, "edit")]
    assert found("pytest") == [(1, 0, "execute")]
    assert found('"1 passed"') == [(1, 0, "execute")]
    assert found("nothing of this") == []


def test_all_words_must_stand_in_the_same_item():
    """Words of two items find neither; in quotes they must follow each other."""
    assert found("mean wrong") == [(0, 3, "message")]
    assert found("mean pytest") == []
    assert found('"wrong was"') == []


def test_fields_say_what_the_item_is():
    """tool:, path:, status:, kind: and turn: are conditions beside the words."""
    assert found("status:failed") == [(1, 0, "execute")]
    assert found("path:src/a") == [(0, 1, "read"), (0, 2, "edit")]
    assert found("tool:exec") == [(1, 0, "execute")]
    assert found("kind:edit line") == [(0, 2, "edit")]
    assert [kind for _, _, kind in found("turn:2")] == ["prompt", "execute", "message"]
    assert found("kind:tool turn:1") == [(0, 1, "read"), (0, 2, "edit")]
    assert found("http://x") == []


def test_filters_are_any_of_their_values():
    """Filters by kind and status narrow what the words find."""
    assert found("", kinds=["edit", "execute"]) == [(0, 2, "edit"), (1, 0, "execute")]
    assert found("", statuses=["failed"]) == [(1, 0, "execute")]
    assert found("fail", kinds=["message"]) == [(1, 1, "message")]


def test_a_match_knows_its_record_and_its_surroundings():
    """The record is the first one behind the item; the snippet holds the words as they were written."""
    t = two_turns().transcript()
    (match,) = t.search("wrong")
    assert t.records[match.record].msg["params"]["update"]["content"]["text"].startswith("Fixed")
    assert match.snippet == "Fixed: the mean was wrong."
    assert (match.status, match.after, match.title) == (None, False, "Fixed: the mean was wrong.")
    assert repr(match) == "<Match turn 0 message: 'Fixed: the mean was wrong.'>"


def test_a_snippet_of_a_long_text_is_its_middle():
    """What is far from the words is left out, and it is said so."""
    t = Wire().prompt("go").text("a" * 500 + " needle " + "b" * 500).transcript()
    (match,) = t.search("needle")
    assert match.snippet.startswith("…aaa")
    assert match.snippet.endswith("bbb…")
    assert " needle " in match.snippet
    assert len(match.snippet) < 160


def test_lower_case_that_is_longer_than_the_text_is_found():
    """A letter whose lower case is two characters moves no snippet to a wrong place."""
    (match,) = Wire().prompt("go").text("İ" * 40 + " needle").transcript().search("needle")
    assert "needle" in match.snippet


def test_limit_gives_the_first_ones():
    """As many matches as asked for, in order."""
    t = many(20).transcript()
    assert [m.turn for m in t.search("question", limit=3)] == [0, 1, 2]
    assert len(t.search("question")) == 20


def test_a_letter_more_finds_what_searching_anew_finds():
    """Typed letter by letter, taken back, changed in the middle: each time as if nothing had been typed before."""
    typing = two_turns().transcript()
    queries = [
        "f",
        "fa",
        "fai",
        "fail te",
        "fail tes",
        "fail",
        "ail",
        "",
        "t",
        "te x",
        "t e",
        "mean",
        "mea two",
    ]
    for text in [*queries, *reversed(queries)]:
        assert typing.search(text) == two_turns().transcript().search(text), text
    assert [m.item for m in typing.search("fail kind:message")] == [1]
    assert [m.item for m in typing.search("fails kind:prompt")] == []
    assert [m.item for m in typing.search("fail")] == [-1, 0, 1]


def test_a_query_is_read_as_it_is_typed():
    """Half-typed queries are queries."""
    assert Query.parse("") == Query()
    assert Query.parse('tool:"read file" a "b c') == Query(words=("a", "b c"), tools=("read file",))
    assert Query.parse("status:") == Query(words=("status:",))
    assert Query.parse("STATUS:Failed") == Query(statuses=("failed",))


@pytest.mark.parametrize("name", ALL)
def test_every_message_of_a_recording_is_found_by_its_words(name):
    """The first line of each message finds that message, but for what is only told again."""
    t = Transcript(records(name))
    for place, turn in enumerate(t.turns):
        if turn.told:
            assert not any(match.turn == place and match.session is None for match in t.search(""))
            continue
        for index, item in enumerate(turn.items):
            first = item.blocks[0] if item.kind == "message" else None
            words = first.text.strip().split("\n")[0].replace('"', " ").split() if first else []
            if words:
                assert any((m.turn, m.item) == (place, index) for m in t.search(" ".join(words[:6]))), words
