/** Draws a diff: unified, with line numbers and word marks, long ones folded. */

import { type DiffLine, diffLines, type Hunk, type TextDiff } from "./diff";
import { h } from "./dom";
import { relative, visible } from "./safe_text";
import type { Diff } from "./wire";

export interface DiffOptions {
  /** The agent's folder: paths inside it are shown relative to it. */
  readonly cwd?: string | null;
  /** Show only the head line until the person opens it. */
  readonly folded?: boolean;
  /** Rows shown before "show N more lines"; the default is 60. */
  readonly rows?: number;
}

const ROWS = 60;
/** Rows that one click on "show N more lines" adds: more at once would block the page. */
const MORE_ROWS = 2_000;
const SIGNS = { same: " ", add: "+", del: "−" } as const;

/**
 * Draws a diff into an element, under a head line `path +3 −1` that folds and unfolds it.
 *
 * @returns a function that takes it away again
 */
export function renderDiff(host: HTMLElement, diff: Diff, options: DiffOptions = {}): () => void {
  const lines = diffLines(diff.old_text, diff.new_text);
  const path = visible(relative(diff.path, options.cwd));
  const details = h(
    "details",
    { class: "acp-diff", open: options.folded !== true },
    h(
      "summary",
      { class: "acp-diff-head", title: visible(diff.path) },
      h("span", { class: "acp-diff-path" }, path),
      diff.old_text === null ? h("span", { class: "acp-diff-new" }, "new file") : null,
      h("span", { class: "acp-diff-added" }, `+${lines.added}`),
      h("span", { class: "acp-diff-removed" }, `−${lines.removed}`),
    ),
  );
  // Rows are made when they are first seen: a turn may hold a hundred folded diffs.
  const fill = () => {
    if (details.childElementCount === 1) details.append(body(lines, options.rows ?? ROWS));
  };
  if (details.open) fill();
  details.addEventListener("toggle", () => {
    if (details.open) fill();
  });
  host.append(details);
  return () => details.remove();
}

function body(diff: TextDiff, limit: number): HTMLElement {
  const box = h("div", { class: "acp-diff-body", role: "group", "aria-label": "Changed lines" });
  if (diff.hunks.length === 0) {
    box.append(h("div", { class: "acp-diff-none" }, "No difference"));
    return box;
  }
  const rows = diff.hunks.flatMap((hunk): readonly (Hunk | DiffLine)[] =>
    diff.hunks.length > 1 || hunk.oldStart > 1 ? [hunk, ...hunk.lines] : hunk.lines,
  );
  // A remainder of a few rows is not worth a click.
  showRows(box, rows, 0, rows.length <= limit + 10 ? rows.length : limit);
  return box;
}

function showRows(box: HTMLElement, rows: readonly (Hunk | DiffLine)[], from: number, to: number): void {
  box.append(...rows.slice(from, to).map(row));
  const rest = rows.length - to;
  if (rest <= 0) return;
  const more = h(
    "button",
    { type: "button", class: "acp-diff-more" },
    `Show ${rest} more ${rest === 1 ? "line" : "lines"}`,
  );
  more.addEventListener("click", () => {
    const hadFocus = more.matches(":focus");
    more.remove();
    showRows(box, rows, to, Math.min(rows.length, to + MORE_ROWS));
    // The focus would fall out of the widget with the button that had it.
    const next = box.children[box.children.length > to ? to : box.children.length - 1];
    if (hadFocus && next instanceof HTMLElement) {
      next.tabIndex = -1;
      next.focus({ preventScroll: true });
    }
  });
  box.append(more);
}

function row(item: Hunk | DiffLine): HTMLElement {
  if ("lines" in item) {
    const { oldStart, oldLines, newStart, newLines } = item;
    return h("div", { class: "acp-diff-gap" }, `@@ −${oldStart},${oldLines} +${newStart},${newLines} @@`);
  }
  // Line numbers are attributes drawn by the style sheet, so that copied lines are free of them.
  return h(
    "div",
    { class: `acp-diff-row acp-diff-${item.kind}` },
    h("span", { class: "acp-diff-number", "data-line": item.old ?? "", "aria-hidden": "true" }),
    h("span", { class: "acp-diff-number", "data-line": item.new ?? "", "aria-hidden": "true" }),
    h("span", { class: "acp-diff-sign" }, SIGNS[item.kind]),
    h("span", { class: "acp-diff-text" }, ...marked(item), item.noNewline ? noNewline() : null),
  );
}

function noNewline(): HTMLElement {
  return h("span", { class: "acp-diff-no-newline", title: "No line feed at the end of the file" }, "⊘");
}

/** The line's text with its differing words in `<mark>`. A carriage return at the end stays unseen. */
function marked({ text, marks }: DiffLine): (Node | string)[] {
  const shown = (from: number, to: number) =>
    visible(text.slice(from, to).replace(/\r$/, ""), { multiline: true });
  const out: (Node | string)[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    if (from > at) out.push(shown(at, from));
    out.push(h("mark", { class: "acp-diff-word" }, shown(from, to)));
    at = to;
  }
  if (at < text.length) out.push(shown(at, text.length));
  return out;
}
