"""Changes of files that a person decided on: written only if the file is still what he saw."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from acp_notebook._agent.protocol import RpcError
from acp_notebook._client.edits import Edit, MismatchError, Plan, Version, plan_again, plan_back, plan_edit
from acp_notebook._client.files import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from acp_notebook._client.files import Files
    from acp_notebook._client.roots import Roots


def text_now(path: Path) -> str | None:
    """The text of a file; None if there is none.

    Raises
    ------
    MismatchError
        It is no file, no text, or cannot be read.
    """
    try:
        return read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        raise MismatchError("This is a folder.") from error
    except RpcError as error:
        raise MismatchError(f"{error.message}.") from error
    except OSError as error:
        raise MismatchError(f"The file cannot be read: {error.strerror or error}.") from error


def plan_file(
    edits: Sequence[Edit], path: Path, versions: Sequence[Version], *, back: bool
) -> tuple[Plan, str | None]:
    """Plan all edits of one file on the file as it is now; reads it, and may take some time.

    Returns
    -------
    Plan, str or None
        And what is in the file already of an edit reviewed before.

    Raises
    ------
    MismatchError
        One of the edits cannot be carried out, so none is.
    """
    now = text_now(path)
    earlier = None
    if len(edits) == 1:
        plan, earlier = (plan_back(edits[0], now), None) if back else plan_again(edits[0], now, versions)
    else:
        text = now
        for edit in reversed(edits) if back else edits:
            text = (plan_back(edit, text) if back else plan_edit(edit, text)).after
        if text == now:
            raise MismatchError("This changes nothing.")
        plan = Plan(now, text)
    plan.spans  # noqa: B018 - computed here, where time is no matter
    return plan, earlier


async def swap(files: Files, path: Path, before: str | None, after: str | None) -> None:
    """Write a file if it is still `before`.

    Raises
    ------
    MismatchError
        It has changed, or cannot be written.
    """
    try:
        await files.replace(path, before, after)
    except RpcError as error:
        raise MismatchError(f"{error.message}.") from error


async def unchanged(path: Path, before: str | None) -> None:
    """Look whether a file is still what it was.

    Raises
    ------
    MismatchError
        It is not.
    """
    if await asyncio.to_thread(text_now, path) != before:
        raise MismatchError("The file has changed since the hunks were shown.")


def locate(roots: Roots, path: str) -> Path:
    """The file that a diff's path means; a relative one is meant from the chat's folder.

    Raises
    ------
    MismatchError
        It lies outside of the chat's folders.
    """
    try:
        return roots.resolve(str(roots.cwd / path) if path else path)
    except RpcError as error:
        raise MismatchError(f"{error.message}.") from error
