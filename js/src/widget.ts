/** The chat as an anywidget: the only file that knows anywidget (built as `static/widget.js`). */
import type { AnyModel, AnyWidget } from "@anywidget/types";
import { complete } from "./complete";
import { liveness } from "./liveness";
import { loadPart } from "./load_part";
import { findOutputs, insertCell, mimeText, notebookOf } from "./notebook";
import { register, registry } from "./registry";
import { inShadow } from "./shadow";
import { createStore, type Store } from "./store";
import css from "./styles/index.css";
import { placeTurn } from "./turn_place";
import { createTwin, hideTwin, type Twin, twinClass } from "./twin";
import { type Hooks, mountChat, mountTurn } from "./views/frame";
import type { ChatInfo, FromKernel, Snapshot } from "./wire";

interface Traits extends Record<string, unknown> {
  state: unknown;
  info: ChatInfo;
}

type Model = AnyModel<Traits>;

/** What one model has, however many views it gets. */
interface Chat {
  readonly store: Store;
  readonly info: ChatInfo;
  readonly twin: Twin;
  hooks(el: HTMLElement): Hooks;
  /** Says that a view of the chat is there; gives the way to say that it is gone. */
  drawn(): () => void;
  dispose(): void;
}

/** A state that changes no more for this many seconds goes into the model, for whoever saves the notebook. */
const SETTLED = 0.3;
const AT_REST: ReadonlySet<string> = new Set(["idle", "ready", "waiting", "ended"]);

const widget: AnyWidget<Traits> = () => {
  let chat: Chat | null = null;
  return {
    // Folds, and nothing else: what takes longer than two seconds here costs every later message.
    initialize({ model }) {
      const made = createChat(model);
      chat = made;
      return () => made.dispose();
    },
    render({ model, el, signal }) {
      chat ??= createChat(model);
      const { store, info, hooks } = chat;
      const end = inShadow(el, css, (root) => mountChat(root, store, info, hooks(el)));
      const show = hideTwin(info.chat_id, el.ownerDocument);
      const gone = chat.drawn();
      const leave = () => {
        show();
        gone();
        end();
      };
      signal?.addEventListener("abort", leave, { once: true });
      return leave;
    },
  };
};

export default widget;

function createChat(model: Model): Chat {
  const info = model.get("info");
  const store = createStore({ send: (message) => model.send(message), writesTwin: () => twin.writes() });
  const twin = createTwin(info.chat_id, {
    document: () => notebookOf(model.widget_manager),
    ask: () => store.post({ kind: "twin" }),
    stale: (stale) => store.setTwinStale(stale),
  });
  const keep = keepModel(model, store);

  const restore = () => {
    const state = model.get("state");
    if (isSnapshot(state) && !keep.gave(state)) store.restore(complete(state));
  };
  const hear = (content: unknown) => {
    const message = content as FromKernel;
    if (typeof message?.kind !== "string") return;
    store.receive(message);
    if (message.kind === "twin") twin.receive(message);
    keep.soon();
  };
  restore();
  const live = liveness(model);
  const liveChanged = () => {
    if (live() !== true) store.disconnect("closed");
  };
  model.on("msg:custom", hear);
  model.on("change:state", restore);
  model.on("comm_live_update", liveChanged);
  if (live() === false) store.disconnect("no-kernel");
  else {
    store.hello();
    // What was said while no page was there is missing in the saved copy.
    const { session } = store.state;
    if (session !== null && session.turns.length > 0 && AT_REST.has(session.status) && twin.writes())
      store.post({ kind: "twin" });
  }

  const hooks = (el: HTMLElement): Hooks => hooksOf(model, info.chat_id, store, el);
  let views = 0;
  const forget = register(info.chat_id, {
    mountTurn: (el, turn) =>
      placeTurn(el, {
        draw: (place) => inShadow(place, css, (root) => mountTurn(root, store, turn, hooks(el))),
        toldElsewhere: () => views > 0 && tellsOnce(store, el.ownerDocument),
        subscribe: store.subscribe,
      }),
  });
  return {
    store,
    info,
    twin,
    hooks,
    drawn() {
      let there = true;
      views += 1;
      registry().events.dispatchEvent(new Event("change"));
      return () => {
        if (!there) return;
        there = false;
        views -= 1;
        registry().events.dispatchEvent(new Event("change"));
      };
    },
    dispose() {
      forget();
      keep.now();
      twin.dispose();
      model.off("msg:custom", hear);
      model.off("change:state", restore);
      model.off("comm_live_update", liveChanged);
      store.dispose();
    },
  };
}

/** Pages to be read from top to bottom: what the chat tells there is not told again in another cell. */
function tellsOnce(store: Store, page: Document): boolean {
  const { connection } = store.state;
  if (connection.kind === "gone" && connection.cause === "no-kernel") return true;
  return page.body.dataset["voila"] !== undefined;
}

function isSnapshot(value: unknown): value is Snapshot {
  const state = value as Partial<Snapshot> | null | undefined;
  return typeof state?.seq === "number" && typeof state.first === "number" && state.session?.version === 1;
}

interface Keeper {
  soon(): void;
  now(): void;
  /** Whether a state of the model came from here: there is nothing to restore then. */
  gave(state: Snapshot): boolean;
}

/**
 * Keeps the model's own state equal to what is shown while nothing runs, so that a notebook saved with its
 * widgets holds the conversation. It is never sent back: `save_changes` goes silent on ipykernel 7.4.
 */
function keepModel(model: Model, store: Store): Keeper {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let given: Snapshot | null = null;
  const now = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const snapshot = store.snapshot();
    const held = model.get("state");
    if (snapshot === null || (isSnapshot(held) && held.seq === snapshot.seq && held.first === snapshot.first))
      return;
    given = snapshot;
    model.set("state", snapshot);
  };
  return {
    now,
    gave: (state) => state === given,
    soon() {
      if (timer !== null || !AT_REST.has(store.state.session?.status ?? "")) return;
      timer = setTimeout(now, SETTLED * 1_000);
    },
  };
}

function hooksOf(model: Model, chatId: string, store: Store, el: HTMLElement): Hooks {
  const load = (name: string) => loadPart(store.asset, name);
  const focusNotebook = () => {
    const place = el.closest<HTMLElement>(".jp-Notebook") ?? el.closest<HTMLElement>("[tabindex]");
    place?.focus({ preventScroll: true });
  };
  if (notebookOf(model.widget_manager)?.shared == null) return { load, focusNotebook };
  return {
    load,
    focusNotebook,
    insertCell(source) {
      const document = notebookOf(model.widget_manager);
      if (document === null) return;
      insertCell(document, cellOf(document, chatId, el), source);
    },
  };
}

/** The index of the cell that shows this view, by its place on the page or by the chat's saved copy. */
function cellOf(
  document: NonNullable<ReturnType<typeof notebookOf>>,
  chatId: string,
  el: HTMLElement,
): number {
  const cell = el.closest(".jp-Cell");
  const index = cell?.getAttribute("data-windowed-list-index");
  if (index !== null && index !== undefined && /^\d+$/.test(index)) return Number(index);
  const [copy] = findOutputs(document, (data) => mimeText(data["text/html"]).includes(twinClass(chatId)));
  return copy?.cell ?? document.cells.length - 1;
}
