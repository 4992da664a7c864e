import { afterEach, describe, expect, it } from "vitest";
import type { Hit } from "../../src/explorer/wire";
import { message } from "../states";
import { press } from "../views/stage";
import { outline, part, row, type Stage, stage } from "./stage";

let set: Stage;
afterEach(() => set.end());

function type(box: HTMLElement, text: string): void {
  (box as HTMLInputElement).value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

const FOUND: Hit = {
  turn: 0,
  item: 0,
  after: false,
  number: 1,
  session: null,
  record: 3,
  kind: "message",
  status: null,
  title: "answer 0",
  snippet: "answer 0",
};

describe("the explorer", () => {
  it("shows who, what failed, the waiting and the files", () => {
    set = stage();
    expect(set.find(".acp-agent").textContent).toBe("An agent 1.0");
    expect(set.find(".acp-summary").textContent).toContain("1 tool call failed (edit)");
    expect(set.find(".acp-summary").textContent).toContain("waited 2 s for a person");
    expect(set.find(".acp-legend").textContent).toContain("tools 1 s");
    expect(set.find(".acp-legend").textContent).toContain("1,234 tokens");
    expect(set.find(".acp-prompt-text").textContent).toBe("question 0");
  });

  it("says how far it has read", async () => {
    set = stage(outline(3, { ready: false, read: 5, records: 90 }));
    expect(set.find(".acp-note").textContent).toContain("5 of 90 records");
    await set.hear({ kind: "outline", state: outline(5) });
    expect(set.find(".acp-note").hidden).toBe(true);
    expect(set.find(".acp-tab").textContent).toBe("5 turns");
  });

  it("draws only the rows in sight of a long outline", () => {
    set = stage(outline(1000));
    expect(set.all(".acp-row").length).toBeLessThan(40);
    expect(set.find(".acp-list-inner").style.height).toBe("46000px");
  });

  it("asks for rows that were not sent yet", async () => {
    set = stage(outline(2500));
    const list = set.find(".acp-list");
    press(list, "End");
    await set.settle();
    const asked = set.last("rows");
    expect(asked.first).toBe(2000);
    await set.hear({ kind: "rows", id: asked.id, first: 2000, rows: [row(2000), row(2001)] });
    expect(set.store.state.rows[2001]?.title).toBe("Question 2001");
  });

  it("searches as one types, counts, and walks with Enter", async () => {
    set = stage();
    const box = set.find("input[type=search]");
    type(box, "answer");
    const asked = set.last("search");
    expect(asked).toMatchObject({ text: "answer", first: 0 });
    await set.hear({ kind: "hits", id: asked.id, total: 1, first: 0, hits: [FOUND], words: ["answer"] });
    expect(set.find(".acp-found-count").textContent).toBe("1 found");
    expect(set.find(".acp-row-snippet").textContent).toBe("answer 0");
    press(box, "Enter");
    await set.settle();
    expect(set.find(".acp-found-count").textContent).toBe("1 of 1");
    expect(set.find(".acp-found").textContent).toContain("answer 0");
    press(box, "Escape");
    await set.settle();
    expect(set.find(".acp-found-count").textContent).toBe("");
    press(box, "Escape");
    expect(set.log).toEqual(["notebook"]);
  });

  it("filters by kind, status and file", async () => {
    set = stage();
    const chip = set.all(".acp-filter-chip").find((one) => one.textContent?.startsWith("edit"));
    chip?.click();
    expect(set.last("search")).toMatchObject({ kinds: ["edit"], statuses: [] });
    set.find(".acp-summary button").click();
    await set.hear({ kind: "hits", id: set.last("search").id, total: 0, first: 0, hits: [], words: [] });
    expect(set.last("search")).toMatchObject({ kinds: ["edit"], statuses: ["failed"] });
    await set.hear({ kind: "hits", id: set.last("search").id, total: 0, first: 0, hits: [], words: [] });
    set
      .all(".acp-tab")
      .find((tab) => tab.textContent === "1 file")
      ?.click();
    set.find(".acp-row").click();
    await set.settle();
    expect(set.last("search")).toMatchObject({ kinds: [], statuses: [], path: "/p/a.py" });
  });

  it("says how many files it does not list", async () => {
    set = stage(outline(3, { file_count: 12 }));
    set
      .all(".acp-tab")
      .find((tab) => tab.textContent === "12 files")
      ?.click();
    const rows = set.all(".acp-row");
    expect(rows).toHaveLength(2);
    expect(rows[1]?.textContent).toBe("11 more files, found by path:");
    rows[1]?.click();
    await set.settle();
    expect(set.sent.filter((one) => one.kind === "search")).toHaveLength(0);
  });

  it("goes to moments by keys and back to the end", async () => {
    set = stage();
    const slider = set.find(".acp-scrub");
    press(slider, "ArrowLeft");
    const asked = set.last("seek");
    expect(asked).toMatchObject({ index: 14, have: -1 });
    press(slider, "ArrowLeft");
    await set.hear({
      kind: "moment",
      id: asked.id,
      base: -1,
      seq: 1,
      index: 14,
      t: 62,
      x: 25,
      next: 26,
      count: 1,
      status: "waiting",
      place: 0,
      turn: { ...part(0, []), keep: 0, items: [message("half an ans")] },
      others: [],
    });
    expect(set.find(".acp-where").textContent).toBe("Record 14 of 15, turn 1, 1:02, waiting");
    expect(set.last("seek")).toMatchObject({ index: 13 });
    set
      .all(".acp-timeline .acp-button")
      .find((one) => one.textContent === "Back to the end")
      ?.click();
    await set.settle();
    expect(set.find(".acp-where").textContent).toBe("15 records");
  });

  it("shows the raw records behind an item as text", async () => {
    set = stage();
    const item = set.find(".acp-item");
    item.dispatchEvent(new Event("pointerover", { bubbles: true }));
    set
      .all(".acp-item-tools .acp-button")
      .find((one) => one.textContent === "Records")
      ?.click();
    const asked = set.last("records");
    expect(asked).toMatchObject({ turn: 0, item: 0, after: false });
    const text = "<img src=x onerror=alert(1)>\u202e";
    await set.hear({
      kind: "records",
      id: asked.id,
      total: 1,
      first: 0,
      records: [{ index: 4, t: 3, dir: "in", text, left_out: 12 }],
    });
    const shown = set.find(".acp-record pre").textContent ?? "";
    expect(shown).toContain("<img src=x onerror=alert(1)>⟨U+202E⟩");
    expect(shown).toContain("12 characters more");
    expect(set.root.querySelector("img")).toBeNull();
    expect(set.find(".acp-records-title").textContent).toBe("Turn 1, step 1: 1 record");
    press(set.find(".acp-records-list"), "Escape");
    expect(set.find(".acp-records").hidden).toBe(true);
  });

  it("makes hostile titles and snippets visible", () => {
    set = stage(outline(1, { rows: [row(0, { title: "<b>a\u202eb" })], agent: "x\u2066y" }));
    expect(set.find(".acp-row-title").textContent).toContain("<b>a⟨U+202E⟩b");
    expect(set.find(".acp-agent").textContent).toBe("x⟨U+2066⟩y");
  });

  it("is read-only and says so when the kernel is gone", async () => {
    set = stage();
    set.store.disconnect();
    await set.settle();
    expect(set.find(".acp-note").textContent).toContain("Opened without its kernel");
    expect((set.find(".acp-scrub") as HTMLInputElement).disabled).toBe(true);
    type(set.find("input[type=search]"), "answer");
    await set.settle();
    expect(set.find(".acp-found-count").textContent).toBe("1 found in what is loaded here");
  });

  it("shows a long turn in parts and asks for the others", async () => {
    const long = { ...part(0), offset: 300, total: 900 };
    set = stage(outline(1, { window: [long] }));
    expect(set.find(".acp-page-title").textContent).toContain("steps 301 to 301 of 900");
    set
      .all(".acp-page-title .acp-button")
      .find((one) => one.textContent === "Earlier steps")
      ?.click();
    expect(set.last("turns")).toMatchObject({ first: 0, count: 1, focus: 299 });
  });

  it("leaves nothing behind", () => {
    set = stage();
    const frame = set.find(".acp-frame");
    set.end();
    expect(frame.isConnected).toBe(false);
    set = stage();
  });
});
