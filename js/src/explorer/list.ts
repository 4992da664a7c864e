/** A list of any length with rows of one height: only those in sight are drawn. One stop for the Tab key. */

import { h } from "../dom";

export interface ListSource {
  readonly label: string;
  count(): number;
  /** Stands for what a row shows: as long as it is the same, the row is not drawn anew. */
  key(index: number): unknown;
  /** Draws a row; null while it is on its way. */
  draw(index: number): HTMLElement | null;
  /** The row was clicked, or chosen by the keyboard. */
  open(index: number): void;
}

export interface List {
  readonly node: HTMLElement;
  /** Draws anew; `current` is marked and, if it changed, scrolled into view. */
  update(source: ListSource, current: number): void;
  focus(): void;
  dispose(): void;
}

const MARGIN = 6;
let lists = 0;

export function createList(rowHeight: number): List {
  lists += 1;
  const prefix = `acp-list-${lists}-`;
  const inner = h("div", { class: "acp-list-inner", role: "presentation" });
  const node = h("div", { class: "acp-list", role: "listbox", tabindex: "0" }, inner);
  let source: ListSource | null = null;
  let current = -1;
  let frame = 0;
  /** Where the list stands and how high it is: to ask again after each change would cost a layout. */
  let top = 0;
  let height = 0;
  /** The rows that are drawn, by index. */
  let rows = new Map<number, { readonly key: unknown; readonly node: HTMLElement }>();
  let drawnCount = -1;

  function rowAt(from: ListSource, index: number, count: number): HTMLElement {
    const key = from.key(index);
    const held = rows.get(index);
    if (held !== undefined && held.key === key && key !== undefined && count === drawnCount) return held.node;
    const row = from.draw(index) ?? h("div", { class: "acp-row acp-muted" }, "…");
    row.id = `${prefix}${index}`;
    row.dataset["index"] = String(index);
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", String(count));
    row.setAttribute("aria-posinset", String(index + 1));
    row.style.transform = `translateY(${index * rowHeight}px)`;
    row.style.height = `${rowHeight}px`;
    return row;
  }

  function paint(): void {
    if (source === null) return;
    const count = source.count();
    const first = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
    const shown = Math.ceil((height || 400) / rowHeight) + 2 * MARGIN;
    const last = Math.min(count, first + shown) - 1;
    const next: typeof rows = new Map();
    for (let index = first; index <= last; index += 1) {
      const row = rowAt(source, index, count);
      const chosen = String(index === current);
      if (row.getAttribute("aria-selected") !== chosen) row.setAttribute("aria-selected", chosen);
      next.set(index, { key: source.key(index), node: row });
    }
    for (const [index, { node: old }] of rows) if (next.get(index)?.node !== old) old.remove();
    rows = next;
    drawnCount = count;
    // In order, also for who reads the page without seeing it; what stands right already stays.
    let place = inner.firstElementChild;
    for (const { node: row } of next.values()) {
      if (row === place) place = place.nextElementSibling;
      else inner.insertBefore(row, place);
    }
    if (next.has(current)) node.setAttribute("aria-activedescendant", `${prefix}${current}`);
    else node.removeAttribute("aria-activedescendant");
  }

  function reveal(index: number): void {
    const from = index * rowHeight;
    if (height === 0) height = node.clientHeight;
    if (from < top) scrollTo(from);
    else if (from + rowHeight > top + height) scrollTo(from + rowHeight - height);
  }

  function scrollTo(y: number): void {
    node.scrollTop = y;
    top = node.scrollTop;
  }

  function onScroll(): void {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      top = node.scrollTop;
      height = node.clientHeight;
      paint();
    });
  }

  function onKey(event: KeyboardEvent): void {
    if (source === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = source.count() - 1;
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const to = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: last,
      Enter: current,
    }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    source.open(Math.max(0, Math.min(last, to)));
  }

  function onClick(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-index]");
    if (row !== null) source?.open(Number(row.dataset["index"]));
  }

  node.addEventListener("scroll", onScroll, { passive: true });
  node.addEventListener("keydown", onKey);
  inner.addEventListener("click", onClick);
  const observer = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(onScroll);
  observer?.observe(node);
  return {
    node,
    update(next, chosen) {
      if (source?.label !== next.label) {
        scrollTo(0);
        node.setAttribute("aria-label", next.label);
        for (const { node: old } of rows.values()) old.remove();
        rows = new Map();
      }
      source = next;
      const all = `${next.count() * rowHeight}px`;
      if (inner.style.height !== all) inner.style.height = all;
      if (chosen !== current && chosen >= 0) reveal(chosen);
      current = chosen;
      paint();
    },
    focus: () => node.focus({ preventScroll: true }),
    dispose() {
      observer?.disconnect();
      cancelAnimationFrame(frame);
    },
  };
}
