/** Where time, tokens and money went, and which files were touched: bars that lead there, and the same as tables. */

import { h, setText } from "../dom";
import { relative, visible } from "../safe_text";
import { iconButton } from "../views/parts";
import { count, duration, money } from "../views/words";
import { type Bar, lyingBars, type Share, standingBars, sumOf } from "./bars";
import { turnName } from "./names";
import type { State, Store } from "./store";
import type { Outline, Row } from "./wire";

export interface Plots {
  readonly node: HTMLElement;
  toggle(): void;
  close(): boolean;
  update(state: State): void;
}

export interface PlotActions {
  openTurn(position: number): void;
  /** Looks for calls, as if this were typed, and goes to the first. */
  look(text: string): void;
  closed(): void;
}

/** Standing bars at most; where there are more turns, some share one. */
const COLUMNS = 120;
/** Rows of a table at most. */
const LINES = 2_000;

interface Plot {
  readonly title: string;
  readonly note: string;
  readonly chart: HTMLElement;
  readonly head: readonly string[];
  readonly lines: () => readonly (readonly string[])[];
  readonly wide?: boolean;
}

export function createPlots(store: Store, actions: PlotActions): Plots {
  const body = h("div", { class: "acp-plots-body", tabindex: "-1" });
  const shut = iconButton("cross", "Close the plots", () => close());
  const title = h("span", {}, "Plots");
  const node = h(
    "section",
    { class: "acp-records acp-plots", role: "dialog", "aria-label": "Plots", hidden: true },
    h("div", { class: "acp-records-head" }, title, shut),
    body,
  );
  let drawn: readonly unknown[] = [];

  function close(): boolean {
    if (node.hidden) return false;
    node.hidden = true;
    body.replaceChildren();
    drawn = [];
    actions.closed();
    return true;
  }

  /** Whatever a bar leads to stands behind the plots. */
  const leave =
    (go: () => void): (() => void) =>
    () => {
      close();
      go();
    };

  function update(state: State): void {
    const { outline, rows } = state;
    if (node.hidden || outline === null || (drawn[0] === outline && drawn[1] === rows)) return;
    drawn = [outline, rows];
    const plots = [...turnPlots(state, outline), toolPlot(outline), filePlot(outline)];
    setText(title, outline.ready ? "Plots" : "Plots of what has been read so far");
    body.replaceChildren(...plots.filter((one) => one !== null).map(figure));
  }

  function turnPlots(state: State, outline: Outline): (Plot | null)[] {
    const known = state.rows.filter((row) => row !== undefined);
    if (known.length < 2) return [];
    const by = (
      name: string,
      shares: (row: Row) => readonly Share[],
      words: (sum: number, row: Row | null) => string,
      note: string,
    ): Plot | null => {
      const sum = (row: Row): number => shares(row).reduce((all, one) => all + one.value, 0);
      if (!known.some((row) => sum(row) > 0)) return null;
      return {
        title: `${name} by turn`,
        note,
        wide: true,
        chart: overTurns(name, state.rows, shares, words, (position) =>
          leave(() => actions.openTurn(position)),
        ),
        head: ["Turn", "Prompt", name],
        lines: () => known.map((row) => [turnName(row), visible(row.title), words(sum(row), row)]),
      };
    };
    const times = by(
      "Time",
      (row) => (["model", "tools", "waiting"] as const).map((colour) => ({ value: row[colour], colour })),
      (sum, row) => (row === null ? duration(sum) : timeWords(row)),
      "model, tools, waiting for a person",
    );
    const tokens = by(
      "Tokens",
      (row) => [{ value: row.tokens, colour: "plain" }],
      (sum) => count(sum, "token"),
      `${count(outline.tokens, "token")} in all`,
    );
    const costs = Object.entries(outline.costs).map(([currency, all]) =>
      by(
        `Cost (${visible(currency)})`,
        (row) => [{ value: row.cost?.currency === currency ? row.cost.amount : 0, colour: "plain" }],
        (sum) => money(sum, visible(currency)),
        `${money(all, visible(currency))} in all`,
      ),
    );
    return [times, tokens, ...costs];
  }

  function toolPlot(outline: Outline): Plot | null {
    const { model, waiting } = outline.times;
    const tools = outline.tool_uses.filter((tool) => tool.working + tool.waiting > 0);
    if (tools.length === 0 && model + waiting === 0) return null;
    const bars: Bar[] = tools.map((tool) => ({
      name: visible(tool.name),
      shares: [
        { value: tool.working, colour: "tools" },
        { value: tool.waiting, colour: "waiting" },
      ],
      words: duration(tool.working + tool.waiting),
      open: leave(() => actions.look(`tool:${quoted(tool.name)}`)),
    }));
    if (model > 0)
      bars.push({
        name: "the model alone",
        shares: [{ value: model, colour: "model" }],
        words: duration(model),
        open: leave(() => actions.look("kind:message")),
      });
    bars.sort((a, b) => sumOf(b) - sumOf(a));
    return {
      title: "Time by tool",
      note: waiting > 0 ? `of which a person was waited for ${duration(waiting)}` : "nobody was waited for",
      chart: lyingBars("Time by tool", bars),
      head: ["Tool", "Calls", "Failed", "Working", "Waiting for a person"],
      lines: () => [
        ...outline.tool_uses.map((tool) => [
          visible(tool.name),
          String(tool.calls),
          String(tool.failed),
          seconds(tool.working),
          seconds(tool.waiting),
        ]),
        ["the model alone", "", "", seconds(model), ""],
      ],
    };
  }

  function filePlot(outline: Outline): Plot | null {
    const files = outline.file_uses;
    if (files.length === 0) return null;
    const left = outline.file_uses_count - files.length;
    const name = (path: string): string => visible(relative(path, outline.cwd));
    return {
      title: "Files touched",
      note:
        left > 0 ? `${count(left, "more file")} left out` : "calls that name it; full colour: that change it",
      chart: lyingBars(
        "Files touched",
        files.map((file) => ({
          name: name(file.path),
          shares: [
            { value: file.edits, colour: "plain" },
            { value: file.calls - file.edits, colour: "faint" },
          ],
          words: count(file.calls, "call"),
          open: leave(() => actions.look(`path:${quoted(file.path)}`)),
        })),
      ),
      head: ["File", "Calls", "of which change it"],
      lines: () => files.map((file) => [name(file.path), String(file.calls), String(file.edits)]),
    };
  }

  return {
    node,
    close,
    update,
    toggle() {
      if (close()) return;
      node.hidden = false;
      // Only the first turns came with the outline.
      for (let position = 0; position < store.state.rows.length; position += 1_000)
        if (store.state.rows[position] === undefined) store.loadRows(position);
      update(store.state);
      shut.focus({ preventScroll: true });
    },
  };
}

/** Turns as columns; so many of them share one that they fit. */
function overTurns(
  label: string,
  rows: State["rows"],
  shares: (row: Row) => readonly Share[],
  words: (sum: number, row: Row | null) => string,
  open: (position: number) => () => void,
): HTMLElement {
  const size = Math.ceil(rows.length / COLUMNS);
  const bars: Bar[] = [];
  for (let first = 0; first < rows.length; first += size) {
    const some = rows.slice(first, first + size).filter((row) => row !== undefined);
    const sums = new Map<string, number>();
    let [most, best] = [-1, first];
    some.forEach((row, index) => {
      let sum = 0;
      for (const { colour, value } of shares(row)) {
        sums.set(colour, (sums.get(colour) ?? 0) + value);
        sum += value;
      }
      if (sum > most) [most, best] = [sum, first + index];
    });
    const all = [...sums.values()].reduce((sum, value) => sum + value, 0);
    const [one, last] = [some[0], some[some.length - 1]];
    const name =
      one === undefined || last === undefined
        ? "not loaded"
        : one === last
          ? turnName(one)
          : `${turnName(one)} to ${last.number}`;
    bars.push({
      name,
      shares: [...sums].map(([colour, value]) => ({ colour, value })),
      words: words(all, some.length === 1 && one !== undefined ? one : null),
      open: open(best),
    });
  }
  const most = Math.max(...bars.map(sumOf), 0);
  return h(
    "div",
    { class: "acp-plot-over" },
    h("span", { class: "acp-plot-most", "aria-hidden": "true" }, words(most, null)),
    standingBars(`${label} by turn`, bars),
    h(
      "span",
      { class: "acp-plot-axis", "aria-hidden": "true" },
      h("span", {}, bars[0]?.name ?? ""),
      h("span", {}, bars.length > 1 ? (bars[bars.length - 1]?.name ?? "") : ""),
    ),
  );
}

function figure(plot: Plot): HTMLElement {
  const table = h("div", { class: "acp-plot-table" });
  const details = h("details", {}, h("summary", {}, "As a table"), table);
  details.addEventListener("toggle", () => {
    if (details.open && table.childElementCount === 0) table.append(tableOf(plot));
  });
  return h(
    "figure",
    { class: plot.wide === true ? "acp-plot acp-plot-wide" : "acp-plot" },
    h("figcaption", {}, h("strong", {}, plot.title), h("span", { class: "acp-muted" }, plot.note)),
    plot.chart,
    details,
  );
}

function tableOf(plot: Plot): HTMLElement {
  const lines = plot.lines();
  const rows = lines
    .slice(0, LINES)
    .map((line) =>
      h(
        "tr",
        {},
        ...line.map((cell, index) => (index === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell))),
      ),
    );
  const left = lines.length - rows.length;
  return h(
    "table",
    {},
    left > 0 ? h("caption", {}, `${count(left, "more row")} left out`) : null,
    h("thead", {}, h("tr", {}, ...plot.head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows),
  );
}

function timeWords(row: Row): string {
  const parts = (["model", "tools", "waiting"] as const).filter((kind) => row[kind] > 0);
  return parts.map((kind) => `${kind} ${duration(row[kind])}`).join(", ") || "no time";
}

function seconds(value: number): string {
  return value === 0 ? "0 s" : duration(value);
}

/** As a search takes it; a name that was cut is looked for as far as it is known. */
function quoted(name: string): string {
  return `"${name.replace(/…$/, "").replaceAll('"', " ").trim()}"`;
}
