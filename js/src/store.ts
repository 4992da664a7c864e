/**
 * The model of one chat in the browser: folds what the kernel sends, and says what became of what was sent.
 *
 * Knows neither anywidget nor the page's elements. One store lives as long as its model; any number of
 * views subscribe to it.
 */
import { animationFrame, timer } from "./later";
import { applyPatch, shareStructure } from "./patch";
import { createPatience } from "./patience";
import { createSteady } from "./steady";
import type { FromKernel, Session, Snapshot, ToKernel, Turn } from "./wire";

export { applyPatch, PatchError, shareStructure } from "./patch";

/** Whether the kernel can be reached. A view that is `gone` is read-only and shows the reason. */
export type Connection =
  | { readonly kind: "live" }
  | {
      readonly kind: "gone";
      /** no-kernel: opened without one. closed: it ended or restarted. send-failed: a message was refused. */
      readonly cause: "no-kernel" | "closed" | "send-failed";
      /** A sentence for the person. */
      readonly reason: string;
    };

/** What views draw; replaced as a whole, with unchanged parts the same objects. */
export interface ChatState {
  /** -1 until the first state has come. */
  readonly seq: number;
  /** Null until the first state has come. */
  readonly session: Session | null;
  /** Absolute index of `session.turns[0]`; more than 0: earlier turns can be asked for by `page`. */
  readonly first: number;
  readonly connection: Connection;
  /** True while earlier turns have been asked for and are not there yet. */
  readonly paging: boolean;
  /** The saved copy under the chat could not be written and is older than what is shown. */
  readonly twinStale: boolean;
  /** The kernel does not answer, for whatever reason: what was asked may still be done. */
  readonly silent: boolean;
}

type WithId = Extract<ToKernel, { id: string }>;
/** A message that is answered by `ack`, before it has its id. */
export type Request = WithId extends infer M ? (M extends WithId ? Omit<M, "id"> : never) : never;

export interface Reply {
  readonly error: string | null;
  readonly data: unknown;
}

/** The ways out of the store; `createStore` gets them so that tests need no browser. */
export interface Outside {
  /** Sends to the kernel; throws if that is impossible. */
  send(message: ToKernel): void;
  /** Whether this page writes the static twin (default: no). */
  writesTwin?(): boolean;
  /** Seconds of a steady clock (default: `performance.now`). */
  clock?(): number;
  /** Calls once before the next paint (default: `requestAnimationFrame`); gives a way to take it back. */
  frame?(callback: () => void): () => void;
  /** Calls once after that many seconds (default: `setTimeout`); gives a way to take it back. */
  later?(seconds: number, callback: () => void): () => void;
}

export interface Store {
  readonly state: ChatState;
  /** Calls back at most once per frame after the state changed. Gives the way to unsubscribe. */
  subscribe(listener: () => void): () => void;
  /** The transcript's clock now, in seconds: subtract `started` for what has elapsed. */
  now(): number;
  /** When the last record was made, on that clock: silence counts from there, also after a reload. */
  heard(): number;
  /** Sends a request and resolves with the kernel's answer: null, or a sentence that says what went wrong. */
  request(message: Request): Promise<string | null>;
  /** The same, with what was asked for. */
  query(message: Request): Promise<Reply>;
  /** Sends a message without an answer; false if the kernel is gone. */
  post(message: ToKernel): boolean;
  /** Tells the kernel that a page is here and which state it holds. */
  hello(): void;
  /** Asks for the turns before the first one held. */
  page(): void;
  /** Source of a lazily loaded part, or null if there is none. */
  asset(name: string): Promise<string | null>;
  /** What the kernel sent. Messages of an unknown kind are left to others. */
  receive(message: FromKernel): void;
  /** A whole state from a message, the model or a saved notebook; an older one than held is ignored. */
  restore(snapshot: Snapshot): void;
  /** The state in the form of the `state` trait, or null. */
  snapshot(): Snapshot | null;
  disconnect(cause: "no-kernel" | "closed" | "send-failed"): void;
  setTwinStale(stale: boolean): void;
  dispose(): void;
}

const REASONS = {
  "no-kernel": "This conversation was opened without its kernel: it can be read, not continued.",
  closed: "The kernel of this chat has ended or was restarted: run the cell again to go on.",
  "send-failed": "The kernel cannot be reached: nothing was sent.",
} as const;

/** A lost answer to `resync` is asked for again after this many seconds. */
const RESYNC_AGAIN = 3;
/**
 * While something runs and nothing is heard for this many seconds, the page says again which state it holds:
 * the patch that was lost may have been the last one. Each time it waits twice as long.
 */
const SILENCE = 10;
const LONGEST_SILENCE = 120;
const RUNNING: ReadonlySet<string> = new Set(["starting", "working", "stopping"]);

export function createStore(outside: Outside): Store {
  const clock = outside.clock ?? (() => performance.now() / 1000);
  const frame = outside.frame ?? animationFrame;
  const later = outside.later ?? timer;

  let state: ChatState = {
    seq: -1,
    session: null,
    first: 0,
    connection: { kind: "live" },
    paging: false,
    twinStale: false,
    silent: false,
  };
  const time = createSteady(clock);
  const { now, heard } = time;
  const patience = createPatience(later, hello, (silent) => change({ silent }));
  let lastId = 0;
  let cancelFrame: (() => void) | null = null;
  let cancelResync: (() => void) | null = null;
  let cancelWatch: (() => void) | null = null;
  const listeners = new Set<() => void>();
  const acks = new Map<string, (reply: Reply) => void>();
  const assets = new Map<
    string,
    { promise: Promise<string | null>; resolve: (source: string | null) => void }
  >();
  // Ids of two pages that show one chat must differ: each page has its own prefix.
  const prefix = Math.random().toString(36).slice(2, 10);

  function change(part: Partial<ChatState>): void {
    const keys = Object.keys(part) as (keyof ChatState)[];
    if (keys.every((key) => state[key] === part[key])) return;
    state = { ...state, ...part };
    if (cancelFrame !== null || listeners.size === 0) return;
    cancelFrame = frame(() => {
      cancelFrame = null;
      for (const listener of [...listeners]) listener();
    });
  }

  function post(message: ToKernel): boolean {
    if (state.connection.kind === "gone") return false;
    try {
      outside.send(message);
      return true;
    } catch {
      disconnect("send-failed");
      return false;
    }
  }

  function disconnect(cause: "no-kernel" | "closed" | "send-failed"): void {
    if (state.connection.kind === "gone" && state.connection.cause !== "send-failed") return;
    stopResync();
    cancelWatch?.();
    cancelWatch = null;
    // Time stands still with the kernel: a turn that was running then runs no longer.
    time.stop();
    patience.stop();
    change({ connection: { kind: "gone", cause, reason: REASONS[cause] }, paging: false, silent: false });
    for (const resolve of acks.values()) resolve({ error: REASONS[cause], data: null });
    acks.clear();
    for (const { resolve } of assets.values()) resolve(null);
    assets.clear();
  }

  function stopResync(): void {
    cancelResync?.();
    cancelResync = null;
  }

  function resync(): void {
    if (cancelResync !== null) return;
    if (!post({ kind: "resync", seq: state.seq })) return;
    cancelResync = later(RESYNC_AGAIN, () => {
      cancelResync = null;
      resync();
    });
  }

  function hello(): void {
    const message = { seq: state.seq, writes_twin: outside.writesTwin?.() ?? false };
    if (post({ kind: "hello", ...message })) patience.greeted();
  }

  function watch(silence = SILENCE): void {
    cancelWatch?.();
    cancelWatch = null;
    if (state.connection.kind === "gone" || !RUNNING.has(state.session?.status ?? "")) return;
    cancelWatch = later(silence, () => {
      hello();
      watch(Math.min(LONGEST_SILENCE, silence * 2));
    });
  }

  function restore(snapshot: Snapshot): void {
    if (snapshot.seq < state.seq) return;
    time.hear(snapshot);
    // Turns that were paged in are kept: the whole state holds only the last ones.
    let first = snapshot.first;
    let session = snapshot.session;
    if (state.session !== null) {
      const kept = snapshot.first - state.first;
      if (kept > 0 && kept <= state.session.turns.length) {
        first = state.first;
        session = { ...session, turns: [...state.session.turns.slice(0, kept), ...session.turns] };
      }
      session = shareStructure(first === state.first ? state.session : null, session);
    }
    stopResync();
    change({ seq: snapshot.seq, session, first });
  }

  function patch(message: Extract<FromKernel, { kind: "patch" }>): void {
    time.hear(message);
    // Before the first state there is nothing to build on: `hello` has asked for it.
    if (state.session === null || message.seq <= state.seq) return;
    // An empty patch only tells how far the kernel is: it cannot stand for one that was lost.
    if (message.seq !== state.seq + 1 || message.ops.length === 0) return resync();
    try {
      const session = applyPatch(state.session, message.ops, state.first);
      change({ seq: message.seq, session });
    } catch (error) {
      console.warn("acp-notebook: a patch did not fit, asking for the whole state", error);
      resync();
    }
  }

  function query(message: Request): Promise<Reply> {
    lastId += 1;
    const id = `${prefix}-${lastId}`;
    return new Promise((resolve) => {
      acks.set(id, resolve);
      if (post({ ...message, id } as ToKernel)) return patience.asked();
      acks.delete(id);
      const error = state.connection.kind === "gone" ? state.connection.reason : REASONS["send-failed"];
      resolve({ error, data: null });
    });
  }

  function page(first: number, turns: readonly Turn[]): void {
    change({ paging: false });
    if (state.session === null || first >= state.first) return;
    const missing = state.first - first;
    if (turns.length < missing) return;
    const session = { ...state.session, turns: [...turns.slice(0, missing), ...state.session.turns] };
    change({ session, first });
  }

  function receive(message: FromKernel): void {
    // Whoever speaks is there: a view that was read-only because nobody answered comes back.
    if (state.connection.kind === "gone") {
      time.go();
      change({ connection: { kind: "live" } });
    }
    patience.heard();
    take(message);
    watch();
  }

  function take(message: FromKernel): void {
    switch (message.kind) {
      case "patch":
        return patch(message);
      case "state":
        return restore(message);
      case "page":
        return page(message.first, message.turns);
      case "ack":
        acks.get(message.id)?.({ error: message.error, data: message.data ?? null });
        acks.delete(message.id);
        return;
      case "asset":
        assets.get(message.name)?.resolve(message.source);
        if (message.source === null) assets.delete(message.name);
        return;
      default:
        return;
    }
  }

  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      // A wrapper, so that one function may subscribe twice and leave once.
      const entry = () => listener();
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
    now,
    heard,
    request: (message) => query(message).then((reply) => reply.error),
    query,
    post,
    hello() {
      hello();
      watch();
    },
    page() {
      if (state.paging || state.first === 0) return;
      if (post({ kind: "page", before: state.first })) change({ paging: true });
    },
    asset(name) {
      const held = assets.get(name);
      if (held) return held.promise;
      let resolve: (source: string | null) => void = () => undefined;
      const promise = new Promise<string | null>((done) => {
        resolve = done;
      });
      assets.set(name, { promise, resolve });
      if (!post({ kind: "asset", name })) {
        assets.delete(name);
        resolve(null);
      }
      return promise;
    },
    receive,
    restore,
    snapshot() {
      if (state.session === null) return null;
      return { seq: state.seq, now: now(), heard: heard(), first: state.first, session: state.session };
    },
    disconnect,
    setTwinStale: (twinStale) => change({ twinStale }),
    dispose() {
      cancelFrame?.();
      cancelFrame = null;
      listeners.clear();
      disconnect("closed");
    },
  };
}
