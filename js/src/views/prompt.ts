/** The person's words, set off by a light ground; what they attached as chips. */

import { h, setText, show, type View } from "../dom";
import type { Block } from "../wire";
import { blockNode } from "./blocks";
import type { ViewContext } from "./context";

export function createPrompt(ctx: ViewContext): View<readonly Block[]> {
  const text = h("div", { class: "acp-prompt-text" });
  const chips = h("div", { class: "acp-chips" });
  const node = h("div", { class: "acp-prompt" }, h("span", { class: "acp-sr-only" }, "You: "), text, chips);
  let shown: readonly Block[] | null = null;
  return {
    node,
    update(blocks) {
      if (shown === blocks) return;
      shown = blocks;
      setText(text, promptText(blocks));
      const others = blocks.filter((block) => !(block.type === "text" && "text" in block));
      chips.replaceChildren(...others.map((block) => blockNode(ctx, block)));
      show(text, text.textContent !== "");
      show(chips, others.length > 0);
    },
    dispose: () => undefined,
  };
}

export function promptText(blocks: readonly Block[]): string {
  return blocks
    .map((block) => (block.type === "text" && "text" in block ? block.text : null))
    .filter((text) => text !== null)
    .join("\n");
}
