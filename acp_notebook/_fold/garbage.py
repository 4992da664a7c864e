"""Python's garbage collector and the millions of values of a large transcript, which all come to stay.

It would look through all that there is again and again while they come, and once more at some moment after:
half a second for 60 MB, amid a search or a drag.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 20_000
"""Records from which on it is worth while."""


@contextmanager
def collector_rests() -> Iterator[None]:
    """Let the collector rest meanwhile; a program that has switched it off keeps it so."""
    works = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if works:
            gc.enable()


def settle(records: int) -> None:
    """Send the collector through everything now, if that many records have just come."""
    if records > MANY and gc.isenabled():
        gc.collect()
