/**
 * ApprovalCard: one request for permission. First what will happen, in full; then one button for each option
 * by its own name; after the answer who decided what. Option ids are opaque and go back as they came.
 */

import { h, setText, show, type View } from "../dom";
import { relative, visible } from "../safe_text";
import type { Permission, PermissionOption, Terminal } from "../wire";
import { holdsFocus, type ViewContext } from "./context";
import { commandOf, pathsOf, titleOf } from "./describe";
import { icon } from "./icons";
import { createFold, createSlots } from "./parts";
import { fillPreview } from "./request_preview";
import { decision, isLasting } from "./words";

export interface ApprovalInput {
  readonly permission: Permission;
  readonly terminals: readonly Terminal[];
  /** The chat's own session id: a request under another id names its session. */
  readonly session: string | null;
}

let serial = 0;

export function createApprovalCard(ctx: ViewContext): View<ApprovalInput> {
  serial += 1;
  const id = `acp-card-${serial}`;
  const title = h("div", { class: "acp-card-title", id: `${id}-title` });
  const origin = h("div", { class: "acp-muted acp-small", hidden: true });
  const preview = h("div", { class: "acp-card-preview", id: `${id}-what` });
  const slots = createSlots(preview);
  const buttons = h("div", { class: "acp-options", role: "group", "aria-label": "Answers" });
  const hint = h("div", { class: "acp-card-hint acp-muted acp-small", hidden: true });
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  const body = h("div", { class: "acp-card-body" }, title, origin, preview, buttons, hint, failure);

  const words = h("span", { class: "acp-decision-word" });
  const sign = h("span", { class: "acp-decision-sign" });
  const fold = createFold(ctx, "decision", [sign, words], () => undefined);
  const node = h("div", { class: "acp-card", tabindex: "-1", "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-what` }, body);

  let shown: ApprovalInput | null = null;
  let pending: string | null = null;
  let callOff: (() => void) | null = null;

  function choose(option: PermissionOption): void {
    const permission = shown?.permission;
    if (permission === undefined || permission.outcome !== null || pending !== null || !ctx.live()) return;
    pending = option.id;
    show(failure, false);
    paintButtons();
    void ctx.request({ kind: "answer", permission: permission.key, option: option.id }).then((error) => {
      pending = null;
      if (shown?.permission.outcome !== null) return;
      paintButtons();
      if (error !== null) {
        setText(failure, `Not answered: ${error}`);
        show(failure, true);
        ctx.reading.settle();
      }
    });
  }

  /** Buttons stay the same elements while the options stay, or the focus would fall out of them. */
  function buildButtons(options: readonly PermissionOption[]): void {
    const allows = options.filter((option) => option.kind === "allow_once");
    buttons.replaceChildren(
      ...options.map((option, index) => {
        const main = option.kind === "allow_once" && allows.length === 1;
        const button = h(
          "button",
          { class: `acp-button acp-option${main ? " acp-main" : ""}`, type: "button" },
          index < 9 && h("kbd", { "aria-hidden": "true" }, String(index + 1)),
          h("span", { class: "acp-option-name" }, visible(option.name)),
          isLasting(option.kind) && h("span", { class: "acp-tag" }, "lasting"),
        );
        if (index < 9) button.setAttribute("aria-keyshortcuts", String(index + 1));
        button.addEventListener("click", () => choose(option));
        return button;
      }),
    );
    const lasting = options.some((option) => isLasting(option.kind));
    setText(hint, lasting ? `A lasting answer is remembered by ${ctx.agentName()}, also for later calls.` : "");
    show(hint, lasting);
  }

  function paintButtons(): void {
    const dead = !ctx.live();
    const options = shown?.permission.options ?? [];
    [...buttons.children].forEach((button, index) => {
      // Not `disabled`: a focused button that becomes disabled drops the focus out of the notebook.
      button.setAttribute("aria-disabled", String(dead || pending !== null));
      button.classList.toggle("acp-pending", pending !== null && options[index]?.id === pending);
    });
    node.classList.toggle("acp-dead", dead);
  }

  function answered(first: boolean, permission: Permission): void {
    const said = decision(permission);
    setText(words, said?.word ?? "");
    sign.replaceChildren(icon(said?.refused === true ? "ban" : "check"));
    node.classList.toggle("acp-refused", said?.refused === true);
    const hadFocus = holdsFocus(ctx, node);
    // The decision takes the place of the buttons, at their height; what lies below does not move.
    if (!first) fold.node.style.minHeight = `${buttons.offsetHeight}px`;
    node.classList.add("acp-answered");
    node.setAttribute("role", "group");
    buttons.replaceChildren();
    for (const part of [buttons, hint, failure]) show(part, false);
    const compact = (): void => {
      callOff = null;
      if (fold.touched) return;
      fold.node.style.minHeight = "";
      fold.node.classList.remove("acp-below");
      fold.set(false);
    };
    fold.body.append(body);
    node.append(fold.node);
    if (first) return;
    fold.node.classList.add("acp-below");
    fold.set(true);
    callOff = ctx.reading.later(node, compact);
    if (hadFocus) ctx.focusNext();
  }

  function update(input: ApprovalInput): void {
    const before = shown;
    const { permission } = input;
    shown = input;
    if (permission !== before?.permission) {
      setText(title, headline(permission, ctx.cwd()));
      const other = permission.session_id !== null && permission.session_id !== input.session;
      setText(origin, other ? `asked by the subagent session ${visible(permission.session_id ?? "")}` : "");
      show(origin, other);
    }
    slots.set("what", [permission.content, permission.diffs, permission.raw_input, permission.locations, input.terminals[0]?.command], (host) =>
      fillPreview(ctx, host, permission, input.terminals),
    );
    if (permission.outcome !== null) {
      if (before === null || before.permission.outcome === null) answered(before === null, permission);
      return;
    }
    if (permission.options !== before?.permission.options) buildButtons(permission.options);
    if (before === null) {
      node.setAttribute("role", "alertdialog");
      if (ctx.live()) ctx.announce(`Approval waiting: ${title.textContent ?? ""}`);
    }
    paintButtons();
  }

  node.addEventListener("keydown", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (!plain || !/^[1-9]$/.test(event.key) || event.target instanceof HTMLTextAreaElement) return;
    const option = shown?.permission.outcome === null ? shown.permission.options[Number(event.key) - 1] : undefined;
    if (option === undefined) return;
    event.preventDefault();
    choose(option);
  });

  return {
    node,
    update,
    dispose() {
      callOff?.();
      slots.dispose();
    },
  };
}

/** The agent's title; where it is only the command or a path, what will be done with it. */
function headline(permission: Permission, cwd: string | null): string {
  const title = titleOf(permission, cwd);
  if (permission.title !== null && permission.title === commandOf(permission)) return "Run this command?";
  const verb = VERBS[permission.kind ?? ""];
  const bare = pathsOf(permission).some((path) => path === permission.title || relative(path, cwd) === title);
  return verb !== undefined && bare ? `${verb} ${title}` : title;
}

const VERBS: Readonly<Record<string, string>> = {
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  read: "Read",
  fetch: "Fetch",
  search: "Search",
};
