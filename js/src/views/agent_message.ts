/** AgentMessage: the agent's running text as Markdown, with its images and links in order. */

import { h, type View } from "../dom";
import type { Markdown } from "../markdown";
import type { Block, Item } from "../wire";
import { blockNode } from "./blocks";
import type { ViewContext } from "./context";
import type { ItemInTurn } from "./scope";

export type TextItem = Extract<Item, { readonly kind: "user" | "message" | "thought" }>;

interface Part {
  readonly block: Block;
  readonly done: boolean;
  readonly node: HTMLElement;
  readonly markdown: Markdown | null;
}

/** Blocks one below the other; a block that has not changed is not touched. */
export function createBlockFlow(
  ctx: ViewContext,
  host: HTMLElement,
): { update(blocks: readonly Block[], streaming: boolean): void; dispose(): void } {
  let parts: readonly Part[] = [];

  function drop(part: Part): void {
    part.markdown?.dispose();
    part.node.remove();
  }

  function draw(old: Part | undefined, block: Block, done: boolean): Part {
    const text = block.type === "text" && "text" in block ? block.text : null;
    if (text !== null && old !== undefined && old.markdown !== null) {
      old.markdown.update(text, done);
      return { ...old, block, done };
    }
    const node = h("div", { class: text === null ? "acp-block" : "acp-markdown" });
    const markdown = text === null ? null : ctx.markdown(node);
    if (text === null) node.append(blockNode(ctx, block));
    else markdown?.update(text, done);
    if (old === undefined) host.append(node);
    else old.node.before(node);
    if (old !== undefined) drop(old);
    return { block, done, node, markdown };
  }

  return {
    update(blocks, streaming) {
      const before = parts;
      parts = blocks.map((block, index) => {
        const done = !(streaming && index === blocks.length - 1);
        const old = before[index];
        return old?.block === block && old.done === done ? old : draw(old, block, done);
      });
      for (const part of before.slice(parts.length)) drop(part);
    },
    dispose() {
      for (const part of parts) drop(part);
      parts = [];
    },
  };
}

export function createAgentMessage(ctx: ViewContext): View<ItemInTurn<TextItem>> {
  const node = h("div", { class: "acp-message" });
  const flow = createBlockFlow(ctx, node);
  let shown: TextItem | null = null;
  let grew = false;
  return {
    node,
    update({ item, growing }) {
      if (shown === item && grew === growing) return;
      shown = item;
      grew = growing;
      // A text counts as streaming until its turn ends; once something follows, it stands.
      const streaming = item.streaming && growing;
      // Screen readers wait until the text stands still instead of reading every piece of it.
      node.setAttribute("aria-busy", String(streaming));
      flow.update(item.blocks, streaming);
    },
    dispose: () => flow.dispose(),
  };
}
