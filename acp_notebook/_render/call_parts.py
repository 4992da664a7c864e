"""A tool call as parts: its line, command, requests, changes, decisions and output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from acp_notebook._fold.state import (
    BlockContent,
    Content,
    DiffContent,
    TerminalContent,
    TextBlock,
)
from acp_notebook._render import describe
from acp_notebook._render.block_parts import block_parts
from acp_notebook._render.cut import cut
from acp_notebook._render.parts import Call, Command, Decision, FileDiff, Output, Part, Prose
from acp_notebook._render.unified import unified
from acp_notebook._render.visible import plain_output, relative
from acp_notebook._render.words import call_word, decision_word

if TYPE_CHECKING:
    from acp_notebook._fold.state import Diff, Permission, Terminal, ToolCall
    from acp_notebook._render.options import RenderOptions


def call_parts(call: ToolCall, terminals: Mapping[str, Terminal], options: RenderOptions) -> Iterator[Part]:
    """Give a call in the order in which a person reads it."""
    title = describe.title_of(call, options.cwd)
    yield Call(
        title, call.state, call_word(call), describe.where_of(call, options.cwd), describe.kind_of(call)
    )
    command = describe.command_of(call, terminals)
    if command is not None and describe.short_title(command, options.cwd) not in title:
        yield Command(command)
    own = _texts(call.content)
    for permission in call.permissions:
        yield from request_text(permission, known={title, *own}, options=options)
    for diff in call.diffs:
        yield file_diff(diff, options)
    for permission in call.permissions:
        yield decision(permission, title, options)
    yield from _outputs(call, terminals, options)
    # While a person has to decide, what is asked for is shown whatever it is.
    wanted = options.inputs or call.state == "approval-requested"
    if wanted and command is None and not call.diffs and describe.says_more(call.raw_input):
        yield Output("Input", cut(describe.pretty(call.raw_input), options.output))


def request_text(permission: Permission, known: set[str], options: RenderOptions) -> Iterator[Part]:
    """Give a request's own words and pictures: for a question or a plan they are what is decided on."""
    for content in permission.content:
        if not isinstance(content, BlockContent):
            continue
        if not isinstance(content.block, TextBlock):
            yield from block_parts(content.block, options)
        elif content.block.text.strip() and content.block.text not in known:
            yield Prose(cut(content.block.text, options.text), "request")


def decision(permission: Permission, title: str, options: RenderOptions) -> Decision:
    """Give the line that says how a request ended."""
    about = describe.short_title(permission.title or "", options.cwd)
    return Decision(decision_word(permission), permission.refused, "" if about in title else about)


def file_diff(diff: Diff, options: RenderOptions) -> FileDiff:
    """Give a diff's lines, cut at the limit."""
    lines = unified(diff.old_text, diff.new_text)
    kept, size = len(lines), 0
    if options.diff is not None:
        for index, line in enumerate(lines):
            size += len(line.text.encode("utf-8", "replace")) + 2
            if size > options.diff:
                kept = index
                break
    return FileDiff(
        path=relative(diff.path, options.cwd),
        new_file=diff.old_text is None,
        added=sum(line.sign == "+" for line in lines),
        removed=sum(line.sign == "-" for line in lines),
        lines=lines[:kept],
        dropped=len(lines) - kept,
    )


def _texts(contents: Iterable[Content]) -> list[str]:
    return [c.block.text for c in contents if isinstance(c, BlockContent) and isinstance(c.block, TextBlock)]


def _outputs(call: ToolCall, terminals: Mapping[str, Terminal], options: RenderOptions) -> Iterator[Part]:
    """Give what came out: content, terminals, else the raw output."""
    failed = call.state == "output-error"
    said = False
    for content in call.content:
        if isinstance(content, BlockContent) and isinstance(content.block, TextBlock):
            text = plain_output(describe.unfence(content.block.text)).rstrip()
            if text:
                said = True
                yield Output("Output", cut(text, options.output), failed)
        elif isinstance(content, BlockContent):
            said = True
            yield from block_parts(content.block, options)
        elif not isinstance(content, (DiffContent, TerminalContent)):
            yield Output(f"Content of type {content.type}", cut(describe.pretty(content.raw), options.output))
    for key in call.terminals:
        terminal = terminals.get(key)
        text = plain_output(terminal.output).rstrip() if terminal is not None else ""
        if terminal is not None and (text or terminal.exited):
            said = True
            yield Output(_terminal_label(terminal), cut(text, options.output, keep_end=True), failed)
    if not said and (failed or not call.diffs):
        text = plain_output(describe.raw_output_text(call.raw_output)).rstrip()
        if text:
            yield Output("Output", cut(text, options.output), failed)


def _terminal_label(terminal: Terminal) -> str:
    if terminal.signal is not None:
        return f"Terminal output, ended by {terminal.signal}"
    if terminal.exit_code is not None:
        return f"Terminal output, exit code {terminal.exit_code}"
    return "Terminal output"
