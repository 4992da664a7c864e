/** Find within the chat: the notebook's own search cannot see a live view. Looks into folded content as well. */

import { h, setText, show } from "../dom";
import type { Item, Session, Turn } from "../wire";
import type { ViewContext } from "./context";
import { blockText, outputOf, pretty } from "./describe";
import { iconButton } from "./parts";
import { promptText } from "./prompt";
import { shownTurns } from "./shown";

export interface Hit {
  /** Absolute index of the turn; -1: what came before the first prompt. */
  readonly turn: number;
  /** -1: the prompt. */
  readonly item: number;
  readonly after: boolean;
}

export interface Find {
  readonly node: HTMLElement;
  open(): void;
  close(): boolean;
}

export interface FindTarget {
  session(): Session | null;
  first(): number;
  /** Brings the place of a hit into view and gives its element. */
  go(hit: Hit): HTMLElement | null;
}

export function createFind(ctx: ViewContext, target: FindTarget, closed: () => void): Find {
  const box = h("input", {
    class: "acp-find-box",
    type: "search",
    "aria-label": "Find in this chat",
    placeholder: "Find in this chat",
  });
  const where = h("span", { class: "acp-muted acp-small", "aria-live": "polite" });
  const node = h(
    "div",
    { class: "acp-find", role: "search", hidden: true },
    box,
    where,
    iconButton("chevron", "Previous", () => step(-1)),
    iconButton("chevron", "Next", () => step(1)),
    iconButton("cross", "Close", () => close()),
  );
  node.querySelectorAll("button")[0]?.classList.add("acp-up");
  node.querySelectorAll("button")[1]?.classList.add("acp-down");
  let hits: readonly Hit[] = [];
  let at = -1;
  let searched = "";

  function search(): void {
    searched = box.value;
    const session = target.session();
    hits = searched.trim() === "" || session === null ? [] : hitsOf(session, target.first(), searched);
    at = -1;
    mark(null, "");
    setText(
      where,
      searched.trim() === "" ? "" : hits.length === 0 ? "Nothing found" : `${hits.length} found`,
    );
  }

  function step(by: number): void {
    if (box.value !== searched) search();
    if (hits.length === 0) return;
    at = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    const hit = hits[at];
    if (hit === undefined) return;
    setText(where, `${at + 1} of ${hits.length}`);
    mark(target.go(hit), searched);
  }

  function close(): boolean {
    if (node.hidden) return false;
    show(node, false);
    mark(null, "");
    closed();
    return true;
  }

  box.addEventListener("input", search);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  });

  return {
    node,
    open() {
      show(node, true);
      box.focus({ preventScroll: true });
      box.select();
      if (box.value !== "") search();
    },
    close,
  };

  function mark(place: HTMLElement | null, words: string): void {
    ctx.root.querySelector(".acp-found")?.classList.remove("acp-found");
    place?.classList.add("acp-found");
    // Within a long item or a diff that scrolls by itself the words may still be out of sight.
    paintRanges(place, words)?.scrollIntoView?.({ block: "nearest" });
  }
}

/** Marks the words where the browser can do that without changing the content; gives the first one's element. */
function paintRanges(place: HTMLElement | null, words: string): Element | null {
  const ranges = place === null || words === "" ? [] : rangesOf(place, words.toLowerCase());
  if (typeof Highlight !== "undefined" && "highlights" in CSS) {
    if (ranges.length === 0) CSS.highlights.delete("acp-find");
    else CSS.highlights.set("acp-find", new Highlight(...ranges));
  }
  return ranges[0]?.startContainer.parentElement ?? null;
}

function rangesOf(place: HTMLElement, wanted: string): readonly Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < 500; node = walker.nextNode()) {
    const text = (node.textContent ?? "").toLowerCase();
    for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length)) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, from + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}

export function hitsOf(session: Session, first: number, words: string): readonly Hit[] {
  const wanted = words.toLowerCase();
  const hits: Hit[] = [];
  const look = (turn: Turn, index: number): void => {
    if (promptText(turn.prompt).toLowerCase().includes(wanted))
      hits.push({ turn: index, item: -1, after: false });
    turn.items.forEach((item, at) => {
      if (itemText(item, turn).toLowerCase().includes(wanted))
        hits.push({ turn: index, item: at, after: false });
    });
    turn.after.forEach((item, at) => {
      if (itemText(item, turn).toLowerCase().includes(wanted))
        hits.push({ turn: index, item: at, after: true });
    });
  };
  for (const { turn, index } of shownTurns(session, first)) look(turn, index);
  return hits;
}

function itemText(item: Item, turn: Turn): string {
  switch (item.kind) {
    case "user":
    case "message":
    case "thought":
      return item.blocks.map((block) => blockText(block) ?? "").join("\n");
    case "plan":
      return [item.text ?? "", ...item.entries.map((entry) => entry.content)].join("\n");
    case "notice":
      return `${item.title}\n${item.description ?? ""}`;
    case "tool_call": {
      const { call } = item;
      const texts = [
        call.title ?? "",
        outputOf(call.raw_input) ?? "",
        outputOf(call.raw_output) ?? "",
        pretty(call.content),
      ];
      for (const diff of call.diffs) texts.push(diff.path, diff.old_text ?? "", diff.new_text);
      for (const id of call.terminals) texts.push(turn.terminals[id]?.output ?? "");
      return texts.join("\n");
    }
    case "review":
      return item.review.files
        .flatMap((file) => [file.path, ...file.hunks.map((one) => one.old + one.new)])
        .join("\n");
    default:
      return `${item.name}\n${pretty(item.raw)}`;
  }
}
