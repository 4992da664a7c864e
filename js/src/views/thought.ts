/** Thought: one line, "Thought for 4 s", that opens in place. It is never opened or closed for the person. */

import { h, setText, type View } from "../dom";
import { createBlockFlow, type TextItem } from "./agent_message";
import type { ViewContext } from "./context";
import { icon } from "./icons";
import { createFold } from "./parts";
import type { ItemInTurn } from "./scope";
import { duration, passed } from "./words";

export function createThought(ctx: ViewContext): View<ItemInTurn<TextItem>> {
  const label = h("span", { class: "acp-line-title" });
  const seconds = h("span", { class: "acp-muted", "aria-hidden": "true" });
  const fold = createFold(ctx, "line acp-thought", [icon("think"), label, seconds], () => paint());
  const flow = createBlockFlow(ctx, fold.body);
  let shown: TextItem | null = null;
  let stop: (() => void) | null = null;
  let ran = false;

  function paint(): void {
    if (shown !== null) flow.update(shown.blocks, ran);
  }

  return {
    node: fold.node,
    update({ item, growing }) {
      const running = item.streaming && growing;
      if (shown === item && ran === running) return;
      shown = item;
      ran = running;
      fold.node.classList.toggle("acp-running", running);
      if (running && stop === null) {
        setText(label, "Thinking");
        stop = ctx.ticker.start(() => setText(seconds, passed(ctx.now() - item.started)));
      } else if (!running) {
        stop?.();
        stop = null;
        const took = (item.ended ?? item.started) - item.started;
        setText(label, took < 0.95 ? "Thought" : `Thought for ${duration(took)}`);
        setText(seconds, "");
      }
      if (fold.open) paint();
    },
    dispose() {
      stop?.();
      flow.dispose();
    },
  };
}
