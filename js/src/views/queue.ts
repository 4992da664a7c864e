/** Messages that wait for the turn before them, above the composer; each can be taken back. */

import { h, keyedList, setText, show, type View } from "../dom";
import type { Turn } from "../wire";
import type { ViewContext } from "./context";
import { iconButton } from "./parts";
import { promptText } from "./prompt";

export interface QueueState {
  readonly turns: readonly Turn[];
  /** Absolute index of the first turn. */
  readonly first: number;
}

interface Entry {
  readonly turn: Turn;
  readonly index: number;
}

export function createQueue(ctx: ViewContext, giveBack: (text: string) => void): View<QueueState> {
  const rows = h("ul", { class: "acp-queue-rows" });
  const node = h(
    "section",
    { class: "acp-queue", "aria-label": "Sent after this turn", hidden: true },
    h("div", { class: "acp-muted acp-small" }, "After this turn"),
    rows,
  );
  const list = keyedList<Entry>(
    rows,
    (entry) => String(entry.index),
    () => createRow(ctx, giveBack),
  );
  return {
    node,
    update({ turns, first }) {
      const entries: Entry[] = [];
      turns.forEach((turn, index) => {
        if (turn.status === "queued") entries.push({ turn, index: first + index });
      });
      list.update(entries);
      show(node, entries.length > 0);
    },
    dispose: () => list.dispose(),
  };
}

function createRow(ctx: ViewContext, giveBack: (text: string) => void): View<Entry> {
  const text = h("span", { class: "acp-queue-text" });
  const failure = h("span", { class: "acp-error-text", role: "alert" });
  let entry: Entry | null = null;
  const remove = iconButton("cross", "Take back", () => {
    if (entry === null || !ctx.live()) return;
    const words = promptText(entry.turn.prompt);
    void ctx.request({ kind: "unqueue", turn: entry.index }).then((error) => {
      setText(failure, error ?? "");
      if (error === null) giveBack(words);
    });
  });
  return {
    node: h("li", { class: "acp-queue-row" }, text, failure, remove),
    update(next) {
      entry = next;
      setText(text, promptText(next.turn.prompt));
    },
    dispose: () => undefined,
  };
}
