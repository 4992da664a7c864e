/** A small menu below its button: arrow keys move, Escape and a click elsewhere close it. */

import { append, h } from "../dom";
import type { ViewContext } from "./context";
import { type IconName, icon } from "./icons";
import { iconButton } from "./parts";

export interface MenuEntry {
  readonly label: string;
  readonly icon: IconName;
  run(): void;
}

export interface Menu {
  readonly node: HTMLElement;
  close(): boolean;
  dispose(): void;
}

/** `note`: a node that is read below the entries, or null. */
export function createMenu(
  ctx: ViewContext,
  label: string,
  entries: () => readonly MenuEntry[],
  note: () => HTMLElement | null = () => null,
): Menu {
  const list = h("div", { class: "acp-menu", role: "menu", "aria-label": label, hidden: true });
  const button = iconButton("menu", label, () => (list.hidden ? open() : close()));
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  const node = h("span", { class: "acp-menu-place" }, button, list);

  function items(): HTMLElement[] {
    return [...list.querySelectorAll<HTMLElement>(".acp-menu-item")];
  }

  function open(): void {
    list.replaceChildren(
      ...entries().map((entry) => {
        const item = h(
          "button",
          { class: "acp-menu-item", type: "button", role: "menuitem", tabindex: "-1" },
          icon(entry.icon),
          entry.label,
        );
        item.addEventListener("click", () => {
          close();
          entry.run();
        });
        return item;
      }),
    );
    append(list, [note()]);
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    items()[0]?.focus({ preventScroll: true });
  }

  function close(): boolean {
    if (list.hidden) return false;
    const held = list.contains(ctx.root.activeElement);
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (held) button.focus({ preventScroll: true });
    return true;
  }

  function onKey(event: KeyboardEvent): void {
    const all = items();
    const at = all.indexOf(ctx.root.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || all.length === 0) return;
    event.preventDefault();
    all[(at + step + all.length) % all.length]?.focus({ preventScroll: true });
  }

  function onOutside(event: Event): void {
    if (!list.hidden && !event.composedPath().includes(node)) close();
  }

  list.addEventListener("keydown", onKey);
  document.addEventListener("pointerdown", onOutside, true);
  return {
    node,
    close,
    dispose: () => document.removeEventListener("pointerdown", onOutside, true),
  };
}
