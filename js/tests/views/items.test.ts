import { afterEach, expect, test } from "vitest";
import { conversationMarkdown } from "../../src/views/as_markdown";
import { hitsOf } from "../../src/views/find";
import type { Item, Review } from "../../src/wire";
import { message } from "../states";
import { call, RUNNING, type Stage, session, stage, turn } from "./stage";

let on: Stage;
afterEach(() => on.end());

const REVIEW: Review = {
  key: "write-1",
  way: "write",
  call_id: null,
  files: [
    {
      path: "/project/a.py",
      kind: "change",
      problem: null,
      earlier: null,
      hunks: [
        {
          index: 0,
          path: "/project/a.py",
          line: 2,
          new_line: 2,
          old: "x\n",
          new: "y\n",
          before: "",
          after: "",
        },
        { index: 1, path: "/project/a.py", line: 9, new_line: 9, old: "", new: "z\n", before: "", after: "" },
      ],
    },
  ],
  outcome: "applied",
  chosen: [1],
  decided_by: "person",
  problem: null,
};

const EVERY: readonly Item[] = [
  message("An **answer**"),
  {
    kind: "thought",
    blocks: [{ type: "text", text: "Hm" }],
    streaming: false,
    message_id: null,
    started: 1,
    ended: 5,
  },
  {
    kind: "user",
    blocks: [{ type: "text", text: "From elsewhere" }],
    streaming: false,
    message_id: null,
    started: 1,
    ended: 5,
  },
  call({ title: "Read notes.md" }),
  {
    kind: "plan",
    plan_id: null,
    text: null,
    uri: null,
    started: 1,
    ended: null,
    entries: [
      { content: "First", priority: "high", status: "completed" },
      { content: "Second", priority: null, status: "paused" },
    ],
  },
  {
    kind: "notice",
    severity: "warning",
    title: "Rate limit",
    description: "Wait 20 s",
    started: 1,
    ended: 1,
  },
  { kind: "unknown", name: "quantum_update", raw: { spin: 1 }, started: 1, ended: 1 },
  {
    kind: "elicitation",
    name: "form",
    raw: { key: "1:0", request: { message: "Colour?" }, response: { action: "decline" } },
    started: 1,
    ended: 1,
  },
  { kind: "review", review: REVIEW, started: 1, ended: 1 },
];

test("every kind of item is drawn, in order", () => {
  on = stage({ turns: [turn({ items: EVERY, stop_reason: "end_turn" })] });
  const kinds = on.all(".acp-item").map((node) => /acp-item-(\w+)/.exec(node.className)?.[1]);
  expect(kinds).toEqual(EVERY.map((item) => item.kind));
  const words = on.words();
  for (const said of [
    "question",
    "An answer",
    "Thought for 4 s",
    "From elsewhere",
    "Read notes.md",
    "First",
    "Second",
    "paused",
    "1 of 2 done",
    "Rate limit",
    "Wait 20 s",
    "Not understood: quantum_update",
    "Colour?Declined",
  ]) {
    expect(words).toContain(said);
  }
});

test("an item of a kind that nobody knows yet is shown, not dropped", () => {
  const item = { kind: "hologram", name: "hologram", raw: { a: 1 }, started: 1, ended: 1 } as unknown as Item;
  on = stage({ turns: [turn({ items: [item] })] });
  expect(on.find(".acp-item-hologram").textContent).toContain("hologram");
});

test("what an agent wrote stays text", () => {
  const nasty = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
  on = stage({
    agent: {
      name: nasty,
      title: nasty,
      version: nasty,
      command: [],
      protocol_version: 1,
      capabilities: {},
      auth_methods: [],
    },
    warnings: [nasty],
    turns: [
      turn({
        prompt: [{ type: "text", text: nasty }],
        error: nasty,
        status: "error",
        items: [
          message(nasty),
          call({ title: nasty, locations: [{ path: nasty, line: null }], raw_input: { command: nasty } }),
          { kind: "notice", severity: nasty, title: nasty, description: nasty, started: 1, ended: 1 },
          { kind: "unknown", name: nasty, raw: nasty, started: 1, ended: 1 },
        ],
      }),
    ],
  });
  for (const head of on.all(".acp-fold-head, .acp-link")) head.click();
  expect(on.all("img, script, iframe, object, embed")).toEqual([]);
  expect(on.words()).toContain(nasty);
});

test("hidden and reversing characters of titles and commands are made visible", () => {
  on = stage({
    turns: [
      turn({
        items: [
          call({ title: "rm \u202egpj", kind: "execute", raw_input: { command: "echo \u200b\u001b[31m" } }),
        ],
      }),
    ],
  });
  expect(on.words()).toContain("rm ⟨U+202E⟩gpj");
  expect(on.words()).toContain("echo ⟨U+200B⟩⟨U+001B⟩[31m");
});

test("a command is visible without opening anything, also one of several lines", () => {
  on = stage({
    turns: [
      turn({
        items: [
          call({
            id: "1",
            title: "Run hello",
            kind: "execute",
            raw_input: { command: ["bash", "-lc", "make all"] },
          }),
          call({ id: "2", title: "a\nb", kind: "execute" }),
        ],
      }),
    ],
  });
  expect(on.words()).toContain("make all");
  expect(on.words()).not.toContain("bash -lc");
  expect(on.find(".acp-call-command:not([hidden]) code").textContent).toBe("make all");
  expect(on.all(".acp-call-command:not([hidden]) code")[1]?.textContent).toBe("a\nb");
});

test("paths stand relative to the chat's folder, others as they are", () => {
  on = stage({
    turns: [
      turn({
        items: [
          call({ id: "1", title: "Look", locations: [{ path: "/project/src/a.py", line: 7 }] }),
          call({ id: "2", title: "Look", locations: [{ path: "/workshop/b.py", line: null }] }),
        ],
      }),
    ],
  });
  expect(on.all(".acp-line-gist").map((node) => node.textContent)).toEqual(["src/a.py:7", "/workshop/b.py"]);
});

test.each([
  ["approval-requested", "pending", "waits for you"],
  ["output-denied", "completed", "refused"],
  ["output-available", "completed", "done"],
  ["output-error", "failed", "failed"],
  ["stopped", "in_progress", "stopped"],
  ["approval-responded", "in_progress", "running"],
  ["input-available", "pending", "pending"],
  ["input-available", "simmering", "simmering"],
] as const)("a call in state %s with status %s says %s", (state, status, word) => {
  on = stage({ turns: [turn({ items: [call({ state, status })] })] });
  expect(on.find(".acp-line-state").textContent).toBe(word);
});

test("output, input and terminal are folded, and the terminal's text is not shown twice", () => {
  const terminal = {
    id: "t",
    command: "make",
    args: ["all"],
    cwd: null,
    output: "\u001b[31mred\u001b[0m end",
    truncated: false,
    exit_code: 2,
    signal: null,
    exited: true,
    released: true,
  };
  on = stage({
    turns: [
      turn({
        terminals: { t: terminal },
        items: [
          call({
            title: "Build",
            kind: "execute",
            terminals: ["t"],
            content: [
              { type: "terminal", terminal_id: "t" },
              { type: "content", block: { type: "text", text: "red end" } },
            ],
          }),
        ],
      }),
    ],
  });
  expect(on.words()).toContain("make all");
  expect(on.words()).not.toContain("red end");
  on.find(".acp-call > .acp-fold-head").click();
  expect(on.words().split("red end")).toHaveLength(2);
  expect(on.words()).toContain("exit code 2");
  expect(on.find(".acp-output .acp-fg-1").textContent).toBe("red");
});

test("a failed call is open from the start, a done one closed", () => {
  on = stage({
    turns: [
      turn({
        items: [
          call({ id: "1", state: "output-error", status: "failed", raw_output: "no such host" }),
          call({ id: "2", raw_output: "fine" }),
        ],
      }),
    ],
  });
  expect(on.words()).toContain("no such host");
  expect(on.words()).not.toContain("fine");
});

test("images are shown from data alone, and SVG is none", () => {
  const image = (mime_type: string, data = "aGk=") =>
    ({ type: "image", mime_type, data, uri: null }) as const;
  on = stage({
    turns: [
      turn({
        prompt: [image("image/png")],
        items: [
          call({
            state: "output-error",
            content: [
              { type: "content", block: image("image/svg+xml") },
              { type: "content", block: image("image/png", 'x" onerror="alert(1)') },
              { type: "content", block: image("image/jpeg") },
            ],
          }),
        ],
      }),
    ],
  });
  const sources = on.all("img").map((node) => node.getAttribute("src"));
  expect(sources).toEqual(["data:image/png;base64,aGk=", "data:image/jpeg;base64,aGk="]);
});

test("a link to a resource follows http alone", () => {
  const link = (uri: string) =>
    ({
      type: "resource_link",
      uri,
      name: "x",
      title: null,
      description: null,
      mime_type: null,
      size: null,
    }) as const;
  on = stage({
    turns: [
      turn({
        prompt: [link("https://example.org/a"), link("javascript:alert(1)"), link("file:///project/a")],
      }),
    ],
  });
  expect(on.all("a").map((node) => node.getAttribute("href"))).toEqual(["https://example.org/a"]);
  expect(on.all(".acp-chip")).toHaveLength(3);
});

test("the end of a turn is said in words", () => {
  const ends = [
    [turn({ stop_reason: "refusal", items: [message("x")] }), "refused to go on"],
    [turn({ stop_reason: "max_tokens", items: [message("x")] }), "limit of tokens"],
    [turn({ stop_reason: "cancelled", cancel_requested: true }), "Stopped by you"],
    [turn({ stop_reason: "cosmic_ray", items: [message("x")] }), "Ended: cosmic_ray"],
    [turn({ stop_reason: "end_turn" }), "without an answer"],
    [turn({ status: "error", error: "It broke" }), "It broke"],
  ] as const;
  on = stage({ turns: ends.map(([one]) => one) });
  const turns = on.all(".acp-turn").map((node) => node.textContent);
  ends.forEach(([, words], index) => {
    expect(turns[index]).toContain(words);
  });
});

test("what came after the turn stands apart from it", () => {
  on = stage({ turns: [turn({ items: [message("answer")], after: [message("late")] })] });
  expect(on.find(".acp-after").textContent).toContain("late");
  expect(on.find(".acp-items").textContent).not.toContain("late");
});

test("a streaming answer grows in place and an unchanged item is not touched", () => {
  const first = message("# Title\n\nOne paragraph.\n\n");
  on = stage({ status: "working", turns: [turn({ ...RUNNING, items: [first, message("a", true)] })] });
  const before = on.find(".acp-markdown h3");
  on.hear({
    kind: "patch",
    seq: 2,
    now: 21,
    ops: [["app", ["turns", 0, "items", 1, "blocks", 0, "text"], "nd b"]],
  });
  expect(on.words()).toContain("and b");
  expect(on.find(".acp-markdown h3")).toBe(before);
});

test("a replay of what stands there already is neither drawn, found nor copied", () => {
  const old = turn({ prompt: [{ type: "text", text: "old" }], replayed: true });
  const told = session({ turns: [turn(), { ...old, told: true }] });
  on = stage(told);
  expect(on.words()).not.toContain("old");
  expect(hitsOf(told, 0, "old")).toEqual([]);
  expect(conversationMarkdown(told)).not.toContain("old");
  on.show({ turns: [old, turn()] });
  expect(on.words()).toContain("old");
});
