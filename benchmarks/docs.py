"""The page about the last run, made of its JSON: ``python benchmarks/all.py --page docs/benchmarks.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from report import format_table, shown

HEAD = """# What it costs

`make bench` measures everything in less than 15 minutes on 2 cores and ends with the table below and
`build/bench.json`; `make bench QUICK=1` takes a tenth of it, and each file in `benchmarks/` runs alone
too. This page is written by `make bench BENCH="--page docs/benchmarks.md"`. Figures are ratios within
one run wherever they can be: machines differ, and one that does other work at the same time shows in
every lag and in every longest task.
"""
TEXTS = {
    "stream": """A streaming turn in the real JupyterLab. The agent is a process that writes its
clock into each chunk of 20 characters; a chunk's lag ends in the first frame with its text in the
shadow DOM. Bytes are those over the kernels' websocket from the prompt until nothing comes any
more, the static copy included. "Whole state per chunk" is what a widget does that keeps its state
in one trait and draws it anew; "at 20 Hz, appended" is the best that can be done with one trait.""",
    "fold": """Processor time of folding one record after the other, beside reading its line as
JSON. The SDK's accumulator and `use-acp` do their whole work again for every message: that is
measured at 40 places of the stream and summed. `use-acp` runs in node, and its store and its
merging alone are counted, no drawing.""",
    "session": """A chat that holds many turns already. `end` is a turn with one chunk, from its
prompt until rest; `chunk` is what each further chunk adds. The page's time is script, style and
layout of JupyterLab's whole main thread.""",
    "diff": """Hunks of long files. In JupyterLab each text comes as a request for permission
with a diff; "on screen after" counts from the moment at which its message has reached the page.
Meanwhile a cell and the agents' loop are asked every 2 ms: the longest that they kept somebody
waiting.""",
    "terminal": """A command of an agent's writes as fast as it can; the agent asks for its output
twice a second.""",
    "explorer": """A transcript of 1,000 turns and 50 MB. Keystrokes are judged a second after the
last record was read; those in the moment itself ("at once") wait for the page's garbage collector
now and then. Reload counts from the empty page, JupyterLab included.""",
    "start": """Import times are processor time over that of python alone.""",
    "peers": """The same turns through the code of others as it is, driven by the same agent, up
to the message for the browser: `jupyter-ai-acp-client` with its own client class into a chat
document (the bytes are the document's updates), and `use-acp`'s store and merging in node (the
bytes are the agent's, which it passes on as they are). Ours waits up to 50 ms on purpose to send
many chunks at once.""",
}
REASONS = {
    "a step of the scrubber, on the screen": """most of it is spent outside of the explorer:
JupyterLab lays its toolbar out anew and changes the page's icon whenever the kernel turns busy or idle
(twice a step), and frames are drawn without a graphics card. The kernel's own part is the row "in the
kernel".""",
}


def write(whole: dict[str, Any], path: Path) -> None:
    """Write the page."""
    path.write_text(text(whole))


def text(whole: dict[str, Any]) -> str:
    """The page."""
    machine = whole["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    where = (
        f"Measured with Python {machine['python']} on {machine['system']}, {machine['cores']} cores, load "
        f"{' / '.join(str(value) for value in machine['load'])} before it began; {versions}. "
        f"{whole['seconds']} s{' (' + ' '.join(whole['flags']) + ')' if whole['flags'] else ''}."
    )
    if whole["kept"]:
        where += f" Measured in an earlier run of the same machine: {', '.join(whole['kept'])}."
    figures = whole["figures"]
    parts = [HEAD, where, "## What must hold", format_table(shown(figures)), reasons(figures)]
    for name, found in whole["benchmarks"].items():
        parts += [f"## {name} (`benchmarks/{name}.py`)", TEXTS.get(name, "")]
        for title, rows in found["tables"].items():
            if title != "everything":
                parts += [f"**{title}**", format_table(rows)]
        parts += [f"- {note}" for note in found["notes"]]
    parts += [f"Crashed: {each}" for each in whole["crashed"]]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def reasons(figures: list[dict[str, Any]]) -> str:
    """Why what does not hold does not, where that is known."""
    failed = [figure["figure"] for figure in figures if figure["holds"] is False]
    lines = [
        f"- {figure}: {' '.join(reason.split())}"
        for figure in failed
        for start, reason in REASONS.items()
        if start in figure
    ]
    return "\n".join(lines)
