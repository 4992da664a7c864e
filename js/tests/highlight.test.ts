import { describe, expect, it } from "vitest";
import { GRAMMARS } from "../src/grammars";
import { addLanguages, highlight, known } from "../src/highlight";
import { LATER_LANGUAGES } from "../src/languages";
import * as part from "../src/parts/languages";
import { cpuSeconds } from "./cpu";

function coloured(code: string, language: string): string[] {
  return highlight(code, language).flatMap((node) =>
    node instanceof Element ? [`${node.className.replace("hljs-", "")}:${node.textContent}`] : [],
  );
}

const text = (nodes: readonly Node[]) => nodes.map((node) => node.textContent).join("");

describe("highlight", () => {
  it("colours Python", () => {
    expect(
      coloured("@wraps\ndef f(x):  # why\n    return f\"a{x}\" + 'b' + len(1.5e3, None)", "python"),
    ).toEqual([
      "meta:@wraps",
      "keyword:def",
      "title:f",
      "comment:# why",
      "keyword:return",
      'string:f"a{x}"',
      "string:'b'",
      "built_in:len",
      "number:1.5e3",
      "literal:None",
    ]);
    expect(coloured('x = """a\nb # no\n"""\n%timeit f()\n', "py")).toEqual([
      'string:"""a\nb # no\n"""',
      "meta:%timeit f()",
    ]);
  });

  it("colours JSON, shell and diffs", () => {
    expect(coloured('{"a": [1, -2.5, true, "x"]}', "json")).toEqual([
      'attr:"a"',
      "number:1",
      "number:-2.5",
      "literal:true",
      'string:"x"',
    ]);
    expect(coloured('cd "$HOME" && ls ${X} # all', "bash")).toEqual([
      "built_in:cd",
      'string:"$HOME"',
      "built_in:ls",
      "variable:${X}",
      "comment:# all",
    ]);
    expect(coloured("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z", "diff")).toEqual([
      "comment:--- a",
      "comment:+++ b",
      "meta:@@ -1 +1 @@",
      "deletion:-x",
      "addition:+y",
    ]);
  });

  it("never changes the code, whatever is cut where", () => {
    const code = `def f(a='x\\'', b="""\n# no\n"""):\n  $ ls "a\n /re/ \`t\n'''open {"k": -1e5} <!-- ${"\\".repeat(3)}`;
    for (const language of GRAMMARS.keys())
      for (let end = 0; end <= code.length; end += 1)
        expect(text(highlight(code.slice(0, end), language))).toBe(code.slice(0, end));
  });

  it("takes no longer for hostile code than for any other", () => {
    const cases = [
      '"'.repeat(50_000),
      "'''".repeat(15_000),
      "\\".repeat(50_000),
      "/*".repeat(25_000),
      "a ".repeat(25_000),
      "#".repeat(50_000),
      " ".repeat(50_000),
      "[/".repeat(25_000),
    ];
    const seconds = cpuSeconds(() => {
      for (const code of cases)
        for (const language of ["python", "json", "bash", "diff"]) highlight(code, language);
    });
    // What is quadratic takes half a minute.
    expect(seconds).toBeLessThan(10);
  });

  it("leaves other languages to the part, which knows exactly the names that are asked of it", () => {
    expect(known("rust")).toBe("later");
    expect(known("klingon")).toBe("never");
    expect([...LATER_LANGUAGES].filter((name) => !part.knows(name))).toEqual([]);
    addLanguages(part);
    expect(known("rust")).toBe("now");
    expect(coloured("fn main() {}", "rust")).toContain("keyword:fn");
    expect(text(highlight("<a href='x'>&amp;</a>", "html"))).toBe("<a href='x'>&amp;</a>");
  });
});
