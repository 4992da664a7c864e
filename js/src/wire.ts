/**
 * The one JSON form of the folded state, and the messages between kernel and browser.
 *
 * `Session.to_json()` in Python produces these shapes; golden files under `tests/golden/` are read by
 * the tests of both languages. Everything an agent sent is text until shown otherwise: views put it
 * into the page with `textContent` only.
 */

import type { Auth } from "./wire_auth";

/** A content block of the protocol in snake_case; block types we do not know keep their `raw` form. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mime_type: string; readonly data: string; readonly uri: string | null }
  | { readonly type: "audio"; readonly mime_type: string; readonly data: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly title: string | null;
      readonly description: string | null;
      readonly mime_type: string | null;
      readonly size: number | null;
    }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mime_type: string | null;
      readonly text: string | null;
      readonly blob: string | null;
    }
  | { readonly type: string; readonly raw: unknown };

/** What a tool call's `content` list holds; `diff` points into the call's (or permission's) `diffs`. */
export type Content =
  | { readonly type: "content"; readonly block: Block }
  | { readonly type: "diff"; readonly diff: number }
  | { readonly type: "terminal"; readonly terminal_id: string }
  | { readonly type: string; readonly raw: unknown };

/** `old_text` is null for a new file. `path` stands as the agent sent it. */
export interface Diff {
  readonly path: string;
  readonly old_text: string | null;
  readonly new_text: string;
}

export interface Location {
  readonly path: string;
  readonly line: number | null;
}

export type CallState =
  | "approval-requested"
  | "output-denied"
  | "output-available"
  | "output-error"
  | "stopped"
  | "approval-responded"
  | "input-available";

export interface ToolCall {
  readonly id: string;
  readonly name: string | null;
  /** `name`, else `kind`, else `title`: what rules and short messages use. */
  readonly tool_name: string;
  readonly title: string | null;
  readonly kind: string | null;
  /** The agent's word, also one that the protocol does not know. */
  readonly status: string | null;
  readonly state: CallState;
  readonly content: readonly Content[];
  /** The last diffs seen in the call's own content, and what it wrote without showing it; empty: look at its permissions. */
  readonly diffs: readonly Diff[];
  readonly locations: readonly Location[];
  readonly raw_input: unknown;
  readonly raw_output: unknown;
  /** Keys into `Turn.permissions`, oldest first. */
  readonly permissions: readonly string[];
  /** Keys into `Turn.terminals`. */
  readonly terminals: readonly string[];
}

export interface PermissionOption {
  readonly id: string;
  readonly name: string;
  /** allow_once, allow_always, reject_once, reject_always, or a word the protocol does not know. */
  readonly kind: string;
}

export interface Permission {
  readonly key: string;
  readonly request_id: number | string;
  readonly session_id: string | null;
  readonly tool_call_id: string | null;
  readonly title: string | null;
  readonly kind: string | null;
  readonly content: readonly Content[];
  readonly diffs: readonly Diff[];
  readonly locations: readonly Location[];
  readonly raw_input: unknown;
  readonly options: readonly PermissionOption[];
  readonly outcome: "selected" | "cancelled" | null;
  readonly option_id: string | null;
  /** person | the rule's name | policy | cancel; null while it waits. */
  readonly decided_by: string | null;
  /** Its diffs by hunk, once they have been compared with the files. */
  readonly review?: Review | null;
  readonly asked: number;
  readonly answered: number | null;
  /** What a rule of ours would cover if the answer were remembered; null: it cannot be. */
  readonly covers: string | null;
  /** For how long the person had us remember the answer. */
  readonly remembered: "chat" | "folder" | null;
}

/** One change within a file; texts keep their line ends. */
export interface Hunk {
  /** Its number over all files of the review; what `apply` takes. */
  readonly index: number;
  readonly path: string;
  /** First line in the file before and after all hunks, from 1. */
  readonly line: number;
  readonly new_line: number;
  readonly old: string;
  readonly new: string;
  /** Unchanged lines around it. */
  readonly before: string;
  readonly after: string;
}

/** An edit that may be accepted in parts. */
export interface Review {
  /** For one beside a permission, the permission's. */
  readonly key: string;
  readonly way: "permission" | "write" | "take_back";
  readonly call_id: string | null;
  readonly files: readonly {
    readonly path: string;
    readonly kind: "change" | "create" | "delete";
    readonly hunks: readonly Hunk[];
    /** Why this file has no hunks. */
    readonly problem: string | null;
    /** What is in it already of an edit reviewed before. */
    readonly earlier: string | null;
  }[];
  readonly outcome: "applied" | "refused" | "cancelled" | null;
  /** Indices of the hunks that were written (or taken back). */
  readonly chosen: readonly number[];
  readonly decided_by: string | null;
  /** Why the last try to write failed. */
  readonly problem: string | null;
}

export interface Terminal {
  readonly id: string;
  readonly command: string | null;
  readonly args: readonly string[];
  readonly cwd: string | null;
  /** The kept tail, escape sequences included. */
  readonly output: string;
  readonly truncated: boolean;
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** Whether the command has ended (exit code or signal may still be unknown). */
  readonly exited: boolean;
  readonly released: boolean;
}

export interface PlanEntry {
  readonly content: string;
  readonly priority: string | null;
  readonly status: string | null;
}

interface ItemTimes {
  /** Seconds on the transcript's clock (`t` of the records). */
  readonly started: number;
  readonly ended: number | null;
}

export type Item = ItemTimes &
  (
    | {
        readonly kind: "user" | "message" | "thought";
        readonly blocks: readonly Block[];
        readonly streaming: boolean;
        readonly message_id: string | null;
      }
    | { readonly kind: "tool_call"; readonly call: ToolCall }
    | {
        readonly kind: "plan";
        readonly plan_id: string | null;
        readonly entries: readonly PlanEntry[];
        /** A plan sent as Markdown (`plan_update`), else null. */
        readonly text: string | null;
        readonly uri: string | null;
      }
    | {
        readonly kind: "notice";
        readonly severity: string;
        readonly title: string;
        readonly description: string | null;
      }
    | { readonly kind: "review"; readonly review: Review }
    | { readonly kind: "elicitation" | "unknown"; readonly name: string; readonly raw: unknown }
  );

export type TurnStatus = "queued" | "submitted" | "streaming" | "ready" | "error";

export interface Turn {
  readonly session_id: string | null;
  readonly prompt: readonly Block[];
  readonly items: readonly Item[];
  /** What came after the turn had ended. */
  readonly after: readonly Item[];
  readonly permissions: readonly Permission[];
  readonly terminals: Readonly<Record<string, Terminal>>;
  readonly usage: Readonly<Record<string, number>> | null;
  readonly cost: { readonly amount: number; readonly currency: string } | null;
  readonly stop_reason: string | null;
  readonly status: TurnStatus;
  readonly active: boolean;
  readonly error: string | null;
  readonly cancel_requested: boolean;
  readonly replayed: boolean;
  /** A replay of what stands in the records already: not drawn. */
  readonly told: boolean;
  readonly started: number | null;
  readonly ended: number | null;
}

export interface ConfigChoice {
  readonly value: string;
  readonly name: string;
  readonly description: string | null;
  readonly group: string | null;
}

export interface ConfigOption {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly type: string;
  readonly value: string | boolean | null;
  readonly choices: readonly ConfigChoice[];
}

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

export interface Agent {
  readonly name: string | null;
  readonly title: string | null;
  readonly version: string | null;
  readonly command: readonly string[];
  readonly protocol_version: number | null;
  /** As advertised; what is absent is unsupported. */
  readonly capabilities: unknown;
  readonly auth_methods: readonly unknown[];
}

/**
 * idle: nothing started. starting: process or session on its way. ready: a prompt can be sent.
 * working: a turn runs. waiting: a permission waits for a person. stopping: cancel was sent.
 * ended: the process is gone or the chat was closed (`exit` says how).
 */
export type SessionStatus = "idle" | "starting" | "ready" | "working" | "waiting" | "stopping" | "ended";

export interface Session {
  readonly version: 1;
  readonly session_id: string | null;
  readonly status: SessionStatus;
  readonly agent: Agent | null;
  /** Signing in; null: neither offered nor needed. Absent in notebooks saved by the first version. */
  readonly auth?: Auth | null;
  readonly cwd: string | null;
  readonly title: string | null;
  /** What a start waits for: "spawn" or a method's name; null if nothing starts. */
  readonly waits_for: string | null;
  /** When the start that is on its way began. */
  readonly since: number | null;
  readonly commands: readonly {
    readonly name: string;
    readonly description: string;
    readonly hint: string | null;
  }[];
  readonly modes: readonly Named[];
  readonly mode: string | null;
  readonly options: readonly ConfigOption[];
  readonly models: { readonly current: string | null; readonly available: readonly Named[] } | null;
  readonly context: {
    readonly used: number | null;
    readonly size: number | null;
    readonly cost: { readonly amount: number; readonly currency: string } | null;
  } | null;
  /** What came before the first prompt, as a turn without a prompt; null if nothing did. */
  readonly preamble: Turn | null;
  /** Closed turns, then the current one, then queued ones. */
  readonly turns: readonly Turn[];
  /** Subagent sessions by id. */
  readonly children: Readonly<Record<string, Session>>;
  readonly warnings: readonly string[];
  /** What the agent is told with the next prompt about reviews. */
  readonly reports?: readonly { readonly key: string; readonly text: string }[];
  /** Counts of what was skipped or not understood, by name. */
  readonly unread: Readonly<Record<string, number>>;
  readonly exit: {
    readonly code: number | null;
    readonly signal: string | null;
    readonly stderr: string;
    readonly reason: string | null;
  } | null;
}

export type {
  ChatInfo,
  FromKernel,
  Op,
  Path,
  SessionList,
  Snapshot,
  ToKernel,
  WireEntries,
} from "./messages";
