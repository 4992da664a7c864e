/**
 * The messages between the explorer and its kernel side (`acp_notebook/_explore/`). Turns and items have the
 * one JSON form of `../wire`, cut to a bounded size.
 */
import type { Item, Turn } from "../wire";

export interface Times {
  readonly model: number;
  readonly tools: number;
  readonly waiting: number;
}

export type SpanKind = keyof Times;

/** Which turn it is: of the session itself, or of a subagent's session that goes by `session`. */
export interface Numbered {
  /** Counted from 1 in its session; 0: what came before the first prompt. */
  readonly number: number;
  readonly session: string | null;
}

/** One turn in the outline. Everywhere else turns are named by their position in there. */
export interface Row extends Times, Numbered {
  readonly title: string;
  readonly status: string;
  /** Where it begins on the axis, seconds. */
  readonly x: number;
  /** Index of its first record. */
  readonly record: number;
  readonly items: number;
  /** Characters of its messages. */
  readonly chars: number;
  readonly calls: number;
  readonly failed: number;
  readonly edits: number;
  /** As the agent counts them; 0 if it does not say. */
  readonly tokens: number;
  readonly cost: { readonly amount: number; readonly currency: string } | null;
}

/** A tool's calls; seconds that they took, and for which a person was waited for. */
export interface ToolUse {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
  readonly working: number;
  readonly waiting: number;
}

/** How many calls name a file, and how many of them change something. */
export interface FileUse {
  readonly path: string;
  readonly calls: number;
  readonly edits: number;
}

/** A turn, or the part of a long one that begins at the item `offset`. */
export interface TurnPart extends Numbered {
  readonly index: number;
  readonly turn: Turn;
  readonly offset: number;
  /** Items of the whole turn. */
  readonly total: number;
  /** Characters that were cut from its texts. */
  readonly left_out: number;
}

/** What the `state` trait holds. */
export interface Outline {
  readonly version: 1;
  /** False while records are still being read. */
  readonly ready: boolean;
  readonly read: number;
  readonly records: number;
  readonly id: string;
  readonly warnings: readonly string[];
  /** Whether no turn was still running at the end of the records. */
  readonly complete: boolean;
  readonly agent: string;
  readonly title: string | null;
  readonly cwd: string | null;
  /** What failed, the waiting, the files, as one line. */
  readonly line: string;
  readonly times: Times;
  /** Seconds on the axis: the clock with the pauses between turns cut short. */
  readonly length: number;
  /** Rectangles: from and to on the axis, what, from and to of the strip's height (0 to 1). */
  readonly strip: readonly (readonly [number, number, SpanKind, number, number])[];
  /** The first rows; `turns` of them in all. */
  readonly rows: readonly Row[];
  readonly turns: number;
  /** Of all turns, as `costs` by currency. */
  readonly tokens: number;
  readonly costs: Readonly<Record<string, number>>;
  /** More than one if the records tell of subagents or of several sessions. */
  readonly sessions: readonly { readonly id: string; readonly label: string; readonly turns: number }[];
  /** Those that took longest, and those that were touched most; of the files `file_uses_count` in all. */
  readonly tool_uses: readonly ToolUse[];
  readonly file_uses: readonly FileUse[];
  readonly file_uses_count: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly files: readonly { readonly path: string; readonly edits: number; readonly done: number }[];
  readonly file_count: number;
  readonly window: readonly TurnPart[];
}

export interface Place {
  readonly turn: number;
  /** -1: the turn itself. */
  readonly item: number;
  readonly after: boolean;
}

export interface Hit extends Place, Numbered {
  readonly record: number;
  readonly kind: string;
  readonly status: string | null;
  readonly title: string;
  readonly snippet: string;
}

export interface RawRecord {
  readonly index: number;
  readonly t: number;
  readonly dir: string;
  readonly text: string;
  readonly left_out: number;
}

export interface MomentMessage {
  readonly kind: "moment";
  readonly id: string;
  /** The moment that this one builds on; -1: on none. */
  readonly base: number;
  readonly seq: number;
  /** How many records had come. */
  readonly index: number;
  readonly t: number;
  readonly x: number;
  /** Where the next record lies on the axis; null at the end. */
  readonly next: number | null;
  /** How many turns there were. */
  readonly count: number;
  readonly status: string;
  /** The turn that the last record was about; -1: there was none yet. */
  readonly place: number;
  readonly turn:
    | (Omit<TurnPart, "turn"> & {
        /** Without its items: the first `keep` are those of the moment before, `items` follow. */
        readonly turn: Turn;
        readonly keep: number;
        readonly items: readonly Item[];
      })
    | null;
  /** Turns in the window that then were not what they are at the end, and prompts that waited. */
  readonly others: readonly TurnPart[];
}

export type FromKernel =
  | { readonly kind: "outline"; readonly state: Outline }
  | { readonly kind: "asset"; readonly name: string; readonly source: string | null }
  | { readonly kind: "rows"; readonly id: string; readonly first: number; readonly rows: readonly Row[] }
  | {
      readonly kind: "turns";
      readonly id: string;
      readonly at: number | null;
      readonly turns: readonly (TurnPart & { readonly final: boolean })[];
    }
  | {
      readonly kind: "item";
      readonly id: string;
      readonly item: Item;
      /** Whole outputs of the terminals that it shows. */
      readonly terminals: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "hits";
      readonly id: string;
      /** -1: records are still being read. */
      readonly total: number;
      readonly first: number;
      readonly hits: readonly Hit[];
      readonly words?: readonly string[];
    }
  | MomentMessage
  | {
      readonly kind: "records";
      readonly id: string;
      readonly total: number;
      readonly first: number;
      readonly records: readonly RawRecord[];
    }
  | { readonly kind: "failed"; readonly id: string | null; readonly error: string };

export interface SearchFor {
  readonly text: string;
  readonly kinds: readonly string[];
  readonly statuses: readonly string[];
  /** By their ids. */
  readonly sessions: readonly string[];
  /** Only calls that change this file. */
  readonly path: string | null;
}

/** Where to go: one of the four. */
export type Target =
  | { readonly x: number }
  | { readonly index: number }
  | { readonly turn: number }
  | (Place & { readonly item: number });

/** Questions (those with an id) also say `near`, see `asking.ts`. */
export type ToKernel =
  | { readonly kind: "hello" }
  | { readonly kind: "asset"; readonly name: string }
  | { readonly kind: "rows"; readonly id: string; readonly first: number }
  | {
      readonly kind: "turns";
      readonly id: string;
      readonly first: number;
      readonly count: number;
      readonly at?: number;
      readonly focus?: number;
    }
  | ({ readonly kind: "item"; readonly id: string; readonly at?: number } & Place)
  | ({ readonly kind: "search"; readonly id: string; readonly first: number } & SearchFor)
  | ({
      readonly kind: "seek";
      readonly id: string;
      readonly have: number;
      readonly first: number;
      readonly last: number;
    } & Target)
  | ({ readonly kind: "records"; readonly id: string; readonly first: number } & Place);
