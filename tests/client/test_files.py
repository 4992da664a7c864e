from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from acp_notebook._agent.protocol import RpcError
from acp_notebook._client import files
from acp_notebook._client.files import Files
from acp_notebook._client.roots import Roots

NOT_FOUND, INVALID, INTERNAL = -32002, -32602, -32603


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work-sibling").mkdir()
    (tmp_path / "work-sibling" / "secret").write_text("secret")
    (tmp_path / "secret").write_text("secret")
    return tmp_path / "work"


def read(folder: Path, path: object, **more: object) -> str:
    answer = asyncio.run(
        Files(Roots(folder)).read({"path": str(path) if isinstance(path, Path) else path, **more})
    )
    return str(answer["content"])


def write(folder: Path, path: Path, content: object) -> dict[str, object]:
    return asyncio.run(Files(Roots(folder)).write({"path": str(path), "content": content}))


def code_of(call, *args, **kwargs) -> int:
    with pytest.raises(RpcError) as caught:
        call(*args, **kwargs)
    return caught.value.code


@pytest.mark.parametrize(
    ("line", "limit", "expected"),
    [
        (None, None, "a\r\nb\n\nd"),
        (1, 1, "a\r\n"),
        (0, 1, "a\r\n"),
        (2, None, "b\n\nd"),
        (2, 2, "b\n\n"),
        (4, 9, "d"),
        (5, 1, ""),
        (None, 0, ""),
    ],
)
def test_lines_are_counted_from_one_and_keep_their_ends(folder, line, limit, expected):
    """`line` and `limit` cut whole lines; what is between the line ends, and they, come as they are."""
    (folder / "f").write_bytes(b"a\r\nb\n\nd")
    assert read(folder, folder / "f", line=line, limit=limit) == expected


@pytest.mark.parametrize("wrong", [{"line": -1}, {"limit": "5"}, {"line": True}, {"limit": 1.5}])
def test_wrong_numbers_are_refused(folder, wrong):
    """A line or limit that is no whole number is an error, not a guess."""
    (folder / "f").write_text("a")
    assert code_of(read, folder, folder / "f", **wrong) == INVALID


def test_what_cannot_be_read_says_why(folder):
    """A missing file is -32002; a folder, a binary, a pipe and a path of a wrong form are clear errors."""
    (folder / "binary").write_bytes(b"\xff\x00")
    (folder / "zeros").write_bytes(b"a\0b")
    os.mkfifo(folder / "pipe")
    assert code_of(read, folder, folder / "missing") == NOT_FOUND
    assert code_of(read, folder, folder / "binary" / "below") == NOT_FOUND
    for path in (
        folder,
        folder / "binary",
        folder / "zeros",
        folder / "pipe",
        "work/f",
        "",
        None,
        5,
        f"{folder}/a\0",
    ):
        assert code_of(read, folder, path) == INVALID


def test_a_relative_path_is_refused_though_it_leads_inside(folder, monkeypatch):
    """The protocol wants absolute paths; what this process's own folder is plays no part."""
    (folder / "f").write_text("x")
    monkeypatch.chdir(folder)
    for path in ("f", "./f", "../work/f"):
        assert code_of(read, folder, path) == INVALID


def test_what_is_too_long_is_refused(folder, monkeypatch):
    """A text over the limit is not handed out, whole or by lines; a part of it is."""
    monkeypatch.setattr(files, "READ_LIMIT", 10)
    (folder / "f").write_text("12345\n" * 3)
    (folder / "ten").write_text("0123456789")
    assert code_of(read, folder, folder / "f") == INVALID
    assert code_of(read, folder, folder / "f", line=1, limit=2) == INVALID
    assert read(folder, folder / "f", line=3) == "12345\n"
    assert read(folder, folder / "ten") == "0123456789"


def test_a_read_only_file_stays_as_it_is(folder, monkeypatch):
    """A file that may not be written is not replaced by another one."""
    (folder / "f").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode, **_: mode != os.W_OK)  # root may write everywhere
    assert code_of(write, folder, folder / "f", "new") == INTERNAL
    assert (folder / "f").read_text() == "old"


def test_a_failed_write_leaves_nothing_behind(folder, monkeypatch):
    """If the disk is full, the old text stays and the draft is gone."""
    (folder / "f").write_text("old")

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(RpcError, match="No space left"):
        write(folder, folder / "f", "new")
    assert [p.name for p in folder.iterdir()] == ["f"]
    assert (folder / "f").read_text() == "old"


def test_text_is_utf_8(folder):
    """Characters beyond ASCII, a byte order mark included, come as they are."""
    (folder / "f").write_bytes("\ufeffä€😀".encode())
    assert read(folder, folder / "f") == "\ufeffä€😀"


def test_a_write_is_exact(folder):
    """Bytes and line ends stay as sent; missing folders are made; nothing else is left behind."""
    path = folder / "new" / "deep" / "f"
    assert write(folder, path, "a\r\nb\rc\nä") == {}
    assert path.read_bytes() == "a\r\nb\rc\nä".encode()
    assert os.listdir(path.parent) == ["f"]  # noqa: PTH208


def test_a_write_keeps_the_mode_and_a_new_file_gets_the_usual_one(folder):
    """An executable stays executable; a new file is what the umask makes it."""
    script = folder / "script"
    script.write_text("old")
    script.chmod(0o754)
    old_mask = os.umask(0o027)
    try:
        write(folder, script, "new")
        write(folder, folder / "fresh", "new")
    finally:
        os.umask(old_mask)
    assert stat.S_IMODE(script.stat().st_mode) == 0o754
    assert stat.S_IMODE((folder / "fresh").stat().st_mode) == 0o640


def test_a_write_replaces_at_once(folder):
    """Whoever has the old file open goes on to read the old text: the file was replaced, not rewritten."""
    (folder / "f").write_text("old")
    with (folder / "f").open() as file:
        write(folder, folder / "f", "new")
        assert file.read() == "old"
    assert (folder / "f").read_text() == "new"


def test_a_write_through_an_inner_link_keeps_the_link(folder):
    """A link to a file of the same folder stays a link; its target gets the text."""
    (folder / "f").write_text("old")
    (folder / "link").symlink_to("f")
    write(folder, folder / "link", "new")
    assert (folder / "link").is_symlink()
    assert (folder / "f").read_text() == "new"


def test_what_cannot_be_written_says_why(folder):
    """A folder, a pipe, text that is none, a path below a file: errors, and nothing is written."""
    (folder / "f").write_text("old")
    os.mkfifo(folder / "pipe")
    assert code_of(write, folder, folder, "x") == INVALID
    assert code_of(write, folder, folder / "pipe", "x") == INVALID
    assert code_of(write, folder, folder / "f", None) == INVALID
    assert code_of(write, folder, folder / "f", "\ud800") == INVALID
    assert code_of(write, folder, folder / "f" / "g", "x") in (NOT_FOUND, INTERNAL)
    assert (folder / "f").read_text() == "old"
    assert sorted(p.name for p in folder.iterdir()) == ["f", "pipe"]


def escapes(folder: Path) -> list[str]:
    outside = folder.parent
    (folder / "to-file").symlink_to(outside / "secret")
    (folder / "to-folder").symlink_to(outside)
    (folder / "dangling").symlink_to(outside / "not-yet")
    (folder / "chain").symlink_to("to-folder")
    (folder / "loop").symlink_to("loop")
    return [
        str(outside / "secret"),
        f"{folder}/../secret",
        f"{folder}/./x/../../secret",
        f"{folder}/to-file",
        f"{folder}/to-folder/secret",
        f"{folder}/chain/secret",
        f"{folder}/to-folder/new/file",
        f"{folder}/dangling",
        f"{folder}-sibling/secret",
        f"{folder}-new/file",
        f"{str(folder).upper()}/f",
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/root/etc/passwd",
        f"/proc/self/root{folder.parent}/secret",
        "/proc/self/environ",
        "/dev/stdin",
        f"{folder}//..//secret",
        f"{folder}/..",
        f"{folder}/to-file/../../secret",
        f"{folder}/to-folder/work/../secret",
        f"{folder}\\..\\secret/../../secret",
        f"{str(folder).swapcase()}/f",
        "\\\\server\\share\\f",
        "C:\\Windows\\win.ini",
        "~/secret",
        "file:///etc/passwd",
    ]


def test_no_path_leads_out(folder):
    """Dots, links (dangling, chained, in the middle), siblings and other cases: nothing outside is read or written."""
    outside = folder.parent
    before = sorted(map(str, outside.rglob("*")))
    paths = escapes(folder)
    for path in paths:
        assert code_of(read, folder, path) == INVALID, path
        assert code_of(write, folder, Path(path), "owned") == INVALID, path
    assert code_of(read, folder, folder / "loop") in (INTERNAL, INVALID)
    (outside / "secret").read_text()
    after = {p for p in map(str, outside.rglob("*")) if not Path(p).is_symlink()}
    assert after == set(before)
    assert (outside / "secret").read_text() == "secret"


def test_the_folders_themselves_may_be_links(folder):
    """Both sides are resolved: a chat in a linked folder takes paths by either name; further folders count too."""
    alias = folder.parent / "alias"
    alias.symlink_to(folder)
    (folder / "f").write_text("x")
    roots = Roots(alias, [folder.parent / "work-sibling"])
    assert roots.resolve(str(alias / "f")) == roots.resolve(str(folder / "f")) == folder / "f"
    assert roots.resolve(str(folder.parent / "work-sibling" / "secret")).name == "secret"
    assert roots.cwd == folder


def test_requests_are_served_in_their_order(folder):
    """A read that follows a write on the wire sees what was written, though neither waited for the other."""

    async def main() -> tuple[dict[str, object], dict[str, object]]:
        served = Files(Roots(folder))
        path = str(folder / "f")
        return await asyncio.gather(
            served.write({"path": path, "content": "1" * 1_000_000}), served.read({"path": path, "limit": 1})
        )

    assert asyncio.run(main())[1] == {"content": "1" * 1_000_000}
