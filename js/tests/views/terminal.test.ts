/** Terminals that agents run themselves and report in `_meta`, folded from a recording, in the card of ours. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Session, Terminal } from "../../src/wire";
import { type Stage, stage } from "./stage";

const GOLDEN = join(import.meta.dirname, "../../../tests/golden");
const golden = (name: string) => JSON.parse(readFileSync(join(GOLDEN, name), "utf8")) as Session;

let on: Stage;
afterEach(() => on.end());

/** The session with other fields in every terminal. */
function withTerminal(recorded: Session, fields: Partial<Terminal>): Session {
  const turns = recorded.turns.map((turn) => ({
    ...turn,
    terminals: Object.fromEntries(
      Object.entries(turn.terminals).map(([id, terminal]) => [id, { ...terminal, ...fields }]),
    ),
  }));
  return { ...recorded, turns };
}

function opened(recorded: Session): string {
  on = stage(recorded);
  on.find(".acp-call > .acp-fold-head").click();
  return on.find(".acp-call .acp-slot-terminals").outerHTML;
}

test("a recorded command of the agent's own shows its output and how it ended", () => {
  opened(golden("codex-longshell.json"));
  expect(on.words()).toContain("for i in 1 2 3 4 5 6; do echo step $i; sleep 1; done");
  expect(on.words()).toContain("step 2\nstep 3\nstep 4\nstep 5\nstep 6\n");
  expect(on.find(".acp-call .acp-section-label").textContent).toBe("Terminal");
});

test("the card is that of a terminal which the client serves", () => {
  const recorded = golden("codex-longshell.json");
  const own = opened(recorded);
  on.end();
  const ours = opened(withTerminal(recorded, { command: "for", args: ["i"], released: true }));
  expect(own).toBe(ours);
});

test.each([
  [{ exit_code: 3 }, "Terminal, exit code 3"],
  [{ exit_code: null, signal: "SIGTERM" }, "Terminal, ended by SIGTERM"],
  [{ output: "\u001b[31mred\u001b[0m\rblue", exit_code: 1 }, "blue"],
] as const)("its end, colours and carriage returns: %j", (fields, words) => {
  opened(withTerminal(golden("codex-longshell.json"), fields));
  expect(on.words()).toContain(words);
  expect(on.words()).not.toContain("\r");
});

test("of what was reported without a terminal in the content nothing is lost", () => {
  const [turn] = golden("codex-cancel.json").turns;
  on = stage({ turns: turn === undefined ? [] : [turn] });
  on.find(".acp-call > .acp-fold-head").click();
  expect(on.words()).toContain("This is teh demo project.");
});
