import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyPatch, PatchError, shareStructure } from "../src/patch";
import type { Op, Session } from "../src/wire";
import { message, session, turn } from "./states";

const PATCHES = join(import.meta.dirname, "../../tests/golden/patches");
const NAMES = readdirSync(PATCHES).filter((name) => name.endsWith(".json"));

const two = session({ turns: [turn({ items: [message("a")] }), turn({ items: [message("b", true)] })] });

interface Golden {
  readonly before: Session;
  readonly patches: readonly (readonly Op[])[];
  readonly after: Session;
}

/** Whether turns that are equal before and after a patch are also the same objects. */
function sharedTurns(before: Session, after: Session): boolean {
  return after.turns.every(
    (one, index) =>
      one === before.turns[index] || JSON.stringify(one) !== JSON.stringify(before.turns[index]),
  );
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

describe("applyPatch", () => {
  it("sets, appends, trims, pushes, cuts and deletes", () => {
    const ops: Op[] = [
      ["set", ["status"], "working"],
      ["app", ["turns", 1, "items", 0, "blocks", 0, "text"], "cd"],
      ["trim", ["turns", 0, "items", 0, "blocks", 0, "text"], 1],
      ["push", ["turns", 1, "items"], [message("new"), message("last")]],
      ["cut", ["turns", 1, "items"], 2],
      ["set", ["unread", "noise"], 3],
      ["set", ["turns", 0, "terminals", "t"], { output: "" }],
      ["app", ["turns", 0, "terminals", "t", "output"], "x"],
      ["del", ["turns", 0, "terminals", "t", "output"]],
    ];
    const after = applyPatch(freeze(two), ops);
    expect(after.status).toBe("working");
    expect(after.turns[1]?.items).toEqual([{ ...message("bcd", true) }, message("new")]);
    expect(after.turns[0]?.items).toEqual([message("")]);
    expect(after.unread).toEqual({ noise: 3 });
    expect(after.turns[0]?.terminals).toEqual({ t: {} });
  });

  it("leaves what no step touches the same object, and the old state as it was", () => {
    const before = freeze(structuredClone(two));
    const after = applyPatch(before, [["app", ["turns", 1, "items", 0, "blocks", 0, "text"], "c"]]);
    expect(after).not.toBe(before);
    expect(after.turns[0]).toBe(before.turns[0]);
    expect(after.turns[1]).not.toBe(before.turns[1]);
    expect(after.turns[1]?.prompt).toBe(before.turns[1]?.prompt);
    expect(after.unread).toBe(before.unread);
    expect(before).toEqual(two);
    expect(applyPatch(before, [])).toBe(before);
  });

  it("takes turn indices as absolute and skips turns that are not held", () => {
    const after = applyPatch(
      two,
      [
        ["app", ["turns", 3, "items", 0, "blocks", 0, "text"], "x"],
        ["set", ["turns", 12, "status"], "error"],
        ["push", ["turns"], [turn()]],
        ["cut", ["turns"], 14],
      ],
      12,
    );
    expect(after.turns).toHaveLength(2);
    expect(after.turns[0]?.status).toBe("error");
    expect(applyPatch(two, [["set", ["turns"], [turn(), turn(), turn()]]], 2).turns).toHaveLength(1);
    const child = session({ turns: [turn()] });
    const withChild = applyPatch(two, [["set", ["children", "c"], child]], 12);
    expect(
      applyPatch(withChild, [["set", ["children", "c", "turns", 0, "status"], "error"]], 12).children["c"]
        ?.turns[0]?.status,
    ).toBe("error");
  });

  it("says when a step does not fit", () => {
    const wrong: Op[] = [
      ["app", ["turns", 5, "items", 0, "text"], "x"],
      ["app", ["status", "x"], "x"],
      ["app", ["turns"], "x"],
      ["push", ["status"], [1]],
      ["set", ["turns", 7], {}],
      ["set", ["turns", "length"], 0],
      ["trim", ["constructor"], 1],
      ["app", ["__proto__", "toString"], "x"],
      ["set", ["__proto__", "polluted"], 1],
      ["what" as "set", ["status"], 1],
    ];
    for (const op of wrong) expect(() => applyPatch(two, [op]), JSON.stringify(op)).toThrow(PatchError);
  });

  it("takes any key for a key", () => {
    const after = applyPatch(two, [["set", ["unread", "__proto__"], 4]]);
    expect(Object.getOwnPropertyDescriptor(after.unread, "__proto__")?.value).toBe(4);
    expect(({} as Record<string, unknown>)["4"]).toBeUndefined();
  });

  it.each(NAMES)("leads where the Python side was: %s", (name) => {
    const golden = JSON.parse(readFileSync(join(PATCHES, name), "utf8")) as Golden;
    let state = freeze(golden.before);
    for (const ops of golden.patches) {
      const next = freeze(applyPatch(state, ops));
      // What equals the old value is the old object: views compare by identity.
      expect(sharedTurns(state, next)).toBe(true);
      state = next;
    }
    expect(state).toEqual(golden.after);
  });
});

describe("shareStructure", () => {
  it("gives the old objects back where nothing changed", () => {
    const before = { a: [1, { b: 2 }], c: { d: [3] }, e: null };
    expect(shareStructure(before, structuredClone(before))).toBe(before);
    const after = shareStructure(before, { a: [1, { b: 2 }, 5], c: { d: [3] }, e: null });
    expect(after.c).toBe(before.c);
    expect(after.a[1]).toBe(before.a[1]);
    expect(after.a).toEqual([1, { b: 2 }, 5]);
    expect(shareStructure({ a: 1, b: 2 }, { a: 1 })).toEqual({ a: 1 });
    expect(shareStructure({ a: undefined }, { b: 1 } as object)).toEqual({ b: 1 });
    expect(shareStructure([1], { 0: 1 } as object)).toEqual({ 0: 1 });
  });
});
