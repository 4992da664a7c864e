/** What the explorer's views draw, and what they may ask of the store. */

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
export interface Moment
  extends Pick<MomentMessage, "seq" | "index" | "t" | "x" | "next" | "count" | "status" | "place"> {
  readonly part: TurnPart | null;
  readonly others: ReadonlyMap<number, TurnPart>;
  /** Another one for each time that somebody went to a moment. */
  readonly visit: number;
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
  /** Calls after some seconds; gives the way to take it back. */
  later?(seconds: number, callback: () => void): () => void;
}

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
