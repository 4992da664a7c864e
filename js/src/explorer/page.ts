/** One turn in the conversation: its heading and its items, which are drawn a few at a time. */

import { h } from "../dom";
import type { ViewContext } from "../views/context";
import { createTurn, type TurnView } from "../views/turn";
import type { Turn } from "../wire";
import type { TurnPart } from "./wire";

export interface Page {
  readonly node: HTMLElement;
  readonly view: TurnView;
  readonly part: TurnPart | null;
  /**
   * Draws a turn, or draws on; null: it is on its way. Stops once it is `enough`, but draws some items in any
   * case; without that it draws all of them. Says whether anything was drawn.
   */
  draw(part: TurnPart | null, enough?: () => boolean): boolean;
  /** Whether all of it is drawn. */
  readonly done: boolean;
  dispose(): void;
}

/** Items that are drawn between two looks at the time. */
const SLICE = 3;

export function createPage(
  ctx: ViewContext,
  position: number,
  guess: () => number,
  heading: (part: TurnPart | null) => HTMLElement | null,
): Page {
  const view = createTurn(ctx);
  const head = h("div", { class: "acp-page-head" });
  const node = h("div", { class: "acp-page acp-loading", "data-position": position }, head, view.node);
  let part: TurnPart | null | undefined;
  /** Items that are drawn. */
  let filled = 0;
  let done = false;

  function begin(next: TurnPart | null): void {
    const made = heading(next);
    head.replaceChildren(...(made === null ? [] : [made]));
    // What is drawn of an earlier state is drawn on in one go: most of it is the same.
    filled = next === null || part == null || part.offset !== next.offset ? 0 : filled;
    part = next;
    done = false;
    node.classList.toggle("acp-loading", next === null);
    node.style.minHeight = `${guess()}px`;
  }

  return {
    node,
    view,
    get part() {
      return part ?? null;
    },
    get done() {
      return done;
    },
    draw(next, enough) {
      const fresh = part !== next;
      if (fresh) begin(next);
      if (next === null) {
        done = true;
        return fresh;
      }
      if (done) return false;
      const { items } = next.turn;
      do {
        filled = enough === undefined ? items.length : Math.min(items.length, filled + SLICE);
        done = filled === items.length;
        view.update(done ? next.turn : beginning(next.turn, filled));
      } while (!done && enough?.() === false);
      if (done) node.style.minHeight = "";
      return true;
    },
    dispose() {
      view.dispose();
      node.remove();
    },
  };
}

/** A turn as far as its first items; requests for what is not drawn yet stand nowhere. */
function beginning(turn: Turn, count: number): Turn {
  const later = new Set<string>();
  for (const item of [...turn.items.slice(count), ...turn.after])
    if (item.kind === "tool_call") for (const key of item.call.permissions) later.add(key);
  const permissions =
    later.size === 0 ? turn.permissions : turn.permissions.filter((one) => !later.has(one.key));
  return { ...turn, items: turn.items.slice(0, count), after: [], permissions };
}
