import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as wireLog from "../../src/parts/wire_log";
import type { WireEntries } from "../../src/wire";
import { loads, press, type Stage, stage } from "../views/stage";

let on: Stage;
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  on.end();
  vi.useRealTimers();
});

async function tick(): Promise<void> {
  for (let i = 0; i < 6; i += 1) await Promise.resolve();
}

async function open(): Promise<void> {
  on = stage({}, undefined, undefined, loads({ wire_log: wireLog }));
  on.find(".acp-menu-place button").click();
  on.all(".acp-menu-item")
    .find((one) => one.textContent === "Wire log")
    ?.click();
  await tick();
}

async function answer(first: number, ...entries: WireEntries["entries"]): Promise<void> {
  const last = on.sent.findLast((message) => message.kind === "wire_log");
  if (last === undefined || !("id" in last)) throw new Error("nobody asked");
  on.hear({ kind: "ack", id: last.id, error: null, data: { first, entries } });
  await tick();
}

const ASKED = { t: 1, dir: "out", json: '{"id":0,"method":"initialize"}' };
const SAID = { t: 1.5, dir: "in", json: '{"id":0,"result":{"name":"x\u202ey"}}' };
const lines = (): string[] => on.all(".acp-wire-text").map((one) => one.textContent ?? "");

test("the messages come in their order, hidden characters shown", async () => {
  await open();
  await answer(0, ASKED, SAID);
  expect(lines()).toEqual([ASKED.json, '{"id":0,"result":{"name":"x⟨U+202E⟩y"}}']);
  expect(on.find(".acp-wire [role=status]").textContent).toBe("2");
});

test("what is new is asked for while it is open, and no more once it is closed", async () => {
  await open();
  await answer(0, ASKED);
  vi.advanceTimersByTime(1_000);
  expect(on.sent.at(-1)).toMatchObject({ kind: "wire_log", after: 1 });
  await answer(1, SAID);
  expect(lines()).toHaveLength(2);
  press(on.find(".acp-wire-line"), "Escape");
  expect(on.all(".acp-wire")).toEqual([]);
  const asked = on.sent.length;
  vi.advanceTimersByTime(5_000);
  expect(on.sent).toHaveLength(asked);
});

test("every word of the filter must be there", async () => {
  await open();
  await answer(0, ASKED, SAID);
  const filter = on.find(".acp-wire-filter") as HTMLInputElement;
  filter.value = "ID initialize";
  filter.dispatchEvent(new Event("input"));
  expect(lines()).toEqual([ASKED.json]);
  expect(on.find(".acp-wire [role=status]").textContent).toBe("1 of 2");
});

test("the copied lines are a transcript, of what is shown", async () => {
  const writeText = vi.fn((_text: string) => Promise.resolve());
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  await open();
  await answer(0, ASKED, { t: 2, dir: "in", json: "{cut …" });
  on.all(".acp-wire-head .acp-button")[0]?.click();
  expect(writeText.mock.calls[0]?.[0].split("\n").map((line) => JSON.parse(line))).toEqual([
    { t: 1, dir: "out", msg: { id: 0, method: "initialize" } },
    { t: 2, dir: "in", msg: "{cut …" },
  ]);
  vi.unstubAllGlobals();
});

test("a line opens to the whole message", async () => {
  await open();
  await answer(0, ASKED);
  on.find(".acp-wire-line").click();
  expect(on.find(".acp-wire-body pre").textContent).toBe('{\n  "id": 0,\n  "method": "initialize"\n}');
  on.find(".acp-wire-line").click();
  expect(on.all(".acp-wire-body")).toEqual([]);
});

test("only the newest are held, and it says so", async () => {
  await open();
  const many = Array.from({ length: 1_100 }, (_, i) => ({ t: i, dir: "in", json: `{"i":${i}}` }));
  await answer(400, ...many);
  expect(lines()).toHaveLength(1_000);
  expect(lines()[0]).toBe('{"i":100}');
  expect(on.find(".acp-wire [role=status]").textContent).toBe("1000, the newest of 1500");
});

test("an error of the kernel is shown until the next look helps", async () => {
  await open();
  await on.ack("It is gone.");
  await tick();
  const failure = on.find(".acp-wire .acp-error-line");
  expect([failure.textContent, failure.hidden]).toEqual(["It is gone.", false]);
  vi.advanceTimersByTime(1_000);
  await answer(0, ASKED);
  expect(failure.hidden).toBe(true);
  expect(lines()).toEqual([ASKED.json]);
});
