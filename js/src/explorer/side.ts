/** The left side: the turns, what a search has found, or the files; one list at a time. */

import { h, setText, show } from "../dom";
import { relative, visible } from "../safe_text";
import { icon, kindIcon } from "../views/icons";
import { count, duration, money } from "../views/words";
import { createList, type ListSource } from "./list";
import { turnName, turnWords } from "./names";
import type { State, Store } from "./store";
import type { Hit, Row, Times } from "./wire";

export type SideMode = "turns" | "hits" | "files";

export interface Side {
  readonly node: HTMLElement;
  readonly mode: SideMode;
  /** Which list is wanted; "hits" only while there is a search. */
  set(mode: SideMode): void;
  update(state: State, position: number): void;
  focus(): void;
  dispose(): void;
}

export interface SideActions {
  openTurn(position: number): void;
  openHit(number: number): void;
  openFile(path: string): void;
}

const ROW = 46;

export function createSide(store: Store, actions: SideActions): Side {
  const list = createList(ROW);
  const buttons = {
    turns: tab("turns"),
    hits: tab("hits"),
    files: tab("files"),
  };
  const node = h(
    "nav",
    { class: "acp-side", "aria-label": "Outline" },
    h(
      "div",
      { class: "acp-tabs", role: "group", "aria-label": "What the list shows" },
      buttons.turns,
      buttons.hits,
      buttons.files,
    ),
    list.node,
  );
  let mode: SideMode = "turns";
  let state: State = store.state;
  let position = 0;
  let file = -1;

  function tab(name: SideMode): HTMLButtonElement {
    const button = h("button", { class: "acp-tab", type: "button" });
    button.addEventListener("click", () => set(name));
    return button;
  }

  function set(next: SideMode): void {
    mode = next;
    update(store.state, position);
  }

  /** How many files the outline has no room for. */
  function unlisted(): number {
    return state.outline === null ? 0 : state.outline.file_count - state.outline.files.length;
  }

  const sources: Readonly<Record<SideMode, ListSource>> = {
    turns: {
      label: "Turns",
      count: () => state.rows.length,
      key: (index) => state.rows[index],
      draw(index) {
        const row = state.rows[index];
        if (row === undefined) store.loadRows(index);
        return row === undefined ? null : turnRow(row);
      },
      open: (index) => actions.openTurn(index),
    },
    hits: {
      label: "Matches",
      count: () => Math.max(0, state.hits?.total ?? 0),
      key: (index) => state.hits?.hits[index],
      draw(index) {
        const hit = state.hits?.hits[index];
        if (hit === undefined) void store.loadHits(index);
        return hit === undefined ? null : hitRow(hit);
      },
      open: (index) => actions.openHit(index),
    },
    files: {
      label: "Files",
      count: () => (state.outline?.files.length ?? 0) + (unlisted() > 0 ? 1 : 0),
      key: (index) => state.outline?.files[index],
      draw(index) {
        const found = state.outline?.files[index];
        if (found === undefined)
          return h(
            "div",
            { class: "acp-row acp-muted" },
            `${count(unlisted(), "more file")}, found by path:`,
          );
        const path = visible(relative(found.path, state.outline?.cwd));
        const failed = found.done < found.edits ? `, ${found.done} done` : "";
        return h(
          "div",
          { class: "acp-row", title: visible(found.path) },
          h("div", { class: "acp-row-title" }, icon("edit"), path),
          h("div", { class: "acp-row-more" }, `${count(found.edits, "edit")}${failed}`),
        );
      },
      open(index) {
        const found = state.outline?.files[index];
        if (found === undefined) return;
        file = index;
        actions.openFile(found.path);
      },
    },
  };

  function update(next: State, at: number): void {
    state = next;
    position = at;
    if (mode === "hits" && state.hits === null) mode = "turns";
    const { outline, hits } = state;
    setText(buttons.turns, count(outline?.turns ?? 0, "turn"));
    setText(buttons.files, count(outline?.file_count ?? 0, "file"));
    setText(
      buttons.hits,
      hits === null || hits.total < 0 ? "Found" : `${hits.total.toLocaleString("en")} found`,
    );
    show(buttons.hits, hits !== null);
    show(buttons.files, (outline?.file_count ?? 0) > 0);
    for (const name of ["turns", "hits", "files"] as const)
      buttons[name].setAttribute("aria-pressed", String(name === mode));
    list.update(sources[mode], { turns: at, hits: state.current, files: file }[mode]);
  }

  return {
    node,
    get mode() {
      return mode;
    },
    set,
    update,
    focus: () => list.focus(),
    dispose: () => list.dispose(),
  };
}

function turnRow(row: Row): HTMLElement {
  const total = row.model + row.tools + row.waiting;
  const words = [row.calls > 0 ? count(row.calls, "call") : "", total >= 0.1 ? duration(total) : ""];
  if (row.tokens > 0) words.push(count(row.tokens, "token"));
  if (row.cost !== null && row.cost.amount > 0)
    words.push(money(row.cost.amount, visible(row.cost.currency)));
  const status = row.failed > 0 ? `${row.failed} failed` : row.status === "done" ? "" : row.status;
  return h(
    "div",
    { class: row.session === null ? "acp-row" : "acp-row acp-row-nested", title: visible(row.title) },
    h(
      "div",
      { class: "acp-row-title" },
      row.session === null
        ? h("span", { class: "acp-row-number" }, row.number === 0 ? "" : String(row.number))
        : icon("steps"),
      row.session === null ? visible(row.title) : turnName(row),
    ),
    h(
      "div",
      { class: "acp-row-more" },
      bar(row),
      h("span", { class: "acp-row-words" }, words.filter(Boolean).join(", ")),
      status !== "" &&
        h("span", { class: `acp-row-status acp-status-${row.failed > 0 ? "failed" : row.status}` }, status),
    ),
  );
}

function bar(times: Times): HTMLElement | false {
  const total = times.model + times.tools + times.waiting;
  if (total <= 0) return false;
  const part = (kind: keyof Times): HTMLElement =>
    h("i", { class: `acp-bar-${kind}`, style: `flex-grow: ${Math.round((times[kind] / total) * 1000)}` });
  const node = h(
    "span",
    { class: "acp-bar", "aria-hidden": "true" },
    part("model"),
    part("tools"),
    part("waiting"),
  );
  node.title = `model ${duration(times.model)}, tools ${duration(times.tools)}, waiting ${duration(times.waiting)}`;
  return node;
}

function hitRow(hit: Hit): HTMLElement {
  const sign = hit.kind === "prompt" ? icon("send") : iconOf(hit.kind);
  const where = turnWords(hit);
  return h(
    "div",
    { class: "acp-row", title: visible(hit.title) },
    h("div", { class: "acp-row-title" }, sign, visible(hit.title)),
    h(
      "div",
      { class: "acp-row-more" },
      h("span", { class: "acp-row-where" }, where),
      hit.status !== null && hit.status !== "done"
        ? h("span", { class: `acp-row-status acp-status-${hit.status}` }, hit.status)
        : null,
      h("span", { class: "acp-row-snippet" }, visible(hit.snippet)),
    ),
  );
}

function iconOf(kind: string): SVGSVGElement {
  if (kind === "message") return icon("read");
  if (kind === "thought") return icon("think");
  if (kind === "plan") return icon("plan");
  if (kind === "notice") return icon("info");
  if (kind === "elicitation" || kind === "unknown") return icon("ask");
  return icon(kindIcon(kind));
}
