/** Messages that wait for the turn before them, above the composer: taken back, changed, moved, or sent at last. */

import { h, keyedList, setText, show, type View } from "../dom";
import type { Request } from "../store";
import type { Session, Turn } from "../wire";
import type { ViewContext } from "./context";
import { iconButton, textButton } from "./parts";
import { promptText } from "./prompt";

export interface QueueState {
  readonly session: Session | null;
  /** Absolute index of the first turn. */
  readonly first: number;
}

export interface QueueEntry {
  readonly turn: Turn;
  readonly index: number;
  /** Whether another one waits before it. */
  readonly movable: boolean;
}

type Ask = (message: Request, done?: () => void) => void;

/** A row, to which the part "queue" adds what changes and moves it. */
export interface QueueRow {
  readonly node: HTMLElement;
  readonly text: HTMLElement;
  readonly remove: HTMLElement;
  readonly ask: Ask;
  readonly at: () => QueueEntry;
  readonly words: () => string;
}

interface QueuePart {
  create(row: QueueRow): (entry: QueueEntry) => void;
}

export function createQueue(ctx: ViewContext, giveBack: (text: string) => void): View<QueueState> {
  const rows = h("ul", { class: "acp-queue-rows" });
  const word = h("span", {});
  const failure = h("span", { class: "acp-error-text", role: "alert" });
  const go = textButton("Send now", () => ask({ kind: "resume_queue" }));
  const node = h(
    "section",
    { class: "acp-queue", "aria-label": "Messages that wait", hidden: true },
    h("div", { class: "acp-queue-head acp-muted acp-small" }, word, failure, go),
    rows,
  );
  const list = keyedList<QueueEntry>(
    rows,
    (entry) => String(entry.index),
    () => createRow(ctx, ask, giveBack),
  );

  function ask(message: Request, done?: () => void): void {
    if (!ctx.live()) return;
    void ctx.request(message).then((error) => {
      setText(failure, error ?? "");
      if (error === null) done?.();
    });
  }

  return {
    node,
    update({ session, first }) {
      const entries: QueueEntry[] = [];
      session?.turns.forEach((turn, index) => {
        if (turn.status === "queued")
          entries.push({ turn, index: first + index, movable: entries.length > 0 });
      });
      list.update(entries);
      const status = session?.status;
      // After a stop, an error or a death nothing is sent unless the person says so.
      const rests = status === "ready" || status === "ended" || status === "idle";
      setText(word, rests ? "Not sent yet" : "After this turn");
      show(go, rests);
      show(node, entries.length > 0);
    },
    dispose: () => list.dispose(),
  };
}

function createRow(ctx: ViewContext, ask: Ask, giveBack: (text: string) => void): View<QueueEntry> {
  const text = h("span", { class: "acp-queue-text" });
  let entry: QueueEntry | null = null;
  let told: ((entry: QueueEntry) => void) | null = null;
  const at = (): QueueEntry => entry as QueueEntry;
  const words = (): string => promptText(at().turn.prompt);
  const remove = iconButton("cross", "Take back", () => {
    const said = words();
    ask({ kind: "unqueue", turn: at().index }, () => giveBack(said));
  });
  const node = h("li", { class: "acp-queue-row" }, text, remove);
  void ctx.hooks.load("queue").then((part) => {
    told = (part as QueuePart | null)?.create({ node, text, remove, ask, at, words }) ?? null;
    if (entry !== null) told?.(entry);
  });
  return {
    node,
    update(next) {
      entry = next;
      told?.(next);
      setText(text, words());
    },
    dispose: () => undefined,
  };
}
