/**
 * What one explorer knows in the browser: the outline, the turns that were loaded, the moment that is shown,
 * what a search has found. Knows neither anywidget nor elements; views subscribe.
 */

import { animationFrame, timer } from "../later";
import type { Turn } from "../wire";
import { createAsking } from "./asking";
import { createHeldTurns } from "./held_turns";
import { localHits, wordsOf } from "./local_search";
import { newestOf } from "./newest";
import type { Moment, Outside, State, Store } from "./state";
import type {
  FromKernel,
  Hit,
  MomentMessage,
  Outline,
  Place,
  Row,
  SearchFor,
  Target,
  TurnPart,
} from "./wire";

export type { Hits, Moment, Outside, State, Store } from "./state";

/** Hits that are sent at once. */
const HITS = 80;
/** Seconds after a moment in which no other turns are loaded: the next moment would wait behind them. */
const SCRUB = 0.15;

export function createStore(outside: Outside): Store {
  const frame = outside.frame ?? animationFrame;
  let state: State = { outline: null, rows: [], moment: null, hits: null, current: -1, live: true };
  const turns = createHeldTurns();
  const asked = new Set<number>();
  const rowsAsked = new Set<number>();
  const listeners = new Set<() => void>();
  let cancelFrame: (() => void) | null = null;
  let visits = 0;
  const later = outside.later ?? timer;
  const asking = createAsking(outside.send, disconnect);
  // There while moments follow one another: nothing else is asked for then.
  let scrubbing: (() => void) | null = null;

  function change(part: Partial<State>): void {
    state = { ...state, ...part };
    tell();
  }

  function tell(): void {
    if (cancelFrame !== null || listeners.size === 0) return;
    cancelFrame = frame(draw);
  }

  function draw(): void {
    cancelFrame = null;
    for (const listener of [...listeners]) listener();
  }

  function disconnect(): void {
    if (!state.live) return;
    change({ live: false });
    asking.end();
  }

  function restore(outline: Outline): void {
    const old = state.outline;
    const fresh = old === null || old.id !== outline.id || old.read !== outline.read;
    if (!fresh && old.ready === outline.ready) return;
    // What was loaded while records were still being read may be older than they are.
    turns.reset(outline.window);
    asked.clear();
    rowsAsked.clear();
    const rows: (Row | undefined)[] = [...outline.rows];
    rows.length = outline.turns;
    change({ outline, rows, moment: null });
  }

  function receive(message: FromKernel): void {
    if (!state.live) change({ live: true });
    if (message.kind === "outline") restore(message.state);
    else asking.take(message);
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
    const answer = await asking.ask("turns", { kind: "turns", first, count, focus });
    for (let index = first; index < first + count; index += 1) asked.delete(index);
    for (const part of answer?.turns ?? []) turns.keep(part);
    if (answer !== null) tell();
  }

  async function runSearch(what: SearchFor): Promise<boolean> {
    const answer = state.live ? await asking.ask("hits", { kind: "search", ...what, first: 0 }) : null;
    if (answer === null && state.live) return false;
    const words = answer?.words ?? wordsOf(what.text);
    const hits: (Hit | undefined)[] = [...(answer?.hits ?? localHits(turns.all(), what))];
    const total = answer?.total ?? hits.length;
    hits.length = Math.max(0, total);
    change({ hits: { for: what, total, hits, words, local: answer === null }, current: -1 });
    return true;
  }

  const searches = newestOf(runSearch);
  const seeks = newestOf(async (target: Target) => {
    const have = state.moment?.seq ?? -1;
    const answer = await asking.ask("moment", { kind: "seek", ...target, have, ...turns.window });
    if (answer !== null) takeMoment(answer);
    return answer !== null;
  });

  function takeMoment(message: MomentMessage): void {
    const before = state.moment;
    visits += 1;
    let part: TurnPart | null = null;
    if (message.turn !== null) {
      const { turn, keep: kept, items, ...rest } = message.turn;
      const old = before?.seq === message.base && before.part !== null ? before.part.turn.items : [];
      const whole: Turn = { ...turn, items: [...old.slice(0, kept), ...items] };
      part = { ...rest, turn: whole };
    }
    scrubbing?.();
    scrubbing = later(SCRUB, () => {
      scrubbing = null;
      tell();
    });
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
        visit: visits,
      },
    });
    // One moment is on its way at a time: it need not wait for a frame to come.
    cancelFrame?.();
    draw();
  }

  /** Another part of the turn that a moment shows. What follows cannot build on it. */
  async function fetchEarlier(moment: Moment, turn: number, focus: number): Promise<void> {
    const asks = { kind: "turns", first: turn, count: 1, focus, at: moment.index } as const;
    const part = (await asking.ask("turns", asks))?.turns[0];
    if (part !== undefined && state.moment === moment) change({ moment: { ...moment, part, seq: -1 } });
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
      asking.post({ kind: "hello" });
    },
    asset: (name) => (state.live ? asking.asset(name) : Promise.resolve(null)),
    disconnect,
    turn(index) {
      const held = heldTurn(index);
      if (held === null && !asked.has(index) && state.live && scrubbing === null) {
        // The next ones are wanted soon.
        let count = 1;
        const most = state.moment === null ? 4 : 1;
        while (count < most && heldTurn(index + count) === null && !asked.has(index + count)) count += 1;
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
      const { moment } = state;
      const focus = Math.max(0, place.item);
      if (holds(heldTurn(place.turn))) return heldTurn(place.turn);
      if (moment?.part?.index === place.turn) await fetchEarlier(moment, place.turn, focus);
      else await fetchTurns(place.turn, 1, focus);
      return heldTurn(place.turn);
    },
    loadRows(position) {
      const first = Math.floor(position / 1000) * 1000;
      if (rowsAsked.has(first) || !state.live) return;
      rowsAsked.add(first);
      void asking.ask("rows", { kind: "rows", first }).then((answer) => {
        if (answer === null) return;
        const rows = [...state.rows];
        answer.rows.forEach((row, index) => {
          rows[answer.first + index] = row;
        });
        change({ rows });
      });
    },
    async search(what) {
      if (what !== null) {
        await searches.want(what);
        return;
      }
      searches.drop();
      change({ hits: null, current: -1 });
    },
    async loadHits(number) {
      const { hits } = state;
      const held = hits?.hits[number];
      if (held !== undefined || hits === null || hits.local || !state.live) return held ?? null;
      const first = Math.floor(number / HITS) * HITS;
      const answer = await asking.ask("hits", { kind: "search", ...hits.for, first });
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
    seek: (target) => (state.live ? seeks.want(target) : Promise.resolve(false)),
    leaveMoment() {
      scrubbing?.();
      scrubbing = null;
      if (state.moment !== null) change({ moment: null });
    },
    shows: turns.shows,
    async records(place, first) {
      if (!state.live) return null;
      const answer = await asking.ask("records", { kind: "records", ...bare(place), first });
      return answer === null ? null : { total: answer.total, records: answer.records };
    },
    async whole(place) {
      const held = turns.get(place.turn);
      const answer = state.live ? await asking.ask("item", { kind: "item", ...bare(place) }) : null;
      if (answer === null || held === undefined) return false;
      const put = place.after ? "after" : "items";
      const at = place.after ? place.item : place.item - held.offset;
      const list = held.turn[put].map((item, index) => (index === at ? answer.item : item));
      const terminals = { ...held.turn.terminals };
      for (const [id, output] of Object.entries(answer.terminals)) {
        const terminal = terminals[id];
        if (terminal !== undefined) terminals[id] = { ...terminal, output };
      }
      turns.keep({ ...held, turn: { ...held.turn, [put]: list, terminals } });
      tell();
      return true;
    },
    saved() {
      const { outline } = state;
      if (outline === null) return null;
      return { ...outline, window: turns.saved() };
    },
    dispose() {
      scrubbing?.();
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
