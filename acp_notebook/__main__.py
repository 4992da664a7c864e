"""The command line: `python -m acp_notebook`, or `acp-notebook`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from acp_notebook._cli import agents, doctor, transcripts
from acp_notebook._cli.versions import installed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments
        What follows the program's name; those of the process by default.

    Returns
    -------
    int
        The exit code.
    """
    parser = argparse.ArgumentParser(prog="acp-notebook", description="Coding agents in notebook cells.")
    parser.add_argument("--version", action="store_true", help="print the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    demo = commands.add_parser(
        "demo-agent",
        help="an agent without a model, on stdin and stdout",
        description="Speak the Agent Client Protocol on stdin and stdout, offline and always the same. "
        "ACP_DEMO_DELAY sets the seconds between two chunks.",
    )
    demo.set_defaults(run=_demo_agent)
    for add in (
        agents.add_agents,
        doctor.add_doctor,
        transcripts.add_sessions,
        transcripts.add_prune,
        transcripts.add_export,
    ):
        add(commands)
    parsed = parser.parse_args(arguments)
    if parsed.version:
        sys.stdout.write(f"acp-notebook {installed('acp-notebook') or '(not installed)'}\n")
        return 0
    if parsed.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output (`| head`) has enough. What is left must not be tried again at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _demo_agent(_arguments: argparse.Namespace) -> int:
    from acp_notebook._demo.agent import main as demo_agent

    return demo_agent()


if __name__ == "__main__":
    sys.exit(main())
