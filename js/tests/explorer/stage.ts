/** An explorer on a stage: real store, real views, a kernel that the test plays. */
import { mountExplorer } from "../../src/explorer/frame";
import { createStore, type Store } from "../../src/explorer/store";
import type { FromKernel, Outline, Row, ToKernel, TurnPart } from "../../src/explorer/wire";
import type { Item } from "../../src/wire";
import { message, turn } from "../states";

export function row(index: number, more: Partial<Row> = {}): Row {
  return {
    number: index + 1,
    session: null,
    title: `Question ${index}`,
    status: "done",
    x: index * 10,
    record: index * 5,
    items: 1,
    chars: 20,
    calls: 0,
    failed: 0,
    edits: 0,
    tokens: 0,
    cost: null,
    model: 3,
    tools: 1,
    waiting: 0,
    ...more,
  };
}

export function part(index: number, items: readonly Item[] = [message(`answer ${index}`)]): TurnPart {
  return {
    index,
    number: index + 1,
    session: null,
    turn: turn({ prompt: [{ type: "text", text: `question ${index}` }], items, ended: 4 }),
    offset: 0,
    total: items.length,
    left_out: 0,
  };
}

export function outline(turns: number, more: Partial<Outline> = {}): Outline {
  const rows = Array.from({ length: Math.min(turns, 1000) }, (_, index) => row(index));
  return {
    version: 1,
    ready: true,
    read: turns * 5,
    records: turns * 5,
    id: "x1",
    warnings: [],
    complete: true,
    agent: "An agent 1.0",
    title: null,
    cwd: "/p",
    line: "1 tool call failed (edit) · waited 2 s for a person · 1 file changed",
    times: { model: 3, tools: 1, waiting: 2 },
    length: turns * 10,
    strip: [[0, 3, "model", 0, 1]],
    rows,
    turns,
    tokens: 1234,
    costs: {},
    sessions: [{ id: "s", label: "session 1", turns }],
    tool_uses: [{ name: "edit", calls: 2, failed: 1, working: 1, waiting: 2 }],
    file_uses: [{ path: "a.py", calls: 3, edits: 2 }],
    file_uses_count: 1,
    kinds: { message: turns, edit: 2 },
    statuses: { done: 3, failed: 1 },
    files: [{ path: "/p/a.py", edits: 2, done: 1 }],
    file_count: 1,
    window: [part(0)],
    ...more,
  };
}

export interface Stage {
  readonly store: Store;
  readonly root: ShadowRoot;
  readonly sent: ToKernel[];
  readonly log: string[];
  /** The last message of a kind that was sent. */
  last<K extends ToKernel["kind"]>(kind: K): Extract<ToKernel, { kind: K }>;
  /** The kernel says something, and everything that follows from it has happened. */
  hear(message: FromKernel): Promise<void>;
  find(selector: string): HTMLElement;
  all(selector: string): HTMLElement[];
  settle(): Promise<void>;
  end(): void;
}

export function stage(state: Outline | null = outline(3)): Stage {
  const sent: ToKernel[] = [];
  const log: string[] = [];
  let paint: (() => void) | null = null;
  const store = createStore({
    send: (message) => sent.push(message),
    frame(callback) {
      paint = callback;
      return () => {
        paint = null;
      };
    },
    later: () => () => undefined,
  });
  if (state !== null) store.restore(state);
  const host = document.createElement("div");
  document.body.append(host);
  const root = host.attachShadow({ mode: "open" });
  const end = mountExplorer(root, store, {
    load: () => Promise.resolve(null),
    focusNotebook: () => log.push("notebook"),
  });
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 12; round += 1) {
      await Promise.resolve();
      const now = paint;
      paint = null;
      now?.();
    }
  };
  return {
    store,
    root,
    sent,
    log,
    last(kind) {
      const found = sent.findLast((one) => one.kind === kind);
      if (found === undefined) throw new Error(`no ${kind} was sent`);
      return found as never;
    },
    async hear(message) {
      store.receive(message);
      await settle();
    },
    find(selector) {
      const node = root.querySelector<HTMLElement>(selector);
      if (node === null) throw new Error(`nothing at ${selector} in ${root.textContent}`);
      return node;
    },
    all: (selector) => [...root.querySelectorAll<HTMLElement>(selector)],
    settle,
    end() {
      end();
      host.remove();
    },
  };
}
