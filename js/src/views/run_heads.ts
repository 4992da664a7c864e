/** The lines "5 steps" that stand for runs of done calls. Items are hidden, not moved: they keep their state. */

import { h, setText } from "../dom";
import type { Item } from "../wire";
import type { ViewContext } from "./context";
import { icon } from "./icons";
import { type Run, runsOf } from "./runs";
import { count, duration } from "./words";

interface Head {
  readonly node: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly label: HTMLElement;
  readonly time: HTMLElement;
  run: Run;
  open: boolean;
  /** Opened or closed by the person. */
  touched: boolean;
}

export interface Runs {
  update(items: readonly Item[], nodes: readonly HTMLElement[], open: boolean): void;
  open(index: number): void;
  dispose(): void;
}

export function createRuns(ctx: ViewContext, parent: HTMLElement): Runs {
  const heads = new Map<number, Head>();
  const callOffs = new Map<number, () => void>();
  let nodes: readonly HTMLElement[] = [];
  let first = true;

  function paint(head: Head): void {
    const { run } = head;
    setText(head.label, count(run.steps, "step"));
    setText(head.time, run.seconds >= 1 ? duration(run.seconds) : "");
    head.button.setAttribute("aria-expanded", String(head.open));
    head.node.classList.toggle("acp-open", head.open);
    for (let index = run.first; index < run.end; index += 1) {
      const node = nodes[index];
      if (node === undefined) continue;
      node.hidden = !head.open;
      node.classList.add("acp-in-run");
    }
  }

  function fold(run: Run): void {
    callOffs.delete(run.first);
    // Whoever has opened a step of the run by hand wants to see it.
    const kept = nodes
      .slice(run.first, run.end)
      .some((node) => node.querySelector(".acp-fold.acp-open") !== null);
    const label = h("span", { class: "acp-line-title" });
    const time = h("span", { class: "acp-line-time" });
    const chevron = icon("chevron");
    chevron.classList.add("acp-chevron");
    const button = h(
      "button",
      { class: "acp-fold-head", type: "button" },
      icon("steps"),
      h("span", { class: "acp-line-text" }, label),
      time,
      h("span", { class: "acp-line-state" }, "done"),
      chevron,
    );
    const node = h("div", { class: "acp-fold acp-line acp-run" }, button);
    const head: Head = { node, button, label, time, run, open: kept, touched: false };
    button.addEventListener("click", () => {
      head.touched = true;
      head.open = !head.open;
      ctx.reading.hold(button);
      paint(head);
      ctx.reading.settle();
    });
    const before = nodes[run.first];
    if (before === undefined) parent.append(node);
    else parent.insertBefore(node, before);
    heads.set(run.first, head);
    paint(head);
  }

  function grow(head: Head, run: Run): void {
    head.run = run;
    paint(head);
  }

  function drop(head: Head): void {
    heads.delete(head.run.first);
    head.node.remove();
    for (const node of nodes.slice(head.run.first, head.run.end)) {
      node.hidden = false;
      node.classList.remove("acp-in-run");
    }
  }

  return {
    update(items, next, open) {
      nodes = next;
      const runs = runsOf(items, open);
      const byFirst = new Map(runs.map((run) => [run.first, run]));
      for (const head of heads.values()) {
        // A late "failed" takes a call out of its run: it must be seen.
        if (!byFirst.has(head.run.first)) drop(head);
      }
      for (const run of runs) {
        const head = heads.get(run.first);
        if (head !== undefined && head.run.end === run.end) continue;
        callOffs.get(run.first)?.();
        callOffs.delete(run.first);
        if (head !== undefined && run.end < head.run.end) {
          const wasOpen = head.open;
          drop(head);
          fold(run);
          const again = heads.get(run.first);
          if (again !== undefined) {
            again.open = wasOpen;
            paint(again);
          }
        } else if (first) {
          fold(run);
        } else {
          const last = nodes[run.end - 1];
          const range = last ?? parent;
          const change = head === undefined ? () => fold(run) : () => grow(head, run);
          callOffs.set(run.first, ctx.reading.later(range, change));
        }
      }
      first = false;
    },
    open(index) {
      for (const head of heads.values()) {
        if (index < head.run.first || index >= head.run.end || head.open) continue;
        head.open = true;
        head.touched = true;
        paint(head);
      }
    },
    dispose() {
      for (const callOff of callOffs.values()) callOff();
    },
  };
}
