/** What we do not know yet, shown as what it is: its name, and the raw message on demand. */

import { h, type View } from "../dom";
import { visible } from "../safe_text";
import type { Item } from "../wire";
import type { ViewContext } from "./context";
import { pretty } from "./describe";
import { icon } from "./icons";
import { createFold } from "./parts";
import type { ItemInTurn } from "./scope";

type UnknownItem = Extract<Item, { readonly raw: unknown }>;

const WORDS: Readonly<Record<string, string>> = { review: "Review" };

export function createUnknown(ctx: ViewContext): View<ItemInTurn<UnknownItem>> {
  let shown: UnknownItem | null = null;
  const name = h("span", { class: "acp-line-title" });
  const fold = createFold(ctx, "line acp-unknown", [icon("ask"), name], () => paint());

  function paint(): void {
    if (shown === null) return;
    fold.body.replaceChildren(
      h("pre", { class: "acp-pre", tabindex: "0" }, visible(pretty(shown.raw), { multiline: true })),
    );
  }

  return {
    node: fold.node,
    update({ item }) {
      if (shown === item) return;
      shown = item;
      name.replaceChildren(`${WORDS[item.kind] ?? "Not understood"}: `, h("code", {}, visible(item.name)));
      if (fold.open) paint();
    },
    dispose: () => undefined,
  };
}
