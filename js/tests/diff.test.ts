import { describe, expect, it } from "vitest";
import { applyHunks, diffLines, wordMarks } from "../src/diff";
import { cpuSeconds } from "./cpu";

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

describe("diffLines", () => {
  it("numbers lines, keeps three lines around a change and counts what was added and removed", () => {
    const old = `${Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;
    const diff = diffLines(old, old.replace("line 10\n", "line ten\nline ten and a half\n"));
    expect([diff.added, diff.removed, diff.hunks.length]).toEqual([2, 1, 1]);
    const [hunk] = diff.hunks;
    expect(hunk && [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines]).toEqual([7, 7, 7, 8]);
    expect(hunk?.lines.map((line) => line.kind[0]).join("")).toBe("sssdaasss");
    expect(hunk?.lines[3]).toMatchObject({ kind: "del", old: 10, new: null, text: "line 10" });
    expect(hunk?.lines[4]).toMatchObject({ kind: "add", old: null, new: 10, text: "line ten" });
  });

  it("puts changes that share their surroundings into one hunk and others into two", () => {
    const lines = Array.from({ length: 40 }, (_, i) => `l${i}`);
    const edit = (...at: number[]) => lines.map((line, i) => (at.includes(i) ? `${line}!` : line)).join("\n");
    expect(diffLines(lines.join("\n"), edit(10, 17)).hunks).toHaveLength(1);
    expect(diffLines(lines.join("\n"), edit(10, 18)).hunks).toHaveLength(2);
  });

  it("takes null for a new file, and knows a missing last line feed", () => {
    expect(diffLines(null, "a\nb\n")).toMatchObject({ added: 2, removed: 0 });
    expect(diffLines("", "").hunks).toEqual([]);
    expect(diffLines("a\n", "a\n").hunks).toEqual([]);
    const diff = diffLines("a\nb", "a\nb\n");
    expect([diff.added, diff.removed]).toEqual([1, 1]);
    expect(diff.hunks[0]?.lines.map((line) => [line.kind, line.noNewline])).toEqual([
      ["same", false],
      ["del", true],
      ["add", false],
    ]);
  });

  it("rebuilds the new text from the old one and all hunks, for any two texts", () => {
    const next = random(7);
    for (let round = 0; round < 400; round += 1) {
      const words = ["a", "b", "c", "", "long line", "x\ty", "d\r"];
      const pick = () => words[Math.floor(next() * words.length)] ?? "";
      const old = Array.from({ length: Math.floor(next() * 30) }, pick);
      const fresh = old.flatMap((line) => (next() < 0.2 ? [] : next() < 0.2 ? [pick(), line] : [line]));
      const a = old.join("\n") + (next() < 0.5 ? "\n" : "");
      const b = fresh.join("\n") + (next() < 0.5 ? "\n" : "");
      const diff = diffLines(a, b, Math.floor(next() * 4));
      expect(applyHunks(a, diff.hunks)).toBe(b);
      const all = diff.hunks.flatMap((hunk) => hunk.lines);
      expect(all.filter((line) => line.kind === "add")).toHaveLength(diff.added);
      expect(all.filter((line) => line.kind === "del")).toHaveLength(diff.removed);
    }
  });

  it("finds the shortest edit where that is affordable", () => {
    const diff = diffLines("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", 0);
    expect(diff.added + diff.removed).toBe(5);
  });

  it("compares the same texts once, and other texts or surroundings anew", () => {
    const diff = diffLines("a\nb\n", "a\nc\n");
    expect(diffLines(["a", "b", ""].join("\n"), "a\nc\n")).toBe(diff);
    expect(diffLines("a\nb\n", "a\nc\n", 0).hunks[0]?.lines).toHaveLength(2);
    expect(diffLines(null, "a\nc\n")).toMatchObject({ added: 2, removed: 0 });
    expect(diffLines("", "a\nb\n")).toMatchObject({ added: 2, removed: 0 });
    expect(diffLines("a\nb\n", "a\nc\n")).toEqual(diff);
  });

  it("is fast for 5,000 lines and bounded for texts that share nothing", () => {
    const old = Array.from({ length: 5_000 }, (_, i) => `    value_${i} = compute(${i % 97})`);
    const fresh = old.map((line, i) => (i % 250 === 0 ? line.replace("compute", "derive") : line));
    fresh.splice(2_000, 40);
    let diff = diffLines("", "");
    const typical = cpuSeconds(() => {
      diff = diffLines(old.join("\n"), fresh.join("\n"));
    });
    expect(applyHunks(old.join("\n"), diff.hunks)).toBe(fresh.join("\n"));
    const other = Array.from({ length: 5_000 }, (_, i) => `other ${(i * 7919) % 13}`).join("\n");
    const worst = cpuSeconds(() => {
      diff = diffLines(old.join("\n"), other);
    });
    expect(applyHunks(old.join("\n"), diff.hunks)).toBe(other);
    // The aim is 50 ms for a typical edit; a busy machine may need several times that.
    expect([typical < 0.5, worst < 3]).toEqual([true, true]);
  });
});

describe("wordMarks", () => {
  const marked = (text: string, marks: readonly (readonly [number, number])[]) =>
    marks.map(([from, to]) => text.slice(from, to));

  it("marks the words that differ", () => {
    const a = "return total / count";
    const b = "return total / max(count, 1)";
    const [old, fresh] = wordMarks(a, b);
    expect(marked(a, old)).toEqual([]);
    expect(marked(b, fresh).join("")).toBe("max(, 1)");
  });

  it("marks nothing in lines that have little in common", () => {
    expect(wordMarks("import os", "def main(): pass")).toEqual([[], []]);
  });
});
