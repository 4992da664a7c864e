from __future__ import annotations

import time

import pytest

from acp_notebook._client.patterns import MOST_STEPS, safe


@pytest.mark.parametrize(
    "pattern",
    [
        r"^[a-z]+$",
        r"^\d{3}-\d{4}$",
        r"^(?:red|green|blue)$",
        r"^[^\s@]+@[^\s@]+$",
        r"^v?\d+\.\d+$",
        r"[]x]",
        r"\(a\)+",
        r"a{,3}",
        r"x{2,}",
    ],
)
def test_usual_patterns_are_checked(pattern):
    """What forms ask for in practice is compiled."""
    assert safe(pattern, 30) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$",
        r"(a|a)*$",
        r"(a|b)+",
        r"(?:a*)*b",
        r"((a{1,9}){1,9}){1,9}",
        r"(aa?)+$",
        r"(.)\1",
        r"(?=a)b",
        r"(?P<n>a)",
        "(?i)a",
        "a" * 301,
        "a{201}",
        "a{1,99999999999999}",
        "a?" * 40 + "a" * 40,
        ".*" * 5 + "x",
        "(", ")", "[", "*", "a**",
        "(" * 200,
    ],
)  # fmt: skip
def test_hostile_and_broken_patterns_are_left_alone(pattern):
    """What could take long, refers back, or is no pattern for Python is not run."""
    assert safe(pattern, 100) is None


def test_the_text_counts_too():
    """Two repetitions are cheap in a short text and not in a long one."""
    assert safe(".*.*x", 100) is not None
    assert safe(".*.*x", 1000) is None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (".*.*x", "a" * int(MOST_STEPS ** (1 / 3) - 1)),
        (".*x", "a" * int(MOST_STEPS**0.5 - 1)),
        ("a?" * 14 + "a" * 14 + "$", "a" * 13),
        ("(?:a|b|c)x.*.*y", "a" * 60),
        ("a{0,200}a{0,200}b", "a" * 70),
    ],
)
def test_the_worst_that_is_let_through_is_quick(pattern, text):
    """At the limit a match takes less than a second of this thread."""
    compiled = safe(pattern, len(text))
    assert compiled is not None
    started = time.thread_time()
    compiled.search(text)
    assert time.thread_time() - started < 1
