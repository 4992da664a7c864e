"""Which line a warning is about: the person's own, however many of ours lie between."""

from __future__ import annotations

import sys

_BETWEEN = frozenset({"acp_notebook", "anywidget", "contextlib", "ipywidgets", "traitlets"})
"""This package and what calls back into it."""


def stacklevel() -> int:
    """The ``stacklevel`` with which the caller warns about the first frame that is a person's.

    Python 3.12's ``skip_file_prefixes`` does the same.
    """
    level = 1
    frame = sys._getframe(1)  # noqa: SLF001 - the way to it, as in the standard library's logging
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        frame = frame.f_back
        level += 1
    return level
