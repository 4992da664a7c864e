"""Sessions of the demo agent on disk, in the folder that `ACP_DEMO_STORE` names; else they end with it."""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from acp_notebook._demo.turn import Session
from acp_notebook._demo.wire import RpcError

if TYPE_CHECKING:
    from acp_notebook._demo.wire import Json


class Store:
    """The folder with a file a session."""

    def __init__(self) -> None:
        named = os.environ.get("ACP_DEMO_STORE")
        self._folder = Path(named) if named else None

    @property
    def keeps(self) -> bool:
        """Whether sessions outlive the process."""
        return self._folder is not None

    def capabilities(self) -> Json:
        """Give what is advertised: nothing without a folder."""
        if self._folder is None:
            return {"loadSession": False}
        able: Json = {name: {} for name in ("list", "resume", "close", "delete")}
        return {"loadSession": True, "sessionCapabilities": able}

    def _file(self, session_id: str) -> Path:
        # The id comes from the client: it must not lead anywhere else.
        if self._folder is None or not session_id.replace("-", "").isalnum():
            raise RpcError(-32002, f"There is no session {session_id!r}")
        return self._folder / f"{session_id}.json"

    def save(self, session: Session) -> None:
        """Write a session down, with everything that was said."""
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        said: Json = {"cwd": str(session.cwd), "said": session.said}
        self._file(session.id).write_text(json.dumps(said), encoding="utf-8")

    def load(self, session_id: str, cwd: Path) -> Session:
        """Give a session as it was saved, or answer -32002."""
        file = self._file(session_id)
        if not file.exists():
            raise RpcError(-32002, f"There is no session {session_id!r}")
        session = Session(session_id, cwd)
        session.said = json.loads(file.read_text(encoding="utf-8"))["said"]
        return session

    def delete(self, session_id: str) -> None:
        """Forget a session; one that is not there is gone already."""
        self._file(session_id).unlink(missing_ok=True)

    def listed(self, cwd: object) -> list[Json]:
        """List the sessions, of one folder if that is named, the newest first."""
        found: list[Json] = []
        files = sorted(self._folder.glob("*.json")) if self._folder is not None else []
        for file in files:
            kept = json.loads(file.read_text(encoding="utf-8"))
            if cwd is None or kept["cwd"] == cwd:
                stamp = dt.datetime.fromtimestamp(file.stat().st_mtime, dt.timezone.utc)
                title = kept["said"][0][0] if kept["said"] else None
                entry = {"sessionId": file.stem, "cwd": kept["cwd"], "title": title}
                found.append({**entry, "updatedAt": stamp.isoformat(timespec="milliseconds")})
        return sorted(found, key=lambda entry: str(entry["updatedAt"]), reverse=True)
