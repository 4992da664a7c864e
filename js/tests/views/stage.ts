/** A chat on a stage: real store, real views, a kernel that the test plays. */
import { vi } from "vitest";
import { createStore, type Store } from "../../src/store";
import { mountChat } from "../../src/views/frame";
import type { ChatInfo, FromKernel, Item, Permission, Session, ToKernel, Turn } from "../../src/wire";
import { session, snapshot, turn } from "../states";

export const INFO: ChatInfo = {
  chat_id: "chat",
  height: null,
  demo: false,
  allowed: ["Work in /project"],
  suggestions: ["Explain this project"],
};

export interface Stage {
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
  readonly store: Store;
  readonly sent: ToKernel[];
  readonly log: string[];
  /** The whole state anew, as the next one. */
  show(part: Partial<Session>): void;
  /** A message from the kernel, and the frame after it. */
  hear(message: FromKernel): void;
  /** The kernel goes away. */
  lose(cause: "no-kernel" | "closed"): void;
  /** What was put off for some seconds is due. */
  elapse(): void;
  /** So many seconds go by; the timers must be faked. */
  pass(more: number): void;
  /** Answers the last message that waits for it. */
  ack(error?: string | null): Promise<void>;
  find(selector: string): HTMLElement;
  all(selector: string): HTMLElement[];
  words(): string;
  focused(): Element | null;
  end(): void;
}

export function stage(
  part: Partial<Session> = {},
  info: ChatInfo = INFO,
  mount = mountChat,
  load: (name: string) => Promise<unknown> = () => Promise.resolve(null),
): Stage {
  const sent: ToKernel[] = [];
  const log: string[] = [];
  let seq = 0;
  let seconds = 20;
  let paint: (() => void) | null = null;
  const timers = new Set<() => void>();
  const painted = (): void => {
    const now = paint;
    paint = null;
    now?.();
  };
  const store = createStore({
    send: (message) => sent.push(message),
    clock: () => seconds,
    frame(callback) {
      paint = callback;
      return () => {
        paint = null;
      };
    },
    later(_seconds, run) {
      timers.add(run);
      return () => timers.delete(run);
    },
  });
  const show = (next: Partial<Session>): void => {
    seq += 1;
    store.restore(snapshot(seq, next, 0, 20));
    painted();
  };
  show(part);
  const host = document.createElement("div");
  document.body.append(host);
  const root = host.attachShadow({ mode: "open" });
  const end = mount(root, store, info, {
    load,
    focusNotebook: () => log.push("notebook"),
    insertCell: (source) => log.push(`cell ${source}`),
  });
  const find = (selector: string): HTMLElement => {
    const node = root.querySelector<HTMLElement>(selector);
    if (node === null) throw new Error(`nothing at ${selector} in ${root.textContent}`);
    return node;
  };
  return {
    host,
    root,
    store,
    pass(more) {
      seconds += more;
      vi.advanceTimersByTime(1000 * more);
    },
    sent,
    log,
    show,
    hear(message) {
      store.receive(message);
      painted();
    },
    lose(cause) {
      store.disconnect(cause);
      painted();
    },
    elapse() {
      const due = [...timers];
      timers.clear();
      for (const run of due) run();
      painted();
    },
    async ack(error = null) {
      const last = sent.findLast((message) => "id" in message);
      if (last === undefined || !("id" in last)) throw new Error("nothing waits for an answer");
      store.receive({ kind: "ack", id: last.id, error });
      await Promise.resolve();
      await Promise.resolve();
    },
    find,
    all: (selector) => [...root.querySelectorAll<HTMLElement>(selector)],
    words: () => seen(root),
    focused: () => root.activeElement,
    end() {
      end();
      host.remove();
      sessionStorage.clear();
    },
  };
}

/** A kernel that has these parts of the bundle, and no others. */
export function loads(parts: Readonly<Record<string, unknown>>): (name: string) => Promise<unknown> {
  return (name) => Promise.resolve(parts[name] ?? null);
}

/** The text that is not hidden. */
function seen(node: Node): string {
  if (node instanceof HTMLElement && (node.hidden || node.classList.contains("acp-sr-only"))) return "";
  if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? "";
  return [...node.childNodes].map(seen).join("");
}

export function press(node: Element, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", {
    key,
    bubbles: true,
    composed: true,
    cancelable: true,
    ...more,
  });
  node.dispatchEvent(event);
  return event;
}

export const RUNNING: Partial<Turn> = { status: "streaming", active: true };

export function call(
  part: Partial<Extract<Item, { kind: "tool_call" }>["call"]> = {},
  ended: number | null = 4,
): Item {
  return {
    kind: "tool_call",
    started: 2,
    ended,
    call: {
      id: part.id ?? "c",
      name: null,
      tool_name: "read",
      title: "Read a.py",
      kind: "read",
      status: "completed",
      state: "output-available",
      content: [],
      diffs: [],
      locations: [],
      raw_input: null,
      raw_output: null,
      permissions: [],
      terminals: [],
      ...part,
    },
  };
}

export function permission(key: string, part: Partial<Permission> = {}): Permission {
  return {
    key,
    request_id: 0,
    session_id: "s",
    tool_call_id: "c",
    title: "Write a.py",
    kind: "edit",
    content: [],
    diffs: [],
    locations: [],
    covers: null,
    remembered: null,
    raw_input: null,
    options: [
      { id: "opaque/1", name: "Yes", kind: "allow_once" },
      { id: "opaque/2", name: "Yes, always", kind: "allow_always" },
      { id: "opaque/3", name: "No", kind: "reject_once" },
    ],
    outcome: null,
    option_id: null,
    decided_by: null,
    asked: 3,
    answered: null,
    ...part,
  };
}

/** A session whose one turn waits with these requests. */
export function waiting(permissions: readonly Permission[], part: Partial<Turn> = {}): Partial<Session> {
  return {
    status: permissions.some((one) => one.outcome === null) ? "waiting" : "working",
    turns: [
      turn({
        ...RUNNING,
        permissions,
        items: [
          call(
            {
              state: "approval-requested",
              status: "pending",
              permissions: permissions.map((one) => one.key),
            },
            null,
          ),
        ],
        ...part,
      }),
    ],
  };
}

export { session, turn };
