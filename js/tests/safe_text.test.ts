import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readable, relative, visible } from "../src/safe_text";

const GOLDEN = join(import.meta.dirname, "../../tests/golden");

function table(name: string): { in: string; out: string; multiline?: boolean }[] {
  return JSON.parse(readFileSync(join(GOLDEN, name), "utf8"));
}

describe("visible", () => {
  it("makes controls, direction marks and invisible characters visible", () => {
    expect(visible("a\u202eb\u0000\u200b\u{e0041}")).toBe("a⟨U+202E⟩b⟨U+0000⟩⟨U+200B⟩⟨U+E0041⟩");
    expect(visible("rm\t-rf \\\n  x\r")).toBe("rm -rf \\⏎  x⟨U+000D⟩");
    expect(visible("a\n\tb", { multiline: true })).toBe("a\n\tb");
    expect(visible("\ud800x")).toBe("⟨U+D800⟩x");
    expect(visible("naïve 漢字 😀 עברית")).toBe("naïve 漢字 😀 עברית");
  });

  it("agrees with the Python side", () => {
    const rows = table("visible.json");
    for (const row of rows)
      expect(visible(row.in, { multiline: row.multiline ?? false }), row.in).toBe(row.out);
    expect(rows.length).toBeGreaterThan(20);
  });
});

describe("readable", () => {
  it("leaves what scripts and emoji are written with", () => {
    expect(readable("👩\u200d💻 ❤\ufe0f می\u200cخواهم\n\tx")).toBe("👩\u200d💻 ❤\ufe0f می\u200cخواهم\n\tx");
    expect(readable("a\u202eb\u2066c\u001b")).toBe("a⟨U+202E⟩b⟨U+2066⟩c⟨U+001B⟩");
  });

  it("agrees with the Python side, which writes exports", () => {
    const rows = table("shown/running_text.json");
    for (const row of rows) expect(readable(row.in), row.in).toBe(row.out);
    expect(rows.length).toBeGreaterThan(9);
  });
});

describe("relative", () => {
  it.each([
    ["/home/a/src/x.py", "/home/a", "src/x.py"],
    ["/home/a/src/x.py", "/home/a/", "src/x.py"],
    ["/home/ab/x.py", "/home/a", "/home/ab/x.py"],
    ["/home/a/../b", "/home/a", "/home/a/../b"],
    ["/home/a", "/home/a", "."],
    ["src/x.py", "/home/a", "src/x.py"],
    ["/x", "/", "/x"],
    ["C:\\Work\\a\\b.py", "c:\\work", "a\\b.py"],
    ["C:/Work/a.py", "C:\\Work", "a.py"],
  ])("%s from %s is %s", (path, cwd, expected) => {
    expect(relative(path, cwd)).toBe(expected);
    expect(relative(path, null)).toBe(path);
  });
});
