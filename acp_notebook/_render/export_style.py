"""The style sheet of an exported page: that of the static copies, and the page around it."""

from __future__ import annotations

from acp_notebook._render.twin_style import RULES

# The system's own colours follow light and dark by themselves; the rest are JupyterLab's variables, which
# the rules of the static copies use.
_PAGE = """
:root{color-scheme:light dark;--jp-ui-font-color2:#5b6067;--jp-error-color1:#b3261e;
--jp-border-color1:#9aa0a6;--jp-border-color2:#d5d8dc;--jp-layout-color2:#f3f4f6;
--jp-code-font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{--jp-ui-font-color2:#a3a9b1;--jp-error-color1:#ff8a80;
--jp-border-color1:#6b7178;--jp-border-color2:#3c4147;--jp-layout-color2:#24272b}
body{background:#16181b;color:#e4e6e9}a{color:#8ab4f8}}
body{margin:0;padding:1.5rem 1rem 4rem;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{margin:0 auto;overflow-wrap:anywhere}
h1{font-size:1.3rem;line-height:1.3;margin:0}
header p,h2 small{color:var(--jp-ui-font-color2);font-weight:normal}
header p{margin:.2rem 0 0}
h2{font-size:1rem;margin:2rem 0 .4rem}
h2 small{font-size:.85rem;margin-left:.5rem}
h2 a{color:inherit;text-decoration:none}
h2 a:hover{text-decoration:underline}
nav{margin:1rem 0;padding:.2rem 0;border-bottom:1px solid var(--jp-border-color2)}
nav ol{padding-left:2.4rem}
table{border-collapse:collapse}
th,td{border:1px solid var(--jp-border-color2);padding:.2rem .5rem}
@media print{:root{color-scheme:light;--jp-ui-font-color2:#444;--jp-layout-color2:#f3f4f6;
--jp-border-color1:#888;--jp-border-color2:#ccc;--jp-error-color1:#a00}
body{padding:0;background:#fff;color:#000;font-size:10pt;print-color-adjust:exact;
-webkit-print-color-adjust:exact}a{color:inherit}
nav{display:none}h2,.acp-call,.acp-file,summary{break-after:avoid}
blockquote,img,tr{break-inside:avoid}}
"""

STYLE = RULES + _PAGE
