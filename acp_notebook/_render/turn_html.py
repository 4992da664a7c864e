"""Parts to HTML that needs no script and reads well without its style sheet.

Only tags and attributes that JupyterLab's sanitiser for untrusted notebooks keeps. Text enters through the
helpers of `html` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from acp_notebook._render import html
from acp_notebook._render.html import escape, escape_visible
from acp_notebook._render.markdown import safe_link
from acp_notebook._render.markdown_html import markdown_to_html
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
    from acp_notebook._render.unified import DiffLine

_DIFF_CSS = {"+": "acp-add", "-": "acp-del", "@": "acp-hunk", " ": "acp-same"}


def turn_html(turn: Turn, options: RenderOptions) -> str:
    """Return one turn as a piece of HTML without any empty line.

    Parameters
    ----------
    turn
        The turn, finished or not.
    options
        What to leave out.
    """
    return wrap_turn(parts_html(turn_parts(turn, options), options))


def wrap_turn(inner: str) -> str:
    """Return the element of a turn around its content."""
    return html.without_blank_lines(f'<div class="acp-turn">\n{inner}</div>\n') if inner else ""


def parts_html(parts: Iterable[Part], options: RenderOptions) -> str:
    """Return parts as HTML, one after the other."""
    return "".join(part_html(part, options) for part in parts)


def part_html(part: Part, options: RenderOptions) -> str:
    """Return one part as HTML."""
    if isinstance(part, Prose):
        body = markdown_to_html(part.text.text, images=options.images)
        return f'<div class="acp-{part.role}" dir="auto">\n{body}{_says(part.text)}</div>\n'
    if isinstance(part, Fold):
        inner = parts_html(part.parts, options)
        return f'<details class="acp-thought"><summary>{_line(part.summary)}</summary>\n{inner}</details>\n'
    return _WRITERS[type(part)](part)


def _says(text: Cut) -> str:
    if not text.says:
        return ""
    return f'<p class="acp-cut">{escape(text.says)}</p>\n'


def _line(text: str) -> str:
    return escape(visible(text))


def _title(_part: Title) -> str:
    return ""


def _prompt(part: Prompt) -> str:
    body = html.lines(part.text.text.strip("\n"))
    return f'<blockquote class="acp-prompt" dir="auto">{body}</blockquote>\n{_says(part.text)}'


def _attachment(part: Attachment) -> str:
    name = f"<strong>{_line(part.name)}</strong>"
    href = safe_link(part.address)
    if href is not None:
        name = html.link(href, name)
    elif part.address and part.address != part.name:
        name += f" <code>{_line(part.address)}</code>"
    about = f" ({_line(part.about)})" if part.about else ""
    if part.text is None:
        return f'<p class="acp-attachment">Attached: {name}{about}</p>\n'
    body = html.pre(part.text.text, "acp-output")
    summary = f"<summary>Attached: {_line(part.name)}{about}</summary>"
    return f'<details class="acp-attachment">{summary}\n{body}{_says(part.text)}</details>\n'


def _picture(part: Picture) -> str:
    if part.address is None:
        return f'<p class="acp-attachment">{_line(part.about)}</p>\n'
    return f'<p class="acp-picture"><img src="{escape(part.address)}" alt="{_line(part.about)}"></p>\n'


def _call(part: Call) -> str:
    where = f' <code class="acp-where">{_line(part.where)}</code>' if part.where else ""
    state = f'<span class="acp-state">{escape(part.word)}</span>'
    kind = f'<span class="acp-kind">{_line(part.kind)}</span> ' if part.kind else ""
    title = f"<strong>{_line(part.title)}</strong>"
    return f'<p class="acp-call acp-{part.state}">{kind}{title}{where} · {state}</p>\n'


def _command(part: Command) -> str:
    return html.pre(part.text, "acp-command")


def _file_diff(part: FileDiff) -> str:
    about = "new file, " if part.new_file else ""
    head = f'<p class="acp-file"><code>{_line(part.path)}</code> {about}+{part.added} −{part.removed}</p>\n'
    body = "\n".join(_diff_line(line) for line in part.lines)
    more = (
        f'<p class="acp-cut">… {part.dropped:,} more lines left out of this copy</p>\n'
        if part.dropped
        else ""
    )
    return f'{head}<pre class="acp-diff"><code>{body}</code></pre>\n{more}' if part.lines else head + more


def _diff_line(line: DiffLine) -> str:
    sign = "" if line.sign == "@" else line.sign
    return f'<span class="{_DIFF_CSS[line.sign]}">{sign}{escape_visible(line.text)}</span>'


def _output(part: Output) -> str:
    opened = " open" if part.open else ""
    body = html.pre(part.text.text, "acp-output") if part.text.text else ""
    lines = part.text.text.count("\n") + 1 if part.text.text else 0
    size = f", {lines:,} line{'' if lines == 1 else 's'}" if lines and not part.text.dropped else ""
    inner = _says(part.text) + body if part.text.front else body + _says(part.text)
    return (
        f'<details class="acp-out"{opened}><summary>{_line(part.label)}{size}</summary>\n{inner}</details>\n'
    )


def _decision(part: Decision) -> str:
    css = "acp-decision acp-refused" if part.refused else "acp-decision"
    about = f"{_line(part.about)}: " if part.about else ""
    return f'<p class="{css}">{about}{escape(part.word)}</p>\n'


def _steps(part: Steps) -> str:
    entries = "".join(
        f"<li>{_line(text)}{f' <em>({escape(word)})</em>' if word else ''}</li>\n"
        for text, word in part.entries
    )
    return f'<ol class="acp-plan">\n{entries}</ol>\n'


def _note(part: Note) -> str:
    text = f"<br>\n{html.lines(part.text)}" if part.text else ""
    return f'<p class="acp-note acp-{part.tone}"><em>{_line(part.title)}</em>{text}</p>\n'


# `part_html` looks the writer up by the part's own type, which the annotation cannot say.
_WRITERS: dict[type, Callable[..., str]] = {
    Title: _title,
    Prompt: _prompt,
    Attachment: _attachment,
    Picture: _picture,
    Call: _call,
    Command: _command,
    FileDiff: _file_diff,
    Output: _output,
    Decision: _decision,
    Steps: _steps,
    Note: _note,
}
