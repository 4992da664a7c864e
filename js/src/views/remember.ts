/** What our own memory offers under a card: allow it once, and what the rule covers without asking from now on. */

import { h, setText, show } from "../dom";
import { visible } from "../safe_text";
import type { Permission } from "../wire";

export type Scope = "chat" | "folder";

const SCOPES: readonly (readonly [Scope, string])[] = [
  ["chat", "Allow for this chat"],
  ["folder", "Always in this folder"],
];

export interface Remember {
  readonly node: HTMLElement;
  update(permission: Permission): void;
}

export function createRemember(choose: (scope: Scope) => void): Remember {
  const covers = h("span", { class: "acp-muted" });
  const buttons = SCOPES.map(([scope, name]) => {
    const button = h("button", { class: "acp-button acp-quiet", type: "button" }, name);
    button.addEventListener("click", () => choose(scope));
    return button;
  });
  const node = h("div", { class: "acp-remember acp-small", hidden: true }, ...buttons, covers);
  return {
    node,
    update({ covers: text, outcome }) {
      show(node, text !== null && outcome === null);
      setText(covers, text === null ? "" : `Remembered by acp-notebook, covers: ${visible(text)}`);
    },
  };
}
