/** The views of a chat, put to use for looking back: nothing is answered, nothing follows the tail. */

import { setText } from "../dom";
import { createMarkdown } from "../markdown";
import { visible } from "../safe_text";
import type { Hooks, ViewContext } from "../views/context";
import { createTicker } from "../views/ticker";
import type { Pages } from "./pages";
import type { Store } from "./store";

export function createContext(
  root: ShadowRoot | HTMLElement,
  store: Store,
  hooks: Hooks,
  live: HTMLElement,
  pages: () => Pages,
): ViewContext {
  const settle = (): void => pages().settle();
  return {
    info: null,
    hooks,
    reading: {
      following: false,
      later(_node, change) {
        change();
        return () => undefined;
      },
      flush: () => undefined,
      settle,
      hold: () => undefined,
      toTail: () => undefined,
      reveal: (node) => node.scrollIntoView({ block: "nearest" }),
      inView: () => true,
      dispose: () => undefined,
    },
    ticker: createTicker(),
    root: root instanceof ShadowRoot ? root : root.ownerDocument,
    now: () => store.state.moment?.t ?? 0,
    heard: () => store.state.moment?.t ?? 0,
    cwd: () => store.state.outline?.cwd ?? null,
    agentName: () => visible(store.state.outline?.agent ?? "The agent"),
    live: () => false,
    request: () => Promise.resolve("A transcript can be read, not continued."),
    query: () => Promise.resolve({ error: "A transcript can be read, not continued.", data: null }),
    markdown: (host) =>
      createMarkdown(host, {
        load: hooks.load,
        insertCell: hooks.insertCell,
        keepView(change) {
          change();
          settle();
        },
      }),
    focusNext: () => undefined,
    announce: (sentence) => setText(live, sentence),
  };
}
