"""Parts to Markdown (CommonMark with tables) that holds no HTML of an agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from acp_notebook._render.markdown import safe_link
from acp_notebook._render.markdown_text import code_span, escape_lines, escape_text, fence, safe_markdown
from acp_notebook._render.parts import (
    Attachment,
    Call,
    Command,
    Decision,
    FileDiff,
    Fold,
    Note,
    Output,
    Part,
    Picture,
    Prompt,
    Prose,
    Steps,
    Title,
)
from acp_notebook._render.turn_parts import turn_parts
from acp_notebook._render.visible import visible

if TYPE_CHECKING:
    from acp_notebook._fold.state import Turn
    from acp_notebook._render.cut import Cut
    from acp_notebook._render.options import RenderOptions


def turn_markdown(turn: Turn, options: RenderOptions) -> str:
    """Return one turn as Markdown that ends in one line break; empty if there is nothing to show.

    Parameters
    ----------
    turn
        The turn, finished or not.
    options
        What to leave out. Pictures are never embedded here, whatever `options.images` says: they would
        make the source unreadable, and GitHub does not show them.
    """
    text = parts_markdown(turn_parts(turn, options))
    return text + "\n" if text else ""


def parts_markdown(parts: Iterable[Part]) -> str:
    """Return parts as Markdown, an empty line between them."""
    return "\n\n".join(text for text in (part_markdown(part) for part in parts) if text)


def part_markdown(part: Part) -> str:
    """Return one part as Markdown."""
    return _WRITERS[type(part)](part)


def _line(text: str) -> str:
    return escape_text(visible(text))


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _says(text: Cut) -> str:
    return f"*{escape_text(text.says)}*" if text.says else ""


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip(" ") for line in text.split("\n"))


def _title(part: Title) -> str:
    return f"**{_line(part.text)}**"


def _prompt(part: Prompt) -> str:
    return _quoted(_joined(escape_lines(part.text.text.strip("\n")), _says(part.text)))


def _prose(part: Prose) -> str:
    return _joined(safe_markdown(part.text.text), _says(part.text))


def _attachment(part: Attachment) -> str:
    name = f"**{_line(part.name)}**"
    href = safe_link(part.address)
    if href is not None:
        name += f" {escape_text(href)}"
    elif part.address and part.address != part.name:
        name += f" {code_span(part.address)}"
    about = f" ({_line(part.about)})" if part.about else ""
    body = "" if part.text is None else _joined(fence(part.text.text), _says(part.text))
    return _joined(f"Attached: {name}{about}", body)


def _picture(part: Picture) -> str:
    return f"*{_line(part.about)}*"


def _call(part: Call) -> str:
    where = f" {code_span(part.where)}" if part.where else ""
    kind = f"{_line(part.kind)} " if part.kind else ""
    return f"{kind}**{_line(part.title)}**{where} · {escape_text(part.word)}"


def _command(part: Command) -> str:
    return fence(part.text)


def _file_diff(part: FileDiff) -> str:
    about = "new file, " if part.new_file else ""
    head = f"{code_span(part.path)} {about}+{part.added} −{part.removed}"
    lines = [("" if line.sign == "@" else line.sign) + line.text for line in part.lines]
    more = f"*… {part.dropped:,} more lines left out of this copy*" if part.dropped else ""
    return _joined(head, fence("\n".join(lines), "diff") if lines else "", more)


def _output(part: Output) -> str:
    body = fence(part.text.text) if part.text.text else ""
    said = (_says(part.text), body) if part.text.front else (body, _says(part.text))
    return _joined(f"{_line(part.label)}:", *said)


def _decision(part: Decision) -> str:
    about = f"{_line(part.about)}: " if part.about else ""
    return f"*{about}{escape_text(part.word)}*"


def _steps(part: Steps) -> str:
    return "\n".join(
        f"{index}. {_line(text)}{f' *({escape_text(word)})*' if word else ''}"
        for index, (text, word) in enumerate(part.entries, 1)
    )


def _note(part: Note) -> str:
    return _joined(f"*{_line(part.title)}*", escape_lines(part.text))


def _fold(part: Fold) -> str:
    inner = parts_markdown(part.parts)
    return _joined(f"*{_line(part.summary)}*", _quoted(inner)) if inner else ""


# `part_markdown` looks the writer up by the part's own type, which the annotation cannot say.
_WRITERS: dict[type, Callable[..., str]] = {
    Title: _title,
    Prompt: _prompt,
    Prose: _prose,
    Attachment: _attachment,
    Picture: _picture,
    Call: _call,
    Command: _command,
    FileDiff: _file_diff,
    Output: _output,
    Decision: _decision,
    Steps: _steps,
    Note: _note,
    Fold: _fold,
}
