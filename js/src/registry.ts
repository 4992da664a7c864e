/**
 * Where the chats of a page can be found by the views of single turns.
 *
 * Each model has a copy of its own of every module, so the place is on `globalThis`.
 */
export interface ChatEntry {
  /** Draws one turn into an element; gives the way to take it away. */
  mountTurn(el: HTMLElement, turn: number): () => void;
}

export interface Registry {
  readonly chats: Map<string, ChatEntry>;
  /** Gets a "change" whenever a chat comes or goes. */
  readonly events: EventTarget;
}

const KEY = Symbol.for("acp-notebook.chats");

export function registry(): Registry {
  const place = globalThis as unknown as Record<symbol, Registry | undefined>;
  const held = place[KEY];
  if (held) return held;
  const made: Registry = { chats: new Map(), events: new EventTarget() };
  place[KEY] = made;
  return made;
}

/** Makes a chat known; gives the way to take it back. */
export function register(chatId: string, entry: ChatEntry): () => void {
  const { chats, events } = registry();
  chats.set(chatId, entry);
  events.dispatchEvent(new Event("change"));
  return () => {
    // The same chat may meanwhile have got another model.
    if (chats.get(chatId) !== entry) return;
    chats.delete(chatId);
    events.dispatchEvent(new Event("change"));
  };
}
