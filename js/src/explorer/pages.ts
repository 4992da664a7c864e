/**
 * The conversation, however long: turns in sight are drawn, the others are only as high as they are thought
 * to be. The reading position is a turn and a distance from its top, so that a height which turns out
 * differently never moves what is read.
 */

import { h } from "../dom";
import type { ViewContext } from "../views/context";
import { createTurn, type TurnView } from "../views/turn";
import type { TurnPart } from "./wire";

export interface PagesSource {
  /** How many turns there are, by position. */
  count(): number;
  /** Null while it is on its way. */
  part(position: number): TurnPart | null;
  /** How high a turn may be, in pixels. */
  guess(position: number): number;
  /** Which positions are in sight. */
  shows(first: number, last: number): void;
  /** Draws what stands beside a turn (parts left out, a heading). */
  heading(position: number, part: TurnPart | null): HTMLElement | null;
}

export interface Pages {
  /** Draws anew; with `back` what is shown is older than what was shown, and cards know no way back. */
  update(back?: boolean): void;
  /** Brings a turn to the top, or its end to the bottom. */
  go(position: number, where?: "top" | "end"): void;
  /** Opens an item, brings it into view and gives its element. */
  goItem(position: number, item: number, after: boolean): HTMLElement | null;
  /** The position and the element of the drawn turn that holds a node. */
  holder(node: Node): { position: number; node: HTMLElement } | null;
  view(position: number): TurnView | null;
  /** After something inside has changed its height. */
  settle(): void;
  readonly top: number;
  dispose(): void;
}

interface Drawn {
  readonly node: HTMLElement;
  readonly head: HTMLElement;
  readonly view: TurnView;
  part: TurnPart | null;
  headed: TurnPart | null | undefined;
}

/** Pixels above and below the view that are drawn as well, and beyond which turns are let go. */
const AHEAD = 300;
const KEEP = 2_000;
/** Milliseconds of one frame that drawing turns may take. */
const BUDGET = 8;
const GAP = 22;

export function createPages(
  ctx: ViewContext,
  scroller: HTMLElement,
  content: HTMLElement,
  source: PagesSource,
): Pages {
  const heights = new Map<number, number>();
  const drawn = new Map<number, Drawn>();
  let anchor = { position: 0, offset: 0 };
  let tops: number[] = [0];
  let frame = 0;
  let own = 0;

  const observer =
    typeof ResizeObserver === "undefined"
      ? null
      : new ResizeObserver((entries) => {
          for (const entry of entries) measure(entry.target as HTMLElement);
          place();
        });

  function measure(node: HTMLElement): void {
    const position = Number(node.dataset["position"]);
    const height = node.offsetHeight;
    if (height > 0 && drawn.get(position)?.node === node) heights.set(position, height);
  }

  function layout(): void {
    const count = source.count();
    tops = [0];
    let top = 0;
    for (let position = 0; position < count; position += 1) {
      top += heights.get(position) ?? source.guess(position);
      tops.push(top);
    }
  }

  function at(y: number): number {
    let low = 0;
    let high = Math.max(0, tops.length - 2);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((tops[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The person has scrolled: what is read now stays in its place from here on. */
  function adopt(): void {
    const y = scroller.scrollTop;
    if (Math.abs(y - own) < 1) return;
    const position = at(y);
    anchor = { position, offset: y - (tops[position] ?? 0) };
    own = y;
  }

  /** Puts everything where it belongs, and the scroll position where the anchor is. */
  function place(): void {
    adopt();
    restore();
  }

  function restore(): void {
    layout();
    content.style.height = `${tops[tops.length - 1] ?? 0}px`;
    for (const [position, { node }] of drawn) node.style.transform = `translateY(${tops[position] ?? 0}px)`;
    const wanted = (tops[anchor.position] ?? 0) + anchor.offset;
    const most = Math.max(0, (tops[tops.length - 1] ?? 0) - scroller.clientHeight);
    const y = Math.max(0, Math.min(Math.round(wanted), most));
    if (Math.abs(scroller.scrollTop - y) >= 1) scroller.scrollTop = y;
    // The browser may have moved it by itself, to the end of a content that got shorter: no wish of anybody.
    own = scroller.scrollTop;
  }

  function paint(): void {
    const begin = performance.now();
    place();
    const view = scroller.clientHeight || 600;
    const y = scroller.scrollTop;
    const last = source.count() - 1;
    const first = at(Math.max(0, y - AHEAD));
    const end = Math.min(last, at(y + view + AHEAD));
    source.shows(at(y), Math.min(last, at(y + view)));
    // What is in sight comes first.
    const wanted: number[] = [];
    for (let position = at(y); position <= end; position += 1) wanted.push(position);
    for (let position = at(y) - 1; position >= first; position -= 1) wanted.push(position);
    const late = drawAll(wanted, () => performance.now() - begin > BUDGET);
    for (const [position, old] of drawn) {
      const top = tops[position] ?? Number.POSITIVE_INFINITY;
      const bottom = tops[position + 1] ?? top;
      if (position > last || bottom < y - KEEP || top > y + view + KEEP) drop(position, old);
    }
    place();
    if (late) soon();
  }

  /** Says whether its height may be another one now; measuring is the caller's, once for all. */
  function draw(position: number): HTMLElement | null {
    const part = source.part(position);
    let old = drawn.get(position);
    const fresh = old === undefined;
    if (old === undefined) {
      const view = createTurn(ctx);
      const head = h("div", { class: "acp-page-head" });
      const node = h("div", { class: "acp-page", "data-position": position }, head, view.node);
      old = { node, head, view, part: null, headed: undefined };
      drawn.set(position, old);
      content.append(node);
      observer?.observe(node);
    }
    if (!fresh && old.headed === part && old.part === part) return null;
    if (old.headed !== part) {
      old.headed = part;
      const made = source.heading(position, part);
      old.head.replaceChildren(...(made === null ? [] : [made]));
    }
    old.node.classList.toggle("acp-loading", part === null);
    if (part === null) {
      old.node.style.minHeight = `${source.guess(position) - GAP}px`;
    } else if (old.part !== part) {
      old.part = part;
      old.node.style.minHeight = "";
      old.view.update(part.turn);
    }
    return old.node;
  }

  /** Draws turns and then measures those that changed, so that the page is laid out once. */
  function drawAll(positions: readonly number[], enough: () => boolean): boolean {
    const changed: HTMLElement[] = [];
    let late = false;
    for (const position of positions) {
      // The first one is drawn in any case.
      if (position !== positions[0] && enough()) {
        late = true;
        break;
      }
      const node = draw(position);
      if (node !== null) changed.push(node);
    }
    for (const node of changed) measure(node);
    return late;
  }

  function drop(position: number, old: Drawn): void {
    drawn.delete(position);
    observer?.unobserve(old.node);
    old.view.dispose();
    old.node.remove();
  }

  function soon(): void {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      paint();
    });
  }

  function head(position: number): void {
    anchor = { position, offset: 0 };
    restore();
    paint();
  }

  function onScroll(): void {
    adopt();
    soon();
  }

  scroller.addEventListener("scroll", onScroll, { passive: true });
  observer?.observe(scroller);

  return {
    update(back = false) {
      const last = Math.max(0, source.count() - 1);
      if (back) {
        for (const [position, old] of drawn)
          if (old.part !== null && source.part(position) !== old.part) drop(position, old);
      }
      if (anchor.position > last) anchor = { position: last, offset: 0 };
      drawAll(
        [...drawn.keys()].filter((position) => position <= last),
        () => false,
      );
      paint();
    },
    go(position, where = "top") {
      head(position);
      drawAll([position], () => false);
      if (where === "end") {
        layout();
        const height = (tops[position + 1] ?? 0) - (tops[position] ?? 0);
        anchor = { position, offset: height - scroller.clientHeight };
        restore();
      }
      paint();
    },
    goItem(position, item, after) {
      head(position);
      drawAll([position], () => false);
      const page = drawn.get(position);
      if (page === undefined || page.part === null) return null;
      const index = after ? item : item - page.part.offset;
      const node =
        item < 0 ? page.view.node.querySelector<HTMLElement>(".acp-prompt") : page.view.open(index, after);
      if (node === null) return null;
      const box = node.getBoundingClientRect();
      const room = Math.max(12, (scroller.clientHeight - box.height) / 3);
      measure(page.node);
      layout();
      anchor = { position, offset: box.top - page.node.getBoundingClientRect().top - room };
      restore();
      paint();
      return node;
    },
    holder(node) {
      for (const [position, page] of drawn)
        if (page.node.contains(node)) return { position, node: page.view.node };
      return null;
    },
    view: (position) => drawn.get(position)?.view ?? null,
    settle() {
      for (const { node } of drawn.values()) measure(node);
      place();
    },
    get top() {
      return anchor.position;
    },
    dispose() {
      scroller.removeEventListener("scroll", onScroll);
      observer?.disconnect();
      cancelAnimationFrame(frame);
      for (const page of drawn.values()) page.view.dispose();
      drawn.clear();
    },
  };
}
