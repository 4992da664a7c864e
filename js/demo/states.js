/** Hand-made sessions, one for each thing a person may see. Used by `shots.py` and by hand (`index.html?state=…`). */

const CWD = "/home/ada/projects/weather";
let keys = 0;

export function session(part = {}) {
  return {
    version: 1,
    session_id: "s1",
    status: "ready",
    agent: {
      name: "opencode",
      title: "OpenCode",
      version: "1.2.27",
      command: ["opencode", "acp"],
      protocol_version: 1,
      capabilities: {},
      auth_methods: [],
    },
    cwd: CWD,
    title: null,
    commands: [],
    modes: [{ id: "build", name: "Build", description: null }],
    mode: "build",
    options: [],
    models: { current: "m", available: [{ id: "m", name: "Claude Sonnet 4.5", description: null }] },
    context: { used: 34_210, size: 200_000, cost: { amount: 0.1234, currency: "USD" } },
    preamble: null,
    turns: [],
    children: {},
    warnings: [],
    unread: {},
    exit: null,
    ...part,
  };
}

export function turn(prompt, items, part = {}) {
  return {
    session_id: "s1",
    prompt: typeof prompt === "string" ? [text(prompt)] : prompt,
    items,
    after: [],
    permissions: [],
    terminals: {},
    usage: { input_tokens: 3120, output_tokens: 286, total_tokens: 3406 },
    cost: null,
    stop_reason: "end_turn",
    status: "ready",
    active: false,
    error: null,
    cancel_requested: false,
    replayed: false,
    started: 10,
    ended: 37,
    ...part,
  };
}

export const text = (value) => ({ type: "text", text: value });
export const running = { status: "streaming", active: true, stop_reason: null, ended: null, usage: null };

function said(kind, value, part = {}) {
  return { kind, blocks: [text(value)], streaming: false, message_id: null, started: 11, ended: 15, ...part };
}
export const message = (value, part) => said("message", value, part);
export const thought = (value, part) => said("thought", value, part);

export function call(part, times = {}) {
  keys += 1;
  return {
    kind: "tool_call",
    started: 15,
    ended: 17,
    ...times,
    call: {
      id: `call-${keys}`,
      name: null,
      tool_name: part.kind ?? "other",
      title: "Tool",
      kind: "other",
      status: "completed",
      state: "output-available",
      content: [],
      diffs: [],
      locations: [],
      raw_input: null,
      raw_output: null,
      permissions: [],
      terminals: [],
      ...part,
    },
  };
}

export const output = (value) => [{ type: "content", block: text(value) }];

export function plan(...entries) {
  return {
    kind: "plan",
    plan_id: null,
    text: null,
    uri: null,
    started: 12,
    ended: null,
    entries: entries.map(([content, status]) => ({ content, status, priority: "medium" })),
  };
}

export const OPTIONS = [
  { id: "once", name: "Allow once", kind: "allow_once" },
  { id: "always", name: "Always allow edits in this folder", kind: "allow_always" },
  { id: "no", name: "Reject", kind: "reject_once" },
];

export function permission(key, part = {}) {
  return {
    key,
    request_id: 0,
    session_id: "s1",
    tool_call_id: "x",
    title: "Edit src/weather/parse.py",
    kind: "edit",
    content: [],
    diffs: [],
    locations: [],
    raw_input: null,
    options: OPTIONS,
    outcome: null,
    option_id: null,
    decided_by: null,
    asked: 18,
    answered: null,
    covers: null,
    remembered: null,
    ...part,
  };
}

const OLD = `import csv
from pathlib import Path


def read_rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def mean_temperature(rows):
    total = 0
    for row in rows:
        total += float(row["temp"])
    return total / len(rows)


def warmest(rows):
    return max(rows, key=lambda row: row["temp"])
`;
const NEW = `import csv
from pathlib import Path


def read_rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def mean_temperature(rows):
    values = [float(row["temp"]) for row in rows if row["temp"] != ""]
    return sum(values) / len(values)


def warmest(rows):
    return max(rows, key=lambda row: float(row["temp"]))
`;
export const DIFF = { path: `${CWD}/src/weather/parse.py`, old_text: OLD, new_text: NEW };

/** The hunks of `DIFF`, as the kernel finds them. */
const REVIEW = {
  key: "p1",
  way: "permission",
  call_id: "edit",
  files: [
    {
      path: DIFF.path,
      kind: "change",
      problem: null,
      earlier: null,
      hunks: [
        {
          index: 0,
          path: DIFF.path,
          line: 5,
          new_line: 5,
          old: "def read_rows(path):\n    with open(path) as file:\n",
          "new":
            'def read_rows(path: Path) -> list[dict[str, str]]:\n    with open(path, newline="", encoding="utf-8") as file:\n',
          before: "from pathlib import Path\n\n\n",
          after: "        return list(csv.DictReader(file))\n\n\n",
        },
        {
          index: 1,
          path: DIFF.path,
          line: 11,
          new_line: 11,
          old: '    total = 0\n    for row in rows:\n        total += float(row["temp"])\n    return total / len(rows)\n',
          "new":
            '    values = [float(row["temp"]) for row in rows if row["temp"] != ""]\n    return sum(values) / len(values)\n',
          before: "def mean_temperature(rows):\n",
          after: "\n\ndef warmest(rows):\n",
        },
        {
          index: 2,
          path: DIFF.path,
          line: 18,
          new_line: 16,
          old: '    return max(rows, key=lambda row: row["temp"])\n',
          "new": '    return max(rows, key=lambda row: float(row["temp"]))\n',
          before: "",
          after: "",
        },
      ],
    },
  ],
  outcome: null,
  chosen: [],
  decided_by: null,
  problem: null,
};

const ANSWER = `The failing test compares **strings**, not numbers: \`max\` on \`row["temp"]\` puts \`"9.5"\` above \`"21.0"\`.

What I changed in \`src/weather/parse.py\`:

1. \`warmest\` converts to \`float\` before it compares.
2. \`mean_temperature\` leaves out empty cells.
3. The file is opened with \`newline=""\`, as the csv module wants it.

| Station | Mean before | Mean after |
| --- | ---: | ---: |
| Oslo | 4.9 | 5.2 |
| Lisbon | 17.0 | 17.0 |

\`\`\`python
def warmest(rows):
    # Text compares character by character.
    return max(rows, key=lambda row: float(row["temp"]))
\`\`\`

The mean is $\\bar{t} = \\frac{1}{n}\\sum_i t_i$. More in the [csv documentation](https://docs.python.org/3/library/csv.html).`;

const TEST_OUTPUT =
  "\u001b[1m============ test session starts ============\u001b[0m\ncollected 6 items\n\ntests/test_parse.py \u001b[32m.....\u001b[0m\u001b[31mF\u001b[0m\n\n\u001b[31m\u001b[1mE       AssertionError: assert '9.5' == '21.0'\u001b[0m\n\u001b[31m========= 1 failed, \u001b[32m5 passed\u001b[31m in 0.12s =========\u001b[0m\n";

function terminal(id, part = {}) {
  return {
    id,
    command: "python",
    args: ["-m", "pytest", "-q"],
    cwd: CWD,
    output: TEST_OUTPUT,
    truncated: false,
    exit_code: 1,
    signal: null,
    exited: true,
    released: true,
    ...part,
  };
}

const read = (path, part) =>
  call({
    title: `Read ${path}`,
    kind: "read",
    locations: [{ path: `${CWD}/${path}`, line: null }],
    raw_input: { filePath: `${CWD}/${path}` },
    content: output("1: # Weather\n2:\n3: Reads station files."),
    ...part,
  });

const steps = () => [
  read("README.md"),
  call({
    title: "Search",
    kind: "search",
    raw_input: { pattern: "def warmest" },
    content: output("src/weather/parse.py:17"),
  }),
  read("src/weather/parse.py"),
  read("tests/test_parse.py"),
];

const edited = (state = "output-available", part = {}) =>
  call({
    title: "Edit src/weather/parse.py",
    kind: "edit",
    state,
    diffs: [DIFF],
    content: [{ type: "diff", diff: 0 }],
    locations: [{ path: DIFF.path, line: null }],
    ...part,
  });

const ran = (part) =>
  call({
    title: "python -m pytest -q",
    kind: "execute",
    raw_input: { command: "python -m pytest -q" },
    ...part,
  });

const P = "The test `test_warmest` fails. Find out why and fix it, please.";

export const STATES = {
  empty: () => session({ status: "idle", agent: null, models: null, modes: [], mode: null, context: null }),
  streaming: () =>
    session({
      status: "working",
      turns: [
        turn(
          P,
          [
            thought("The test compares strings."),
            ...steps(),
            message(ANSWER.slice(0, 420), { streaming: true, ended: null }),
          ],
          running,
        ),
      ],
    }),
  thinking: () =>
    session({
      status: "working",
      turns: [
        turn(
          "And the other stations?",
          [thought("Let me see", { streaming: true, ended: null, started: 33 })],
          running,
        ),
      ],
    }),
  work: () =>
    session({
      status: "working",
      turns: [
        turn(
          [
            text(P),
            {
              type: "resource_link",
              uri: `file://${CWD}/data/oslo.csv`,
              name: "oslo.csv",
              title: null,
              description: null,
              mime_type: "text/csv",
              size: 48_213,
            },
          ],
          [
            thought("The failing test is about ordering. I should look at the parsing first."),
            plan(
              ["Read the parser and its test", "completed"],
              ["Fix the comparison", "in_progress"],
              ["Run the tests again", "pending"],
            ),
            ...steps(),
            message("The values are compared as text. I run the tests to be sure."),
            ran({ state: "input-available", status: "in_progress", terminals: ["t"] }),
          ],
          { ...running, terminals: { t: terminal("t", { exited: false, exit_code: null }) } },
        ),
      ],
    }),
  approval_diff: () =>
    session({
      status: "waiting",
      turns: [
        turn(
          P,
          [
            thought("Text against text."),
            ...steps(),
            message("`warmest` compares text. I convert to `float` first."),
            edited("approval-requested", { permissions: ["p1"], status: "pending" }),
          ],
          {
            ...running,
            permissions: [
              permission("p1", {
                diffs: [DIFF],
                content: [{ type: "diff", diff: 0 }],
                covers: "edit src/weather/parse.py",
              }),
            ],
          },
        ),
      ],
    }),
  approval_command: () =>
    session({
      status: "waiting",
      turns: [
        turn(
          "Clean up the build folder and run the tests.",
          [
            message("I remove the old build first, then run the tests."),
            call({
              title: "rm -rf build dist && python -m pytest -q --maxfail=1",
              kind: "execute",
              state: "approval-requested",
              status: "pending",
              permissions: ["p1", "p2"],
            }),
          ],
          {
            ...running,
            permissions: [
              permission("p1", {
                title: "rm -rf build dist && python -m pytest -q --maxfail=1",
                kind: "execute",
                raw_input: {
                  command: "rm -rf build dist &&\n  python -m pytest -q --maxfail=1",
                  cwd: "/home/ada/projects/weather/sub",
                  description: "Clean and test",
                },
                options: [
                  { id: "a", name: "Yes", kind: "allow_once" },
                  {
                    id: "b",
                    name: "Yes, and don't ask again for commands that start with `rm -rf build`",
                    kind: "allow_always",
                  },
                  { id: "c", name: "No, and tell Codex what to do differently", kind: "reject_once" },
                ],
              }),
              permission("p2", {
                title: "Which runner should I use?",
                kind: null,
                session_id: "child-7",
                content: output(
                  "The project has **two** runners. Which one do you want?\n\n- `pytest` runs all\n- `nox` runs all, on three versions",
                ),
                options: [
                  { id: "q1", name: "pytest", kind: "allow_once" },
                  { id: "q2", name: "nox", kind: "allow_once" },
                  { id: "q3", name: "Something else", kind: "ask_again" },
                ],
              }),
            ],
          },
        ),
      ],
    }),
  answered: () =>
    session({
      turns: [
        turn(
          P,
          [
            thought("Text against text."),
            plan(
              ["Read the parser and its test", "completed"],
              ["Fix the comparison", "completed"],
              ["Run the tests again", "completed"],
            ),
            ...steps(),
            edited("output-available", { permissions: ["p1"] }),
            ran({ terminals: ["t"], permissions: ["p2"], raw_output: { output: "6 passed" } }),
            call({
              title: "git push",
              kind: "execute",
              state: "output-denied",
              status: "failed",
              raw_input: { command: "git push origin main" },
              permissions: ["p3"],
            }),
            message(ANSWER),
          ],
          {
            terminals: { t: terminal("t", { exit_code: 0, output: "6 passed in 0.10s\n" }) },
            permissions: [
              permission("p1", {
                diffs: [DIFF],
                outcome: "selected",
                option_id: "once",
                decided_by: "person",
                answered: 20,
              }),
              permission("p2", {
                title: "python -m pytest -q",
                kind: "execute",
                raw_input: { command: "python -m pytest -q" },
                outcome: "selected",
                option_id: "always",
                decided_by: "tests are fine",
                answered: 21,
              }),
              permission("p3", {
                title: "git push origin main",
                kind: "execute",
                raw_input: { command: "git push origin main" },
                outcome: "selected",
                option_id: "no",
                decided_by: "person",
                answered: 22,
              }),
            ],
            after: [
              message("The watcher has rebuilt the documentation in the background.", {
                started: 40,
                ended: 41,
              }),
            ],
          },
        ),
      ],
    }),
  opened: () => STATES.answered(),
  errors: () =>
    session({
      warnings: [
        "A permission was refused because nobody is there to be asked (no person at this notebook).",
      ],
      turns: [
        turn(
          "Run the benchmark.",
          [
            ran({
              title: "python bench.py",
              raw_input: { command: "python bench.py" },
              state: "output-error",
              status: "failed",
              terminals: ["t"],
            }),
            call({
              title: "Fetch https://example.org/data.json",
              kind: "fetch",
              state: "output-error",
              status: "failed",
              raw_input: { url: "https://example.org/data.json" },
              raw_output: { error: "getaddrinfo ENOTFOUND example.org" },
            }),
            {
              kind: "notice",
              severity: "warning",
              title: "Rate limit reached",
              description: "The provider asks to wait 20 s.",
              started: 12,
              ended: 12,
            },
            {
              kind: "unknown",
              name: "session/quantum_update",
              raw: { sessionUpdate: "quantum_update", spin: 0.5 },
              started: 12,
              ended: 12,
            },
          ],
          {
            status: "error",
            stop_reason: null,
            error: "The agent answered with error -32603: Internal error (model overloaded)",
            terminals: { t: terminal("t", { command: "python", args: ["bench.py"] }) },
          },
        ),
        turn("Go on.", [message("I cannot")], { stop_reason: "max_tokens" }),
        turn("Really?", [], {}),
        turn(
          "Stop it.",
          [call({ title: "Look around", kind: "think", state: "stopped", status: "in_progress" })],
          { stop_reason: "cancelled", cancel_requested: true },
        ),
      ],
    }),
  long_names: () =>
    session({
      agent: {
        ...session().agent,
        title: "The Extraordinarily Long-Named Agent of the Western Provinces",
        version: "2026.11.30-nightly.4821+g8f3a",
      },
      cwd: "/home/ada/projects/a-folder-whose-name-goes-on-and-on-and-never-seems-to-end/weather-stations-of-the-world",
      turns: [
        turn(`${"verylongword".repeat(14)} and ${"more ".repeat(60)}`, [
          read(
            "src/a/deeply/nested/folder/structure/that/keeps/going/and/going/until/it/finally/ends/in_a_file_with_a_long_name.py",
          ),
          ran({
            title: "x",
            raw_input: {
              command: `docker run --rm -it -v /home/ada/projects:/work -e KEY=${"A".repeat(80)} image:latest /bin/sh -c 'make all && make test'`,
            },
          }),
          message(
            `A line with \`${"code".repeat(40)}\` and https://example.org/${"path/".repeat(30)} in it.\n\n| ${"column | ".repeat(12)}\n|${" --- |".repeat(12)}\n| ${"value | ".repeat(12)}`,
          ),
        ]),
      ],
    }),
  many: () =>
    session({
      turns: [
        turn("Read everything.", [
          message("I read all files."),
          ...Array.from({ length: 200 }, (_, n) => read(`src/module_${n}.py`)),
          message("Done: 200 files."),
        ]),
      ],
    }),
  hostile: () =>
    session({
      agent: { ...session().agent, title: "<b>Agent</b>\u202Egpj" },
      status: "waiting",
      turns: [
        turn(
          "Do it.",
          [
            message(
              '<script>alert(1)</script> <img src=x onerror=alert(1)> [click](javascript:alert(1)) ![pixel](https://evil.example/p.png) <a href="https://x">x</a>',
            ),
            call({
              title: "rm \u202Egpj.exe\u0007 \u001b[31mred",
              kind: "execute",
              state: "approval-requested",
              permissions: ["p1"],
              raw_input: { command: "echo safe\u202E && rm -rf ~" },
            }),
          ],
          {
            ...running,
            permissions: [
              permission("p1", {
                title: "rm \u202Egpj.exe\u0007",
                kind: "execute",
                raw_input: { command: "echo safe\u202E && rm -rf ~\u2066" },
                options: [
                  { id: "x", name: "Allow\u202Eyned\u200B", kind: "allow_once" },
                  {
                    id: "<img src=x onerror=alert(1)>",
                    name: "<img src=x onerror=alert(1)>",
                    kind: "reject_once",
                  },
                ],
              }),
            ],
          },
        ),
      ],
    }),
  ended: () =>
    session({
      status: "ended",
      exit: {
        code: 1,
        signal: null,
        stderr:
          'Traceback (most recent call last):\n  File "agent.py", line 12, in <module>\n    main()\n\u001b[31mRuntimeError: no API key\u001b[0m\n',
        reason: "It needs to be signed in: run `opencode auth login` in a terminal.",
      },
      turns: [
        turn(P, [thought("Text"), ...steps(), message("I was about to", {})], {
          status: "error",
          error: "The agent ended while it was working.",
          stop_reason: null,
        }),
      ],
    }),
  /** A permission whose hunks can be chosen. */
  hunks_beside() {
    const asked = STATES.approval_diff();
    const last = asked.turns.at(-1);
    const permissions = last.permissions.map((one) =>
      one.outcome === null ? { ...one, review: { ...REVIEW, key: one.key } } : one,
    );
    return { ...asked, turns: [...asked.turns.slice(0, -1), { ...last, permissions }] };
  },
  /** A held write, one that was written in part, and what the agent will be told. */
  hunks() {
    const review = (part) => ({
      kind: "review",
      review: { ...REVIEW, way: "write", ...part },
      started: 20,
      ended: null,
    });
    const written = review({ key: "write-1", outcome: "applied", chosen: [0, 2], decided_by: "person" });
    const told =
      "I reviewed what you wrote hunk by hunk, and only the accepted hunks are in the file.\n" +
      `- ${DIFF.path}: kept 2 of 3 hunks (at lines 5, 18), did not take 1 of 3 hunks (at line 11)`;
    return session({
      status: "waiting",
      reports: [{ key: "write-1", text: told }],
      turns: [turn(P, [...steps(), { ...written, ended: 21 }, review({ key: "write-2" })], running)],
    });
  },
  readonly: () => STATES.answered(),
  queued: () =>
    session({
      status: "working",
      turns: [
        turn(
          P,
          [thought("Text"), ...steps(), message("I look at", { streaming: true, ended: null })],
          running,
        ),
        turn("Then update the changelog.", [], { status: "queued", started: null, ended: null }),
        turn(
          "And open a pull request with a short description of what was wrong and how it was fixed in this branch.",
          [],
          { status: "queued", started: null, ended: null },
        ),
      ],
    }),
};

export const INFO = {
  chat_id: "demo",
  height: null,
  demo: true,
  allowed: [
    "Work in /home/ada/projects/weather and nowhere else",
    "Read files there without asking, write them only after you allow it",
    "Run commands in a terminal, each only after you allow it",
  ],
  suggestions: [
    "Explain what this project does",
    "Find out why test_warmest fails and fix it",
    "Plot the mean temperature of each station",
  ],
};
