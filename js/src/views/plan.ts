/** The agent's plan: its entries with their states, kept at its first place in the turn. */

import { h, setText, type View } from "../dom";
import { visible } from "../safe_text";
import type { Item, PlanEntry } from "../wire";
import type { ViewContext } from "./context";
import { icon } from "./icons";
import { createSlots } from "./parts";
import type { ItemInTurn } from "./scope";

type PlanItem = Extract<Item, { readonly kind: "plan" }>;

export function createPlan(ctx: ViewContext): View<ItemInTurn<PlanItem>> {
  const progress = h("span", { class: "acp-muted" });
  const list = h("ol", { class: "acp-plan-entries" });
  const more = h("div");
  const slots = createSlots(more);
  const node = h(
    "section",
    { class: "acp-plan", "aria-label": "Plan" },
    h(
      "div",
      { class: "acp-line-head" },
      icon("plan"),
      h("span", { class: "acp-line-title" }, "Plan"),
      progress,
    ),
    list,
    more,
  );
  let shown: PlanItem | null = null;
  return {
    node,
    update({ item }) {
      if (shown === item) return;
      if (shown?.entries !== item.entries) {
        const done = item.entries.filter((entry) => entry.status === "completed").length;
        setText(progress, item.entries.length === 0 ? "" : `${done} of ${item.entries.length} done`);
        paintEntries(list, item.entries);
      }
      slots.set("text", [item.text], (host) => {
        if (item.text === null || item.text === "") return undefined;
        const markdown = ctx.markdown(host);
        markdown.update(item.text, true);
        return () => markdown.dispose();
      });
      slots.set("uri", [item.uri], (host) => {
        if (item.uri !== null) host.append(h("code", { class: "acp-muted" }, visible(item.uri)));
        return undefined;
      });
      shown = item;
    },
    dispose: () => slots.dispose(),
  };
}

function paintEntries(list: HTMLElement, entries: readonly PlanEntry[]): void {
  list.replaceChildren(
    ...entries.map((entry) => {
      const status = entry.status ?? "pending";
      const sign = status === "completed" ? icon("check") : h("span", { class: "acp-plan-dot" });
      return h(
        "li",
        { class: `acp-plan-entry${KNOWN.has(status) ? ` acp-is-${status}` : ""}` },
        h("span", { class: "acp-plan-sign" }, sign),
        h("span", { class: "acp-plan-text" }, entry.content),
        h(
          "span",
          { class: status === "in_progress" || !KNOWN.has(status) ? "acp-tag" : "acp-sr-only" },
          word(status),
        ),
        entry.priority === "high" && h("span", { class: "acp-tag" }, "high priority"),
      );
    }),
  );
}

const KNOWN = new Set(["pending", "in_progress", "completed"]);

function word(status: string): string {
  return status === "in_progress" ? "now" : status === "completed" ? "done" : visible(status);
}
