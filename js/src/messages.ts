/** The messages between kernel and browser, and the steps of a patch; re-exported by `wire.ts`. */

import type { Session, Turn } from "./wire";

/** One step of a patch. Paths lead through the JSON form of `Session`; turn indices are absolute. */
export type Path = readonly (string | number)[];
export type Op =
  | readonly ["set", Path, unknown]
  /** Append text to the string at the path. */
  | readonly ["app", Path, string]
  /** Drop that many UTF-16 units from the start of the string at the path. */
  | readonly ["trim", Path, number]
  /** Append values to the list at the path. */
  | readonly ["push", Path, readonly unknown[]]
  /** Cut the list at the path to this length. */
  | readonly ["cut", Path, number]
  | readonly ["del", Path];

/** What the `state` trait and a `state` message hold. `turns` in it start at absolute index `first`. */
export interface Snapshot {
  readonly seq: number;
  /** The transcript's clock when this was sent, seconds. */
  readonly now: number;
  /** When the last record was made, on that clock. Absent in notebooks saved by the first version. */
  readonly heard?: number;
  readonly first: number;
  readonly session: Session;
}

/** Facts of the chat that do not come from records and never change while it lives. */
export interface ChatInfo {
  readonly chat_id: string;
  /** CSS length for the frame's greatest height, or null for the default. */
  readonly height: string | null;
  /** True for the built-in demo agent in its scratch folder. */
  readonly demo: boolean;
  /** What the agent may do here, in short lines for the empty chat. */
  readonly allowed: readonly string[];
  /** Prompts to try, for the empty chat. */
  readonly suggestions: readonly string[];
}

/** What the session picker shows. */
export interface SessionList {
  readonly current: string | null;
  /** What the agent has advertised: load, resume, fork, list, close, delete. */
  readonly able: readonly string[];
  readonly sessions: readonly {
    readonly id: string;
    readonly title: string | null;
    readonly cwd: string | null;
    /** ISO 8601. */
    readonly updated: string | null;
    /** record: only a transcript of ours tells of it. */
    readonly source: "agent" | "record";
  }[];
}

/** A part of the wire log, newest last. */
export interface WireEntries {
  /** Index of the first of them among all records. */
  readonly first: number;
  readonly entries: readonly { readonly t: number; readonly dir: string; readonly json: string }[];
}

/** Kernel to browser. */
export type FromKernel =
  | {
      readonly kind: "patch";
      readonly seq: number;
      readonly now: number;
      readonly heard?: number;
      readonly ops: readonly Op[];
    }
  | ({ readonly kind: "state" } & Snapshot)
  | { readonly kind: "page"; readonly first: number; readonly turns: readonly Turn[] }
  /** Answer to a message with an `id`; `error` is a sentence for the person, or null. */
  | {
      readonly kind: "ack";
      readonly id: string;
      readonly error: string | null;
      /** What was asked for, if the message asked for something. */
      readonly data?: unknown;
    }
  /** Source of a lazily loaded part (an ES module); null: there is none. */
  | { readonly kind: "asset"; readonly name: string; readonly source: string | null }
  | {
      readonly kind: "twin";
      /** Forget the pieces held so far. */
      readonly reset: boolean;
      readonly head: string;
      readonly tail: string;
      /** Index of the first turn that still fits; earlier pieces are left out. */
      readonly first: number;
      readonly pieces: readonly { readonly turn: number; readonly html: string; readonly markdown: string }[];
    };

/** Browser to kernel. Every message with an `id` is answered by one `ack`. */
export type ToKernel =
  /** A model has started in a browser and holds this state (-1: none). Answered by `state` if older. */
  | { readonly kind: "hello"; readonly seq: number; readonly writes_twin: boolean }
  | { readonly kind: "resync"; readonly seq: number }
  /** `now`: the running turn is stopped for it. */
  | { readonly kind: "send"; readonly id: string; readonly text: string; readonly now?: boolean }
  | {
      readonly kind: "answer";
      readonly id: string;
      readonly permission: string;
      readonly option: string;
      /** Allow once, and remember it: for this chat, or for this folder. `option` is then not looked at. */
      readonly remember?: "chat" | "folder";
    }
  | {
      readonly kind: "answer_question";
      readonly id: string;
      /** `key` in the `raw` of an elicitation. */
      readonly question: string;
      readonly action: "accept" | "decline" | "cancel";
      /** Answers of a form by property name; checked against the schema by the kernel. */
      readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
    }
  /** Chosen hunks of a review by index; none refuses it. `stop`: the turn is stopped afterwards. */
  | {
      readonly kind: "apply";
      readonly id: string;
      readonly review: string;
      readonly chosen: readonly number[];
      readonly stop: boolean;
    }
  /** Opens a review of a finished edit; `turn` is the index of the call's turn. */
  | { readonly kind: "take_back"; readonly id: string; readonly turn: number; readonly call: string }
  /** Takes a report out of the next prompt. */
  | { readonly kind: "untell"; readonly id: string; readonly report: string }
  | { readonly kind: "cancel"; readonly id: string }
  | { readonly kind: "force_stop"; readonly id: string }
  | { readonly kind: "unqueue"; readonly id: string; readonly turn: number }
  /** A queued prompt goes to another place in the queue; both are indices of turns. */
  | { readonly kind: "move"; readonly id: string; readonly turn: number; readonly to: number }
  | { readonly kind: "edit"; readonly id: string; readonly turn: number; readonly text: string }
  /** The queue goes on that waits after a cancel or an error. */
  | { readonly kind: "resume_queue"; readonly id: string }
  /** `name` is the id of a config option. */
  | {
      readonly kind: "set";
      readonly id: string;
      readonly what: "option" | "mode" | "model";
      readonly name?: string;
      readonly value: string | boolean;
    }
  /** Answered with `SessionList` as the `data` of its `ack`. */
  | { readonly kind: "sessions"; readonly id: string }
  | {
      readonly kind: "session";
      readonly id: string;
      readonly act: "new" | "open" | "fork" | "close" | "delete";
      readonly session?: string;
    }
  | {
      readonly kind: "sign_in";
      readonly id: string;
      readonly method: string;
      /** What the person typed, by the names of the method's fields. */
      readonly values?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "sign_out"; readonly id: string }
  /** Answered with `WireEntries` as the `data` of its `ack`: the newest after the first `after` records. */
  | { readonly kind: "wire_log"; readonly id: string; readonly after: number }
  | { readonly kind: "restart"; readonly id: string }
  | { readonly kind: "close"; readonly id: string }
  | { readonly kind: "page"; readonly before: number }
  | { readonly kind: "asset"; readonly name: string }
  /** The view wants all pieces of the static twin (it has none to build on). */
  | { readonly kind: "twin" };
