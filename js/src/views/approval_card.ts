/**
 * ApprovalCard: one request for permission. First what will happen, in full; then one button for each option
 * by its own name; after the answer who decided what. Option ids are opaque and go back as they came.
 */

import { h, setText, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { Permission, PermissionOption, Terminal, ToolCall } from "../wire";
import { holdsFocus, type ViewContext } from "./context";
import { commandOf, type Described, isEmptyInput, titleOf } from "./describe";
import { createHunkOffer } from "./hunk_offer";
import { icon } from "./icons";
import { createFold, createSlots } from "./parts";
import { createRemember, type Scope } from "./remember";
import { fillPreview } from "./request_preview";
import { decision, isLasting } from "./words";

export interface ApprovalInput {
  readonly permission: Permission;
  /** The call it belongs to, whose line stands above the card. */
  readonly call: ToolCall | null;
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
  const remember = createRemember((scope) => send("", scope));
  const row = h("div", { class: "acp-answer-row" }, buttons, hint, remember.node);
  const body = h("div", { class: "acp-card-body" }, title, origin, preview, row, failure);

  const words = h("span", { class: "acp-decision-word" });
  const sign = h("span", { class: "acp-decision-sign" });
  const fold = createFold(ctx, "decision", [sign, words], () => fill?.());
  const node = h(
    "div",
    { class: "acp-card", tabindex: "-1", "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-what` },
    body,
  );

  const offer = createHunkOffer(ctx, node);
  preview.after(offer.node);
  let shown: ApprovalInput | null = null;
  let pending: string | null = null;
  let callOff: (() => void) | null = null;
  /** Builds the preview of a card that came answered, when it is first opened. */
  let fill: (() => void) | null = null;

  function choose(option: PermissionOption): void {
    send(option.id);
  }

  function send(option: string, scope?: Scope): void {
    const permission = shown?.permission;
    if (permission === undefined || permission.outcome !== null || pending !== null || !ctx.live()) return;
    pending = option;
    show(failure, false);
    paintButtons();
    const answer = { kind: "answer", permission: permission.key, option } as const;
    void ctx.request(scope === undefined ? answer : { ...answer, remember: scope }).then((error) => {
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
    setText(hint, lasting ? `Lasting: remembered by ${ctx.agentName()}` : "");
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
    // The decision takes the place of the buttons, and the card keeps its height: nothing in view moves.
    if (!first) node.style.minHeight = `${node.offsetHeight}px`;
    node.classList.add("acp-answered");
    node.setAttribute("role", "group");
    buttons.replaceChildren();
    for (const part of [row, failure]) show(part, false);
    const compact = (): void => {
      callOff = null;
      if (fold.touched) return;
      node.style.minHeight = "";
      node.classList.add("acp-compact");
      fold.node.classList.remove("acp-below");
      fold.set(false);
    };
    fold.body.append(body);
    node.append(fold.node);
    node.classList.toggle("acp-compact", first);
    if (first) return;
    fold.node.classList.add("acp-below");
    fold.set(true);
    callOff = ctx.reading.later(node, compact);
    if (hadFocus) ctx.focusNext();
  }

  function update(input: ApprovalInput): void {
    const before = shown;
    const { permission, call } = input;
    const what = described(permission, call);
    shown = input;
    if (permission !== before?.permission || call?.title !== before.call?.title) {
      setText(title, headline(what, permission, call, ctx.cwd()));
      const other = permission.session_id !== null && permission.session_id !== input.session;
      setText(origin, other ? `asked by the subagent session ${visible(permission.session_id ?? "")}` : "");
      show(origin, other);
    }
    // Once answered, what was asked stands as it was.
    const draw = (): void => {
      fill = null;
      const command = commandOf(what, input.terminals);
      slots.set("what", [what.content, what.diffs, what.raw_input, what.locations, command], (host) =>
        fillPreview(ctx, host, what, input.terminals),
      );
    };
    if (permission.outcome === null) draw();
    else if (before === null) fill = draw;
    if (permission.outcome !== null) {
      if (before === null || before.permission.outcome === null) answered(before === null, permission);
      offer.update(permission);
      return;
    }
    if (permission.options !== before?.permission.options) buildButtons(permission.options);
    remember.update(permission);
    offer.update(permission);
    if (before === null) {
      node.setAttribute("role", "alertdialog");
      if (ctx.live()) ctx.announce(`Approval waiting: ${titleOf(what, ctx.cwd())}`);
    }
    paintButtons();
  }

  node.addEventListener("keydown", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (!plain || !/^[1-9]$/.test(event.key) || event.target instanceof HTMLTextAreaElement) return;
    const option =
      shown?.permission.outcome === null ? shown.permission.options[Number(event.key) - 1] : undefined;
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

/**
 * What the request is about: its own fields, and the call's where it has none. Some agents send the diff with the
 * call and only the question with the request. The call's content is later its output: it counts while it waits.
 */
function described(permission: Permission, call: ToolCall | null): Described {
  if (call === null) return permission;
  const waits = permission.outcome === null;
  return {
    title: permission.title ?? call.title,
    // A question has a title of its own, which is no command, whatever kind its call is of.
    kind:
      permission.kind ?? (permission.title === null || permission.title === call.title ? call.kind : null),
    content: permission.content.length > 0 || !waits ? permission.content : call.content,
    diffs: permission.diffs.length > 0 ? permission.diffs : call.diffs,
    locations: permission.locations.length > 0 ? permission.locations : call.locations,
    raw_input: isEmptyInput(permission.raw_input) ? call.raw_input : permission.raw_input,
  };
}

/** The request's own title. Where the line above or the command below says the same: what is asked. */
function headline(
  what: Described,
  permission: Permission,
  call: ToolCall | null,
  cwd: string | null,
): string {
  const choices = permission.options.filter((option) => option.kind === "allow_once").length;
  const said =
    permission.title === null || permission.title === call?.title || permission.title === commandOf(what);
  if (!said || choices > 1) return titleOf(what, cwd);
  return QUESTIONS[what.kind ?? ""] ?? (call === null ? titleOf(what, cwd) : "Allow this?");
}

const QUESTIONS: Readonly<Record<string, string>> = {
  edit: "Make this change?",
  execute: "Run this command?",
  delete: "Delete this?",
  move: "Move this?",
  read: "Read this?",
  fetch: "Fetch this?",
  search: "Search for this?",
};
