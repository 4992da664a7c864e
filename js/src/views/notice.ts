/** One line from the agent or about the turn: information, a warning, an error. */

import { h, setText, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { Item } from "../wire";
import { type IconName, icon } from "./icons";
import type { ItemInTurn } from "./scope";

type NoticeItem = Extract<Item, { readonly kind: "notice" }>;
export type Tone = "info" | "warning" | "error";

export function createNotice(): View<ItemInTurn<NoticeItem>> {
  const node = h("div", { class: "acp-notice-item" });
  let shown: NoticeItem | null = null;
  return {
    node,
    update({ item }) {
      if (shown === item) return;
      shown = item;
      const tone =
        item.severity === "error" ? "error" : item.severity.startsWith("warn") ? "warning" : "info";
      const known = tone !== "info" || item.severity === "info";
      const title = known ? visible(item.title) : `${visible(item.severity)}: ${visible(item.title)}`;
      node.replaceChildren(noticeLine(tone, title, item.description));
    },
    dispose: () => undefined,
  };
}

const ICONS: Readonly<Record<Tone, IconName>> = { info: "info", warning: "warning", error: "warning" };

export function noticeLine(tone: Tone, title: string, description: string | null = null): HTMLElement {
  const said = h("div", { class: "acp-notice-text" }, h("span", {}, title));
  if (description !== null && description !== "")
    said.append(h("div", { class: "acp-muted acp-pre-line" }, description));
  return h("div", { class: `acp-notice acp-notice-${tone}` }, icon(ICONS[tone]), said);
}

/** A line that comes and goes with its text. */
export function createLine(tone: Tone): View<string | null> {
  const text = h("div", { class: "acp-notice-text acp-pre-line" });
  const node = h("div", { class: `acp-notice acp-notice-${tone}`, hidden: true }, icon(ICONS[tone]), text);
  return {
    node,
    update(value) {
      if (value !== null) setText(text, value);
      show(node, value !== null);
    },
    dispose: () => undefined,
  };
}
