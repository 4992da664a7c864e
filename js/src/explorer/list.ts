/** A list of any length with rows of one height: only those in sight are drawn. One stop for the Tab key. */

import { h } from "../dom";

export interface ListSource {
  readonly label: string;
  count(): number;
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

  function paint(): void {
    if (source === null) return;
    const count = source.count();
    inner.style.height = `${count * rowHeight}px`;
    const first = Math.max(0, Math.floor(node.scrollTop / rowHeight) - MARGIN);
    const shown = Math.ceil((node.clientHeight || 400) / rowHeight) + 2 * MARGIN;
    const rows: HTMLElement[] = [];
    for (let index = first; index < Math.min(count, first + shown); index += 1) {
      const row = source.draw(index) ?? h("div", { class: "acp-row acp-muted" }, "…");
      row.id = `${prefix}${index}`;
      row.dataset["index"] = String(index);
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(index === current));
      row.setAttribute("aria-setsize", String(count));
      row.setAttribute("aria-posinset", String(index + 1));
      row.style.transform = `translateY(${index * rowHeight}px)`;
      row.style.height = `${rowHeight}px`;
      rows.push(row);
    }
    inner.replaceChildren(...rows);
    if (current >= first && current < first + rows.length)
      node.setAttribute("aria-activedescendant", `${prefix}${current}`);
    else node.removeAttribute("aria-activedescendant");
  }

  function reveal(index: number): void {
    const top = index * rowHeight;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (top + rowHeight > node.scrollTop + node.clientHeight)
      node.scrollTop = top + rowHeight - node.clientHeight;
  }

  function onScroll(): void {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      paint();
    });
  }

  function onKey(event: KeyboardEvent): void {
    if (source === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = source.count() - 1;
    const page = Math.max(1, Math.floor(node.clientHeight / rowHeight) - 1);
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
      if (source?.label !== next.label) node.scrollTop = 0;
      source = next;
      node.setAttribute("aria-label", next.label);
      inner.style.height = `${next.count() * rowHeight}px`;
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
