/** The explorer as an anywidget (built as `static/explorer.js`); only this file of it knows anywidget. */
import type { AnyModel, AnyWidget } from "@anywidget/types";
import { liveness } from "../liveness";
import { loadPart } from "../load_part";
import { insertCell, notebookOf } from "../notebook";
import { inShadow } from "../shadow";
import { hideTwin } from "../twin";
import type { Hooks } from "../views/context";
import { mountExplorer } from "./frame";
import css from "./index.css";
import { createStore, type Store } from "./store";
import type { FromKernel, Outline } from "./wire";

interface Traits extends Record<string, unknown> {
  state: unknown;
}

type Model = AnyModel<Traits>;

/** Seconds that what was loaded must stand still before it goes into the model, for whoever saves the notebook. */
const SETTLED = 0.5;

const widget: AnyWidget<Traits> = () => {
  let store: Store | null = null;
  let end: () => void = () => undefined;
  const start = (model: Model): Store => {
    if (store === null) {
      const made = createExplorer(model);
      store = made.store;
      end = made.dispose;
    }
    return store;
  };
  return {
    initialize({ model }) {
      start(model);
      return () => end();
    },
    render({ model, el, signal }) {
      const held = start(model);
      const leaveView = inShadow(el, css, (root) => mountExplorer(root, held, hooksOf(model, held, el)));
      const id = held.state.outline?.id;
      const showTwin = id === undefined ? () => undefined : hideTwin(id, el.ownerDocument);
      const leave = () => {
        showTwin();
        leaveView();
      };
      signal?.addEventListener("abort", leave, { once: true });
      return leave;
    },
  };
};

export default widget;

function createExplorer(model: Model): { store: Store; dispose(): void } {
  const store = createStore({ send: (message) => model.send(message) });
  let timer: ReturnType<typeof setTimeout> | null = null;
  let own = false;

  const restore = () => {
    const state = model.get("state");
    if (!own && isOutline(state)) store.restore(state);
  };
  const hear = (content: unknown) => {
    const message = content as FromKernel;
    if (typeof message?.kind === "string") store.receive(message);
  };
  /** What is loaded goes into the model, never to the kernel: a notebook saved with its widgets holds it. */
  const keep = () => {
    timer = null;
    const saved = store.saved();
    if (saved === null) return;
    own = true;
    model.set("state", saved);
    own = false;
  };
  restore();
  const live = liveness(model as never);
  const liveChanged = () => {
    if (live() !== true) store.disconnect();
  };
  model.on("msg:custom", hear);
  model.on("change:state", restore);
  model.on("comm_live_update", liveChanged);
  if (live() === false) store.disconnect();
  else if (store.state.outline === null) store.hello();
  const leave = store.subscribe(() => {
    if (!store.state.live) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(keep, SETTLED * 1_000);
  });
  return {
    store,
    dispose() {
      leave();
      if (timer !== null) {
        clearTimeout(timer);
        keep();
      }
      model.off("msg:custom", hear);
      model.off("change:state", restore);
      model.off("comm_live_update", liveChanged);
      store.dispose();
    },
  };
}

function isOutline(value: unknown): value is Outline {
  const state = value as Partial<Outline> | null | undefined;
  return state?.version === 1 && Array.isArray(state.rows) && Array.isArray(state.window);
}

function hooksOf(model: Model, store: Store, el: HTMLElement): Hooks {
  const base: Hooks = {
    load: (name) => loadPart(store.asset, name),
    focusNotebook() {
      const place = el.closest<HTMLElement>(".jp-Notebook") ?? el.closest<HTMLElement>("[tabindex]");
      place?.focus({ preventScroll: true });
    },
  };
  if (notebookOf(model.widget_manager)?.shared == null) return base;
  return {
    ...base,
    insertCell(source) {
      const document = notebookOf(model.widget_manager);
      if (document === null) return;
      const index = el.closest(".jp-Cell")?.getAttribute("data-windowed-list-index") ?? "";
      insertCell(document, /^\d+$/.test(index) ? Number(index) : document.cells.length - 1, source);
    },
  };
}
