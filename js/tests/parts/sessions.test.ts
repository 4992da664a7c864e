import { afterEach, expect, test } from "vitest";
import * as sessions from "../../src/parts/sessions";
import type { SessionList } from "../../src/wire";
import { loads, press, type Stage, stage } from "../views/stage";

let on: Stage;
afterEach(() => on.end());

const LIST: SessionList = {
  current: "s",
  able: ["load", "fork", "delete"],
  sessions: [
    { id: "s", title: "Now", cwd: "/project", updated: "2026-11-30T10:00:00Z", source: "agent" },
    { id: "old", title: "Fix the \u202etest", cwd: "/project", updated: null, source: "agent" },
    { id: "mine", title: null, cwd: "/project", updated: "no date", source: "record" },
  ],
};

const rows = () => on.all(".acp-session-open");

async function tick(): Promise<void> {
  for (let i = 0; i < 6; i += 1) await Promise.resolve();
}

async function answer(list: SessionList | null, error: string | null = null): Promise<void> {
  const last = on.sent.findLast((message) => message.kind === "sessions");
  if (last === undefined || !("id" in last)) throw new Error("nobody asked");
  on.hear({ kind: "ack", id: last.id, error, data: list });
  await tick();
}

async function open(parts: Record<string, unknown> = { sessions }): Promise<void> {
  on = stage({}, undefined, undefined, loads(parts));
  on.find(".acp-menu-place button").click();
  on.all(".acp-menu-item")
    .find((one) => one.textContent === "Sessions")
    ?.click();
  await tick();
}

test("the menu opens the list; the current one is marked, hostile titles are readable", async () => {
  await open();
  expect(on.words()).toContain("Asking the agent");
  await answer(LIST);
  expect(rows().map((one) => one.querySelector(".acp-session-title")?.textContent)).toEqual([
    "Now (this one)",
    expect.not.stringContaining("\u202e"),
    "mine",
  ]);
  expect(rows()[2]?.textContent).toContain("(our record)");
});

test("a click opens a session, and the list goes when that is done", async () => {
  await open();
  await answer(LIST);
  rows()[1]?.click();
  expect(on.sent.at(-1)).toMatchObject({ kind: "session", act: "open", session: "old" });
  await on.ack();
  await tick();
  expect(on.all(".acp-sessions")).toEqual([]);
});

test("what the agent refuses is shown in the list", async () => {
  await open();
  await answer(LIST);
  rows()[2]?.click();
  await on.ack("It cannot be brought back.");
  await tick();
  expect(on.find(".acp-sessions").textContent).toContain("It cannot be brought back.");
});

test("only what is advertised is offered; deleting asks first and lists again", async () => {
  await open();
  await answer(LIST);
  expect(on.all("[aria-label^='Let the agent put']")).toEqual([]);
  expect(on.all("[aria-label^='Go on with a copy']")).toHaveLength(2);
  const [remove] = on.all("[aria-label^='Delete']");
  const face = remove?.innerHTML;
  remove?.click();
  expect(remove?.textContent).toBe("Delete?");
  // Who turns to something else is asked again.
  remove?.dispatchEvent(new Event("blur"));
  expect([remove?.innerHTML, remove?.getAttribute("aria-label")]).toEqual([
    face,
    "Delete: Fix the ⟨U+202E⟩test",
  ]);
  remove?.click();
  expect(on.sent.filter((one) => one.kind === "session")).toEqual([]);
  remove?.click();
  expect(on.sent.at(-1)).toMatchObject({ act: "delete", session: "old" });
  await on.ack();
  await tick();
  expect(on.sent.at(-1)).toMatchObject({ kind: "sessions" });
});

test("the keyboard: arrows move, Escape closes", async () => {
  await open();
  await answer(LIST);
  rows()[0]?.focus();
  press(rows()[0] as Element, "ArrowDown");
  expect(on.focused()).toBe(rows()[1]);
  press(rows()[1] as Element, "Escape");
  expect(on.all(".acp-sessions")).toEqual([]);
});

test("a new session, and a list that cannot be had", async () => {
  await open();
  await answer(null, "The agent is not there.");
  expect(on.words()).toContain("The agent is not there.");
  on.all(".acp-sessions .acp-button")[0]?.click();
  expect(on.sent.at(-1)).toMatchObject({ kind: "session", act: "new" });
  on.end();
  await open({});
  expect(on.words()).toContain("This could not be loaded from the kernel.");
});
