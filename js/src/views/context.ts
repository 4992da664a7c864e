/** What every view may ask for: the outside world of the picture, in one object. */

import type { Markdown } from "../markdown";
import type { Reply, Request } from "../store";
import type { ChatInfo, Turn } from "../wire";
import type { Reading } from "./reading";
import type { Ticker } from "./ticker";

/** What the place that shows the chat can do; all optional but `load`. */
export interface Hooks {
  /** Puts code into a new notebook cell below; absent where there is no notebook. */
  readonly insertCell?: ((source: string, language: string) => void) | undefined;
  /** Gives the focus back to the notebook (Esc). */
  readonly focusNotebook?: (() => void) | undefined;
  /** Brings a lazily loaded part of the bundle, e.g. "math". */
  readonly load: (name: string) => Promise<unknown>;
}

export interface ViewContext {
  readonly info: ChatInfo | null;
  readonly hooks: Hooks;
  readonly reading: Reading;
  readonly ticker: Ticker;
  /** The root that holds the focus: a shadow root, or the document in tests. */
  readonly root: ShadowRoot | Document;
  /** The transcript's clock, seconds. */
  now(): number;
  /** When the last record was made, on that clock. */
  heard(): number;
  cwd(): string | null;
  agentName(): string;
  /** The absolute index of a turn that is shown; -1 for what came before the first prompt. */
  readonly turnIndex?: (turn: Turn) => number;
  /** Whether answers and prompts can reach the kernel. */
  live(): boolean;
  /** Sends and waits: null when the kernel took it, else a sentence for the person. */
  request(message: Request): Promise<string | null>;
  /** The same, with what was asked for. */
  query(message: Request): Promise<Reply>;
  markdown(host: HTMLElement): Markdown;
  /** Where the focus goes after an answer: the next waiting card, else the composer. */
  focusNext(): void;
  /** Says a sentence to screen readers at once. */
  announce(sentence: string): void;
}

/** The element with the focus inside the root, if any. */
export function focused(ctx: ViewContext): Element | null {
  return ctx.root.activeElement;
}

export function holdsFocus(ctx: ViewContext, node: Node): boolean {
  const active = focused(ctx);
  return active !== null && node.contains(active);
}
