"""Plots of a session as plain Vega-Lite: JupyterLab, Notebook 7 and VS Code draw it without any package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from acp_notebook._fold.rows import rows
from acp_notebook._render.visible import visible
from acp_notebook._render.words import count

if TYPE_CHECKING:
    from acp_notebook._fold.state import Session

    Row = dict[str, Any]

MIME = "application/vnd.vegalite.v5+json"
"""The type of output that front ends draw; all current ones know this version."""
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # a name, nothing is fetched
_NAME_LIMIT = 60
_FILES = 40


class Plot(Mapping[str, Any]):
    """A Vega-Lite specification, a mapping as ``altair.Chart.from_dict`` takes it, that displays itself.

    Front ends that draw no Vega-Lite show the numbers as a table of text.

    Parameters
    ----------
    spec : dict
        With its data inside.

    Attributes
    ----------
    spec : dict
    data : list of dict
        The rows that are drawn.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec

    @property
    def data(self) -> list[dict[str, Any]]:
        """The rows that are drawn."""
        return list(self.spec["data"]["values"])

    def __getitem__(self, key: str) -> Any:
        return self.spec[key]

    def __iter__(self) -> Any:
        return iter(self.spec)

    def __len__(self) -> int:
        return len(self.spec)

    def __repr__(self) -> str:
        return f"<Plot {self.spec['title']!r}: {count(len(self.data), 'row')}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        del include, exclude
        # No text/html: JupyterLab would show that instead.
        return {MIME: self.spec, "text/plain": self._text()}

    def _cells(self) -> list[list[str]]:
        names = list(self.data[0]) if self.data else []
        return [names, *([_words(row[name]) for name in names] for row in self.data)]

    def _text(self) -> str:
        cells = [[visible(cell) for cell in row] for row in self._cells()]
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join([str(self.spec["title"]), *lines])


def _words(value: object) -> str:
    return "" if value is None else f"{value:,.6g}" if isinstance(value, float) else str(value)


def plot_tokens(session: Session) -> Plot:
    """Tokens over turns: bars of what each turn read and wrote."""
    data = []
    for row in _prompts(session):
        parts = [("input", row["input_tokens"]), ("output", row["output_tokens"])]
        if row["input_tokens"] is None and row["output_tokens"] is None:
            parts = [("total", row["total_tokens"])]
        data += [{"turn": row["turn"] + 1, "tokens": n, "part": part} for part, n in parts if n is not None]
    return _plot(
        "Tokens by turn",
        data,
        {"type": "bar", "tooltip": True},
        x={"field": "turn", "type": "ordinal", "title": "Turn", "axis": {"labelAngle": 0}},
        y={"field": "tokens", "type": "quantitative", "title": "Tokens", "stack": "zero"},
        color={"field": "part", "type": "nominal", "title": None},
    )


def plot_cost(session: Session) -> Plot:
    """Cost over turns, added up."""
    total: dict[str, float] = {}
    data = []
    for row in _prompts(session):
        if row["cost"] is None:
            continue
        currency = visible(str(row["currency"]))
        total[currency] = round(total.get(currency, 0.0) + row["cost"], 6)
        data.append(
            {"turn": row["turn"] + 1, "cost": row["cost"], "so far": total[currency], "currency": currency}
        )
    return _plot(
        "Cost so far",
        data,
        {"type": "line", "point": True, "tooltip": True, "interpolate": "step-after"},
        x={"field": "turn", "type": "ordinal", "title": "Turn", "axis": {"labelAngle": 0}},
        y={"field": "so far", "type": "quantitative", "title": "Cost"},
        color={"field": "currency", "type": "nominal", "title": None},
    )


def plot_time(session: Session) -> Plot:
    """Time by tool, in seconds, apart from the time that a person was waited for."""
    found: dict[str, dict[str, float]] = {}
    for row in _calls(session):
        # What is replayed took its time in another record.
        if row["duration"] is None or row["replayed"]:
            continue
        tool = found.setdefault(_short(row["tool"]), {"calls": 0, "working": 0.0, "waiting": 0.0})
        waited = min(row["waited"] or 0.0, row["duration"])
        tool["calls"] += 1
        tool["working"] += row["duration"] - waited
        tool["waiting"] += waited
    data = [
        {"tool": tool, "seconds": round(sums[part], 3), "spent": part, "calls": int(sums["calls"])}
        for tool, sums in found.items()
        for part in ("working", "waiting")
        if sums[part] or part == "working"
    ]
    return _plot(
        "Time by tool",
        data,
        {"type": "bar", "tooltip": True},
        y={"field": "tool", "type": "nominal", "title": None, "sort": "-x"},
        x={"field": "seconds", "type": "quantitative", "title": "Seconds", "stack": "zero"},
        color={"field": "spent", "type": "nominal", "title": None, "sort": ["working", "waiting"]},
    )


def plot_files(session: Session) -> Plot:
    """How often the tools touched which file; the most touched 40."""
    touched: dict[str, dict[str, int]] = {}
    for row in _calls(session):
        for path in row["paths"] or ():
            tools = touched.setdefault(_short(path), {})
            tools[_short(row["tool"])] = tools.get(_short(row["tool"]), 0) + 1
    most = sorted(touched, key=lambda path: (-sum(touched[path].values()), path))
    data = [
        {"file": path, "tool": tool, "calls": calls}
        for path in most[:_FILES]
        for tool, calls in touched[path].items()
    ]
    left = len(most) - _FILES
    return _plot(
        f"Files touched ({count(left, 'more file')} left out)" if left > 0 else "Files touched",
        data,
        {"type": "bar", "tooltip": True},
        y={"field": "file", "type": "nominal", "title": None, "sort": "-x"},
        x={"field": "calls", "type": "quantitative", "title": "Calls", "axis": {"tickMinStep": 1}},
        color={"field": "tool", "type": "nominal", "title": None},
    )


def _prompts(session: Session) -> list[Row]:
    """The rows of the session's own turns; what is replayed was counted where it happened."""
    return [
        row
        for row in rows(session)
        if row["kind"] == "prompt" and not row["replayed"] and row["session_id"] not in session.children
    ]


def _calls(session: Session) -> list[Row]:
    """The rows of all tool calls, those of subagents too."""
    return [row for row in rows(session) if row["kind"] == "tool_call"]


def _short(text: str) -> str:
    """A name that fits beside an axis; made visible, as Vega draws text as it is."""
    clean = visible(text)
    return clean if len(clean) <= _NAME_LIMIT else "…" + clean[1 - _NAME_LIMIT :]


def _plot(title: str, data: list[Row], mark: dict[str, Any], **encoding: Any) -> Plot:
    return Plot(
        {
            "$schema": _SCHEMA,
            "title": title,
            "width": 480,
            "data": {"values": data},
            "mark": mark,
            "encoding": encoding,
        }
    )
