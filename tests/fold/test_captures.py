"""Every capture folds, the golden ones to what was reviewed, and nothing on the wire is lost or doubled."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from functools import cache

import pytest

from acp_notebook import Session, fold
from acp_notebook._fold.state import PlanItem, RawItem, TextBlock, TextItem
from tests.fold.captures import ALL, GOLDEN, REAL, lines, records

spec = importlib.util.spec_from_file_location("regenerate", GOLDEN / "regenerate.py")
assert spec is not None
assert spec.loader is not None
regenerate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(regenerate)

KNOWN_UPDATES = {
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
}


@cache
def session(name):
    return fold(Session(), records(name))


@pytest.mark.parametrize("name", regenerate.NAMES)
def test_golden_files(name):
    """The folded session equals the reviewed one, byte for byte."""
    assert regenerate.golden(name) == (GOLDEN / f"{name}.json").read_text(encoding="utf-8")


def test_no_golden_file_is_unlisted():
    """Each file is made by the script, or is said not to be a session; each is described, and only once."""
    files = {p.stem for p in GOLDEN.glob("*.json")}
    text = (GOLDEN / "README.md").read_text(encoding="utf-8")
    rows = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(f"{name}.json" for name in files)
    assert set(regenerate.NAMES) <= files
    assert list(regenerate.NAMES) == sorted(set(regenerate.NAMES))


@pytest.mark.parametrize("name", ALL)
def test_every_capture_folds(name):
    """To a state whose JSON can be written and read again; in any batches, to the same one."""
    state = session(name)
    assert json.loads(json.dumps(state.to_json())) == state.to_json()
    stepwise = Session()
    for record in records(name):
        stepwise = fold(stepwise, record)
    assert stepwise == state
    assert state.status == ("waiting" if name == "quirks" else "ready")


# ------------------------------------------------------------------------------------------- conservation
# Computed from the raw lines, apart from the fold.


def updates(name):
    for line in lines(name):
        msg = line["msg"]
        if line["dir"] == "in" and msg.get("method") == "session/update":
            yield msg["params"]["update"]


def all_turns(state):
    return [t for t in (state.preamble, *state.turns) if t is not None]


def all_items(state):
    return [i for t in all_turns(state) for i in (*t.items, *t.after)]


@pytest.mark.parametrize("kind", ["message", "thought"])
@pytest.mark.parametrize("name", REAL)
def test_all_text_is_there_in_order(name, kind):
    """What the agent said equals the concatenated chunks."""
    chunk = f"agent_{kind}_chunk"
    said = "".join(
        u["content"]["text"]
        for u in updates(name)
        if u["sessionUpdate"] == chunk and u["content"]["type"] == "text"
    )
    shown = "".join(i.text for i in all_items(session(name)) if isinstance(i, TextItem) and i.kind == kind)
    assert shown == said


@pytest.mark.parametrize("name", REAL)
def test_all_replayed_prompts_are_there(name):
    """What the agent says that the person said, and nothing else, makes replayed turns."""
    said = "".join(u["content"]["text"] for u in updates(name) if u["sessionUpdate"] == "user_message_chunk")
    shown = "".join(
        b.text for t in session(name).turns if t.replayed for b in t.prompt if isinstance(b, TextBlock)
    )
    assert shown == said


@pytest.mark.parametrize("name", REAL)
def test_every_prompt_is_a_turn(name):
    """Each exactly once, with the stop reason or error of its answer, in order."""
    sent, ended = [], {}
    for line in lines(name):
        msg = line["msg"]
        if line["dir"] == "out" and msg.get("method") == "session/prompt":
            sent.append((len(sent), msg["id"], msg["params"]["prompt"]))
            open_id = msg["id"]
        elif (
            line["dir"] == "in"
            and "method" not in msg
            and sent
            and msg["id"] == open_id
            and sent[-1][0] not in ended
        ):
            ended[sent[-1][0]] = msg.get("result", {}).get("stopReason")
    live = [t for t in session(name).turns if not t.replayed]
    assert [t.stop_reason for t in live] == [ended[n] for n, _, _ in sent]
    assert ["".join(b.text for b in t.prompt if isinstance(b, TextBlock)) for t in live] == [
        "".join(b["text"] for b in prompt if b["type"] == "text") for _, _, prompt in sent
    ]
    assert [len(t.prompt) for t in live] == [len(prompt) for _, _, prompt in sent]


def calls_by_turn(name):
    """The call ids of each turn, in order of first sight: a prompt, or a user message of a replay, begins one."""
    turns, replaying = [[]], None
    user_before = False
    for line in lines(name):
        msg = line["msg"]
        method, params = msg.get("method"), msg.get("params") or {}
        if line["dir"] == "out" and method == "session/prompt":
            turns.append([])
        if line["dir"] == "out" and method in ("session/load", "session/resume"):
            replaying = msg["id"]
        if line["dir"] == "in" and method is None and msg.get("id") == replaying:
            replaying = None
        if line["dir"] != "in":
            continue
        update = params.get("update", {}) if method == "session/update" else {}
        is_user = update.get("sessionUpdate") == "user_message_chunk"
        if is_user and replaying is not None and not user_before:
            turns.append([])
        user_before = is_user
        ident = update.get("toolCallId") or (
            params["toolCall"]["toolCallId"] if method == "session/request_permission" else None
        )
        if ident is not None and ident not in turns[-1]:
            turns[-1].append(ident)
    return turns


@pytest.mark.parametrize("name", REAL)
def test_every_call_is_there_once(name):
    """Each id of each turn exactly once, in order of its first sight."""
    state = session(name)
    shown = [[c.id for c in state.preamble.tool_calls] if state.preamble else []]
    shown += [[c.id for c in t.tool_calls] for t in state.turns]
    assert shown == calls_by_turn(name)


@pytest.mark.parametrize("name", REAL)
def test_every_permission_is_there_once(name):
    """With exactly one outcome: the one answered, or cancelled if the agent was faster."""
    asked, outcomes, taken_back = [], {}, set()
    process = 0
    for line in lines(name):
        msg = line["msg"]
        key = (process, msg.get("id"))
        if line["dir"] == "out" and msg.get("method") == "initialize":
            process += 1
        elif line["dir"] == "in" and msg.get("method") == "session/request_permission":
            asked.append(key)
        elif line["dir"] == "in" and msg.get("method") == "$/cancel_request":
            taken_back.add((process, msg["params"]["requestId"]))
        elif line["dir"] == "in" and "stopReason" in (msg.get("result") or {}):
            taken_back |= {k for k in asked if k not in outcomes}
        elif (
            line["dir"] == "out"
            and "method" not in msg
            and key in asked
            and key not in outcomes
            and key not in taken_back
        ):
            outcome = msg["result"]["outcome"]
            outcomes[key] = (outcome["outcome"], outcome.get("optionId"))
    expected = [(k, *outcomes.get(k, ("cancelled", None))) for k in asked]
    shown = [p for t in all_turns(session(name)) for p in t.permissions]
    assert [((int(p.key.split(":")[0]), p.request_id), p.outcome, p.option_id) for p in shown] == expected
    of_calls = [p.key for t in all_turns(session(name)) for c in t.tool_calls for p in c.permissions]
    assert sorted(of_calls) == sorted(p.key for p in shown)


@pytest.mark.parametrize("name", REAL)
def test_every_plan_entry_is_there_once(name):
    """Of the last plan of each turn, and of no other."""
    plans = Counter()
    turn = 0
    last = {}
    for line in lines(name):
        msg = line["msg"]
        if line["dir"] == "out" and msg.get("method") == "session/prompt":
            turn += 1
        elif (
            line["dir"] == "in"
            and msg.get("method") == "session/update"
            and msg["params"]["update"]["sessionUpdate"] == "plan"
        ):
            last[turn] = msg["params"]["update"]["entries"]
    for entries in last.values():
        plans.update((e["content"], e["priority"], e["status"]) for e in entries)
    shown = Counter(
        (e.content, e.priority, e.status)
        for i in all_items(session(name))
        if isinstance(i, PlanItem)
        for e in i.entries
    )
    assert shown == plans


@pytest.mark.parametrize("name", REAL)
def test_every_diff_is_reachable(name):
    """Each path that a call or request ever showed a diff of is a path of that call's diffs, and no other is."""
    said = {}
    for line in lines(name):
        params = line["msg"].get("params") or {}
        call = params.get("toolCall") or params.get("update") or {}
        for content in call.get("content") or () if isinstance(call.get("content"), list) else ():
            if content["type"] == "diff":
                said.setdefault(call["toolCallId"], set()).add(content["path"])
    shown = {}
    for turn in all_turns(session(name)):
        for call in turn.tool_calls:
            for diff in call.diffs:
                shown.setdefault(call.id, set()).add(diff.path)
    assert shown == said


@pytest.mark.parametrize("name", REAL)
def test_every_unknown_update_is_there_once(name):
    """As it was sent. The captures hold none, which is why `quirks` does."""
    unknown = [u for u in updates(name) if u["sessionUpdate"] not in KNOWN_UPDATES]
    assert [
        i.raw for i in all_items(session(name)) if isinstance(i, RawItem) and i.kind == "unknown"
    ] == unknown


def test_unknown_updates_of_the_quirks_are_there_once():
    """In order, each as it was sent."""
    unknown = [u for u in updates("quirks") if u["sessionUpdate"] in ("subagent_update", "brand_new_update")]
    items = [i for i in all_items(session("quirks")) if isinstance(i, RawItem) and i.kind == "unknown"]
    assert [i.raw for i in items if i.name != "hunks"] == unknown
