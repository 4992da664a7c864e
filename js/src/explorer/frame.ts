/** The whole explorer: head, search, timeline, outline, conversation. */

import { h, setText, show } from "../dom";
import { visible } from "../safe_text";
import type { Hooks } from "../views/context";
import { keepKeys } from "../views/keys";
import { textButton } from "../views/parts";
import { createResize } from "../views/resize";
import { followTheme } from "../views/theme";
import { count } from "../views/words";
import { createContext } from "./context";
import { createItemTools } from "./item_tools";
import { markWords } from "./marks";
import { turnName } from "./names";
import { createPages, type Pages } from "./pages";
import { createPlots } from "./plots";
import { createRaw } from "./raw";
import { createSearchBar } from "./search_bar";
import { createSide } from "./side";
import type { Moment, Store } from "./store";
import { createTimeline } from "./timeline";
import type { Outline, Place, TurnPart } from "./wire";

const GONE =
  "Opened without its kernel: what was shown when it was saved can be read. Run the cell again to explore all of it.";

export function mountExplorer(root: ShadowRoot, store: Store, hooks: Hooks): () => void {
  const live = h("div", { class: "acp-sr-only", "aria-live": "assertive", role: "status" });
  const agent = h("span", { class: "acp-agent" });
  const folder = h("span", { class: "acp-muted acp-folder-name" });
  const line = h("span", { class: "acp-summary" });
  const note = h("div", { class: "acp-note acp-muted acp-small", hidden: true });
  const content = h("div", { class: "acp-pages" });
  const log = h(
    "div",
    { class: "acp-log", tabindex: "0", role: "region", "aria-label": "Conversation" },
    content,
  );
  let pages: Pages;
  const ctx = createContext(root, store, hooks, live, () => pages);

  const search = createSearchBar({
    search(what, jump) {
      void store.search(what).then(() => {
        side.set(what === null ? "turns" : "hits");
        if (jump) void step(1);
      });
    },
    step: (by) => void step(by),
  });
  const plotsButton = textButton("Plots", () => plots.toggle());
  plotsButton.classList.add("acp-plots-button");
  const timeline = createTimeline(store, plotsButton);
  const side = createSide(store, {
    openTurn: (position) => openTurn(position),
    openHit: (number) => void toHit(number),
    openFile: (path) => search.ofFile(path),
  });
  const openTurn = (position: number): void => {
    timeline.stop();
    store.leaveMoment();
    pages.go(position);
  };
  const plots = createPlots(store, {
    openTurn,
    look: (text) => search.look(text),
    closed: () => plotsButton.focus({ preventScroll: true }),
  });
  const raw = createRaw(store, () => log.focus({ preventScroll: true }));
  const frame = h(
    "section",
    { class: "acp-frame acp-explorer", "aria-label": "Transcript" },
    h("header", { class: "acp-header" }, h("span", { class: "acp-facts" }, agent, folder, line)),
    search.node,
    timeline.node,
    note,
    h("div", { class: "acp-body" }, side.node, h("div", { class: "acp-reader" }, log, plots.node, raw.node)),
    live,
  );
  const resize = createResize(frame, () => undefined);
  frame.append(resize.handle);

  pages = createPages(ctx, log, content, {
    count: () => store.state.moment?.count ?? store.state.rows.length,
    part: (position) => store.turn(position),
    guess(position) {
      const row = store.state.rows[position];
      return row === undefined ? 240 : 110 + row.calls * 30 + Math.ceil(row.chars / 95) * 21;
    },
    shows(first, last) {
      store.shows(first, last);
      if (pages.top !== shownTop) {
        shownTop = pages.top;
        side.update(store.state, shownTop);
      }
    },
    heading,
  });
  const tools = createItemTools(ctx, store, log, {
    pages: () => pages,
    raw,
    place: (position) => store.turn(position),
    moment: (place) => {
      timeline.stop();
      void store.seek(place);
    },
  });
  let shownTop = 0;
  let shownMoment: Moment | null = null;
  let marked: HTMLElement | null = null;

  function heading(turn: number, part: TurnPart | null): HTMLElement | null {
    const named = part ?? store.state.rows[turn];
    const node = h(
      "div",
      { class: "acp-page-title" },
      h("span", {}, named === undefined ? "…" : turnName(named)),
    );
    if (part === null || part.total <= part.turn.items.length) return node;
    const end = part.offset + part.turn.items.length;
    const part_ = (item: number, word: string): HTMLElement =>
      textButton(word, () => {
        void store.load({ turn, item, after: false }).then(() => {
          pages.update();
          pages.goItem(turn, item, false);
        });
      });
    node.append(
      h(
        "span",
        { class: "acp-muted" },
        `steps ${part.offset + 1} to ${end} of ${part.total.toLocaleString("en")}`,
      ),
    );
    if (part.offset > 0) node.append(part_(part.offset - 1, "Earlier steps"));
    if (end < part.total) node.append(part_(end, "Later steps"));
    return node;
  }

  async function step(by: number): Promise<void> {
    const { hits, current } = store.state;
    if (hits === null || hits.total <= 0) return;
    await toHit(current < 0 ? (by > 0 ? 0 : hits.total - 1) : (current + by + hits.total) % hits.total);
  }

  async function toHit(number: number): Promise<void> {
    const hit = await store.loadHits(number);
    if (hit === null) return;
    timeline.stop();
    store.leaveMoment();
    store.choose(number);
    await go(hit, store.state.hits?.words ?? []);
  }

  async function go(place: Place, words: readonly string[]): Promise<void> {
    await store.load(place);
    update();
    mark(pages.goItem(place.turn, place.item, place.after), words);
  }

  function mark(node: HTMLElement | null, words: readonly string[]): void {
    marked?.classList.remove("acp-found");
    marked = node;
    if (node === null) return;
    node.classList.add("acp-found");
    tools.at(node);
    const found = markWords(node, words);
    found?.scrollIntoView?.({ block: "nearest" });
  }

  /** The next or previous item from the one that is marked, else from the top of the view. */
  function walk(by: number): void {
    const items = [...content.querySelectorAll<HTMLElement>(".acp-prompt, .acp-item:not([hidden])")];
    const top = log.getBoundingClientRect().top;
    const at = marked?.isConnected ? items.indexOf(marked) : -1;
    const from = at >= 0 ? at + by : items.findIndex((item) => item.getBoundingClientRect().bottom > top + 8);
    const next = items[Math.max(0, Math.min(items.length - 1, from))];
    if (next === undefined) return;
    next.scrollIntoView({ block: "nearest" });
    mark(next, []);
  }

  function onKey(event: KeyboardEvent): void {
    const [target] = event.composedPath();
    const typing =
      target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLTextAreaElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const run = (
      {
        "/": () => search.focus(),
        n: () => void step(1),
        p: () => void step(-1),
        j: () => walk(1),
        k: () => walk(-1),
      } as Readonly<Record<string, () => void>>
    )[event.key];
    if (run !== undefined) run();
    else if (!tools.key(event.key)) return;
    event.preventDefault();
  }

  function paintHead(outline: Outline): void {
    setText(agent, visible(outline.agent));
    agent.title = visible(outline.title ?? "");
    setText(folder, visible(outline.cwd ?? ""));
    const [failed = "", waited = "", changed = ""] = outline.line.split(" · ");
    const anyFailed = (outline.statuses["failed"] ?? 0) > 0;
    line.replaceChildren(
      anyFailed ? link(failed, () => search.toggle("statuses", "failed")) : h("span", {}, failed),
      h("span", {}, waited),
      outline.file_count > 0 ? link(changed, () => side.set("files")) : h("span", {}, changed),
    );
    const notes = [...outline.warnings];
    if (!outline.ready)
      notes.unshift(
        `Reading: ${outline.read.toLocaleString("en")} of ${count(outline.records, "record")}. Search comes at the end.`,
      );
    else if (!outline.complete) notes.push("The records end in the middle of a turn.");
    if (!store.state.live) notes.unshift(GONE);
    setText(note, notes.join(" "));
    show(note, notes.length > 0);
  }

  let drawn: readonly unknown[] = [];

  function update(): void {
    const { state } = store;
    if (state.outline === null) {
      setText(agent, "Transcript");
      return;
    }
    if (drawn[0] !== state.outline || drawn[1] !== state.live) paintHead(state.outline);
    drawn = [state.outline, state.live];
    // The conversation comes first: it looks at the geometry, which the others then change.
    const { moment } = state;
    const before = shownMoment?.index ?? Number.POSITIVE_INFINITY;
    const goes = moment !== null && moment.visit !== shownMoment?.visit;
    shownMoment = moment;
    pages.update((moment?.index ?? Number.POSITIVE_INFINITY) < before, goes ? Math.max(0, moment.place) : -1);
    search.update(state);
    timeline.update(state.outline, moment, state.live);
    frame.classList.toggle("acp-at-moment", moment !== null);
    side.update(state, pages.top);
    plots.update(state);
  }

  const leaveTheme = followTheme(frame);
  frame.addEventListener("keydown", onKey);
  const leaveKeys = keepKeys(frame, {
    stop: () => timeline.toggle(),
    find: () => search.focus(),
    closeOpen() {
      if (raw.close() || plots.close() || timeline.stop() || search.clear()) return true;
      if (store.state.moment === null) return false;
      store.leaveMoment();
      return true;
    },
    focusNotebook() {
      if (root.activeElement instanceof HTMLElement) root.activeElement.blur();
      hooks.focusNotebook?.();
    },
  });
  root.append(frame);
  const leave = store.subscribe(update);
  update();

  return () => {
    leave();
    leaveKeys();
    leaveTheme();
    timeline.dispose();
    side.dispose();
    tools.dispose();
    pages.dispose();
    ctx.ticker.dispose();
    frame.remove();
  };
}

function link(text: string, run: () => void): HTMLElement {
  const button = h("button", { class: "acp-link", type: "button" }, text);
  button.addEventListener("click", run);
  return button;
}
