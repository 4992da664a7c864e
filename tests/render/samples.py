"""Hand-made states for the tests of the static renderings, and a reader of what they show."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

from acp_notebook._fold.long_tuple import LongTuple
from acp_notebook._fold.state import (
    AgentInfo,
    AudioBlock,
    BlockContent,
    Diff,
    Exit,
    ImageBlock,
    Location,
    NoticeItem,
    Permission,
    PermissionOption,
    PlanEntry,
    PlanItem,
    RawItem,
    ResourceBlock,
    ResourceLinkBlock,
    Session,
    Terminal,
    TerminalContent,
    TextBlock,
    TextItem,
    ToolCall,
    ToolCallItem,
    Turn,
    UnknownBlock,
    UnknownContent,
)
from acp_notebook._fold.text import Text

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def text(value: str) -> TextBlock:
    return TextBlock(Text(value))


def message(value: str, kind: str = "message") -> TextItem:
    return TextItem(kind, (text(value),), None, False, 0.0, 1.0)  # type: ignore[arg-type]


def permission(key: str = "0:0", **fields) -> Permission:
    values: dict[str, Any] = {
        "key": key,
        "request_id": 0,
        "session_id": "s",
        "tool_call_id": "c",
        "title": None,
        "kind": "edit",
        "content": (),
        "locations": (),
        "raw_input": None,
        "options": (
            PermissionOption("a", "Allow once", "allow_once"),
            PermissionOption("r", "Reject", "reject_once"),
        ),
        "asked": 1.0,
        "outcome": "selected",
        "option_id": "a",
        "decided_by": "person",
        "answered": 2.0,
    }
    return Permission(**(values | fields))


def turn_of(*items, prompt: str = "Do it", **fields) -> Turn:
    values: dict[str, Any] = {"session_id": "s", "prompt": (text(prompt),), "closed": LongTuple(items)}
    return Turn(**(values | fields))


def session_of(*turns: Turn, **fields) -> Session:
    values: dict[str, Any] = {
        "session_id": "s",
        "cwd": "/w/p",
        "agent": AgentInfo("demo", "Demo", "1.0"),
        "closed": LongTuple(turns),
    }
    return Session(**(values | fields))


def everything(mark: Callable[[str], str]) -> Session:
    """Return a session with `mark(name)` in every place where an agent or a person can put text."""
    asked = permission(
        title=mark("permission title"),
        kind=mark("permission kind"),
        content=(BlockContent(text(mark("request text"))),),
        options=(
            PermissionOption(mark("option id"), mark("option name"), "allow_once"),
            PermissionOption("r", mark("other option"), mark("option kind")),
        ),
        option_id=mark("option id"),
        decided_by=mark("rule"),
    )
    call = ToolCall(
        mark("call id"),
        name=mark("tool name"),
        title=mark("call title"),
        kind=mark("call kind"),
        status=mark("status"),
        state="stopped",
        content=(
            BlockContent(text(mark("output"))),
            BlockContent(ResourceBlock("file:///" + mark("uri"), mark("mime"), mark("resource"))),
            BlockContent(ImageBlock(mark("image mime"), mark("image data"), mark("image uri"))),
            BlockContent(UnknownBlock(mark("block type"), {mark("block key"): mark("block value")})),
            UnknownContent(mark("content type"), [mark("content value")]),
            TerminalContent("t"),
        ),
        own_diffs=(Diff(mark("diff path"), mark("old text"), mark("new text")),),
        locations=(Location(mark("location"), 3),),
        raw_input={"command": mark("command"), "other": mark("input")},
        raw_output={mark("raw key"): mark("raw output")},
        permissions=(asked,),
        terminals=("t",),
    )
    waiting = permission(
        "0:1",
        outcome=None,
        option_id=None,
        decided_by=None,
        session_id=mark("subagent"),
        title=mark("loose title"),
        options=(PermissionOption("w", mark("waiting option"), "allow_once"),),
    )
    odd = ToolCall("d", title=None, name=None, kind=mark("only kind"), raw_input=[mark("only input")])
    terminal = Terminal(
        "t",
        mark("terminal command"),
        (mark("terminal argument"),),
        content=Text(mark("terminal output")),
        signal=mark("signal"),
        exited=True,
    )
    turn = Turn(
        session_id="s",
        prompt=(
            text(mark("prompt")),
            ResourceLinkBlock(
                mark("link"), mark("link name"), mark("link title"), mark("about"), mark("type"), 3
            ),
            ImageBlock("image/png", PNG, None),
            AudioBlock(mark("audio mime"), mark("audio")),
        ),
        closed=LongTuple(
            (
                message(mark("user"), "user"),
                message(mark("thought"), "thought"),
                message(mark("answer")),
                PlanItem(
                    None,
                    (PlanEntry(mark("step"), None, mark("step status")),),
                    mark("plan"),
                    mark("plan uri"),
                    0,
                ),
                ToolCallItem(call, 0),
                ToolCallItem(odd, 0),
                NoticeItem(mark("severity"), mark("notice"), mark("description"), 0),
                RawItem("unknown", mark("update"), {mark("update key"): mark("update value")}, 0),
                RawItem(
                    "elicitation",
                    "x",
                    {"request": {"message": mark("question")}, "response": mark("reply")},
                    0,
                ),
            )
        ),
        after=(message(mark("late answer")),),
        permissions=(asked, waiting),
        terminals={"t": terminal},
        stop_reason=mark("stop reason"),
    )
    failed = turn_of(prompt=mark("second prompt"), error=mark("error"), status="error")
    return session_of(
        turn,
        failed,
        cwd="/w/" + mark("cwd"),
        title=mark("session title"),
        agent=AgentInfo(mark("agent name"), mark("agent title"), mark("version")),
        preamble=turn_of(message(mark("preamble")), prompt=""),
        children={
            mark("child id"): session_of(turn_of(message(mark("child answer")), prompt=mark("child prompt")))
        },
        exit=Exit(None, mark("exit signal"), mark("stderr"), mark("exit reason")),
    )


class Reader(HTMLParser):
    """What a browser would make of HTML: tags with attributes, and the text a reader sees."""

    _BREAKS = frozenset(
        {"p", "div", "li", "pre", "tr", "summary", "td", "th", "br", "blockquote", "hr", "ul", "ol", "table"}
    )

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.problems: list[str] = []
        self.pieces: list[str] = []
        self.feed(html)
        self.close()
        self.problems += [f"<{tag}> never closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"br", "hr", "img"}:
            self.open.append(tag)
        if tag in self._BREAKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")
        if tag in self._BREAKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.pieces.append(data)

    def handle_comment(self, data: str) -> None:
        self.problems.append(f"comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        self.problems.append(f"declaration {decl!r}")

    def unknown_decl(self, data: str) -> None:
        self.problems.append(f"declaration {data!r}")

    def handle_pi(self, data: str) -> None:
        self.problems.append(f"instruction {data!r}")

    @property
    def text(self) -> str:
        """The visible text, lines trimmed, empty ones left out."""
        lines = (re.sub(r"[ \t]+", " ", line).strip() for line in "".join(self.pieces).split("\n"))
        return "\n".join(line for line in lines if line)
