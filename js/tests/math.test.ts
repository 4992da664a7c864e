import { describe, expect, it } from "vitest";
import { render } from "../src/parts/math";

const FORMULAS = [
  "x^2 + \\frac{a}{b}",
  "\\int_0^1 f\\,dx = \\sum_{i=0}^n i",
  "\\begin{align}a&=b\\\\c&=d\\end{align}",
  "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}",
  "\\sqrt[3]{x} \\hat{x} \\overline{x} \\cancel{x} \\boxed{x} \\mathbb{R} \\mathcal{L}",
  "\\left(\\frac12\\right) \\xrightarrow{a} \\text{if } x > 0",
  "\\color{red}{x} a\\tag{1}",
];

describe("render", () => {
  it.each(FORMULAS)("shows all of %s, in a line and displayed", (source) => {
    // Numbered and aligned equations are displayed ones, in TeX too.
    for (const display of /align|tag/.test(source) ? [true] : [true, false]) {
      const math = render(source, display);
      expect(math?.namespaceURI).toBe("http://www.w3.org/1998/Math/MathML");
      expect(math?.getAttribute("display")).toBe(display ? "block" : null);
      expect(math?.querySelectorAll("mi, mn, mtext").length, source).toBeGreaterThan(0);
      const letters = [
        ...new Set(source.replace(/\\[a-zA-Z]+|\{(?:align|pmatrix)\}/g, "").match(/[0-9]/g) ?? []),
      ];
      for (const digit of letters) expect(math?.textContent, source).toContain(digit);
    }
  });

  it("gives null for what is no formula, is too long or expands without end", () => {
    for (const source of ["\\frac{", "\\unknowncommand", "x".repeat(20_000), "\\def\\a{\\a\\a}\\a", "}{"])
      expect(render(source, true), source.slice(0, 20)).toBeNull();
  });

  it("keeps definitions to the formula that makes them", () => {
    expect(render("\\gdef\\mine{x}\\mine", false)).not.toBeNull();
    expect(render("\\mine", false)).toBeNull();
  });
});
