/** Bars that can be walked with the arrow keys and opened: lying ones with names, standing ones over the turns. */

import { h } from "../dom";

/** A part of a bar: how long, and the name of its colour. */
export interface Share {
  readonly value: number;
  readonly colour: string;
}

export interface Bar {
  /** What stands beside it; for a standing bar only in its description. */
  readonly name: string;
  readonly shares: readonly Share[];
  /** The value in words. */
  readonly words: string;
  open(): void;
}

export function sumOf(bar: Bar): number {
  return bar.shares.reduce((sum, share) => sum + share.value, 0);
}

/** A line for each bar: its name, the bar, its value. */
export function lyingBars(label: string, bars: readonly Bar[]): HTMLElement {
  const most = Math.max(...bars.map(sumOf), 0) || 1;
  const rows = bars.map((bar) => {
    const track = h(
      "span",
      { class: "acp-plot-track", "aria-hidden": "true" },
      ...pieces(bar, most, "width"),
    );
    const name = h("span", { class: "acp-plot-name", title: bar.name }, bar.name);
    return button(bar, "acp-plot-row", name, track, h("span", { class: "acp-plot-value" }, bar.words));
  });
  return walked(h("div", { class: "acp-plot-rows", role: "group", "aria-label": label }, ...rows), rows);
}

/** A column for each bar, all on one ground. */
export function standingBars(label: string, bars: readonly Bar[]): HTMLElement {
  const most = Math.max(...bars.map(sumOf), 0) || 1;
  const columns = bars.map((bar) => {
    const column = button(bar, "acp-plot-column", ...pieces(bar, most, "height"));
    column.title = `${bar.name}: ${bar.words}`;
    return column;
  });
  return walked(
    h("div", { class: "acp-plot-columns", role: "group", "aria-label": label }, ...columns),
    columns,
  );
}

function pieces(bar: Bar, most: number, side: "width" | "height"): HTMLElement[] {
  return bar.shares
    .filter((share) => share.value > 0)
    .map((share) =>
      h("i", {
        class: `acp-plot-bar acp-bar-${share.colour}`,
        style: `${side}: ${Math.max(0.5, (share.value / most) * 100).toFixed(2)}%`,
      }),
    );
}

function button(bar: Bar, name: string, ...inside: readonly HTMLElement[]): HTMLButtonElement {
  const node = h("button", { class: name, type: "button", tabindex: "-1" }, ...inside);
  node.setAttribute("aria-label", `${bar.name}: ${bar.words}`);
  node.addEventListener("click", () => bar.open());
  return node;
}

/** One stop for the Tab key; the arrow keys, Home and End go from bar to bar. */
function walked(group: HTMLElement, bars: readonly HTMLButtonElement[]): HTMLElement {
  bars[0]?.setAttribute("tabindex", "0");
  group.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = bars.indexOf(event.target as HTMLButtonElement);
    const to = {
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: bars.length - 1,
    }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = bars[Math.max(0, Math.min(bars.length - 1, to))];
    bars[at]?.setAttribute("tabindex", "-1");
    next?.setAttribute("tabindex", "0");
    next?.focus();
  });
  return group;
}
