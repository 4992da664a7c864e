"""What a rule matches: all of a request for allowing, any part of it for refusing."""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_notebook._client.commands import matches, parse
from acp_notebook._client.facts import Facts, facts
from acp_notebook._client.judge import Judge
from acp_notebook._client.memory import FolderMemory, rules_path
from acp_notebook._client.policy import Policy, chosen
from acp_notebook._client.rules import Rule, names_rules_file, rule_for, touches_rules_file
from acp_notebook._errors import RulesError
from acp_notebook._fold.state import Location, Permission, PermissionOption

OPTIONS = (
    PermissionOption("yes", "Yes", "allow_once"),
    PermissionOption("ever", "Always", "allow_always"),
    PermissionOption("no", "No", "reject_once"),
)


def request(**fields: Any) -> Permission:
    """A request with these fields."""
    values: dict[str, Any] = {
        "key": "1:0",
        "request_id": 0,
        "session_id": "s",
        "tool_call_id": "c",
        "title": None,
        "kind": None,
        "content": (),
        "locations": (),
        "raw_input": None,
        "options": OPTIONS,
        "asked": 0.0,
    }
    return Permission(**{**values, **fields})


def edit(*paths: str) -> Permission:
    """A request to edit files."""
    return request(kind="edit", locations=tuple(Location(path) for path in paths))


def run(command: Any) -> Permission:
    """A request to run a command."""
    return request(kind="execute", raw_input={"command": command})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a source folder, a link that leads out, and a sibling of nearly its name."""
    folder = tmp_path.resolve() / "project"
    (folder / "src").mkdir(parents=True)
    (tmp_path / "project-secret").mkdir()
    (folder / "src" / "out").symlink_to(tmp_path / "project-secret")
    return folder


@pytest.mark.parametrize(
    ("command", "words", "simple"),
    [
        ("python -m pytest -q", ("python", "-m", "pytest", "-q"), True),
        ("git commit -m 'a; b'", ("git", "commit", "-m", "a; b"), True),
        (["git", "commit", "-m", "a; b"], ("git", "commit", "-m", "a; b"), True),
        ("bash -lc 'ls -l'", ("ls", "-l"), True),
        (["bash", "-lc", "ls -l"], ("ls", "-l"), True),
        ("bash -lc 'ls; rm x'", None, False),
        (["sh", "-c", "ls && rm x"], None, False),
        ("ls; rm x", None, False),
        ("ls && rm x", None, False),
        ("ls | tee x", None, False),
        ("ls > x", None, False),
        ("ls $(rm x)", None, False),
        ("ls `rm x`", None, False),
        ('ls "$(rm x)"', None, False),
        ("ls $HOME", None, False),
        ("ls *", None, False),
        ("ls\nrm x", None, False),
        ("ls & rm x", None, False),
        ("X=1 ls", None, False),
        ("bash script.sh", None, False),
        ("sh -c 'ls' extra", None, False),
        ("ls 'unclosed", None, False),
        ("ls # comment", None, False),
        ("", (), False),
    ],
)
def test_commands_are_taken_apart(command: Any, words: tuple[str, ...] | None, simple: bool) -> None:
    """A line is simple only if it starts one program with exactly these words."""
    line = parse(command)

    assert simple == line.simple
    assert words is None or words == line.words


@pytest.mark.parametrize(
    ("pattern", "command", "expected"),
    [
        ("python -m pytest **", "python -m pytest", True),
        ("python -m pytest **", "python -m pytest -q tests", True),
        ("python -m pytest **", "python -m pytest; rm -rf .", False),
        ("python -m pytest **", "python -m pytest-evil", False),
        ("git *", "git status", True),
        ("git *", "git push --force", False),
        ("git status", "git status", True),
        ("git status", "git", False),
        ("ls **", "bash -lc 'ls -l'", True),
        ("ls **", "ls -l > /etc/passwd", False),
    ],
)
def test_allowing_a_command(pattern: str, command: str, expected: bool, root: Path) -> None:
    """A pattern is compared word by word, never as the beginning of a text."""
    rule = Rule("allow", command=pattern)

    assert expected == rule.matches(facts(run(command), None, root), root)


@pytest.mark.parametrize("command", ["rm -rf x", "ls; rm -rf x", "ls && rm x", "(rm x)", "ls | rm x"])
def test_refusing_a_command_looks_into_compound_lines(command: str, root: Path) -> None:
    """A refusal matches any command of the line."""
    assert Rule("refuse", command="rm **").matches(facts(run(command), None, root), root)


@pytest.mark.parametrize(
    ("paths", "allowed"),
    [
        (("src/a.py",), True),
        (("src/deep/er/a.py", "src/b.py"), True),
        (("src/a.py", "setup.py"), False),
        (("src/../setup.py",), False),
        (("src/out/a.py",), False),
        (("../project-secret/a.py",), False),
        ((), False),
    ],
)
def test_allowing_paths_covers_all_of_them(paths: tuple[str, ...], allowed: bool, root: Path) -> None:
    """Every path of a request must be inside, links and `..` resolved; a request without any is not."""
    asked = edit(*(str(root / path) for path in paths))
    rule = Rule("allow", kinds=("edit",), paths=("src/**",))

    assert allowed == rule.matches(facts(asked, None, root), root)


def test_refusing_paths_needs_one(root: Path) -> None:
    """One path is enough for a refusal."""
    asked = edit(str(root / "src/a.py"), str(root / ".env"))

    assert Rule("refuse", paths=("**/.env", ".env")).matches(facts(asked, None, root), root)


def test_a_path_rule_does_not_allow_commands(root: Path) -> None:
    """What a command does besides the path that it names is not known."""
    asked = dataclasses.replace(run("cat src/a.py"), locations=(Location(str(root / "src/a.py")),))

    about = facts(asked, None, root)
    assert not Rule("allow", paths=("**",)).matches(about, root)
    assert not Rule("allow", kinds=("execute",), paths=("**",)).matches(about, root)
    assert Rule("refuse", kinds=("execute",), paths=("src/**",)).matches(about, root)


def test_a_title_is_never_allowed(root: Path) -> None:
    """A command that stands in the title only may be cut short: it can be refused, not allowed."""
    about = facts(request(kind="execute", title="git status"), None, root)

    assert not Rule("allow", command="git status").matches(about, root)
    assert Rule("refuse", command="git status").matches(about, root)


def judge(policy: Policy, root: Path) -> Judge:
    """A judge whose warnings fail the test."""
    return Judge(policy, root, FolderMemory(root, pytest.fail))


def test_of_several_commands_none_is_allowed_and_each_refused(root: Path) -> None:
    """What is run is one of those that the request and its call name, and nobody can say which."""
    both = request(kind="execute", raw_input={"command": "ls", "cmd": "git push"})
    about = facts(both, None, root)
    assert not Rule("allow", command="ls").matches(about, root)
    assert not Rule("allow", command="git push").matches(about, root)
    assert Rule("refuse", command="git push").matches(about, root)
    assert Rule("refuse", command="ls").matches(about, root)
    assert rule_for(about, root) is None
    other = request(kind="execute", raw_input={"command": ["ls", "*"], "cmd": "ls *"})
    assert not Rule("allow", command="ls *").matches(facts(other, None, root), root)
    same = request(kind="execute", raw_input={"command": "ls", "cmd": ["bash", "-lc", "ls"]})
    assert Rule("allow", command="ls").matches(facts(same, None, root), root)


def test_first_rule_wins(root: Path) -> None:
    """Rules are looked through in order."""
    rules = (Rule("refuse", command="git push **", name="no pushing"), Rule("allow", command="git **"))
    policy = Policy("ask", rules)

    push = judge(policy, root).judge(run("git push origin"), None).decision
    status = judge(policy, root).judge(run("git status"), None).decision
    assert push is not None
    assert status is not None
    assert (push.option_id, push.rule, status.option_id) == ("no", "no pushing", "yes")


def test_a_folders_file_only_makes_stricter(root: Path) -> None:
    """What a stranger's file allows is not taken; what it refuses is, even under allow_all."""
    (root / ".acp-notebook.toml").write_text(
        '[[rules]]\neffect = "allow"\n[[rules]]\neffect = "refuse"\ncommand = "rm **"\n'
    )

    assert judge(Policy.ask(), root).judge(run("ls"), None).decision is None
    refused = judge(Policy.allow_all(), root).judge(run("rm x"), None).decision
    assert refused is not None
    assert refused.option_id == "no"


def test_writing_the_rules_file_always_asks(root: Path) -> None:
    """No rule lets an agent change the rules, by edit or by command."""
    strict = judge(Policy.allow_all(), root)

    for asked in (edit(str(root / ".acp-notebook.toml")), run("rm .acp-notebook.toml")):
        found = strict.judge(asked, None)
        assert found.decision is None
        assert found.remembered is None


NAMING = [
    "rm .acp-notebook.toml",
    "rm .ACP-Notebook.toml",
    "cat x > sub/../.acp-notebook.toml",
    "cp x ./.acp-notebook.toml/../.acp-notebook.toml",
    "rm .acp-'note'book.toml",
    'rm .acp-"note"book.to\\ml',
    "rm .acp-note\\\nbook.toml",
    "bash -c 'echo > \".acp-\"notebook.toml'",
    'sh -c "bash -c \'rm .acp-\\"note\\"book.toml\'"',
    "tee --out=.acp-notebook.toml",
    "rm .acp-note*",
    "rm ./.acp-notebook.tom?",
    "rm .acp-note[a-z]ook.toml",
    "rm .acp-{notebook,x}.toml",
    "rm .*",
    "cat {.acp-n*,README.md}",
    "rm .acp-{note,{x,y}}{book,z}.toml",
    "echo x\nrm li''nk",
    "x=notebook; rm .acp-$x.toml",
    "rm .acp-${x}.toml",
    "rm .acp-$(echo notebook).toml",
    "rm .acp-`echo notebook`.toml",
    'python -c \'open(".acp-notebook.toml", "w")\'',
    "rm 'not closed .acp-notebook.toml",
    "rm link",
    "cp x target.toml",
    "dd of=target.toml",
    ["rm", ".acp-notebook.toml"],
    ["bash", "-c", "rm .acp-'notebook'.toml"],
    ["sed", "-i", "s/ask/allow/", "{root}/.acp-notebook.toml"],
]


@pytest.mark.parametrize("command", NAMING)
def test_a_command_that_names_the_rules_file_always_asks(root: Path, command: Any) -> None:
    """However it is written, and by links; no rule, policy or memory allows it."""
    (root / "target.toml").touch()
    (root / ".acp-notebook.toml").symlink_to(root / "target.toml")
    (root / "link").symlink_to(root / ".acp-notebook.toml")
    if isinstance(command, list):
        command = [word.replace("{root}", str(root)) for word in command]
    for allowing in (Policy.allow_all(), Policy("ask", (Rule("allow", kinds=("execute",)),))):
        one = judge(allowing, root)
        one.chat_rules.append(Rule("allow", kinds=("execute",)))
        found = one.judge(run(command), None)
        assert (found.decision, found.remembered, found.asks_decider) == (None, None, False)


@pytest.mark.parametrize(
    "raw",
    [
        {"shell_command": "rm .acp-notebook.toml"},
        {"program": {"path": ["rm", {"x": ".acp-'notebook'.toml"}]}},
        {"command": "true", "stdin": "rm .acp-notebook.toml"},
        {"command": "true", "env": {".acp-notebook.toml": 1}},
        "rm .acp-notebook.toml",
        ["rm", ".acp-notebook.toml"],
    ],
)
def test_a_command_under_an_agents_own_key_is_found_too(root: Path, raw: Any) -> None:
    """What is run may stand anywhere in the input; what is written may speak of the file."""
    strict = judge(Policy.allow_all(), root)
    assert strict.judge(request(kind="execute", title="Tidy up", raw_input=raw), None).decision is None
    text = {"path": str(root / "README.md"), "content": "See .acp-notebook.toml."}
    assert strict.judge(request(kind="edit", raw_input=text), None).decision is not None


LONG = "rm -rf build " + " ".join(f"file-{number}.txt" for number in range(20_000))


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("command", "named"),
    [
        (["sh", "-c", LONG], False),
        (["sh", "-c", f"{LONG}; rm .acp-'note'book.toml"], True),
        (["sh", "-c", f"{LONG} link"], True),
        (["python", "-c", *["x" * 100_000] * 9], False),
        (["python", "-c", *["x" * 100_000] * 20], True),
        ("." + "{" * 500_000, True),
        ("." + "*a" * 200_000, True),
        (" ".join(f".*{number}" for number in range(100_000)), True),
        (".a" * 400_000, False),
        ('"' * 400_001, False),
    ],
)
def test_a_long_command_holds_up_nobody(root: Path, command: Any, named: bool) -> None:
    """Megabytes are looked through in a moment; of what would take longer the worst is assumed."""
    (root / ".acp-notebook.toml").touch()
    (root / "link").symlink_to(root / ".acp-notebook.toml")
    began = time.process_time()
    about = facts(run(command), None, root)
    assert (Policy.allow_all().verdict(about, root).effect, touches_rules_file(about, root)) == (
        "allow",
        named,
    )
    Rule("refuse", command="git push **").matches(about, root)
    assert time.process_time() - began < 3


def test_a_long_line_can_be_refused_not_allowed(root: Path) -> None:
    """Its words count, quoted or not; that it does nothing else is not known."""
    about = facts(run(f"{LONG}\ngi't' push --force"), None, root)
    assert Rule("refuse", command="git push **").matches(about, root)
    assert Rule("refuse", command="rm -rf **").matches(about, root)
    assert not Rule("allow", command="rm **").matches(about, root)


def test_other_commands_are_none_of_its_business(root: Path) -> None:
    """Names that are nearly its own, wildcards that do not reach it, and folders that are not there."""
    one = judge(Policy.allow_all(), root)
    for command in (
        "ls *",
        "rm acp-notebook.toml",
        "cat .acp-notebook",
        "rm .git*",
        "echo $HOME",
        "rm *.toml",
        "cd /",
    ):
        assert one.judge(run(command), None).decision is not None, command
    assert names_rules_file(parse(["rm", "x"]), root, str(root / "nowhere")) is False
    (root / "src" / "alias").symlink_to(root / ".acp-notebook.toml")
    assert names_rules_file(parse(["rm", "alias"]), root) is False
    assert names_rules_file(parse(["rm", "alias"]), root, str(root / "src")) is True
    assert names_rules_file(parse(["echo", "x" * 5000, "~nobody-of-that-name/x"]), root) is False


def test_remembered_for_the_chat_and_the_folder(root: Path) -> None:
    """What a person had us remember turns asking into allowing, in the user's own private file."""
    one = judge(Policy.ask(), root)
    offer = one.judge(run("python -m pytest"), None).remembered
    assert offer is not None
    one.memory.remember(offer)
    again = judge(Policy.ask(), root)

    decision = again.judge(run("python -m pytest"), None).decision
    assert decision is not None
    assert decision.option_id == "yes"
    assert again.judge(run("python -m pytest -x"), None).decision is None
    assert rules_path().stat().st_mode & 0o777 == 0o600
    assert judge(Policy.ask(), root.parent).judge(run("python -m pytest"), None).decision is None


def test_memory_never_overrules_a_refusal(root: Path) -> None:
    """A refusing rule of the policy stays above what is remembered."""
    one = judge(Policy("ask", (Rule("refuse", command="git push **"),)), root)
    one.chat_rules.append(Rule("allow", command="git push"))

    decision = one.judge(run("git push"), None).decision
    assert decision is not None
    assert decision.option_id == "no"


def test_a_broken_file_is_told_and_kept(root: Path) -> None:
    """A file that does not parse is a warning; nothing is allowed by it and it is not overwritten."""
    path = rules_path()
    before = path.read_text() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("this is = not [ toml")
    told: list[str] = []
    memory = FolderMemory(root, told.append)
    try:
        assert memory.allowed() == ()
        assert memory.allowed() == ()
        with pytest.raises(RulesError, match="no valid TOML"):
            memory.remember(Rule("allow", command="ls"))
        assert len(told) == 1
        assert path.read_text() == "this is = not [ toml"
    finally:
        path.unlink()
        if before is not None:
            path.write_text(before)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("kind", ["broken", "pipe", "device", "folder", "bytes", "long", "loop"])
def test_a_folders_file_that_cannot_be_read_asks(root: Path, kind: str) -> None:
    """What it would have refused is not known; a stranger's pipe or link to a device holds up nobody."""
    path = root / ".acp-notebook.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        texts = {"broken": b"not = [", "bytes": b"\xff", "long": b"# " + b"x" * 2_000_000}
        path.write_bytes(texts.get(kind, b""))
    if kind == "loop":
        path.unlink()
        path.symlink_to(path)
    told: list[str] = []
    one = Judge(Policy.allow_all(), root, FolderMemory(root, told.append))
    found = one.judge(edit(str(root / "src" / "a.py")), None)
    assert (found.decision, found.remembered, found.asks_decider) == (None, None, False)
    assert [str(path) in text for text in told] == [True]
    path.rmdir() if kind == "folder" else path.unlink()
    assert one.judge(edit(str(root / "src" / "a.py")), None).decision is not None


def test_compound_lines_are_not_remembered(root: Path) -> None:
    """What "always" would cover could not be told, so it is not offered."""
    assert rule_for(facts(run("ls; rm x"), None, root), root) is None
    assert rule_for(facts(edit(str(root / "src/a.py")), None, root), root) == Rule(
        "allow", kinds=("edit",), paths=("**",)
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('default = "maybe"', "default"),
        ('rules = "all"', "list of tables"),
        ('[[rules]]\neffect = "permit"', "rule 1"),
        ('[[rules]]\neffect = "allow"\ncomand = "ls"', "comand"),
        ('[[rules]]\neffect = "allow"\ncommand = "ls \'"', "parse"),
        ("[[rules\n", "line 1"),
        ('[[rules]]\neffect = "allow"\npaths = [1]', "paths"),
    ],
)
def test_mistakes_in_a_policy_say_where(text: str, problem: str) -> None:
    """A mistake names its place and what may stand there."""
    with pytest.raises(RulesError, match=problem):
        Policy.from_toml(text)


def test_policy_from_toml() -> None:
    """TOML makes the same policy as code."""
    text = 'default = "refuse"\n[[rules]]\neffect = "allow"\nkinds = "read"\npaths = ["docs/**"]\n'

    assert Policy("refuse", (Rule("allow", kinds=("read",), paths=("docs/**",)),)) == Policy.from_toml(text)


def test_presets(root: Path) -> None:
    """allow_reads and allow_edits_in cover what they say, and nothing outside."""
    inside, outside = str(root / "src/a.py"), "/etc/passwd"
    reads, edits = judge(Policy.allow_reads(), root), judge(Policy.allow_edits_in("src"), root)

    def allowed(found: Judge, asked: Permission) -> bool:
        return found.judge(asked, None).decision is not None

    assert allowed(reads, request(kind="read", locations=(Location(inside),)))
    assert not allowed(reads, request(kind="read", locations=(Location(outside),)))
    assert not allowed(reads, edit(inside))
    assert allowed(edits, edit(inside))
    assert not allowed(edits, edit(str(root / "setup.py")))


@pytest.mark.parametrize(
    "name", [".git/hooks/pre-commit", ".git/config", ".git", "src/deep/.git/config", "src/.git"]
)
def test_git_runs_what_stands_in_its_folder_so_writing_there_asks(root: Path, name: str) -> None:
    """Also under allow_edits_in, also of a repository within, and nothing remembered changes that."""
    one = judge(Policy.allow_edits_in(), root)
    one.chat_rules.append(Rule("allow", kinds=("edit",), paths=("**",)))
    for paths in (
        [str(root / name)],
        [str(root / "src/a.py"), str(root / name)],
        [str(root / "src" / ".." / name)],
    ):
        found = one.judge(edit(*paths), None)
        assert (found.decision, found.remembered) == (None, None)
    for near in (".gitignore", ".github/workflows/ci.yml", "src/git/config"):
        assert one.judge(edit(str(root / near)), None).decision is not None


def test_on_macos_a_stricter_rule_takes_both_cases(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There one name may be written in two ways; a rule that allows still takes its own alone."""
    monkeypatch.setattr(sys, "platform", "darwin")
    shout = facts(edit(str(root / "SRC" / "a.py")), None, root)
    assert Rule("refuse", paths=("src/**",), name="macOS").matches(shout, root)
    assert not Rule("allow", paths=("src/**",), name="macOS").matches(shout, root)


words = st.lists(st.sampled_from(["a", "b", "*", "**", "--x"]), max_size=4).map(tuple)


@given(words, st.lists(st.sampled_from(["a", "b", "--x"]), max_size=4).map(tuple))
def test_patterns_never_match_fewer_words(pattern: tuple[str, ...], given_words: tuple[str, ...]) -> None:
    """A match covers every word of the pattern that is no wildcard."""
    if matches(pattern, given_words):
        fixed = [word for word in pattern if word not in ("*", "**")]
        assert all(word in given_words for word in fixed)


options = st.lists(
    st.builds(
        PermissionOption,
        id=st.sampled_from("abcde"),
        name=st.text(max_size=3),
        kind=st.sampled_from(["allow_once", "allow_always", "reject_once", "reject_always", "odd"]),
    ),
    max_size=5,
).map(tuple)


@given(options, st.sampled_from([Policy.ask(), Policy.allow_all(), Policy.deny_all()]))
def test_only_offered_options_are_picked(offered: tuple[PermissionOption, ...], policy: Policy) -> None:
    """No rule and no policy picks what was not offered, or allows by an option that lasts."""
    found = Judge(policy, Path("/"), FolderMemory(Path("/nowhere"), pytest.fail)).judge(
        request(options=offered), None
    )

    if found.decision is not None and found.decision.option_id is not None:
        kinds = {option.kind for option in offered if option.id == found.decision.option_id}
        side = {"reject_once", "reject_always"} if policy.default == "refuse" else {"allow_once"}
        assert kinds & side


def test_a_decider_may_only_pick_what_is_offered() -> None:
    """Words, options and ids are understood; anything else is an error that says what may be returned."""
    asked = run("ls")

    assert chosen(asked, None) is None
    picked = [chosen(asked, given) for given in ("allow", True, "refuse", False, OPTIONS[1], "ever")]
    assert ["yes", "yes", "no", "no", "ever", "ever"] == [one.option_id for one in picked if one is not None]
    with pytest.raises(ValueError, match="offered option"):
        chosen(asked, "perhaps")


def test_facts_come_from_request_and_call(root: Path) -> None:
    """Paths and commands are found under the names that agents use, relative ones from the folder."""
    about = facts(request(kind="edit", raw_input={"file_path": "src/a.py"}), None, root)

    assert Facts(("edit",), ("edit",), (root / "src/a.py",), None) == about


@pytest.mark.parametrize("effect", ["refuse", "ask"])
def test_what_is_stricter_cannot_be_missed_by_a_link(root: Path, effect: Any) -> None:
    """The name in the request, that of the file, and a rule that names a link: each of them counts."""
    (root / "real").mkdir()
    (root / "real" / "values").touch()
    (root / ".env").symlink_to(root / "real" / "values")
    (root / "alias").symlink_to(root / "real")

    def fits(glob: str, path: str) -> bool:
        return Rule(effect, paths=(glob,)).matches(facts(edit(path), None, root), root)

    assert fits(".env", ".env")
    assert fits("**/.env", "src/../.env")
    assert fits("real/**", ".env")
    assert fits(".env", "real/values")
    assert fits("alias/**", "real/values")
    assert fits(f"{root}/alias/v*", "real/values")
    assert not fits("alias/w*", "real/values")


def test_a_rule_that_allows_looks_at_the_file_itself(root: Path) -> None:
    """A link that it names, or that leads out of what it names, allows nothing elsewhere."""
    rule = Rule("allow", paths=("src/out/**", "src/**"))
    assert not rule.matches(facts(edit("src/out/key"), None, root), root)
    assert rule.matches(facts(edit("src/a.py"), None, root), root)


@pytest.mark.parametrize("path", ["~nobody-of-that-name/a", "a\ud800b"])
def test_paths_that_mean_no_file(root: Path, path: str) -> None:
    """They are looked at as they stand."""
    assert facts(edit(path), None, root).paths == (root / path,)


def test_a_kind_that_the_protocol_does_not_name_brings_a_warning():
    """A misspelt rule would refuse nothing, silently; the warning points at the line that made it."""
    with pytest.warns(UserWarning, match=r"no tool kind 'edits'.*Did you mean 'edit'") as caught:
        Rule("refuse", kinds=("edits",))
    assert [one.filename for one in caught] == [__file__]
    with pytest.warns(UserWarning, match="no tool kind '_brew'; it has read, edit"):
        Rule("allow", kinds=("read", "_brew"))
