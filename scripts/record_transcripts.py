"""Records ``notebooks/transcripts/demo.jsonl``: four prompts to the demo agent, in its sample project.

Run it when what a transcript holds has changed. Nothing of the machine stays in the file.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from acp_notebook import Agent, Chat, Policy, Transcript
from acp_notebook._demo.scratch import SAMPLE
from acp_notebook._fold.state import Permission

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "notebooks" / "transcripts" / "demo.jsonl"
PROMPTS = (
    "Why does the test fail? Please fix it.",
    "Call a failing tool",
    "Ask me a question",
    "Show me a picture of the week",
)
READING = 0.8
"""Seconds that a decision takes."""
FOLDER = "/home/user/weather-project"
"""The folder that the file names in the place of the real one."""


def decide(permission: Permission) -> str:
    """Answer with the first option, as somebody would who reads what is asked before."""
    time.sleep(READING)
    return permission.options[0].id


def record(project: Path, path: Path) -> None:
    """Play the prompts and keep what happens."""
    env = {"ACP_DEMO_DELAY": "0.05"}
    demo = Agent(sys.executable, "-m", "acp_notebook", "demo-agent", env=env, name="demo")
    with Chat(demo, cwd=project, policy=Policy.when(decide), record=path) as chat:
        for prompt in PROMPTS:
            chat.ask(prompt)


def without_machine(text: str, project: Path) -> str:
    """The file's text with invented names for the folder and for Python."""
    for real, told in ((str(project), FOLDER), (sys.executable, "python")):
        text = text.replace(json.dumps(real)[1:-1], told)
    return text


def main() -> int:
    """Record, check, and put the file where the notebooks look for it."""
    with tempfile.TemporaryDirectory() as temporary:
        parent = Path(temporary).resolve()
        project = Path(
            shutil.copytree(SAMPLE, parent / "project", ignore=shutil.ignore_patterns("__pycache__"))
        )
        path = parent / "demo.jsonl"
        record(project, path)
        text = without_machine(path.read_text(encoding="utf-8"), project)
        if str(parent) in text or str(Path.home()) in text:
            print("The recording names a folder of this machine; nothing was written.", file=sys.stderr)
            return 1
        path.write_text(text, encoding="utf-8")
        recorded = Transcript.load(path)
        if not recorded.complete or recorded.warnings or len(recorded.turns) != len(PROMPTS):
            print(f"The recording is not whole: {recorded}", file=sys.stderr)
            return 1
        TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {recorded}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
