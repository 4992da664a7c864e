/** Part "sign_in": the ways to sign in with the agent; each says what to do and what became of the last try. */
import { adopt } from "../adopt";
import { h } from "../dom";
import { readable, visible } from "../safe_text";
import type { ViewContext } from "../views/context";
import { copyButton, textButton } from "../views/parts";
import type { Auth, AuthMethod, AuthVariable } from "../wire_auth";
import css from "./sign_in.css";

export function draw(ctx: ViewContext, node: HTMLElement, auth: Auth): void {
  adopt(node.getRootNode(), css);
  const name = visible(ctx.agentName());
  const typed = new Map(inputsIn(node).map((one) => [one.dataset["field"], one.value]));
  const held = node.contains(ctx.root.activeElement);
  const field = held ? (ctx.root.activeElement as HTMLElement).dataset["field"] : undefined;
  const first = !node.hasAttribute("aria-label");
  node.setAttribute("aria-label", `Sign in with ${name}`);
  node.setAttribute("aria-busy", String(auth.running !== null));
  node.classList.add("acp-sign-in");
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: auth.error === null });
  failure.textContent = auth.error === null ? "" : readable(auth.error);
  node.replaceChildren(
    h(
      "div",
      { class: "acp-card-body" },
      h("div", { class: "acp-card-title" }, `${name} wants you to sign in`),
      auth.message !== null && h("div", { class: "acp-muted" }, readable(auth.message)),
      ...auth.methods.map((method) => row(ctx, node, method, auth, failure)),
      auth.methods.length === 0 &&
        h("div", {}, "It names no way to do that here: use its own program in a terminal, then send again."),
      failure,
    ),
  );
  for (const one of inputsIn(node)) one.value = typed.get(one.dataset["field"]) ?? "";
  const last = inputsIn(node).find((one) => one.dataset["field"] === field);
  if (held) (last ?? node.querySelector("button"))?.focus({ preventScroll: true });
  if (first) ctx.announce(`${name} wants you to sign in`);
  ctx.reading.settle();
}

function inputsIn(node: ParentNode): HTMLInputElement[] {
  return [...node.querySelectorAll("input")];
}

function row(
  ctx: ViewContext,
  card: HTMLElement,
  method: AuthMethod,
  auth: Auth,
  failure: HTMLElement,
): HTMLElement {
  const running = auth.running === method.id;
  const label = running ? "Waiting …" : (LABELS[method.kind] ?? visible(method.name));
  const fields = (method.fields ?? []).map((one) => input(method, one, () => button.click()));
  const button = textButton(label, () => {
    if (auth.running !== null || !ctx.live()) return;
    button.setAttribute("aria-disabled", "true");
    const typed = fields.map(({ node }, index) => [method.fields?.[index]?.name ?? "", node.value] as const);
    const values = typed.length > 0 ? { values: Object.fromEntries(typed) } : {};
    void ctx.request({ kind: "sign_in", method: method.id, ...values }).then((error) => {
      button.removeAttribute("aria-disabled");
      // A key stays in the page no longer than it is needed.
      if (error === null) for (const one of inputsIn(card)) one.value = "";
      // What the agent said against it stands in the state; other reasons only here.
      if (error === null || auth.error !== null) return;
      failure.textContent = readable(error);
      failure.hidden = false;
    });
  });
  if (auth.running !== null || !ctx.live()) button.setAttribute("aria-disabled", "true");
  const link = linkOf(method.link);
  return h(
    "div",
    { class: "acp-sign-in-way" },
    LABELS[method.kind] !== undefined && h("strong", {}, visible(method.name)),
    method.description !== null && h("div", { class: "acp-muted" }, readable(method.description)),
    ...steps(method),
    ...fields.map((one) => one.label),
    ...vendor(method),
    h("div", { class: "acp-sign-in-row" }, button, link),
  );
}

/** Where the name of a way is no good name for its button. */
const LABELS: Readonly<Record<string, string>> = {
  terminal: "I have done that: look again",
  env_var: "It is set: start again with it",
  "api-key": "Sign in with this key",
  gateway: "Sign in through this gateway",
};

/** A line to type into; what is secret is not shown, not kept by the browser, and in no record. */
function input(
  method: AuthMethod,
  field: AuthVariable,
  enter: () => void,
): { label: HTMLElement; node: HTMLInputElement } {
  const node = h("input", {
    class: "acp-sign-in-input",
    type: field.secret ? "password" : "text",
    autocomplete: field.secret ? "new-password" : "off",
    spellcheck: "false",
    "data-field": JSON.stringify([method.id, field.name]),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      enter();
    },
  });
  const label = `${visible(field.label ?? field.name)}${field.optional ? ", may stay empty" : ""}`;
  return { label: h("label", { class: "acp-sign-in-field" }, label, node), node };
}

/** What the person does before the button. */
function steps(method: AuthMethod): (HTMLElement | false)[] {
  if (method.kind === "terminal" && method.command !== null)
    return [h("div", {}, "Run this in a terminal:"), code(method.command)];
  if (method.kind !== "env_var") return [];
  const needed = method.variables.filter((one) => !one.optional);
  const given = needed.map((one) => `${JSON.stringify(one.name)}: getpass()`).join(", ");
  return [
    h(
      "div",
      {},
      `It wants ${method.variables.map((one) => visible(one.label === null ? one.name : `${one.name} (${one.label})`)).join(", ")}. Set it where Jupyter is started, or give it here:`,
    ),
    code(`from getpass import getpass\nchat.sign_in(${JSON.stringify(method.id)}, env={${given}})`),
  ];
}

/** What nobody here understands is shown as it came; the button tries without it. */
function vendor({ id, meta }: AuthMethod): HTMLElement[] {
  if (meta === null || meta === undefined) return [];
  const call = `chat.sign_in(${JSON.stringify(id)}, meta={…})`;
  return [
    h(
      "div",
      {},
      `What its vendor adds for it is not known here. The button tries without; ${call} gives more:`,
    ),
    h("div", { class: "acp-sign-in-code" }, h("pre", {}, readable(meta))),
  ];
}

function code(text: string): HTMLElement {
  return h(
    "div",
    { class: "acp-sign-in-code" },
    h("pre", {}, h("code", {}, readable(text))),
    copyButton("Copy", () => text),
  );
}

function linkOf(link: string | null): HTMLElement | null {
  if (link === null || !/^https?:\/\//i.test(link)) return null;
  return h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, visible(link));
}
