import { afterEach, describe, expect, it } from "vitest";
import type { Hit } from "../../src/explorer/wire";
import { press } from "../views/stage";
import { outline, part, row, type Stage, stage } from "./stage";

let set: Stage;
afterEach(() => set.end());

const COST = { amount: 0.25, currency: "USD" };

function open(more: Parameters<typeof outline>[1] = {}): void {
  const rows = [row(0, { tokens: 100, cost: COST }), row(1, { tokens: 300, model: 9 }), row(2)];
  set = stage(outline(3, { rows, costs: { USD: 0.25 }, window: [part(0), part(1), part(2)], ...more }));
  set.find(".acp-plots-button").click();
}

function bars(label: string): HTMLElement[] {
  return set.all(`[aria-label="${label}"] > button`);
}

function labels(label: string): (string | null)[] {
  return bars(label).map((bar) => bar.getAttribute("aria-label"));
}

describe("plots", () => {
  it("show time, tokens and cost by turn, time by tool, files touched", () => {
    open();
    expect(labels("Tokens by turn")).toEqual([
      "Turn 1: 100 tokens",
      "Turn 2: 300 tokens",
      "Turn 3: 0 tokens",
    ]);
    expect(labels("Time by turn")[1]).toBe("Turn 2: model 9 s, tools 1 s");
    expect(labels("Cost (USD) by turn")[0]).toBe("Turn 1: 0.2500 USD");
    expect(labels("Time by tool")).toEqual(["edit: 3 s", "the model alone: 3 s"]);
    expect(labels("Files touched")).toEqual(["a.py: 3 calls"]);
    const heights = bars("Tokens by turn").map((bar) => bar.querySelector("i")?.style.height ?? "");
    expect(heights).toEqual(["33.33%", "100%", ""]);
  });

  it("lead to the turn", async () => {
    open();
    bars("Tokens by turn")[1]?.click();
    await set.settle();
    expect(set.find(".acp-plots").hidden).toBe(true);
    expect(set.find(".acp-list .acp-row[aria-selected=true]").textContent).toContain("Question 1");
  });

  it.each([
    ["Time by tool", 'tool:"edit"'],
    ["Files touched", 'path:"a.py"'],
  ])("%s leads to the first call", async (label, text) => {
    open();
    bars(label)[0]?.click();
    const asked = set.last("search");
    expect(asked).toMatchObject({ text, path: null });
    const hit: Hit = {
      turn: 1,
      number: 2,
      session: null,
      item: 0,
      after: false,
      record: 3,
      kind: "edit",
      status: null,
      title: "t",
      snippet: "",
    };
    await set.hear({ kind: "hits", id: asked.id, total: 1, first: 0, hits: [hit], words: [] });
    expect(set.find(".acp-found-count").textContent).toBe("1 of 1");
    expect(set.find(".acp-found").textContent).toContain("answer 1");
  });

  it("are walked with the arrow keys, one stop for the Tab key", () => {
    open();
    const [first, second, third] = bars("Tokens by turn");
    first?.focus();
    press(first as Element, "ArrowRight");
    expect(set.root.activeElement).toBe(second);
    press(second as Element, "End");
    expect(set.root.activeElement).toBe(third);
    expect(bars("Tokens by turn").map((bar) => bar.tabIndex)).toEqual([-1, -1, 0]);
    press(third as Element, "Escape");
    expect(set.find(".acp-plots").hidden).toBe(true);
    expect(set.root.activeElement).toBe(set.find(".acp-plots-button"));
  });

  it("are tables as well", () => {
    open();
    const tokens = set.all(".acp-plot").find((one) => one.textContent?.startsWith("Tokens"));
    const details = tokens?.querySelector("details");
    if (details == null) throw new Error("no table");
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
    const lines = [...details.querySelectorAll("tr")].map((line) =>
      [...line.children].map((cell) => cell.textContent),
    );
    expect(lines).toEqual([
      ["Turn", "Prompt", "Tokens"],
      ["Turn 1", "Question 0", "100 tokens"],
      ["Turn 2", "Question 1", "300 tokens"],
      ["Turn 3", "Question 2", "0 tokens"],
    ]);
  });

  it("put many turns into few bars and fetch what was not sent", async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => row(index, { tokens: index === 25 ? 50 : 1 }));
    open({ rows, turns: 1200 });
    expect(bars("Tokens by turn")).toHaveLength(120);
    expect(labels("Tokens by turn")[2]).toBe("Turn 21 to 30: 59 tokens");
    const asked = set.last("rows");
    expect(asked.first).toBe(1000);
    const late = Array.from({ length: 200 }, (_, index) => row(1000 + index, { tokens: 7 }));
    await set.hear({ kind: "rows", id: asked.id, first: 1000, rows: late });
    expect(labels("Tokens by turn")[119]).toBe("Turn 1191 to 1200: 70 tokens");
    bars("Tokens by turn")[2]?.click();
    await set.settle();
    expect(set.sent.filter((one) => one.kind === "turns").at(-1)).toMatchObject({ first: 25 });
  });

  it("say nothing of what nobody has told", () => {
    open({ rows: [row(0), row(1), row(2)], costs: {}, tool_uses: [], file_uses: [] });
    expect(set.all(".acp-plot").map((one) => one.querySelector("strong")?.textContent)).toEqual([
      "Time by turn",
      "Time by tool",
    ]);
  });

  it("keep hostile names visible and in their place", () => {
    open({ tool_uses: [{ name: 'a"\u202e', calls: 1, failed: 0, working: 5, waiting: 0 }] });
    expect(labels("Time by tool")[0]).toMatch(/^a".U\+202E.: 5 s$/);
    bars("Time by tool")[0]?.click();
    expect(set.last("search").text).toBe('tool:"a \u202e"');
  });
});
