/** The lines of a hunk: beneath or beside each other, with word marks, long ones piece by piece. */

import type { DiffLine } from "./diff";
import { h } from "./dom";
import { visible } from "./safe_text";
import type { Tools } from "./views/review";
import type { Hunk } from "./wire";

interface Cell {
  readonly line: DiffLine;
  readonly number: number | null;
}

/** Lines of one hunk drawn at once, and with each click for more. */
const LINES = 200;
/** Characters of a hunk up to which its lines are compared with one another. */
const COMPARED = 200_000;
const SIGNS = { same: " ", add: "+", del: "−" } as const;

/** The height that a hunk's lines will need, in pixels, so that nothing moves when they are drawn. */
export function heightOf(hunk: Hunk): number {
  return 18 * Math.min(linesIn(hunk), LINES);
}

/** Draws lines, one beneath the other or old beside new. */
export function drawLines(body: HTMLElement, lines: readonly DiffLine[], split: boolean, tools: Tools): void {
  more(body, split ? paired(lines) : lines.map((line): readonly DiffLine[] => [line]), 0, tools);
}

function linesIn({ old, new: fresh, before, after }: Hunk): number {
  return [old, fresh, before, after].reduce((sum, text) => sum + text.split("\n").length - 1, 0);
}

export function linesOf(hunk: Hunk, tools: Tools): readonly DiffLine[] {
  const above = hunk.before.split("\n").length - 1;
  const shift = (line: DiffLine): DiffLine => ({
    ...line,
    old: line.old === null ? null : line.old + hunk.line - above - 1,
    new: line.new === null ? null : line.new + hunk.new_line - above - 1,
  });
  if (hunk.old.length + hunk.new.length > COMPARED)
    return [...bare(hunk.old, "del"), ...bare(hunk.new, "add")];
  const old = hunk.before + hunk.old + hunk.after;
  const { hunks } = tools.diffLines(old === "" ? null : old, hunk.before + hunk.new + hunk.after, 100_000);
  return hunks.flatMap((one) => one.lines.map(shift));
}

function bare(text: string, kind: "add" | "del"): DiffLine[] {
  const lines = text.split("\n");
  const noNewline = lines.at(-1) !== "";
  if (!noNewline) lines.pop();
  return lines.map((line, index) => ({
    kind,
    old: null,
    new: null,
    text: line,
    marks: [],
    noNewline: noNewline && index === lines.length - 1,
  }));
}

/** Lines that go beside those that come. */
function paired(lines: readonly DiffLine[]): readonly (readonly DiffLine[])[] {
  const rows: (readonly DiffLine[])[] = [];
  let gone: DiffLine[] = [];
  let come: DiffLine[] = [];
  const flush = (): void => {
    const blank: DiffLine = { kind: "same", old: null, new: null, text: "", marks: [], noNewline: false };
    for (let i = 0; i < Math.max(gone.length, come.length); i += 1)
      rows.push([gone[i] ?? blank, come[i] ?? blank]);
    gone = [];
    come = [];
  };
  for (const line of lines) {
    if (line.kind === "del") gone.push(line);
    else if (line.kind === "add") come.push(line);
    else {
      flush();
      rows.push([line, line]);
    }
  }
  flush();
  return rows;
}

function more(body: HTMLElement, rows: readonly (readonly DiffLine[])[], from: number, tools: Tools): void {
  const to = Math.min(rows.length, from + LINES);
  for (const row of rows.slice(from, to)) {
    if (row.length === 1 && row[0] !== undefined) {
      const [line] = row;
      body.append(
        h(
          "div",
          { class: `acp-diff-row acp-diff-${line.kind}` },
          number(line.old),
          number(line.new),
          ...text(line),
        ),
      );
      continue;
    }
    const [left, right] = row;
    if (left === undefined || right === undefined) continue;
    body.append(
      h(
        "div",
        { class: "acp-hunk-pair" },
        cell({ line: left, number: left.old }),
        cell({ line: right, number: right.new }),
      ),
    );
  }
  if (to === rows.length) return;
  const next = button(`Show ${rows.length - to} more lines`, () => {
    next.remove();
    more(body, rows, to, tools);
    tools.settle();
  });
  next.className = "acp-diff-more";
  body.append(next);
}

function cell({ line, number: shown }: Cell): HTMLElement {
  return h("div", { class: `acp-diff-row acp-diff-${line.kind}` }, number(shown), ...text(line));
}

function number(value: number | null): HTMLElement {
  return h("span", { class: "acp-diff-number", "data-line": value ?? "", "aria-hidden": "true" });
}

function text({ kind, text: whole, marks, noNewline }: DiffLine): Node[] {
  const shown = h("span", { class: "acp-diff-text" });
  const put = (from: number, to: number, marked: boolean): void => {
    if (to <= from) return;
    const words = visible(whole.slice(from, to).replace(/\r$/, ""), { multiline: true });
    shown.append(marked ? h("mark", { class: "acp-diff-word" }, words) : words);
  };
  let at = 0;
  for (const [from, to] of marks) {
    put(at, from, false);
    put(from, to, true);
    at = to;
  }
  put(at, whole.length, false);
  if (whole.endsWith("\r")) shown.append(h("span", { class: "acp-muted", title: "Carriage return" }, "␍"));
  if (noNewline)
    shown.append(
      h("span", { class: "acp-diff-no-newline", title: "No line feed at the end of the file" }, "⊘"),
    );
  return [h("span", { class: "acp-diff-sign" }, SIGNS[kind]), shown];
}

export function button(label: string, run: () => void): HTMLButtonElement {
  const made = h("button", { class: "acp-button", type: "button" }, label);
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") !== "true") run();
  });
  return made;
}
