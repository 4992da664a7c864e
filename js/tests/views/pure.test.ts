import { expect, test } from "vitest";
import { conversationMarkdown, turnMarkdown } from "../../src/views/as_markdown";
import { commandOf, gistOf, outputOf, shortTitle, unfence } from "../../src/views/describe";
import { hitsOf } from "../../src/views/find";
import { runsOf } from "../../src/views/runs";
import { decision, duration } from "../../src/views/words";
import type { Item } from "../../src/wire";
import { message, session } from "../states";
import { call, permission, turn } from "./stage";

test.each([
  [0.04, "0.1 s"],
  [0.44, "0.4 s"],
  [59.4, "59 s"],
  [61, "1 min 01 s"],
  [7440, "2 h 04 min"],
])("%f seconds read as %s", (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});

const WHAT = { title: null, kind: null, content: [], diffs: [], locations: [], raw_input: null };

test("the command of a call is found where agents put it", () => {
  expect(commandOf({ ...WHAT, raw_input: { command: "make" } })).toBe("make");
  expect(commandOf({ ...WHAT, raw_input: { command: ["/bin/bash", "-lc", "a | b"] } })).toBe("a | b");
  expect(commandOf({ ...WHAT, raw_input: { cmd: ["git", "commit", "-m", "two words"] } })).toBe(
    'git commit -m "two words"',
  );
  expect(commandOf({ ...WHAT, kind: "execute", title: "python3 hello.py" })).toBe("python3 hello.py");
  expect(commandOf({ ...WHAT, kind: "read", title: "Read" })).toBeNull();
});

test("the title's gist is left out where the title says it", () => {
  const what = { ...WHAT, title: "Read /project/a.py", locations: [{ path: "/project/a.py", line: null }] };
  expect(gistOf(what, "/project")).toBe("");
  expect(gistOf({ ...what, title: "Read" }, "/project")).toBe("a.py");
  expect(shortTitle("Read /project/a.py", "/project")).toBe("Read a.py");
  expect(gistOf({ ...WHAT, title: "Search", raw_input: { pattern: "x\u202e" } }, null)).toBe("x⟨U+202E⟩");
});

test("one fence around a whole output is taken off, others stay", () => {
  expect(unfence("```console\nhello\n```")).toBe("hello");
  expect(unfence("text\n```\nhello\n```")).toBe("text\n```\nhello\n```");
  expect(unfence("```\na\n```\nb\n```\nc\n```")).toBe("```\na\n```\nb\n```\nc\n```");
});

test("an output is its text, else its JSON", () => {
  expect(outputOf({ output: "x", metadata: 1 })).toBe("x");
  expect(outputOf({ rows: 2 })).toBe('{\n  "rows": 2\n}');
  expect(outputOf(null)).toBeNull();
});

test("runs are three or more done calls, with thoughts between but not around them", () => {
  const thought = { ...message("t"), kind: "thought" } as Item;
  const items = [
    thought,
    call({ id: "1" }),
    thought,
    call({ id: "2" }),
    call({ id: "3" }),
    thought,
    message("end"),
  ];
  expect(runsOf(items, false)).toMatchObject([{ first: 1, end: 5, steps: 3 }]);
  expect(runsOf(items.slice(0, 5), true)).toEqual([]);
  expect(runsOf(items.slice(0, 4), false)).toEqual([]);
});

test("a decision names who and the option's own name, also for kinds that nobody knows", () => {
  const told = (part: object) => decision(permission("p", part))?.word;
  expect(told({})).toBeUndefined();
  expect(told({ outcome: "selected", option_id: "opaque/3", decided_by: "policy" })).toBe(
    "Refused by the chat's policy: No",
  );
  expect(told({ outcome: "selected", option_id: "gone", decided_by: "person" })).toBe(
    "Answered by you: gone",
  );
  expect(told({ outcome: "selected", option_id: "opaque/1", decided_by: null })).toBe("Allowed: Yes");
  expect(told({ outcome: "cancelled", decided_by: "cancel" })).toBe("Withdrawn unanswered");
  expect(told({ outcome: "selected", option_id: "opaque/1", decided_by: "a\u202eb" })).toBe(
    "Allowed by the rule a⟨U+202E⟩b: Yes",
  );
});

test("a turn copies as Markdown with fences longer than any inside", () => {
  const items = [
    message("Hello **you**"),
    call({ title: "Run", kind: "execute", raw_input: { command: "echo '```'" } }),
  ];
  const text = turnMarkdown(turn({ items, stop_reason: "cancelled", cancel_requested: true }), "/project");
  expect(text).toContain("> question");
  expect(text).toContain("Hello **you**");
  expect(text).toContain("**Run** (done)\n\n````sh\necho '```'\n````");
  expect(text).toContain("*Stopped by you.*");
  expect(conversationMarkdown(session({ title: "A\nB", turns: [turn(), turn()] }))).toMatch(
    /^# A B\n\n> question.*---.*> question/s,
  );
});

test("find counts prompts, items and what came after, by absolute turn", () => {
  const held = session({ turns: [turn({ items: [message("a needle")], after: [message("NEEDLE")] })] });
  expect(hitsOf(held, 7, "needle")).toEqual([
    { turn: 7, item: 0, after: false },
    { turn: 7, item: 0, after: true },
  ]);
  expect(hitsOf(held, 7, "question")).toEqual([{ turn: 7, item: -1, after: false }]);
});
