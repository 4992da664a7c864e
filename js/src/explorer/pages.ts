/**
 * The conversation, however long: turns in sight are drawn, the others are only as high as they are thought
 * to be. The reading position is a turn and a distance from its top, so that a height which turns out
 * differently never moves what is read.
 *
 * Each look at the page's geometry after a change makes the browser lay it out: changes are made together,
 * then measured together, and what is known is not asked again.
 */

import type { ViewContext } from "../views/context";
import type { TurnView } from "../views/turn";
import { createHeights } from "./heights";
import { createPage, type Page } from "./page";
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
  /**
   * Draws anew, and brings the end of a turn to the bottom if one is named. With `back` what is shown is older
   * than what was shown, and cards know no way back.
   */
  update(back?: boolean, end?: number): void;
  /** Brings a turn to the top. */
  go(position: number): void;
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

/** Pixels above and below the view that are drawn as well, and beyond which turns are let go. */
const AHEAD = 300;
const KEEP = 2_000;
/** Milliseconds of one frame that drawing turns may take. */
const BUDGET = 4;

export function createPages(
  ctx: ViewContext,
  scroller: HTMLElement,
  content: HTMLElement,
  source: PagesSource,
): Pages {
  const heights = createHeights(source.count, source.guess);
  const drawn = new Map<number, Page>();
  let anchor = { position: 0, offset: 0 };
  let frame = 0;
  /** Where the scroller stands, as far as we know; how high it is. */
  let own = 0;
  let view = 0;
  /** Where it stood when it was last drawn, and whether only names were drawn then. */
  let seen = 0;
  let flew = false;

  const observer =
    typeof ResizeObserver === "undefined"
      ? null
      : new ResizeObserver((entries) => {
          let changed = false;
          for (const { target } of entries) {
            if (target !== scroller) changed = measure(target as HTMLElement) || changed;
            else if (scroller.clientHeight !== view) {
              // Shown again it may stand anywhere, and is put back.
              if (view === 0) own = scroller.scrollTop;
              view = scroller.clientHeight;
              soon();
            }
          }
          if (changed) moved();
        });

  function measure(node: HTMLElement): boolean {
    const position = Number(node.dataset["position"]);
    const height = node.offsetHeight;
    if (height <= 0 || drawn.get(position)?.node !== node) return false;
    const thought = heights.of(position);
    if (!heights.set(position, height)) return false;
    // What is read stays within its turn, however much shorter that is than it was thought to be.
    if (position === anchor.position && anchor.offset > height && thought > 0)
      anchor = { position, offset: anchor.offset * (height / thought) };
    return true;
  }

  /** Something has another height now: what follows stands elsewhere, and more of it may be in sight. */
  function moved(): void {
    place();
    soon();
  }

  /** The person has scrolled: what is read now stays in its place from here on. */
  function adopt(): void {
    const y = scroller.scrollTop;
    // What is hidden stands nowhere.
    if (Math.abs(y - own) < 1 || scroller.clientHeight === 0) return;
    const position = heights.at(y);
    anchor = { position, offset: y - heights.top(position) };
    own = y;
  }

  /** Where the scroller is to stand: where the anchor is, within the content. */
  function target(): number {
    const wanted = heights.top(anchor.position) + anchor.offset;
    return Math.max(0, Math.min(Math.round(wanted), Math.max(0, heights.total - view)));
  }

  /** Puts everything where it belongs, and the scroll position where the anchor is. */
  function place(): void {
    setStyle(content, "height", `${heights.total}px`);
    for (const [position, { node }] of drawn)
      setStyle(node, "transform", `translateY(${heights.top(position)}px)`);
    const y = target();
    if (Math.abs(own - y) < 1) return;
    scroller.scrollTop = y;
    // The browser knows fractions of pixels, and an end of its own.
    own = scroller.clientHeight === 0 ? y : scroller.scrollTop;
  }

  /** With `hasty` only names are drawn: nobody reads what the next frame has no part of. */
  function paint(hasty = false): void {
    const begin = performance.now();
    if (view === 0) view = scroller.clientHeight;
    place();
    const room = view || 600;
    const last = heights.count - 1;
    const top = heights.at(own);
    const first = heights.at(Math.max(0, own - AHEAD));
    const end = Math.min(last, heights.at(own + room + AHEAD));
    source.shows(top, Math.min(last, heights.at(own + room)));
    // What is in sight comes first.
    const wanted: number[] = [];
    for (let position = top; position <= end; position += 1) wanted.push(position);
    for (let position = top - 1; position >= first; position -= 1) wanted.push(position);
    const late = hasty ? nameAll(wanted) : drawAll(wanted, () => performance.now() - begin > BUDGET);
    // Heights are known now that were thought before: what is shown stands elsewhere, and may end earlier.
    const now = target();
    for (const [position, page] of drawn) {
      // A name alone is not worth keeping out of sight.
      const keep = page.part === null ? AHEAD : KEEP;
      const from = heights.top(position);
      if (position > last || from > now + room + keep || heights.top(position + 1) < now - keep)
        drop(position, page);
    }
    place();
    seen = own;
    flew = hasty;
    const more = heights.at(Math.max(0, own - AHEAD)) < first || heights.at(own + room + AHEAD) > end;
    if (late || more) soon();
  }

  function nameAll(positions: readonly number[]): boolean {
    for (const position of positions) if (!drawn.has(position)) add(position).draw(null);
    return true;
  }

  /** Draws turns and then measures those that changed, so that the page is laid out once; says if some are left. */
  function drawAll(positions: readonly number[], enough?: () => boolean): boolean {
    const changed: HTMLElement[] = [];
    let late = false;
    let any = false;
    for (const position of positions) {
      // Something is drawn in any case.
      if (any && enough?.() === true) {
        late = true;
        break;
      }
      const page = drawn.get(position) ?? add(position);
      if (page.draw(source.part(position), enough)) {
        changed.push(page.node);
        any = true;
      }
      late = late || !page.done;
    }
    for (const node of changed) measure(node);
    return late;
  }

  function add(position: number): Page {
    const page = createPage(
      ctx,
      position,
      () => heights.of(position),
      (part) => source.heading(position, part),
    );
    drawn.set(position, page);
    content.append(page.node);
    observer?.observe(page.node);
    return page;
  }

  function drop(position: number, page: Page): void {
    drawn.delete(position);
    observer?.unobserve(page.node);
    page.dispose();
  }

  function soon(): void {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      adopt();
      paint(flies());
    });
  }

  /** Whether more than a view has gone by since the last drawing. */
  function flies(): boolean {
    return view > 0 && Math.abs(own - seen) > view;
  }

  function end(position: number): void {
    const page = whole(position);
    if (page !== null) measure(page.node);
    view = scroller.clientHeight;
    anchor = { position, offset: heights.of(position) - view };
    paint();
  }

  /** Draws all of a turn, wherever it lies. */
  function whole(position: number): Page | null {
    anchor = { position, offset: 0 };
    heights.doubt();
    drawAll([position]);
    return drawn.get(position) ?? null;
  }

  function onScroll(): void {
    adopt();
    soon();
  }

  scroller.addEventListener("scroll", onScroll, { passive: true });
  observer?.observe(scroller);

  return {
    update(back = false, toEnd = -1) {
      adopt();
      // In between the frames of a flight nothing moves: the next frame tells whether it is over.
      const hasty = flew || flies();
      heights.doubt();
      const last = Math.max(0, source.count() - 1);
      if (back) {
        for (const [position, page] of drawn)
          if (page.part !== null && source.part(position) !== page.part) drop(position, page);
      }
      if (toEnd >= 0) {
        end(Math.min(toEnd, last));
        return;
      }
      if (anchor.position > last) anchor = { position: last, offset: 0 };
      // What was drawn stays drawn: its height is the reading position's.
      const whole = [...drawn].filter(
        ([position, page]) => position <= last && page.done && page.part !== null,
      );
      drawAll(whole.map(([position]) => position));
      if (hasty) moved();
      else paint();
    },
    go(position) {
      adopt();
      heights.doubt();
      anchor = { position, offset: 0 };
      paint();
    },
    goItem(position, item, after) {
      adopt();
      const page = whole(position);
      const index = after ? item : item - (page?.part?.offset ?? 0);
      const node =
        page === null || page.part === null
          ? null
          : item < 0
            ? page.view.node.querySelector<HTMLElement>(".acp-prompt")
            : page.view.open(index, after);
      if (page === null || node === null) {
        paint();
        return null;
      }
      const box = node.getBoundingClientRect();
      if (view === 0) view = scroller.clientHeight;
      const room = Math.max(12, (view - box.height) / 3);
      measure(page.node);
      anchor = { position, offset: box.top - page.node.getBoundingClientRect().top - room };
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
      adopt();
      let changed = false;
      for (const { node } of drawn.values()) changed = measure(node) || changed;
      if (changed) moved();
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

function setStyle(node: HTMLElement, name: "height" | "transform", value: string): void {
  if (node.style[name] !== value) node.style[name] = value;
}
