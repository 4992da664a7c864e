/**
 * The one JSON form of the folded state, and the messages between kernel and browser.
 *
 * `Session.to_json()` in Python produces these shapes; golden files under `tests/golden/` are read by
 * the tests of both languages. Everything an agent sent is text until shown otherwise: views put it
 * into the page with `textContent` only.
 */

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
  /** The last diffs seen in the call's own content; empty: look at its permissions. */
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
  readonly asked: number;
  readonly answered: number | null;
  /** What a rule of ours would cover if the answer were remembered; null: it cannot be. */
  readonly covers: string | null;
  /** For how long the person had us remember the answer. */
  readonly remembered: "chat" | "folder" | null;
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
    | { readonly kind: "elicitation" | "review" | "unknown"; readonly name: string; readonly raw: unknown }
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
  /** Counts of what was skipped or not understood, by name. */
  readonly unread: Readonly<Record<string, number>>;
  readonly exit: {
    readonly code: number | null;
    readonly signal: string | null;
    readonly stderr: string;
    readonly reason: string | null;
  } | null;
}

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

/** Kernel to browser. */
export type FromKernel =
  | { readonly kind: "patch"; readonly seq: number; readonly now: number; readonly ops: readonly Op[] }
  | ({ readonly kind: "state" } & Snapshot)
  | { readonly kind: "page"; readonly first: number; readonly turns: readonly Turn[] }
  /** Answer to a message with an `id`; `error` is a sentence for the person, or null. */
  | { readonly kind: "ack"; readonly id: string; readonly error: string | null }
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
  | { readonly kind: "send"; readonly id: string; readonly text: string }
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
  | { readonly kind: "cancel"; readonly id: string }
  | { readonly kind: "force_stop"; readonly id: string }
  | { readonly kind: "unqueue"; readonly id: string; readonly turn: number }
  | { readonly kind: "restart"; readonly id: string }
  | { readonly kind: "close"; readonly id: string }
  | { readonly kind: "page"; readonly before: number }
  | { readonly kind: "asset"; readonly name: string }
  /** The view wants all pieces of the static twin (it has none to build on). */
  | { readonly kind: "twin" };
