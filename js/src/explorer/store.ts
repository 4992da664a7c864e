/**
 * What one explorer knows in the browser: the outline, the turns that were loaded, the moment that is shown,
 * what a search has found. Knows neither anywidget nor elements; views subscribe.
 */
import type { Turn } from "../wire";
import { localHits } from "./local_search";
import type {
  FromKernel,
  Hit,
  MomentMessage,
  Outline,
  Place,
  RawRecord,
  Row,
  SearchFor,
  Target,
  ToKernel,
  TurnPart,
} from "./wire";

/** The state at an earlier moment. */
export interface Moment {
  readonly seq: number;
  readonly index: number;
  readonly t: number;
  readonly x: number;
  readonly next: number | null;
  readonly count: number;
  readonly status: string;
  readonly place: number;
  readonly part: TurnPart | null;
  readonly others: ReadonlyMap<number, TurnPart>;
}

export interface Hits {
  readonly for: SearchFor;
  /** -1: not known yet. */
  readonly total: number;
  /** By number; holes where they were not sent yet. */
  readonly hits: readonly (Hit | undefined)[];
  readonly words: readonly string[];
  /** Whether only what is loaded here was searched. */
  readonly local: boolean;
}

export interface State {
  readonly outline: Outline | null;
  /** By position; holes where they were not sent yet. */
  readonly rows: readonly (Row | undefined)[];
  readonly moment: Moment | null;
  readonly hits: Hits | null;
  /** Number of the hit that is shown; -1: none yet. */
  readonly current: number;
  /** Whether the kernel can be asked. */
  readonly live: boolean;
}

export interface Outside {
  /** Sends to the kernel; throws if that is impossible. */
  send(message: ToKernel): void;
  /** Calls once before the next paint; gives the way to take it back. */
  frame?(callback: () => void): () => void;
}

type Answer = Exclude<FromKernel, { kind: "outline" | "asset" }>;
type Ask = Extract<ToKernel, { id: string }>;
type Bare<M> = M extends Ask ? Omit<M, "id"> : never;

export interface Store {
  readonly state: State;
  subscribe(listener: () => void): () => void;
  receive(message: FromKernel): void;
  restore(outline: Outline): void;
  hello(): void;
  asset(name: string): Promise<string | null>;
  disconnect(): void;
  /** The turn to draw, or null while it is on its way; asks for it if need be. */
  turn(index: number): TurnPart | null;
  /** Loads the part of a turn that holds an item. */
  load(place: Place): Promise<TurnPart | null>;
  /** Loads rows of the outline from a position on. */
  loadRows(position: number): void;
  /** Searches; null clears. */
  search(what: SearchFor | null): Promise<void>;
  loadHits(number: number): Promise<Hit | null>;
  choose(number: number): void;
  /** Goes to a moment; false if another one is on its way or the kernel is gone. */
  seek(target: Target): Promise<boolean>;
  /** Back to the end. */
  leaveMoment(): void;
  /** Says which turns are on the screen. */
  shows(first: number, last: number): void;
  records(place: Place, first: number): Promise<{ total: number; records: readonly RawRecord[] } | null>;
  /** Replaces an item by all of it. */
  whole(place: Place): Promise<boolean>;
  /** What goes into the notebook if it is saved with its widgets. */
  saved(): Outline | null;
  dispose(): void;
}

/** Turns that are kept loaded; more are let go, the longest unseen first. */
const KEPT = 80;
/** Characters of turns that a saved notebook gets. */
const SAVED = 500_000;

export function createStore(outside: Outside): Store {
  const frame = outside.frame ?? animationFrame;
  let state: State = { outline: null, rows: [], moment: null, hits: null, current: -1, live: true };
  let turns = new Map<number, TurnPart>();
  const asked = new Set<number>();
  const rowsAsked = new Set<number>();
  const waiting = new Map<string, (answer: Answer | null) => void>();
  const assets = new Map<string, ((source: string | null) => void)[]>();
  const listeners = new Set<() => void>();
  let cancelFrame: (() => void) | null = null;
  let lastId = 0;
  let window_ = { first: 0, last: -1 };
  let nextTarget: { target: Target; done: (gone: boolean) => void } | null = null;
  let seeking = false;
  let nextSearch: { what: SearchFor; done: () => void } | null = null;
  let searching = false;
  // Ids of two pages that show one explorer must differ.
  const prefix = Math.random().toString(36).slice(2, 10);

  function change(part: Partial<State>): void {
    state = { ...state, ...part };
    tell();
  }

  function tell(): void {
    if (cancelFrame !== null || listeners.size === 0) return;
    cancelFrame = frame(() => {
      cancelFrame = null;
      for (const listener of [...listeners]) listener();
    });
  }

  function post(message: ToKernel): boolean {
    if (!state.live) return false;
    try {
      outside.send(message);
      return true;
    } catch {
      disconnect();
      return false;
    }
  }

  function ask<K extends Answer["kind"]>(
    kind: K,
    message: Bare<Ask>,
  ): Promise<Extract<Answer, { kind: K }> | null> {
    lastId += 1;
    const id = `${prefix}-${lastId}`;
    return new Promise((resolve) => {
      waiting.set(id, (answer) =>
        resolve(answer?.kind === kind ? (answer as Extract<Answer, { kind: K }>) : null),
      );
      if (post({ ...message, id } as ToKernel)) return;
      waiting.delete(id);
      resolve(null);
    });
  }

  function disconnect(): void {
    if (!state.live) return;
    change({ live: false });
    for (const resolve of [...waiting.values()]) resolve(null);
    waiting.clear();
    for (const resolvers of assets.values()) for (const resolve of resolvers) resolve(null);
    assets.clear();
  }

  function keep(part: TurnPart): void {
    turns.delete(part.index);
    turns.set(part.index, part);
    for (const index of turns.keys()) {
      if (turns.size <= KEPT) break;
      if (index < window_.first || index > window_.last) turns.delete(index);
      else break;
    }
  }

  function restore(outline: Outline): void {
    const old = state.outline;
    const fresh = old === null || old.id !== outline.id || old.read !== outline.read;
    if (!fresh && old.ready === outline.ready) return;
    // What was loaded while records were still being read may be older than they are.
    turns = new Map(outline.window.map((part) => [part.index, part]));
    asked.clear();
    rowsAsked.clear();
    const rows: (Row | undefined)[] = [...outline.rows];
    rows.length = outline.turns;
    change({ outline, rows, moment: null });
  }

  function receive(message: FromKernel): void {
    if (!state.live) change({ live: true });
    switch (message.kind) {
      case "outline":
        return restore(message.state);
      case "asset":
        for (const resolve of assets.get(message.name) ?? []) resolve(message.source);
        assets.delete(message.name);
        return;
      default: {
        const { id } = message;
        if (id === null) return;
        waiting.get(id)?.(message);
        waiting.delete(id);
      }
    }
  }

  function heldTurn(index: number): TurnPart | null {
    const { moment } = state;
    if (moment !== null) {
      if (moment.part?.index === index) return moment.part;
      const other = moment.others.get(index);
      if (other !== undefined) return other;
    }
    return turns.get(index) ?? null;
  }

  async function fetchTurns(first: number, count: number, focus = 0): Promise<void> {
    for (let index = first; index < first + count; index += 1) asked.add(index);
    const answer = await ask("turns", { kind: "turns", first, count, focus });
    for (let index = first; index < first + count; index += 1) asked.delete(index);
    for (const part of answer?.turns ?? []) keep(part);
    if (answer !== null) tell();
  }

  async function runSearch(what: SearchFor): Promise<void> {
    if (!state.live) {
      const hits = localHits([...turns.values()], what);
      change({
        hits: {
          for: what,
          total: hits.length,
          hits,
          words: what.text.toLowerCase().split(/\s+/),
          local: true,
        },
        current: -1,
      });
      return;
    }
    const answer = await ask("hits", { kind: "search", ...what, first: 0 });
    if (answer === null) {
      if (!state.live) await runSearch(what);
      return;
    }
    const hits: (Hit | undefined)[] = [...answer.hits];
    hits.length = Math.max(0, answer.total);
    change({
      hits: { for: what, total: answer.total, hits, words: answer.words ?? [], local: false },
      current: -1,
    });
  }

  function takeMoment(message: MomentMessage): void {
    const before = state.moment;
    let part: TurnPart | null = null;
    if (message.turn !== null) {
      const { turn, keep: kept, items, ...rest } = message.turn;
      const old = before?.seq === message.base && before.part !== null ? before.part.turn.items : [];
      const whole: Turn = { ...turn, items: [...old.slice(0, kept), ...items] };
      part = { ...rest, turn: whole };
    }
    change({
      moment: {
        seq: message.seq,
        index: message.index,
        t: message.t,
        x: message.x,
        next: message.next,
        count: message.count,
        status: message.status,
        place: message.place,
        part,
        others: new Map(message.others.map((one) => [one.index, one])),
      },
    });
  }

  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      const entry = () => listener();
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
    receive,
    restore,
    hello: () => {
      post({ kind: "hello" });
    },
    asset(name) {
      return new Promise((resolve) => {
        assets.set(name, [...(assets.get(name) ?? []), resolve]);
        if (!post({ kind: "asset", name })) {
          assets.delete(name);
          resolve(null);
        }
      });
    },
    disconnect,
    turn(index) {
      const held = heldTurn(index);
      if (held === null && !asked.has(index) && state.live) {
        // The next ones are wanted soon.
        let count = 1;
        while (count < 4 && heldTurn(index + count) === null && !asked.has(index + count)) count += 1;
        void fetchTurns(index, count);
      }
      return held;
    },
    async load(place) {
      const holds = (part: TurnPart | null): boolean =>
        part !== null &&
        (place.after ||
          place.item < 0 ||
          (place.item >= part.offset && place.item < part.offset + part.turn.items.length));
      if (!holds(heldTurn(place.turn))) await fetchTurns(place.turn, 1, Math.max(0, place.item));
      return heldTurn(place.turn);
    },
    loadRows(position) {
      const first = Math.floor(position / 1000) * 1000;
      if (rowsAsked.has(first) || !state.live) return;
      rowsAsked.add(first);
      void ask("rows", { kind: "rows", first }).then((answer) => {
        if (answer === null) return;
        const rows = [...state.rows];
        answer.rows.forEach((row, index) => {
          rows[answer.first + index] = row;
        });
        change({ rows });
      });
    },
    search(what) {
      nextSearch?.done();
      nextSearch = null;
      if (what === null) {
        change({ hits: null, current: -1 });
        return Promise.resolve();
      }
      // One search is on its way at a time; of those typed meanwhile only the last is run.
      return new Promise((done) => {
        nextSearch = { what, done };
        if (searching) return;
        searching = true;
        const run = async (): Promise<void> => {
          while (nextSearch !== null) {
            const mine = nextSearch;
            nextSearch = null;
            await runSearch(mine.what);
            mine.done();
          }
          searching = false;
        };
        void run();
      });
    },
    async loadHits(number) {
      const { hits } = state;
      const held = hits?.hits[number];
      if (held !== undefined || hits === null || hits.local) return held ?? null;
      const first = Math.floor(number / 200) * 200;
      const answer = await ask("hits", { kind: "search", ...hits.for, first });
      if (answer === null || state.hits?.for !== hits.for) return null;
      const all = [...state.hits.hits];
      answer.hits.forEach((hit, index) => {
        all[first + index] = hit;
      });
      change({ hits: { ...state.hits, hits: all } });
      return all[number] ?? null;
    },
    choose(number) {
      if (number !== state.current) change({ current: number });
    },
    seek(target) {
      nextTarget?.done(false);
      nextTarget = null;
      if (!state.live) return Promise.resolve(false);
      return new Promise((done) => {
        nextTarget = { target, done };
        if (seeking) return;
        seeking = true;
        const run = async (): Promise<void> => {
          while (nextTarget !== null) {
            const mine = nextTarget;
            nextTarget = null;
            const have = state.moment?.seq ?? -1;
            const answer = await ask("moment", { kind: "seek", ...mine.target, have, ...window_ });
            if (answer !== null) takeMoment(answer);
            mine.done(answer !== null);
          }
          seeking = false;
        };
        void run();
      });
    },
    leaveMoment() {
      if (state.moment !== null) change({ moment: null });
    },
    shows(first, last) {
      window_ = { first, last };
    },
    async records(place, first) {
      const answer = await ask("records", { kind: "records", ...bare(place), first });
      return answer === null ? null : { total: answer.total, records: answer.records };
    },
    async whole(place) {
      const held = turns.get(place.turn);
      const answer = await ask("item", { kind: "item", ...bare(place) });
      if (answer === null || held === undefined) return false;
      const put = place.after ? "after" : "items";
      const at = place.after ? place.item : place.item - held.offset;
      const list = held.turn[put].map((item, index) => (index === at ? answer.item : item));
      const terminals = { ...held.turn.terminals };
      for (const [id, output] of Object.entries(answer.terminals)) {
        const terminal = terminals[id];
        if (terminal !== undefined) terminals[id] = { ...terminal, output };
      }
      keep({ ...held, turn: { ...held.turn, [put]: list, terminals } });
      tell();
      return true;
    },
    saved() {
      const { outline } = state;
      if (outline === null) return null;
      let room = SAVED;
      const kept: TurnPart[] = [];
      for (const part of [...turns.values()].reverse()) {
        room -= JSON.stringify(part).length;
        if (room < 0) break;
        kept.push(part);
      }
      return { ...outline, window: kept.sort((a, b) => a.index - b.index) };
    },
    dispose() {
      cancelFrame?.();
      cancelFrame = null;
      listeners.clear();
      disconnect();
    },
  };
}

function bare(place: Place): Place {
  return { turn: place.turn, item: place.item, after: place.after };
}

function animationFrame(callback: () => void): () => void {
  const id = requestAnimationFrame(callback);
  return () => cancelAnimationFrame(id);
}
