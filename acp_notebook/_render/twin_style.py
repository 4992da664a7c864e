"""The style sheet inside a static twin. Everything stays readable where a viewer strips it."""

from __future__ import annotations

import re

_CHAT_ID_RE = re.compile(r"[^A-Za-z0-9_-]")

# JupyterLab's variables with translucent fall-backs: those work on light and dark grounds alike.
RULES = """
.acp-notebook-twin{max-width:52em;line-height:1.5}
.acp-notebook-twin p,.acp-notebook-twin ul,.acp-notebook-twin ol{margin:.4em 0}
.acp-notebook-twin pre{margin:.4em 0;padding:.4em .6em;white-space:pre-wrap;overflow-wrap:anywhere;
background:var(--jp-layout-color2,rgba(128,128,128,.08));border-radius:3px;font-size:.92em}
.acp-notebook-twin pre code{background:none;padding:0}
.acp-notebook-twin code{font-family:var(--jp-code-font-family,monospace);overflow-wrap:anywhere}
.acp-notebook-twin img{max-width:100%}
.acp-notebook-twin summary{cursor:pointer}
.acp-notebook-twin .acp-title,.acp-notebook-twin .acp-foot,.acp-notebook-twin .acp-cut,
.acp-notebook-twin .acp-note,.acp-notebook-twin .acp-kind,
.acp-notebook-twin .acp-state,.acp-notebook-twin summary,
.acp-notebook-twin .acp-attachment{color:var(--jp-ui-font-color2,inherit)}
.acp-notebook-twin .acp-turn{border-top:1px solid var(--jp-border-color2,rgba(128,128,128,.3));padding:.3em 0}
.acp-notebook-twin .acp-prompt{margin:.4em 0;padding:.4em .8em;border:0;
border-left:3px solid var(--jp-border-color1,rgba(128,128,128,.5));
background:var(--jp-layout-color2,rgba(128,128,128,.08));color:inherit}
.acp-notebook-twin .acp-call{margin-top:.8em}
.acp-notebook-twin .acp-request{margin-left:1em}
.acp-notebook-twin .acp-output-error .acp-state,.acp-notebook-twin .acp-refused,
.acp-notebook-twin .acp-error{color:var(--jp-error-color1,#d32f2f)}
.acp-notebook-twin .acp-diff{padding:.4em 0}
.acp-notebook-twin .acp-diff span{display:inline-block;width:100%;box-sizing:border-box;padding:0 .6em}
.acp-notebook-twin .acp-add{background:rgba(46,160,67,.18)}
.acp-notebook-twin .acp-del{background:rgba(248,81,73,.18)}
.acp-notebook-twin .acp-hunk{color:var(--jp-ui-font-color2,inherit)}
.acp-notebook-twin .acp-right{text-align:right}
.acp-notebook-twin .acp-center{text-align:center}
.acp-notebook-twin .acp-left{text-align:left}
@media print{.acp-notebook-twin details::details-content{content-visibility:visible;block-size:auto}}
"""
"""The rules of everything that is rendered, below one class."""

# JupyterLab shows a bare text ("model not found", "Loading widget...") where a widget's view cannot be
# drawn; a view that lives has elements in it. Only the output right before this twin is meant.
_DEAD_VIEW = (
    ".jp-OutputArea-child:has(+ .jp-OutputArea-child .{twin})"
    " > .jp-OutputArea-output:not(:has(*)){{display:none}}\n"
)


def twin_class(chat_id: str) -> str:
    """Return the class that marks the twin of one chat."""
    return f"acp-notebook-twin-{_CHAT_ID_RE.sub('', chat_id)}"


def style(chat_id: str) -> str:
    """Return the style element of the twin of one chat."""
    return f"<style>{RULES}{dead_view(chat_id)}</style>\n"


def dead_view(chat_id: str) -> str:
    """Return the rule that hides what stands for a widget's view that could not be drawn."""
    return _DEAD_VIEW.format(twin=twin_class(chat_id))
