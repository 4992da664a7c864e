/** Small building stones: disclosures, slots that rebuild only when their inputs change, buttons, copying. */

import { copyText } from "../clipboard";
import { append, type Child, h, show } from "../dom";
import type { ViewContext } from "./context";
import { type IconName, icon } from "./icons";

export interface Fold {
  readonly node: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly body: HTMLElement;
  readonly open: boolean;
  /** Whether the person has opened or closed it by hand; the program then leaves it alone. */
  readonly touched: boolean;
  set(open: boolean): void;
}

/** A line that opens in place. `fill` runs whenever it opens. */
export function createFold(ctx: ViewContext, name: string, head: readonly Child[], fill: () => void): Fold {
  let open = false;
  let touched = false;
  const chevron = icon("chevron");
  chevron.classList.add("acp-chevron");
  const button = h(
    "button",
    { class: "acp-fold-head", type: "button", "aria-expanded": "false" },
    ...head,
    chevron,
  );
  const body = h("div", { class: "acp-fold-body", hidden: true });
  const node = h("div", { class: `acp-fold acp-${name}` }, button, body);

  function set(next: boolean): void {
    if (open === next) return;
    open = next;
    button.setAttribute("aria-expanded", String(open));
    node.classList.toggle("acp-open", open);
    // Seen first, filled then: what scrolls to its end needs a height.
    show(body, open);
    if (open) fill();
  }

  button.addEventListener("click", () => {
    // Selecting the title's text with the mouse is no click on the fold.
    if (selectsWithin(button)) return;
    touched = true;
    ctx.reading.hold(button);
    set(!open);
    ctx.reading.settle();
  });

  return {
    node,
    button,
    body,
    get open() {
      return open;
    },
    get touched() {
      return touched;
    },
    set,
  };
}

function selectsWithin(node: Node): boolean {
  const selection = document.getSelection();
  return (
    selection !== null &&
    !selection.isCollapsed &&
    selection.anchorNode !== null &&
    node.contains(selection.anchorNode)
  );
}

/** Named places below one parent, in the order of first use; each is rebuilt only when its inputs change. */
export interface Slots {
  set(
    name: string,
    inputs: readonly unknown[],
    build: ((host: HTMLElement) => (() => void) | undefined) | null,
  ): void;
  dispose(): void;
}

export function createSlots(parent: HTMLElement): Slots {
  const slots = new Map<
    string,
    { host: HTMLElement; inputs: readonly unknown[]; dispose: (() => void) | undefined }
  >();
  return {
    set(name, inputs, build) {
      const old = slots.get(name);
      if (old !== undefined && sameValues(old.inputs, inputs)) return;
      old?.dispose?.();
      const host = old?.host ?? h("div", { class: `acp-slot acp-slot-${name}` });
      host.replaceChildren();
      if (old === undefined) parent.append(host);
      const dispose = build?.(host);
      show(host, host.childNodes.length > 0);
      slots.set(name, { host, inputs, dispose });
    },
    dispose() {
      for (const slot of slots.values()) slot.dispose?.();
      slots.clear();
    },
  };
}

export function sameValues(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** A button with an icon alone; its name is read to those who do not see it, and shown as a tip. */
export function iconButton(name: IconName, label: string, run: () => void): HTMLButtonElement {
  const button = h(
    "button",
    { class: "acp-icon-button", type: "button", "aria-label": label, title: label },
    icon(name),
  );
  button.addEventListener("click", run);
  return button;
}

export function textButton(label: string, run: () => void, ...before: readonly Child[]): HTMLButtonElement {
  const button = h("button", { class: "acp-button", type: "button" }, ...before, label);
  button.addEventListener("click", run);
  return button;
}

/** A button that copies and says so for a moment. */
export function copyButton(label: string, source: () => string): HTMLButtonElement {
  const button = iconButton("copy", label, () => {
    void copyText(source()).then((done) => {
      button.replaceChildren(icon(done ? "check" : "cross"));
      button.title = done ? "Copied" : "The browser did not allow copying";
      setTimeout(() => {
        button.replaceChildren(icon("copy"));
        button.title = label;
      }, 1500);
    });
  });
  return button;
}

/** A label and a text that is set apart from it, e.g. "Input" over the JSON. */
export function section(label: string, ...children: readonly Child[]): HTMLElement {
  const node = h("div", { class: "acp-section" }, h("div", { class: "acp-section-label" }, label));
  append(node, children);
  return node;
}
