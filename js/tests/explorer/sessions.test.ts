import { afterEach, describe, expect, it } from "vitest";
import type { Outline, TurnPart } from "../../src/explorer/wire";
import { message } from "../states";
import { outline, part, row, type Stage, stage } from "./stage";

let set: Stage;
afterEach(() => set.end());

/** Two turns with a subagent's turn between them. */
function nested(): Outline {
  const kid = part(1, [message("the nested answer")]);
  const window: TurnPart[] = [
    part(0),
    { ...kid, number: 1, session: "kid\u202e", turn: { ...kid.turn, session_id: "kid-1", prompt: [] } },
    { ...part(2), number: 2 },
  ];
  return outline(3, {
    rows: [row(0), row(1, { number: 1, session: "kid\u202e", title: "kid" }), row(2, { number: 2 })],
    sessions: [
      { id: "main", label: "session 1", turns: 2 },
      { id: "kid-1", label: "kid\u202e", turns: 1 },
    ],
    window,
  });
}

describe("subagents and further sessions", () => {
  it("stand where they began, under their names made visible", async () => {
    set = stage(nested());
    const rows = set.all(".acp-row-title").map((one) => one.textContent);
    expect(rows[0]).toBe("1Question 0");
    expect(rows[1]).toMatch(/^Subagent kid.U\+202E.$/);
    expect(rows[2]).toBe("2Question 2");
    set.all(".acp-row")[1]?.click();
    await set.settle();
    const titles = set.all(".acp-page-title").map((one) => one.textContent);
    expect(titles).toContainEqual(expect.stringMatching(/^Subagent kid.U\+202E.$/));
    expect(set.find(".acp-pages").textContent).toContain("the nested answer");
  });

  it("can be looked at one at a time", async () => {
    set = stage(nested());
    const chips = set.all("[aria-label=Sessions] .acp-filter-chip");
    expect(chips.map((one) => one.textContent)).toEqual([
      "session 1 2 turns",
      expect.stringMatching(/1 turn$/),
    ]);
    chips[1]?.click();
    expect(set.last("search")).toMatchObject({ sessions: ["kid-1"], kinds: [], text: "" });
  });

  it("have no filter where there is only one", () => {
    set = stage();
    expect(set.all("[aria-label=Sessions] .acp-filter-chip")).toHaveLength(0);
  });

  it.each([
    ["nested", ["Subagent"]],
    ["session:subagent", ["Subagent"]],
    ["session:KID-1", ["Subagent"]],
    ["session:other", []],
    ["turn:1", ["turn", "turn"]],
    ["turn:2 answer", ["turn"]],
  ])("are found by %s without a kernel", async (text, found) => {
    set = stage(nested());
    set.store.disconnect();
    await set.store.search({ text, kinds: [], statuses: [], sessions: [], path: null });
    const hits = set.store.state.hits?.hits ?? [];
    expect(hits.map((one) => (one?.session === null ? "turn" : "Subagent"))).toEqual(found);
  });

  it("are filtered without a kernel", async () => {
    set = stage(nested());
    set.store.disconnect();
    await set.store.search({ text: "", kinds: [], statuses: [], sessions: ["kid-1"], path: null });
    expect(set.store.state.hits?.hits.map((one) => one?.turn)).toEqual([1]);
  });
});
