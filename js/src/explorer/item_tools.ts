/** The few things to do with one item: copy it, see its records, go to its moment, load all of it. */

import { copyText } from "../clipboard";
import { h } from "../dom";
import { blocksMarkdown, turnMarkdown } from "../views/as_markdown";
import type { ViewContext } from "../views/context";
import { textButton } from "../views/parts";
import { promptText } from "../views/prompt";
import { turnName } from "./names";
import type { Pages } from "./pages";
import type { Raw } from "./raw";
import type { Store } from "./store";
import type { Place, TurnPart } from "./wire";

export interface ItemTools {
  /** Puts the tools beside an item. */
  at(target: HTMLElement): void;
  /** A key that is one of the tools'; false if it is none. */
  key(key: string): boolean;
  dispose(): void;
}

export function createItemTools(
  ctx: ViewContext,
  store: Store,
  scroller: HTMLElement,
  outside: {
    readonly pages: () => Pages;
    readonly raw: Raw;
    place(position: number): TurnPart | null;
    moment(place: Place): void;
  },
): ItemTools {
  const copy = textButton("Copy", () => {
    const found = here();
    if (found === null) return;
    void copyText(markdownOf(found.part, found.place, ctx.cwd())).then((done) => {
      ctx.announce(done ? "Copied" : "The browser did not allow copying");
      copy.textContent = done ? "Copied" : "Not allowed";
      setTimeout(() => {
        copy.textContent = "Copy";
      }, 1200);
    });
  });
  const records = textButton("Records", () => {
    const found = here();
    if (found !== null) outside.raw.open(found.place, titleOf(found.part, found.place));
  });
  const moment = textButton("Moment", () => {
    const found = here();
    if (found !== null) outside.moment(found.place);
  });
  moment.title = "Show the state right after this";
  const whole = textButton("All of it", () => {
    const found = here();
    if (found !== null && found.place.item >= 0) void store.whole(found.place);
  });
  whole.title = "Long texts were cut: load all of this one";
  const node = h("div", { class: "acp-item-tools" }, copy, records, moment, whole);
  let target: HTMLElement | null = null;

  function here(): { part: TurnPart; place: Place } | null {
    if (target === null || !target.isConnected) return null;
    const holder = outside.pages().holder(target);
    const part = holder === null ? null : outside.place(holder.position);
    if (holder === null || part === null) return null;
    return { part, place: placeOf(target, part) };
  }

  function at(next: HTMLElement): void {
    if (next === target && node.isConnected) return;
    target?.classList.remove("acp-with-tools");
    target = next;
    target.classList.add("acp-with-tools");
    const found = here();
    records.hidden = moment.hidden = !store.state.live;
    whole.hidden = !store.state.live || found === null || found.part.left_out === 0 || found.place.item < 0;
    target.append(node);
  }

  function over(event: Event): void {
    const next = (event.target as Element).closest<HTMLElement>(".acp-item, .acp-prompt");
    if (next !== null && !node.contains(event.target as Node)) {
      const item = next.closest<HTMLElement>(".acp-item") ?? next;
      at(item);
    }
  }

  scroller.addEventListener("pointerover", over);
  scroller.addEventListener("focusin", over);
  return {
    at,
    key(key) {
      const button = { c: copy, r: records, m: moment, w: whole }[key];
      if (button === undefined || button.hidden || target === null) return false;
      button.click();
      return true;
    },
    dispose() {
      scroller.removeEventListener("pointerover", over);
      scroller.removeEventListener("focusin", over);
    },
  };
}

/** The items stand in the order of the turn, whatever lines are put between them. */
function placeOf(target: HTMLElement, part: TurnPart): Place {
  if (target.classList.contains("acp-prompt")) return { turn: part.index, item: -1, after: false };
  const after = target.closest(".acp-after") !== null;
  const box = target.closest(".acp-items");
  const all = [...(box?.children ?? [])].filter((node) => node.classList.contains("acp-item"));
  const index = all.indexOf(target);
  return { turn: part.index, item: after ? index : index + part.offset, after };
}

function titleOf(part: TurnPart, place: Place): string {
  const turn = turnName(part);
  return place.item < 0 ? `${turn}, its prompt and end` : `${turn}, step ${place.item + 1}`;
}

function markdownOf(part: TurnPart, place: Place, cwd: string | null): string {
  const { turn } = part;
  const bare = { ...turn, items: [], after: [], stop_reason: null, error: null };
  if (place.item < 0) return promptText(turn.prompt);
  const item = place.after ? turn.after[place.item] : turn.items[place.item - part.offset];
  if (item === undefined) return "";
  if ("blocks" in item) return blocksMarkdown(item.blocks);
  return turnMarkdown({ ...bare, prompt: [], items: [item] }, cwd).trim();
}
