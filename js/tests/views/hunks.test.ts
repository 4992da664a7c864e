/** Choosing hunks: beside a permission, of a write that waits, of an edit that is taken back; and what is told. */
import { afterEach, beforeEach, expect, test } from "vitest";
import * as hunks from "../../src/parts/hunks";
import type { Item, Review } from "../../src/wire";
import { call, permission, press, type Stage, stage, turn } from "./stage";

let on: Stage;
afterEach(() => on.end());
beforeEach(() => {
  Element.prototype.scrollIntoView = () => undefined;
});

const FILES: Review["files"] = [
  {
    path: "/project/a.py",
    kind: "change",
    problem: null,
    earlier: null,
    hunks: [
      {
        index: 0,
        path: "/project/a.py",
        line: 4,
        new_line: 4,
        old: "x = 1\n",
        new: "x = 2\n",
        before: "a\n",
        after: "b\n",
      },
      {
        index: 1,
        path: "/project/a.py",
        line: 30,
        new_line: 30,
        old: "",
        new: "z\r\n<b>q</b>",
        before: "",
        after: "",
      },
    ],
  },
  {
    path: "/project/b.py",
    kind: "create",
    problem: null,
    earlier: null,
    hunks: [
      { index: 2, path: "/project/b.py", line: 1, new_line: 1, old: "", new: "new\n", before: "", after: "" },
    ],
  },
];

function review(part: Partial<Review> = {}): Review {
  return {
    key: "write-1",
    way: "write",
    call_id: null,
    files: FILES,
    outcome: null,
    chosen: [],
    decided_by: null,
    problem: null,
    ...part,
  };
}

const item = (part: Partial<Review> = {}): Item => ({
  kind: "review",
  review: review(part),
  started: 1,
  ended: part.outcome == null ? null : 2,
});

const load = (name: string) => Promise.resolve(name === "hunks" ? hunks : null);
const settled = () => new Promise((resolve) => setTimeout(resolve));

async function write(part: Partial<Review> = {}): Promise<void> {
  on = stage(
    { turns: [turn({ items: [item(part)], active: true, status: "streaming" })] },
    undefined,
    undefined,
    load,
  );
  await settled();
}

const here = () => on.all(".acp-hunk").indexOf(on.focused() as HTMLElement);
const words = (selector: string) => on.find(selector).textContent;
const sentKinds = () => on.sent.filter((message) => message.kind === "apply");

test("keys choose hunks and send them", async () => {
  await write();
  expect(words(".acp-hunks-count")).toBe("3 of 3 hunks");
  on.find(".acp-hunk").focus();
  press(on.find(".acp-hunk"), "r");
  expect(here()).toBe(1);
  expect(words(".acp-hunks-count")).toBe("2 of 3 hunks");
  press(on.focused() as HTMLElement, "j");
  expect(here()).toBe(2);
  press(on.focused() as HTMLElement, "k");
  press(on.focused() as HTMLElement, "k");
  expect(here()).toBe(0);
  press(on.focused() as HTMLElement, "A");
  expect(words(".acp-hunks-count")).toBe("3 of 3 hunks");
  press(on.focused() as HTMLElement, "R");
  expect(words(".acp-hunks-count")).toBe("1 of 3 hunks");
  press(on.focused() as HTMLElement, "a");
  expect(words(".acp-hunks-apply")).toBe("Write 2 of 3 hunks");
  press(on.focused() as HTMLElement, "Enter");
  expect(sentKinds()).toMatchObject([{ review: "write-1", chosen: [0, 2], stop: false }]);
  press(on.focused() as HTMLElement, "Enter");
  expect(sentKinds()).toHaveLength(1);
  await on.ack("The file has changed.");
  expect(words(".acp-hunks > .acp-error-line")).toBe("The file has changed.");
});

test("boxes and buttons do the same", async () => {
  await write();
  const [first] = on.all(".acp-hunk input");
  first?.click();
  expect(on.find(".acp-hunk").getAttribute("aria-label")).toBe("Hunk 1 of 3, line 4, rejected");
  on.all(".acp-hunks-file button")[1]?.click();
  expect(words(".acp-hunks-count")).toBe("1 of 3 hunks");
  on.all(".acp-hunks-file button")[0]?.click();
  expect(words(".acp-hunks-count")).toBe("3 of 3 hunks");
  const refuse = on.all(".acp-hunks .acp-answer-row button").at(-1);
  expect(refuse?.textContent).toBe("Refuse");
  refuse?.click();
  expect(sentKinds()).toMatchObject([{ chosen: [] }]);
});

test("both sides can stand beside each other", async () => {
  await write();
  const rows = () => on.all(".acp-hunk-pair").length;
  expect(rows()).toBe(0);
  expect(on.find(".acp-diff-word").textContent).toBe("1");
  expect(on.all(".acp-diff-number").map((node) => node.getAttribute("data-line"))).toContain("30");
  press(on.find(".acp-hunk"), "s");
  expect(rows()).toBeGreaterThan(3);
  press(on.find(".acp-hunk"), "s");
  expect(rows()).toBe(0);
  expect(on.words()).toContain("<b>q</b>");
});

test("what was decided takes the card's place", async () => {
  await write();
  on.find(".acp-hunk").focus();
  on.show({ turns: [turn({ items: [item({ outcome: "applied", chosen: [1], decided_by: "person" })] })] });
  expect(words(".acp-decision-word")).toBe("1 of 3 hunks written by you: a.py, b.py");
  expect(on.all(".acp-hunks")).toHaveLength(0);
  expect(on.focused()?.localName).toBe("textarea");
  on.find(".acp-fold-head").click();
  expect(on.words()).toContain("left out");
  on.end();
  on = stage({ turns: [turn({ items: [item({ outcome: "refused", way: "take_back" })] })] });
  expect(words(".acp-decision-word")).toBe("Nothing taken back: a.py, b.py");
});

test("without the part the hunks are read, and all or none is taken", async () => {
  on = stage({ turns: [turn({ items: [item()], active: true, status: "streaming" })] });
  await settled();
  expect(on.words()).toContain("x = 2");
  const [all, none] = on.all(".acp-card .acp-answer-row button");
  expect(all?.textContent).toBe("Write 3 of 3 hunks");
  all?.click();
  expect(sentKinds()).toMatchObject([{ chosen: [0, 1, 2] }]);
  await on.ack("No.");
  expect(words(".acp-card .acp-error-line")).toBe("No.");
  none?.click();
  expect(sentKinds()).toHaveLength(2);
});

function asked(part: Partial<Review> | null): Parameters<Stage["show"]>[0] {
  const diff = { path: "/project/a.py", old_text: "x = 1\n", new_text: "x = 2\n" };
  const beside = part === null ? null : review({ key: "0", way: "permission", ...part });
  const one = permission("0", { diffs: [diff], content: [{ type: "diff", diff: 0 }], review: beside });
  const step = call({ state: "approval-requested", permissions: ["0"] }, null);
  return {
    status: "waiting",
    turns: [
      turn({
        items: [step],
        permissions: [one],
        active: true,
        status: "streaming",
      }),
    ],
  };
}

test("hunks can be chosen beside a request's options", async () => {
  on = stage(asked(null), undefined, undefined, load);
  const options = on.all(".acp-option").length;
  expect(on.find(".acp-hunk-offer").hidden).toBe(true);
  on.show(asked({}));
  on.find(".acp-hunk-offer button").click();
  await settled();
  expect(on.find(".acp-card").classList.contains("acp-choosing")).toBe(true);
  expect(on.all(".acp-option")).toHaveLength(options);
  expect(here()).toBe(0);
  press(on.focused() as HTMLElement, "R");
  press(on.focused() as HTMLElement, "Enter", { shiftKey: true });
  expect(sentKinds()).toMatchObject([{ review: "0", chosen: [2], stop: true }]);
});

test("nothing chosen cannot be applied: that is what the options are for", async () => {
  on = stage(asked({ files: FILES.slice(0, 1) }), undefined, undefined, load);
  on.find(".acp-hunk-offer button").click();
  await settled();
  press(on.focused() as HTMLElement, "R");
  press(on.focused() as HTMLElement, "Enter");
  expect(sentKinds()).toEqual([]);
  expect(on.find(".acp-hunks-apply").getAttribute("aria-disabled")).toBe("true");
});

test("an edit that comes again opens at what is left of it", async () => {
  const [file] = FILES;
  const left = {
    ...(file as (typeof FILES)[number]),
    earlier: "1 of the 2 hunks are in.",
    hunks: FILES[0]?.hunks.slice(0, 1) ?? [],
  };
  on = stage(asked({ files: [left] }), undefined, undefined, load);
  await settled();
  expect(words(".acp-hunk-offer")).toContain("1 of the 2 hunks are in.");
  expect(on.all(".acp-hunk")).toHaveLength(1);
  expect(on.all(".acp-hunk-offer > button").every((node) => node.hidden)).toBe(true);
});

test("one hunk is no choice", async () => {
  on = stage(asked({ files: FILES.slice(1) }), undefined, undefined, load);
  await settled();
  expect(on.find(".acp-hunk-offer").hidden).toBe(true);
});

test("why there are no hunks, or why they were not written, is said on the card", async () => {
  const lost = {
    path: "/project/a.py",
    kind: "change" as const,
    hunks: [],
    problem: "It has changed.",
    earlier: null,
  };
  on = stage(asked({ files: [lost] }), undefined, undefined, load);
  expect(words(".acp-hunk-offer")).toContain("Not to be had by hunk: It has changed.");
  expect(on.find(".acp-hunk-offer > button").hidden).toBe(true);
  on.show(asked({ problem: "Nothing was written." }));
  expect(words(".acp-hunk-offer")).toContain("Nothing was written.");
});

test("a finished edit is taken back from its own step", async () => {
  const diff = { path: "/project/a.py", old_text: "x = 1\n", new_text: "x = 2\n" };
  const made = turn({ items: [call({ status: "completed", diffs: [diff] })] });
  on = stage({ turns: [turn(), made] }, undefined, undefined, load);
  on.find(".acp-call .acp-fold-head").click();
  const [button] = on.all(".acp-link").filter((node) => node.textContent === "Take back…");
  button?.click();
  expect(on.sent.at(-1)).toMatchObject({ kind: "take_back", turn: 1, call: "c" });
  const back = item({ key: "take_back-1", way: "take_back", call_id: "c" });
  on.show({ turns: [turn(), { ...made, after: [back] }] });
  await settled();
  expect(here()).toBe(0);
  expect(words(".acp-hunks-apply")).toBe("Take back 3 of 3 hunks");
});

test("what the agent will be told can be read and taken out", async () => {
  const told = { key: "write-1", text: "I reviewed.\n- /project/a.py: kept 1 of 2 hunks" };
  on = stage({ reports: [told] }, undefined, undefined, load);
  await settled();
  expect(words(".acp-report > summary")).toBe("a.py: kept 1 of 2 hunks");
  on.find(".acp-report ~ .acp-button").click();
  expect(on.sent.at(-1)).toMatchObject({ kind: "untell", report: "write-1" });
  await on.ack("Too late.");
  expect(on.words()).toContain("Too late.");
  on.show({ reports: [] });
  expect(on.words()).not.toContain("Told with");
});

test("long hunks are drawn piece by piece", async () => {
  const long = { index: 0, path: "/project/a.py", line: 1, new_line: 1, old: "", before: "", after: "" };
  const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`).join("");
  const [file] = FILES;
  await write({ files: [{ ...(file as (typeof FILES)[number]), hunks: [{ ...long, new: lines }] }] });
  expect(on.all(".acp-diff-row")).toHaveLength(200);
  on.find(".acp-diff-more").click();
  expect(on.all(".acp-diff-row")).toHaveLength(400);
});
