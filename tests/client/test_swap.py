"""Changes that a person decided on are made only to the file that he saw."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from acp_notebook._client.edits import Edit, MismatchError
from acp_notebook._client.files import Files
from acp_notebook._client.roots import Roots
from acp_notebook._client.swap import locate, plan_file, swap, text_now, unchanged


def test_a_changed_file_is_not_written(tmp_path: Path) -> None:
    """Neither written nor deleted, nor made where there is one by now."""
    files, file = Files(Roots(tmp_path)), tmp_path / "a.txt"
    file.write_bytes(b"mine\r\n")
    for before in ("other", None, "mine\n"):
        for after in ("new", None):
            with pytest.raises(MismatchError, match="changed meanwhile"):
                asyncio.run(swap(files, file, before, after))
    with pytest.raises(MismatchError, match="changed since"):
        asyncio.run(unchanged(file, "other"))
    assert file.read_bytes() == b"mine\r\n"


def test_what_was_seen_is_written(tmp_path: Path) -> None:
    """Byte for byte, in new folders too, and taken away again."""
    files, file = Files(Roots(tmp_path)), tmp_path / "deep" / "a.txt"
    asyncio.run(swap(files, file, None, "one\r\ntwo"))
    assert file.read_bytes() == b"one\r\ntwo"
    asyncio.run(swap(files, file, "one\r\ntwo", ""))
    assert file.read_bytes() == b""
    asyncio.run(swap(files, file, "", None))
    assert not file.exists()
    asyncio.run(unchanged(file, None))


def test_what_is_no_text_has_no_hunks(tmp_path: Path) -> None:
    """A folder, bytes, a place outside: a sentence for the person."""
    (tmp_path / "bytes").write_bytes(b"\xff\x00")
    with pytest.raises(MismatchError, match="folder"):
        text_now(tmp_path)
    with pytest.raises(MismatchError, match="not UTF-8"):
        text_now(tmp_path / "bytes")
    assert text_now(tmp_path / "none") is None
    roots = Roots(tmp_path)
    assert locate(roots, "a.txt") == locate(roots, str(tmp_path / "a.txt")) == roots.cwd / "a.txt"
    for path in ("../a", "/etc/passwd", ""):
        with pytest.raises(MismatchError):
            locate(roots, path)


def test_several_edits_of_one_file_are_one_plan(tmp_path: Path) -> None:
    """In their order, and back in the other; one that does not fit spoils them all."""
    file = tmp_path / "a.txt"
    file.write_text("1\n2\n3\n")
    edits = [Edit("a.txt", "1\n", "one\n"), Edit("a.txt", "one\n2\n", "one\ntwo\n")]
    plan, earlier = plan_file(edits, file, (), back=False)
    assert (plan.before, plan.after, earlier) == ("1\n2\n3\n", "one\ntwo\n3\n", None)
    with pytest.raises(MismatchError, match="changed"):
        plan_file(list(reversed(edits)), file, (), back=False)
    with pytest.raises(MismatchError, match="changes nothing"):
        plan_file([edits[0], Edit("a.txt", "one\n", "1\n")], file, (), back=False)
    file.write_text("one\ntwo\n3\n")
    assert plan_file(edits, file, (), back=True)[0].after == "1\n2\n3\n"
