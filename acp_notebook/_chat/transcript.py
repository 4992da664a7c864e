"""The public `Transcript`: the records of a chat with everything one can do with them.

The records and the fold are in `_fold.transcript`, search and the explorer in `_explore`; what needs the
rendering or the user's data folder is added here, because imports run one way.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._explore.explorable import Explorable
from acp_notebook._fold.mapping import to_ui_message
from acp_notebook._fold.rows import COLUMNS, rows

if TYPE_CHECKING:
    from acp_notebook._chat.store import TranscriptFile
    from acp_notebook._fold.transcript_file import PathLike
    from acp_notebook._render.plots import Plot

    Format = Literal["md", "html", "ipynb", "json"]

SUFFIXES: dict[str, str] = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".ipynb": "ipynb",
    ".json": "json",
}
"""Which format a file's name asks for."""


class Transcript(Explorable):
    """What happened in a chat: its records, the state at any moment of them, and ways to hand it on.

    Exports are the same on every run, hold nothing but text of the agent (no HTML, no script, no control
    characters), and leave nothing out but pictures over 10 MB.

    Parameters
    ----------
    records : iterable of Record
    header : mapping, optional
        As in the file.
    warnings : sequence of str, optional
        What could not be read.
    """

    @classmethod
    def recent(cls, limit: int | None = 10) -> tuple[TranscriptFile, ...]:
        """The newest transcripts in the user's data folder, newest first.

        Parameters
        ----------
        limit : int, optional
            How many at most; None for all.

        Returns
        -------
        tuple of TranscriptFile
            Each says when, with which agent and where it was, and has `load`.
        """
        from acp_notebook._chat.store import stored

        return stored(limit)

    # exports

    def to_markdown(self, *, thoughts: bool = True, inputs: bool = True) -> str:
        """The conversation as a Markdown document; pictures are described.

        Parameters
        ----------
        thoughts, inputs : bool
            Whether the agent's thoughts and the inputs of tools are in it.
        """
        from acp_notebook._render.export_markdown import export_markdown

        return export_markdown(self.session, created=self._created, thoughts=thoughts, inputs=inputs)

    def to_html(self, *, thoughts: bool = True, inputs: bool = True) -> str:
        """The conversation as one page that needs no network and no script, light and dark, fit to print.

        Parameters
        ----------
        thoughts, inputs : bool
            Whether the agent's thoughts and the inputs of tools are in it, folded.
        """
        from acp_notebook._render.export_html import export_html

        return export_html(self.session, created=self._created, thoughts=thoughts, inputs=inputs)

    def to_ipynb(self, *, thoughts: bool = False, inputs: bool = True) -> dict[str, Any]:
        """The conversation as a notebook: Python that the agent proposed becomes code cells.

        Parameters
        ----------
        thoughts, inputs : bool
            Whether the agent's thoughts and the inputs of tools are in it.

        Returns
        -------
        dict
            A notebook of format 4.5, as ``nbformat.from_dict`` takes it.
        """
        from acp_notebook._render.export_ipynb import export_ipynb

        return export_ipynb(self.session, created=self._created, thoughts=thoughts, inputs=inputs)

    def to_dataframe(self) -> Any:
        """A pandas data frame with one row an item, prompts included.

        Columns: session_id, turn, item, kind, title, tool, status, path, paths, started, ended, duration and
        waited (seconds), decision, decided_by, added and removed (lines), characters, input_tokens,
        output_tokens, total_tokens, cost, currency, replayed.

        Raises
        ------
        ImportError
            pandas is not installed. `to_rows` needs no package.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_dataframe needs pandas: pip install pandas. to_rows() gives the same without it."
            ) from error
        frame = pd.DataFrame(self.to_rows(), columns=list(COLUMNS))
        # Without this a column of whole numbers in which some are missing would become one of floats.
        return frame.astype(dict.fromkeys(("item", "added", "removed", "characters"), "Int64"))

    def to_rows(self) -> list[dict[str, Any]]:
        """The rows of `to_dataframe` as dicts, one an item, prompts included."""
        return rows(self.session)

    def to_ui_messages(self) -> list[dict[str, Any]]:
        """The assistant's message of each turn for a front end of the AI SDK, see `to_ui_message`."""
        return [to_ui_message(turn) for turn in self.turns]

    def export(self, path: PathLike, to: Format | None = None) -> Path:
        """Write the conversation to a file.

        Parameters
        ----------
        path : str or path
            An existing file is replaced.
        to : {"md", "html", "ipynb", "json"}, optional
            The format; by default what the name ends with.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ValueError
            The format is unknown.
        OSError
            The file cannot be written.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        text = self.to_text(to or SUFFIXES.get(suffix) or suffix)
        target.write_text(text, encoding="utf-8", newline="\n")
        return target

    def to_text(self, to: str) -> str:
        """An export as the text of a file.

        Parameters
        ----------
        to : {"md", "html", "ipynb", "json"}

        Raises
        ------
        ValueError
            The format is unknown.
        """
        from acp_notebook._render.safe_json import dump

        match to:
            case "md":
                return self.to_markdown()
            case "html":
                return self.to_html()
            case "ipynb":
                return dump(self.to_ipynb())
            case "json":
                return dump(self.to_json())
            case _:
                msg = f"The formats are md, html, ipynb and json, not {to!r}."
                raise ValueError(msg)

    # plots

    def plot_tokens(self) -> Plot:
        """Tokens by turn, as Vega-Lite that displays itself."""
        from acp_notebook._render.plots import plot_tokens

        return plot_tokens(self.session)

    def plot_cost(self) -> Plot:
        """Cost over turns, added up, as Vega-Lite that displays itself."""
        from acp_notebook._render.plots import plot_cost

        return plot_cost(self.session)

    def plot_time(self) -> Plot:
        """Seconds by tool, apart from those a person was waited for, as Vega-Lite that displays itself."""
        from acp_notebook._render.plots import plot_time

        return plot_time(self.session)

    def plot_files(self) -> Plot:
        """How often tools touched which file, as Vega-Lite that displays itself."""
        from acp_notebook._render.plots import plot_files

        return plot_files(self.session)

    @property
    def _created(self) -> object:
        return self.header.get("created")
