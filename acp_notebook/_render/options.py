"""What a static rendering shows and what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Limits of a static rendering; the default leaves nothing out but pictures.

    Attributes
    ----------
    cwd : str or None
        Paths in this folder are shown relative to it.
    thoughts : bool
        Whether the agent's thoughts are shown (folded).
    inputs : bool
        Whether the input of a tool is shown where no command, file or query stands for it.
    images : int
        Largest picture in bytes that is embedded; larger ones become a line. 0 embeds none.
    output : int or None
        Bytes kept of a tool's output, input or attachment; None keeps all.
    text : int or None
        Bytes kept of one prompt or one message.
    diff : int or None
        Bytes kept of one diff's lines.
    """

    cwd: str | None = None
    thoughts: bool = True
    inputs: bool = True
    images: int = 0
    output: int | None = None
    text: int | None = None
    diff: int | None = None
