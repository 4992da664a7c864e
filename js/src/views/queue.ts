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

interface Entry {
  readonly turn: Turn;
  readonly index: number;
  /** Whether another one waits before it. */
  readonly movable: boolean;
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
  const list = keyedList<Entry>(
    rows,
    (entry) => String(entry.index),
    () => createRow(ask, giveBack),
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
      const entries: Entry[] = [];
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

function createRow(
  ask: (message: Request, done?: () => void) => void,
  giveBack: (text: string) => void,
): View<Entry> {
  const text = h("span", { class: "acp-queue-text" });
  const box = h("textarea", {
    class: "acp-queue-box",
    rows: "1",
    "aria-label": "Text of the waiting message",
    hidden: true,
  });
  let entry: Entry | null = null;
  const words = (): string => (entry === null ? "" : promptText(entry.turn.prompt));
  const on = (run: (at: Entry) => void) => () => {
    if (entry !== null) run(entry);
  };
  const up = iconButton(
    "send",
    "Move up",
    on(({ index }) => ask({ kind: "move", turn: index, to: index - 1 })),
  );
  const edit = iconButton("edit", "Change", () => {
    box.value = words();
    editing(true);
    box.focus({ preventScroll: true });
  });
  const remove = iconButton(
    "cross",
    "Take back",
    on(({ index }) => {
      const said = words();
      ask({ kind: "unqueue", turn: index }, () => giveBack(said));
    }),
  );

  function editing(is: boolean): void {
    show(box, is);
    show(text, !is);
  }

  box.addEventListener("keydown", (event) => {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape") || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter" && entry !== null) ask({ kind: "edit", turn: entry.index, text: box.value });
    editing(false);
    edit.focus({ preventScroll: true });
  });
  return {
    node: h("li", { class: "acp-queue-row" }, text, box, up, edit, remove),
    update(next) {
      entry = next;
      show(up, next.movable);
      setText(text, words());
    },
    dispose: () => undefined,
  };
}
