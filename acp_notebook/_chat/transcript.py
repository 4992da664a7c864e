"""The public `Transcript`: the records of a chat with everything one can do with them.

The records and the fold are in `_fold.transcript`; what needs the rendering, the user's data folder or a
widget is added here, because imports run one way.
"""

from __future__ import annotations

from acp_notebook._fold import transcript as records


class Transcript(records.Transcript):
    __doc__ = records.Transcript.__doc__
