/** Part "controls": choices of model and mode in the header, and every setting of the session in a panel. */
import { adopt } from "../adopt";
import { h, setText, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { ViewContext } from "../views/context";
import { iconButton } from "../views/parts";
import type { ConfigChoice, ConfigOption, Session } from "../wire";
import css from "./controls.css";

type Value = string | boolean;

/** One thing that can be set, whichever way the agent offers it. */
export interface Control {
  readonly key: string;
  readonly what: "option" | "mode" | "model";
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  /** select or boolean. */
  readonly type: string;
  readonly value: Value | null;
  readonly choices: readonly ConfigChoice[];
}

/**
 * An agent that has config options means those and nothing else; modes and the older list of models are for
 * agents without. Options of a type that we do not know are left out.
 */
export function controlsOf(session: Session): readonly Control[] {
  const options = session.options.filter((one) => one.type === "select" || one.type === "boolean");
  const found = options.map(ofOption);
  const has = (category: string): boolean => options.some((one) => one.category === category);
  if (session.models !== null && !has("model"))
    found.push(ofNamed("model", "Model", session.models.current, session.models.available));
  if (session.options.length === 0 && session.modes.length > 0)
    found.push(ofNamed("mode", "Mode", session.mode, session.modes));
  return found;
}

function ofOption(option: ConfigOption): Control {
  return { ...option, key: option.id, what: "option" };
}

function ofNamed(
  what: "mode" | "model",
  name: string,
  value: string | null,
  named: readonly { readonly id: string; readonly name: string; readonly description: string | null }[],
): Control {
  const choices = named.map((one) => ({
    value: one.id,
    name: one.name,
    description: one.description,
    group: null,
  }));
  return { key: what, what, name, description: null, category: what, type: "select", value, choices };
}

const IN_HEADER = ["model", "mode"];

export interface Controls extends View<Session> {
  close(): boolean;
}

export function create(ctx: ViewContext): Controls {
  const inHeader = h("span", { class: "acp-controls" });
  const button = iconButton("steps", "Settings of this session", () =>
    panel.hidden ? open() : void close(),
  );
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  const rows = h("div");
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  const panel = h(
    "div",
    { class: "acp-settings", role: "dialog", "aria-label": "Settings of this session", hidden: true },
    rows,
    failure,
  );
  let shown: readonly Control[] = [];
  let drawn = "";

  function set(control: Control, value: Value, undo: () => void): void {
    show(failure, false);
    const name = control.what === "option" ? { name: control.key } : {};
    void ctx.request({ kind: "set", what: control.what, value, ...name }).then((error) => {
      if (error === null) return ctx.announce(`${visible(control.name)} changed`);
      undo();
      setText(failure, `${visible(control.name)} was not changed: ${visible(error)}`);
      show(failure, true);
      open();
    });
  }

  function open(): void {
    panel.hidden = false;
    button.setAttribute("aria-expanded", "true");
    const first = panel.querySelector<HTMLElement>("select, input");
    if (ctx.root.activeElement === button) first?.focus({ preventScroll: true });
  }

  function close(): boolean {
    if (panel.hidden) return false;
    const held = panel.contains(ctx.root.activeElement);
    panel.hidden = true;
    show(failure, false);
    button.setAttribute("aria-expanded", "false");
    if (held) button.focus({ preventScroll: true });
    return true;
  }

  function draw(): void {
    const header = IN_HEADER.map((category) =>
      shown.find((one) => one.category === category && one.type === "select"),
    );
    inHeader.replaceChildren(
      ...header.filter((one) => one !== undefined).map((one) => field(one, set)),
      button,
      panel,
    );
    rows.replaceChildren(...shown.map((one) => row(one, set)));
  }

  const onOutside = (event: Event): void => {
    if (!panel.hidden && !event.composedPath().includes(inHeader)) close();
  };
  document.addEventListener("pointerdown", onOutside, true);

  return {
    node: inHeader,
    close,
    update(session) {
      const next = controlsOf(session);
      const word = JSON.stringify(next);
      if (word === drawn) return;
      drawn = word;
      shown = next;
      adopt(ctx.root, css);
      keepFocus(ctx, inHeader, draw);
      show(inHeader, shown.length > 0);
    },
    dispose: () => document.removeEventListener("pointerdown", onOutside, true),
  };
}

/** A new list of options must not take the focus from the one that was changed. */
function keepFocus(ctx: ViewContext, node: HTMLElement, change: () => void): void {
  const active = ctx.root.activeElement;
  const key = active instanceof HTMLElement && node.contains(active) ? active.dataset["key"] : undefined;
  const inPanel = active?.closest(".acp-settings") != null;
  change();
  if (key === undefined) return;
  for (const field of node.querySelectorAll<HTMLElement>("[data-key]"))
    if (field.dataset["key"] === key && (field.closest(".acp-settings") !== null) === inPanel)
      return field.focus({ preventScroll: true });
}

type SetValue = (control: Control, value: Value, undo: () => void) => void;

function field(control: Control, set: SetValue): HTMLElement {
  const name = visible(control.name);
  const about = control.description === null ? name : `${name}: ${visible(control.description)}`;
  if (control.type === "boolean") {
    const box = h("input", { type: "checkbox", "data-key": control.key, "aria-label": name, title: about });
    box.checked = control.value === true;
    box.addEventListener("change", () =>
      set(control, box.checked, () => {
        box.checked = control.value === true;
      }),
    );
    return box;
  }
  const select = h("select", {
    class: "acp-select",
    "data-key": control.key,
    "aria-label": name,
    title: about,
  });
  select.append(...optionNodes(control));
  const current = String(control.value ?? "");
  select.value = current;
  select.addEventListener("change", () =>
    set(control, select.value, () => {
      select.value = current;
    }),
  );
  return select;
}

/** Choices in the agent's order, in its groups; a value that is no choice is shown all the same. */
function optionNodes(control: Control): HTMLElement[] {
  const nodes: HTMLElement[] = [];
  let group: HTMLElement | null = null;
  const current = String(control.value ?? "");
  if (!control.choices.some((one) => one.value === current))
    nodes.push(h("option", { value: current }, visible(current) || "not set"));
  for (const choice of control.choices) {
    const node = h(
      "option",
      { value: choice.value, title: visible(choice.description ?? "") },
      visible(choice.name),
    );
    const label = choice.group === null ? null : visible(choice.group);
    if (label === null) nodes.push(node);
    else {
      if (group === null || group.getAttribute("label") !== label) {
        group = h("optgroup", { label });
        nodes.push(group);
      }
      group.append(node);
    }
  }
  return nodes;
}

function row(control: Control, set: SetValue): HTMLElement {
  const words = h("span", {}, visible(control.name));
  const node = h(
    "label",
    { class: "acp-setting" },
    h("span", { class: "acp-setting-line" }, words, field(control, set)),
  );
  if (control.description !== null)
    node.append(h("span", { class: "acp-muted acp-small" }, visible(control.description)));
  return node;
}
