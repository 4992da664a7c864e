from __future__ import annotations

import asyncio
import ctypes
import os
import threading
from pathlib import Path

import pytest

from acp_notebook._agent.protocol import RpcError
from acp_notebook._client import nofollow
from acp_notebook._client.files import Files, read_text, write_bytes
from acp_notebook._client.roots import Roots

AT_FDCWD, RENAME_EXCHANGE = -100, 2


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a folder inside, and a secret outside under the same name."""
    (tmp_path / "work" / "sub").mkdir(parents=True)
    (tmp_path / "work" / "sub" / "f").write_text("inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("secret")
    return tmp_path / "work"


def swap(work: Path) -> None:
    (work / "sub").rename(work / "kept")
    (work / "sub").symlink_to(work.parent / "outside")


@pytest.mark.parametrize("steps", [True, False], ids=["by descriptors", "by paths"])
def test_a_folder_swapped_for_a_link_leads_nowhere(work, monkeypatch, steps):
    """What was resolved before the swap is neither read nor written nor made outside."""
    monkeypatch.setattr(nofollow, "_STEPS", steps)
    path = Roots(work).resolve(str(work / "sub" / "f"))
    assert read_text(path) == "inside"
    swap(work)
    for use in (
        lambda: read_text(path),
        lambda: write_bytes(path, b"owned"),
        lambda: write_bytes(path.parent / "new", b"owned"),
        lambda: write_bytes(path.parent / "deep" / "new", b"owned"),
    ):
        with pytest.raises((RpcError, OSError)):
            use()
    assert {p.name: p.read_text() for p in (work.parent / "outside").iterdir() if p.is_file()} == {
        "f": "secret"
    }


def test_a_file_swapped_for_a_link_leads_nowhere(work):
    """The last step counts too: a link is not read through, and not written through."""
    path = Roots(work).resolve(str(work / "sub" / "f"))
    path.unlink()
    path.symlink_to(work.parent / "outside" / "f")
    with pytest.raises((RpcError, OSError)):
        read_text(path)
    with pytest.raises(RpcError, match="not a regular file"):
        write_bytes(path, b"owned")
    assert (work.parent / "outside" / "f").read_text() == "secret"


def test_a_race_of_links_is_never_won(work):
    """While links and folders change places, whatever is served comes from inside and goes inside."""
    files, outside = Files(Roots(work)), work.parent / "outside"
    (work / "link").symlink_to(outside)
    ended = threading.Event()

    here, there = os.fsencode(work / "sub"), os.fsencode(work / "link")
    exchange_names = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if exchange_names is None:
        pytest.skip("no way to exchange two names at once here")

    def exchange() -> None:
        while not ended.is_set():
            exchange_names(AT_FDCWD, here, AT_FDCWD, there, RENAME_EXCHANGE)

    async def main() -> list[str]:
        seen = []
        for number in range(400):
            params = {"path": str(work / "sub" / "f")}
            try:
                seen.append((await files.read(params))["content"])
                await files.write({**params, "content": f"inside {number}"})
                await files.write({"path": str(work / "sub" / "new" / "f"), "content": "inside"})
            except RpcError:
                seen.append("refused")
        return seen

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        seen = asyncio.run(main())
    finally:
        ended.set()
        thread.join()
    assert "secret" not in seen
    assert any(text.startswith("inside") for text in seen)
    assert [p.name for p in outside.iterdir()] == ["f"]
    assert (outside / "f").read_text() == "secret"


def test_folders_that_may_only_be_passed_through_are(work):
    """A folder without the right to list it can be on the way."""
    if os.geteuid() == 0:
        pytest.skip("root may list every folder")
    (work / "sub").chmod(0o311)
    try:
        assert read_text(work / "sub" / "f") == "inside"
    finally:
        (work / "sub").chmod(0o755)
