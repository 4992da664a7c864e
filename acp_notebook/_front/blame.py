"""Which line a warning is about: the person's own, however many of ours lie between."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

_OURS = (str(Path(__file__).parent.parent) + os.sep, str(contextlib.__file__))


def stacklevel() -> int:
    """The ``stacklevel`` with which the caller warns about the first frame outside of this package.

    Python 3.12's ``skip_file_prefixes`` does the same.
    """
    level = 1
    frame = sys._getframe(1)  # noqa: SLF001 - the way to it, as in the standard library's logging
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
        level += 1
    return level
