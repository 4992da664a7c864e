/** What to look for: words, and filters by kind and status; how much was found, and the way through it. */

import { h, setText, show } from "../dom";
import { visible } from "../safe_text";
import { iconButton, textButton } from "../views/parts";
import { count } from "../views/words";
import type { State } from "./store";
import type { SearchFor } from "./wire";

export interface SearchBar {
  readonly node: HTMLElement;
  update(state: State): void;
  focus(): void;
  /** Forgets words and filters; false if there were none. */
  clear(): boolean;
  /** Only calls that change this file. */
  ofFile(path: string): void;
  toggle(kind: Filter, value: string): void;
  /** Looks for this, as if it were typed, and goes to the first match. */
  look(text: string): void;
}

type Filter = "kinds" | "statuses" | "sessions";

export interface SearchActions {
  /** With `jump` the first match is wanted at once. */
  search(what: SearchFor | null, jump: boolean): void;
  step(by: number): void;
}

const NAMES: Readonly<Record<string, string>> = {
  elicitation: "question",
  user: "echoed",
  switch_mode: "switch mode",
};

export function createSearchBar(actions: SearchActions): SearchBar {
  const box = h("input", {
    class: "acp-find-box",
    type: "search",
    "aria-label": "Search the transcript",
    placeholder: "Search: words, tool:bash, path:src/, status:failed",
    spellcheck: "false",
  });
  const where = h("span", { class: "acp-muted acp-small acp-found-count", "aria-live": "polite" });
  const up = iconButton("chevron", "Previous match (Shift+Enter)", () => actions.step(-1));
  const down = iconButton("chevron", "Next match (Enter)", () => actions.step(1));
  up.classList.add("acp-up");
  down.classList.add("acp-down");
  const reset = textButton("Clear", () => clear());
  const kinds = h("span", { class: "acp-filter", role: "group", "aria-label": "Kinds" });
  const statuses = h("span", { class: "acp-filter", role: "group", "aria-label": "Statuses" });
  const sessions = h("span", { class: "acp-filter", role: "group", "aria-label": "Sessions" });
  const node = h(
    "div",
    { class: "acp-search", role: "search" },
    h("div", { class: "acp-search-line" }, box, where, up, down, reset),
    h("div", { class: "acp-filters" }, kinds, statuses, sessions),
  );
  const chosen = { kinds: new Set<string>(), statuses: new Set<string>(), sessions: new Set<string>() };
  let path: string | null = null;
  let drawn: unknown = null;
  let state: State | null = null;

  function empty(): boolean {
    return (
      box.value.trim() === "" &&
      chosen.kinds.size + chosen.statuses.size + chosen.sessions.size === 0 &&
      path === null
    );
  }

  function run(jump = false): void {
    drawn = null;
    if (state !== null) update(state);
    actions.search(
      empty()
        ? null
        : {
            text: box.value,
            kinds: [...chosen.kinds],
            statuses: [...chosen.statuses],
            sessions: [...chosen.sessions],
            path,
          },
      jump,
    );
  }

  function clear(): boolean {
    if (empty()) return false;
    box.value = "";
    chosen.kinds.clear();
    chosen.statuses.clear();
    chosen.sessions.clear();
    path = null;
    run();
    return true;
  }

  function chip(name: Filter, value: string, words: string, more: string): HTMLElement {
    const button = h(
      "button",
      { class: "acp-filter-chip", type: "button", "aria-pressed": String(chosen[name].has(value)) },
      visible(words),
      h("span", { class: "acp-muted" }, ` ${more}`),
    );
    button.addEventListener("click", () => toggle(name, value));
    return button;
  }

  function chips(name: Filter, counts: Readonly<Record<string, number>>): HTMLElement[] {
    const values = Object.entries(counts).sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
    return values.map(([value, n]) => chip(name, value, NAMES[value] ?? value, n.toLocaleString("en")));
  }

  function toggle(name: Filter, value: string): void {
    if (!chosen[name].delete(value)) chosen[name].add(value);
    run();
  }

  function update(next: State): void {
    state = next;
    const { outline, hits, current } = next;
    if (outline !== null && drawn !== outline) {
      drawn = outline;
      const held = (node.getRootNode() as ShadowRoot | Document).activeElement;
      const index = held === null ? -1 : [...node.querySelectorAll(".acp-filter-chip")].indexOf(held);
      kinds.replaceChildren(...chips("kinds", outline.kinds), ...fileChip());
      statuses.replaceChildren(...chips("statuses", outline.statuses));
      const several = outline.ready && outline.sessions.length > 1 ? outline.sessions : [];
      sessions.replaceChildren(
        ...several.map((one) => chip("sessions", one.id, one.label, count(one.turns, "turn"))),
      );
      if (index >= 0) [...node.querySelectorAll<HTMLElement>(".acp-filter-chip")][index]?.focus();
    }
    const none = hits === null;
    let text = "";
    if (!none) {
      const total = hits.total.toLocaleString("en");
      if (hits.total < 0) text = "Still reading";
      else if (hits.total === 0) text = "Nothing found";
      else text = current < 0 ? `${total} found` : `${(current + 1).toLocaleString("en")} of ${total}`;
      if (hits.local) text += " in what is loaded here";
    }
    setText(where, text);
    show(up, !none && hits.total > 0);
    show(down, !none && hits.total > 0);
    show(reset, !empty());
  }

  function fileChip(): HTMLElement[] {
    if (path === null) return [];
    const button = h(
      "button",
      { class: "acp-filter-chip", type: "button", "aria-pressed": "true" },
      `edits of ${visible(path.split(/[\\/]/).pop() ?? path)}`,
    );
    button.addEventListener("click", () => {
      path = null;
      run();
    });
    return [button];
  }

  box.addEventListener("input", () => run());
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    actions.step(event.shiftKey ? -1 : 1);
  });

  return {
    node,
    update,
    focus() {
      box.focus({ preventScroll: true });
      box.select();
    },
    clear,
    ofFile(next) {
      clear();
      path = next;
      run();
    },
    toggle,
    look(text) {
      clear();
      box.value = text;
      run(true);
    },
  };
}
