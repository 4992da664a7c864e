/** The view for an item of any kind. */

import { h, type View } from "../dom";
import type { Item } from "../wire";
import { createAgentMessage } from "./agent_message";
import type { ViewContext } from "./context";
import { createNotice } from "./notice";
import { createPlan } from "./plan";
import { createPrompt } from "./prompt";
import { createQuestion } from "./question";
import { createReview } from "./review";
import type { ItemInTurn } from "./scope";
import { createThought } from "./thought";
import { createToolCall, type ToolCallView } from "./tool_call";
import { createUnknown } from "./unknown";

export interface ItemView extends View<ItemInTurn> {
  /** Opens what hides the item's content. */
  open?: (() => void) | undefined;
}

export function createItem(ctx: ViewContext, item: Item): ItemView {
  const view = byKind(ctx, item) as ItemView & Partial<ToolCallView>;
  const node = h("div", { class: `acp-item acp-item-${item.kind}` }, view.node);
  return { node, update: (value) => view.update(value), dispose: () => view.dispose(), open: view.open };
}

function byKind(ctx: ViewContext, item: Item): View<never> {
  switch (item.kind) {
    case "message":
      return createAgentMessage(ctx);
    case "thought":
      return createThought(ctx);
    case "tool_call":
      return createToolCall(ctx);
    case "plan":
      return createPlan(ctx);
    case "notice":
      return createNotice();
    case "user":
      return userItem(ctx);
    case "elicitation":
      return createQuestion(ctx);
    case "review":
      // Static copies of older kernels may hold another form.
      return "review" in item ? createReview(ctx) : createUnknown(ctx);
    default:
      // Also kinds that a newer kernel may know: they carry `raw` or are shown whole.
      return createUnknown(ctx);
  }
}

function userItem(
  ctx: ViewContext,
): View<ItemInTurn<Extract<Item, { readonly kind: "user" | "message" | "thought" }>>> {
  const prompt = createPrompt(ctx);
  return { ...prompt, update: ({ item }) => prompt.update(item.blocks) };
}
