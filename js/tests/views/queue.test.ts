import { afterEach, beforeEach, expect, test } from "vitest";
import * as part from "../../src/parts/queue";
import type { Session } from "../../src/wire";
import { loads, press, RUNNING, type Stage, stage, turn } from "./stage";

let on: Stage;
beforeEach(() => sessionStorage.clear());
afterEach(() => on.end());

const queued = (text: string) => turn({ status: "queued", prompt: [{ type: "text", text }], started: null });
const WORKING = { status: "working", turns: [turn(RUNNING), queued("one"), queued("two")] } as const;
const rows = () => on.all(".acp-queue-row");
const button = (row: number, title: string) => rows()[row]?.querySelector<HTMLElement>(`[title='${title}']`);
const last = () => on.sent.at(-1);

async function shown(
  session: Partial<Session>,
  parts: Record<string, unknown> = { queue: part },
): Promise<void> {
  on = stage(session, undefined, undefined, loads(parts));
  await Promise.resolve();
  await Promise.resolve();
}

test("without the part of the bundle what waits can still be taken back", async () => {
  await shown(WORKING, {});
  expect(rows().map((row) => row.textContent)).toEqual(["one", "two"]);
  expect(button(0, "Change")).toBeNull();
  button(1, "Take back")?.click();
  expect(last()).toMatchObject({ kind: "unqueue", turn: 2 });
});

test("while a turn runs, what waits says so; the first cannot be moved up", async () => {
  await shown(WORKING);
  expect(on.find(".acp-queue-head").textContent).toContain("After this turn");
  expect(button(0, "Move up")?.hidden).toBe(true);
  button(1, "Move up")?.click();
  expect(last()).toMatchObject({ kind: "move", turn: 2, to: 1 });
});

test("after a stop or an error it waits until it is sent on purpose", async () => {
  await shown(WORKING);
  const go = on.find(".acp-queue-head .acp-button");
  expect(go.hidden).toBe(true);
  on.show({ status: "ready", turns: [turn(), queued("one")] });
  expect(on.words()).toContain("Not sent yet");
  expect(go.hidden).toBe(false);
  go.click();
  expect(last()).toMatchObject({ kind: "resume_queue" });
});

test("a waiting message is changed in place: Enter keeps, Escape leaves it", async () => {
  await shown(WORKING);
  button(0, "Change")?.click();
  const box = on.find(".acp-queue-box") as HTMLTextAreaElement;
  expect(box.value).toBe("one");
  box.value = "other";
  press(box, "Enter");
  expect(last()).toMatchObject({ kind: "edit", turn: 1, text: "other" });
  expect(box.hidden).toBe(true);
  const sent = on.sent.length;
  button(0, "Change")?.click();
  press(box, "Escape");
  expect(on.sent).toHaveLength(sent);
  expect(on.log).toEqual([]);
});

test("what the kernel says against it is shown", async () => {
  await shown(WORKING);
  button(1, "Move up")?.click();
  await on.ack("This prompt is not waiting any more.");
  await Promise.resolve();
  expect(on.find(".acp-queue-head").textContent).toContain("not waiting any more");
});

test("Stop and send is there while a turn runs and something is typed", async () => {
  await shown(WORKING);
  const instead = [...on.all(".acp-compose-row .acp-button")].find(
    (one) => one.textContent === "Stop and send",
  );
  expect(instead?.hidden).toBe(true);
  const box = on.find(".acp-box") as HTMLTextAreaElement;
  box.value = "now";
  box.dispatchEvent(new Event("input", { bubbles: true }));
  expect(instead?.hidden).toBe(false);
  instead?.click();
  expect(last()).toMatchObject({ kind: "send", text: "now", now: true });
  await on.ack();
  await Promise.resolve();
  expect(box.value).toBe("");
});

test("a start that takes long says what it waits for; silence is counted", () => {
  on = stage({ status: "starting", waits_for: "session/new", since: 8 });
  expect(on.find(".acp-progress").textContent).toContain("has not answered session/new yet: 12 s");
  on.show({ status: "starting", waits_for: "spawn", since: 18.5 });
  expect(on.find(".acp-progress").hidden).toBe(true);
  on.show({ status: "working", turns: [turn(RUNNING)] });
  expect(on.find(".acp-progress").hidden).toBe(true);
  on.show({ status: "ready" });
  expect(on.find(".acp-progress").hidden).toBe(true);
});
