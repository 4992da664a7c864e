import { afterEach, expect, test, vi } from "vitest";
import { mountTurn } from "../../src/views/frame";
import type { Item, Session } from "../../src/wire";
import { message, session } from "../states";
import { call, INFO, permission, press, RUNNING, type Stage, stage, turn, waiting } from "./stage";

let on: Stage;
afterEach(() => {
  on.end();
  vi.useRealTimers();
});

const thought: Item = {
  kind: "thought",
  blocks: [{ type: "text", text: "hm" }],
  streaming: false,
  message_id: null,
  started: 1,
  ended: 1,
};
const steps = (n: number): Item[] =>
  Array.from({ length: n }, (_, i) => call({ id: `c${i}`, title: `Step ${i}` }));

test("a run of done calls is one line that opens; two calls are not a run", () => {
  on = stage({ turns: [turn({ items: [...steps(3), message("Then"), ...steps(2)] })] });
  expect(on.all(".acp-run")).toHaveLength(1);
  expect(on.words()).toContain("3 steps");
  expect(on.words().match(/Step/g)).toHaveLength(2);
  on.find(".acp-run > button").click();
  expect(on.words().match(/Step/g)).toHaveLength(5);
});

test("thoughts between done calls fold with them; failed and waiting calls stay out", () => {
  const items = [
    call({ id: "a" }),
    thought,
    call({ id: "b" }),
    call({ id: "c" }),
    call({ id: "d", title: "Broken", state: "output-error" }),
    call({ id: "e", title: "Refused", state: "output-denied" }),
  ];
  on = stage({ turns: [turn({ items })] });
  expect(on.words()).toContain("3 steps");
  expect(on.words()).not.toContain("Thought");
  expect(on.words()).toContain("Broken");
  expect(on.words()).toContain("Refused");
});

test("the run at the end stays open while more may come", () => {
  on = stage({ status: "working", turns: [turn({ ...RUNNING, items: steps(4) })] });
  expect(on.all(".acp-run")).toEqual([]);
  expect(on.words().match(/Step/g)).toHaveLength(4);
});

test("steps in view are not folded under the person's eyes, but when they have moved on", async () => {
  const rects = vi
    .spyOn(HTMLElement.prototype, "getClientRects")
    .mockReturnValue([{}] as unknown as DOMRectList);
  const box = vi
    .spyOn(HTMLElement.prototype, "getBoundingClientRect")
    .mockReturnValue(new DOMRect(0, 10, 100, 100));
  on = stage({ status: "working", turns: [turn({ ...RUNNING, items: steps(4) })] });
  const next = [...steps(4), message("Now", true)];
  on.show({ status: "working", turns: [turn({ ...RUNNING, items: next })] });
  expect(on.all(".acp-run")).toEqual([]);
  // The view itself stands where it stood, only the steps have left it.
  box.mockImplementation(function (this: HTMLElement) {
    return this.classList.contains("acp-log") ? new DOMRect(0, 0, 100, 400) : new DOMRect(0, -500, 100, 100);
  });
  on.show({ status: "working", turns: [turn({ ...RUNNING, items: next, usage: { total_tokens: 2 } })] });
  expect(on.all(".acp-run")).toHaveLength(1);
  rects.mockRestore();
});

test("what the person has opened is never folded", () => {
  on = stage({ status: "working", turns: [turn({ ...RUNNING, items: steps(3) })] });
  on.find(".acp-call > .acp-fold-head").click();
  on.show({ status: "ready", turns: [turn({ items: [...steps(3), message("Done")] })] });
  expect(on.find(".acp-run > button").getAttribute("aria-expanded")).toBe("true");
  expect(on.find(".acp-call > .acp-fold-head").getAttribute("aria-expanded")).toBe("true");
});

test("a late failure comes out of its folded run", () => {
  on = stage({ turns: [turn({ items: [...steps(3), message("Done")] })] });
  const late = [
    call({ id: "c0", title: "Step 0" }),
    call({ id: "c1", title: "Step 1", state: "output-error" }),
    call({ id: "c2" }),
  ];
  on.show({ turns: [turn({ items: [...late, message("Done")] })] });
  expect(on.words()).toContain("Step 1");
});

test.each([
  ["a", {}],
  ["Enter", { shiftKey: true }],
  ["Enter", { ctrlKey: true }],
  ["Delete", {}],
  [".", { ctrlKey: true }],
  ["f", { ctrlKey: true }],
])("the key %s %o stays inside", (key, more) => {
  on = stage();
  const heard = vi.fn();
  document.addEventListener("keydown", heard);
  press(on.find(".acp-log"), key, more);
  document.removeEventListener("keydown", heard);
  expect(heard).not.toHaveBeenCalled();
});

test.each([
  ["s", { ctrlKey: true }],
  ["s", { metaKey: true }],
  ["c", { ctrlKey: true, shiftKey: true }],
  ["F5", {}],
])("the key %s %o passes to the notebook", (key, more) => {
  on = stage();
  const heard = vi.fn();
  document.addEventListener("keydown", heard);
  press(on.find(".acp-log"), key, more);
  document.removeEventListener("keydown", heard);
  expect(heard).toHaveBeenCalledTimes(1);
});

test("editing chords in the box do not reach the notebook", () => {
  on = stage();
  const heard = vi.fn();
  document.addEventListener("keydown", heard);
  for (const key of ["a", "z", "x", "c", "v"]) press(on.find(".acp-box"), key, { ctrlKey: true });
  document.removeEventListener("keydown", heard);
  expect(heard).not.toHaveBeenCalled();
});

test("Escape closes what is open, then gives the focus back to the notebook", () => {
  on = stage();
  press(on.find(".acp-box"), "f", { ctrlKey: true });
  expect(on.find(".acp-find").hidden).toBe(false);
  press(on.find(".acp-find-box"), "Escape");
  expect(on.find(".acp-find").hidden).toBe(true);
  expect(on.log).toEqual([]);
  press(on.find(".acp-box"), "Escape");
  expect(on.log).toEqual(["notebook"]);
});

test("a click inside puts the focus inside", () => {
  on = stage({ turns: [turn({ items: [message("text")] })] });
  on.find(".acp-markdown p").click();
  expect(on.focused()).toBe(on.find(".acp-log"));
});

test("find looks into folded content, opens it and counts", () => {
  on = stage({
    turns: [
      turn({ items: [...steps(3), message("needle here")] }),
      turn({ items: [call({ raw_output: "a Needle" })] }),
    ],
  });
  press(on.find(".acp-box"), "f", { ctrlKey: true });
  const box = on.find(".acp-find-box") as HTMLInputElement;
  box.value = "needle";
  box.dispatchEvent(new Event("input"));
  expect(on.find(".acp-find").textContent).toContain("2 found");
  press(box, "Enter");
  press(box, "Enter");
  expect(on.find(".acp-find").textContent).toContain("2 of 2");
  expect(on.words()).toContain("a Needle");
  box.value = "Step 1";
  box.dispatchEvent(new Event("input"));
  press(box, "Enter");
  expect(on.words()).toContain("Step 1");
});

test("the header says agent, version, folder, model and state", () => {
  on = stage({
    status: "waiting",
    agent: {
      name: "oc",
      title: "OpenCode",
      version: "1.2",
      command: [],
      protocol_version: 1,
      capabilities: {},
      auth_methods: [],
    },
    models: { current: "m", available: [{ id: "m", name: "Big model", description: null }] },
    context: { used: 50, size: 100, cost: { amount: 0.25, currency: "USD" } },
  });
  const words = on.find(".acp-header").textContent;
  for (const part of ["OpenCode", "1.2", "project", "Big model", "waiting for you"])
    expect(words).toContain(part);
  expect(on.find(".acp-meter").title).toContain("50 tokens of 100 tokens");
  expect(on.find(".acp-cost").textContent).toMatch(/0[.,]25/);
});

test("the cost so far stands in the header, also of an agent that tells no size of its context", () => {
  on = stage({ context: { used: null, size: null, cost: { amount: 1.5, currency: "USD" } } });
  expect(on.find(".acp-cost").textContent).toMatch(/1[.,]50/);
  expect(on.find(".acp-meter").hidden).toBe(true);
  on.show({ context: { used: 1, size: 9, cost: { amount: 0, currency: "USD" } } });
  expect(on.find(".acp-cost").textContent).toBe("");
  on.show({ context: null });
  expect(on.find(".acp-cost").textContent).toBe("");
});

test("seconds tick once a second while a turn runs, and nothing ticks at rest", () => {
  vi.useFakeTimers();
  on = stage({ status: "working", turns: [turn(RUNNING)] });
  expect(on.find(".acp-state").textContent).toBe("working19 s");
  expect(vi.getTimerCount()).toBe(1);
  on.show({ status: "ready", turns: [turn({ stop_reason: "end_turn" })] });
  expect(vi.getTimerCount()).toBe(0);
});

test("earlier turns are asked for by button", () => {
  on = stage();
  const held = on.store.state.session as Session;
  on.hear({ kind: "state", seq: 9, now: 20, first: 5, session: { ...held, turns: [turn()] } });
  const button = on.find(".acp-earlier");
  expect(button.hidden).toBe(false);
  button.click();
  expect(on.sent.filter((one) => one.kind === "page")).toEqual([{ kind: "page", before: 5 }]);
});

test("taking the view away leaves no listener, timer or element", () => {
  vi.useFakeTimers();
  const added = new Map<string, number>();
  const count = (by: number) => (name: string) => added.set(name, (added.get(name) ?? 0) + by);
  const add = vi.spyOn(document, "addEventListener").mockImplementation(count(1));
  const remove = vi.spyOn(document, "removeEventListener").mockImplementation(count(-1));
  on = stage({
    status: "working",
    turns: [turn({ ...RUNNING, items: [message("x", true), call({ state: "input-available" })] })],
  });
  expect(vi.getTimerCount()).toBe(1);
  on.end();
  expect(vi.getTimerCount()).toBe(0);
  expect([...added.values()].every((number) => number === 0)).toBe(true);
  expect(on.root.childElementCount).toBe(0);
  on.hear({ kind: "state", seq: 99, now: 1, first: 0, session: on.store.state.session as Session });
  expect(on.root.childElementCount).toBe(0);
  add.mockRestore();
  remove.mockRestore();
});

test("one turn alone: its answer, its approval, its Stop; no composer", () => {
  on = stage(waiting([permission("p1")]), INFO, (root, store, _info, hooks) =>
    mountTurn(root, store, 0, hooks),
  );
  expect(on.all(".acp-box")).toEqual([]);
  on.all(".acp-option")[0]?.click();
  expect(on.sent.filter((one) => one.kind === "answer")).toMatchObject([
    { permission: "p1", option: "opaque/1" },
  ]);
  on.find(".acp-one-foot button").click();
  expect(on.sent.filter((one) => one.kind === "cancel")).toHaveLength(1);
});

test("each of many turns is drawn once, and only the changed one is touched", () => {
  const turns = Array.from({ length: 50 }, (_, i) =>
    turn({ prompt: [{ type: "text", text: `q${i}` }], items: [message(`a${i}`)] }),
  );
  on = stage({ turns });
  const nodes = on.all(".acp-turn");
  expect(nodes).toHaveLength(50);
  const seen: Node[] = [];
  const observer = new MutationObserver((records) => {
    for (const record of records) seen.push(record.target);
  });
  for (const node of nodes.slice(0, 49))
    observer.observe(node, { subtree: true, childList: true, characterData: true, attributes: true });
  on.hear({
    kind: "patch",
    seq: 2,
    now: 21,
    ops: [["app", ["turns", 49, "items", 0, "blocks", 0, "text"], "!"]],
  });
  for (const record of observer.takeRecords()) seen.push(record.target);
  observer.disconnect();
  expect(seen).toEqual([]);
  expect(on.words()).toContain("a49!");
});

test("a subagent's session is a line that opens what was said there", () => {
  const child = session({ title: "Explorer", turns: [turn({ items: [message("found it")] })] });
  on = stage({ children: { kid: child }, turns: [turn()] });
  expect(on.words()).toContain("Subagent: Explorer");
  expect(on.words()).not.toContain("found it");
  on.find(".acp-child > .acp-fold-head").click();
  expect(on.words()).toContain("found it");
});

test("when the kernel goes, no second passes and no caret waits", () => {
  vi.useFakeTimers();
  const items = [call({ state: "input-available", status: "in_progress" }, null), message("half", true)];
  on = stage({ status: "working", turns: [turn({ ...RUNNING, items })] });
  expect(on.all(".acp-caret")).toHaveLength(1);
  on.lose("closed");
  expect(on.all(".acp-caret")).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a text that something follows has no caret, though its turn runs on", () => {
  on = stage({ status: "working", turns: [turn({ ...RUNNING, items: [message("I look", true)] })] });
  expect(on.all(".acp-caret")).toHaveLength(1);
  on.show({ status: "working", turns: [turn({ ...RUNNING, items: [message("I look", true), call()] })] });
  expect(on.all(".acp-caret")).toEqual([]);
});

test("the menu tells how much was not understood, and by what name", () => {
  on = stage({ unread: { noise: 2, message: 1 } });
  on.find(".acp-menu-place > button").click();
  const note = on.find(".acp-menu-note");
  expect(note.textContent).toBe("3 messages from the agent not understood");
  expect(note.title).toBe("noise: 2, message: 1");
  press(on.find(".acp-menu-item"), "ArrowUp");
  expect((note.getRootNode() as ShadowRoot).activeElement?.className).toBe("acp-menu-item");
  on.show({ unread: {} });
  on.find(".acp-menu-place > button").click();
  on.find(".acp-menu-place > button").click();
  expect(on.all(".acp-menu-note")).toHaveLength(0);
});

test("a kernel that does not answer is told in one line, and nothing is locked for it", async () => {
  on = stage({ status: "ready" });
  void on.store.request({ kind: "resume_queue" });
  on.elapse();
  expect(on.words()).not.toContain("does not answer");
  on.elapse();
  expect(on.words()).toContain(
    "The kernel does not answer. It may be busy; if it was restarted, run this cell again.",
  );
  expect((on.find(".acp-box") as HTMLTextAreaElement).readOnly).toBe(false);
  on.hear({ kind: "patch", seq: 1, now: 21, ops: [] });
  expect(on.words()).not.toContain("does not answer");
});
