from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_notebook._client import forms
from acp_notebook._client.forms import FormError, checked


def form(*required: str, **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(required)}


ONE_OF = {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]}
ENUM = {"type": "string", "enum": ["r", "b"]}
SEVERAL = {
    "type": "array",
    "minItems": 1,
    "maxItems": 2,
    "items": {"type": "string", "enum": ["r", "g", "b"]},
}
TITLED = {"type": "array", "items": {"anyOf": ONE_OF["oneOf"]}}


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ({"type": "string"}, ["", "x", "ä€😀"], [1, True, ["x"], {}]),
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "😀😀😀"], ["a", "abcd", "😀"]),
        ({"type": "string", "pattern": "^[a-c]+$"}, ["abc"], ["abd"]),
        ({"type": "string", "format": "email"}, ["a@b.org"], ["a", "a@", "a b@c.d", "@b"]),
        ({"type": "string", "format": "uri"}, ["https://example.org/x", "mailto:a@b"], ["x", "//x", "http://[", "a b:c"]),
        ({"type": "string", "format": "date"}, ["2024-02-29"], ["2023-02-29", "29.2.2024", "20240229", "2024-W09"]),
        (
            {"type": "string", "format": "date-time"},
            ["2024-02-29T23:59:00Z", "2024-02-29T23:59:00.5+01:00", "2024-02-29t23:59:00z"],
            ["2024-02-29", "2024-02-29T23:59:00", "soon"],
        ),
        ({"type": "string", "format": "colour"}, ["anything"], []),
        (ENUM, ["r", "b"], ["Red", "x"]),
        (ONE_OF, ["r", "b"], ["Red", 1]),
        ({"type": "number", "minimum": 0, "maximum": 1}, [0, 0.5, 1], [-0.1, 2, "1", True, float("nan"), float("inf")]),
        ({"type": "integer"}, [0, -5], [1.5, "1", False]),
        ({"type": "integer", "minimum": 3}, [3], [2]),
        ({"type": "boolean"}, [True, False], [0, "true"]),
        (SEVERAL, [["r"], ["r", "b"]], [[], ["r", "g", "b"], ["x"], "r", [1]]),
        (TITLED, [[], ["r", "b"]], [["Red"]]),
    ],
)  # fmt: skip
def test_each_type_takes_what_fits_and_nothing_else(field, good, bad):
    """Values of the right form pass as they are, others raise an error with the field's title."""
    for value in good:
        assert checked(form(f=field), {"f": value}) == ({} if value == "" else {"f": value})
    for value in bad:
        with pytest.raises(FormError, match="The field"):
            checked(form(f={**field, "title": "The field"}), {"f": value})


def test_numbers_become_whole_and_repeated_choices_one():
    """5.0 is a whole number; a choice made twice is made."""
    answers = checked(form(n={"type": "integer"}, s=TITLED), {"n": 5.0, "s": ["r", "r"]})
    assert answers == {"n": 5, "s": ["r"]}
    assert type(answers["n"]) is int


def test_required_answers_and_answers_left_out():
    """None and an empty text are no answers; false and 0 are. All problems are told at once."""
    schema = form("a", "b", a={"type": "string"}, b={"type": "string", "title": "Bee"}, c={"type": "integer"})
    with pytest.raises(FormError, match=r"a: an answer is required\. Bee: an answer is required\."):
        checked(schema, {"a": "", "b": None, "c": None})
    with pytest.raises(FormError, match="a: an answer"):
        checked(schema, None)
    schema = form("y", "n", y={"type": "boolean"}, n={"type": "integer"})
    assert checked(schema, {"y": False, "n": 0}) == {"y": False, "n": 0}
    assert checked(form("e", e={"type": "string", "enum": ["", "x"]}), {"e": ""}) == {"e": ""}


def test_only_fields_of_the_form_are_answered():
    """An answer to nothing that was asked is an error: it must not reach the agent."""
    with pytest.raises(FormError, match="no field 'b'"):
        checked(form(a={"type": "string"}), {"a": "x", "b": "y"})


def test_a_field_of_an_unknown_type_cannot_be_answered():
    """It may be left out; where it is required there is only to decline."""
    assert checked(form(f={"type": "colour"}), {}) == {}
    for field in ({"type": "colour"}, {}, {"type": ["string"]}):
        with pytest.raises(FormError, match="f: "):
            checked(form("f", f=field), {"f": "x"})


def test_hostile_schemas_set_no_limit_and_break_nothing():
    """Limits that are none are ignored, patterns that could take for ever are left to the agent."""
    weird = {
        "type": "string",
        "minLength": "5",
        "maxLength": None,
        "pattern": "(a+)+$",
        "format": [],
        "title": 7,
    }
    assert checked(form(f=weird), {"f": "a" * 60 + "!"}) == {"f": "a" * 60 + "!"}
    assert checked({"properties": {"f": 5, "g": {"type": "string"}}, "required": "g"}, {"g": "x"}) == {
        "g": "x"
    }
    assert checked({"properties": []}, {}) == {}
    assert checked({"properties": {"e": {"type": "string", "enum": [1, "x", None]}}}, {"e": "x"}) == {
        "e": "x"
    }
    many = {f"f{n}": {"type": "string"} for n in range(1000)}
    assert len(forms.properties({"properties": many})) == forms.MOST_FIELDS
    with pytest.raises(FormError, match="at most"):
        checked(form(f={"type": "string"}), {"f": "x" * (forms.LONGEST_ANSWER + 1)})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
FIELD = st.dictionaries(
    st.sampled_from(
        ["type", "enum", "oneOf", "anyOf", "items", "minLength", "minimum", "maxItems", "format", "pattern", "title"]
    ),
    JSON | st.sampled_from(["string", "integer", "number", "boolean", "array", "email", "date-time"]),
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=3), FIELD | JSON, max_size=4), JSON, JSON)
def test_any_schema_and_any_answer(fields, required, answer):
    """Whatever an agent and a browser send, there are answers or an error that says what is wrong."""
    schema = {"properties": fields, "required": required}
    for content in (answer, dict.fromkeys(fields, answer)):
        try:
            assert set(checked(schema, content)) <= set(fields)
        except FormError as error:
            assert str(error)  # noqa: PT017 - either way is right
