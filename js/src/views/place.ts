/** What the chat's view and the view of one turn have in common. */

import { h, setText } from "../dom";
import { createMarkdown } from "../markdown";
import { visible } from "../safe_text";
import type { Store } from "../store";
import type { ChatInfo } from "../wire";
import { focused, type Hooks, type ViewContext } from "./context";
import { agentTitle } from "./header";
import { keepKeys } from "./keys";
import { createReading } from "./reading";
import { followTheme } from "./theme";
import { createTicker } from "./ticker";

export type Root = ShadowRoot | HTMLElement;

export interface Place {
  readonly ctx: ViewContext;
  readonly log: HTMLElement;
  readonly live: HTMLElement;
  dispose(): void;
}

export function createPlace(
  root: Root,
  store: Store,
  info: ChatInfo | null,
  hooks: Hooks,
  log: HTMLElement,
  content: HTMLElement,
  calls: { moved(): void; focusNext(): void },
): Place {
  const live = h("div", { class: "acp-sr-only", "aria-live": "assertive", role: "status" });
  const ticker = createTicker();
  const reading = createReading(log, content, () => calls.moved());
  const ctx: ViewContext = {
    info,
    hooks,
    reading,
    ticker,
    root: root instanceof ShadowRoot ? root : root.ownerDocument,
    now: () => store.now(),
    heard: () => store.heard(),
    cwd: () => store.state.session?.cwd ?? null,
    agentName: () => visible(agentTitle(store.state.session)),
    turnIndex(turn) {
      const index = store.state.session?.turns.indexOf(turn) ?? -1;
      return index < 0 ? -1 : index + store.state.first;
    },
    live: () => store.state.connection.kind === "live",
    request: (message) => store.request(message),
    query: (message) => store.query(message),
    markdown: (host) =>
      createMarkdown(host, {
        load: hooks.load,
        insertCell: hooks.insertCell,
        keepView(change) {
          change();
          reading.settle();
        },
      }),
    focusNext: () => calls.focusNext(),
    announce: (sentence) => setText(live, sentence),
  };
  return {
    ctx,
    log,
    live,
    dispose() {
      reading.dispose();
      ticker.dispose();
    },
  };
}

/** Keys stay inside, and a click inside puts the focus inside. */
export function enter(
  frame: HTMLElement,
  ctx: ViewContext,
  actions: { stop(): void; find(): void; closeOpen(): boolean },
): () => void {
  const log = frame.querySelector<HTMLElement>(".acp-log");
  const onClick = (): void => {
    const active = focused(ctx);
    if (active === null || !frame.contains(active)) log?.focus({ preventScroll: true });
  };
  const leaveTheme = followTheme(frame);
  const leaveKeys = keepKeys(frame, {
    ...actions,
    focusNotebook() {
      const active = focused(ctx);
      if (active instanceof HTMLElement) active.blur();
      ctx.hooks.focusNotebook?.();
    },
  });
  frame.addEventListener("click", onClick);
  return () => {
    leaveKeys();
    leaveTheme();
    frame.removeEventListener("click", onClick);
  };
}
