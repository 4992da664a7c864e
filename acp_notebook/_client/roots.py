"""The folders that an agent may touch through us."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from acp_notebook._agent.protocol import INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Roots:
    """Decides whether a path lies inside a chat's folders.

    Both sides are resolved first, links included (also dangling ones, and links in the middle), and then
    compared part by part: ``..``, a link that leads out, and a sibling whose name begins alike are outside.

    Parameters
    ----------
    cwd : path
        The chat's folder.
    additional : iterable of paths
        Further folders (`additional_directories`).
    """

    def __init__(
        self, cwd: str | os.PathLike[str], additional: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        self.folders = tuple(Path(os.path.realpath(folder)) for folder in (cwd, *additional))

    @property
    def cwd(self) -> Path:
        """The chat's folder, resolved."""
        return self.folders[0]

    def resolve(self, path: object) -> Path:
        """Return the real file that an agent's path means.

        Parameters
        ----------
        path : object
            As the agent sent it; the protocol wants an absolute path.

        Returns
        -------
        Path
            Absolute, without links or ``..``; it need not exist.

        Raises
        ------
        RpcError
            -32602, if it is no absolute path or lies outside.
        """
        if not isinstance(path, str) or not path or "\0" in path:
            raise RpcError(INVALID_PARAMS, f"the path must be a non-empty string, not {path!r}")
        if not Path(path).is_absolute():
            raise RpcError(INVALID_PARAMS, f"the path must be absolute, not {path!r}", {"path": path})
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError) as error:
            raise RpcError(INVALID_PARAMS, f"{path!r} cannot be resolved: {error}", {"path": path}) from error
        if not any(real.is_relative_to(folder) for folder in self.folders):
            allowed = ", ".join(map(str, self.folders))
            raise RpcError(
                INVALID_PARAMS, f"{path!r} is outside of the folders of this chat: {allowed}", {"path": path}
            )
        return real
