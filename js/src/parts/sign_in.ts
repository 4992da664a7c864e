/** Part "sign_in": the ways to sign in with the agent; each says what to do and what became of the last try. */
import { adopt } from "../adopt";
import { h } from "../dom";
import { readable, visible } from "../safe_text";
import type { ViewContext } from "../views/context";
import { copyButton, textButton } from "../views/parts";
import type { Auth, AuthMethod } from "../wire_auth";
import css from "./sign_in.css";

export function draw(ctx: ViewContext, node: HTMLElement, auth: Auth): void {
  adopt(node.getRootNode(), css);
  const name = visible(ctx.agentName());
  const held = node.contains(ctx.root.activeElement);
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
      ...auth.methods.map((method) => row(ctx, method, auth, failure)),
      auth.methods.length === 0 &&
        h("div", {}, "It names no way to do that here: use its own program in a terminal, then send again."),
      failure,
    ),
  );
  if (held) node.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
  if (first) ctx.announce(`${name} wants you to sign in`);
  ctx.reading.settle();
}

function row(ctx: ViewContext, method: AuthMethod, auth: Auth, failure: HTMLElement): HTMLElement {
  const running = auth.running === method.id;
  const label = running ? "Waiting …" : (LABELS[method.kind] ?? visible(method.name));
  const button = textButton(label, () => {
    if (auth.running !== null || !ctx.live()) return;
    button.setAttribute("aria-disabled", "true");
    void ctx.request({ kind: "sign_in", method: method.id }).then((error) => {
      button.removeAttribute("aria-disabled");
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
    h("div", { class: "acp-sign-in-row" }, button, link),
  );
}

/** Where the name of a way is no good name for its button. */
const LABELS: Readonly<Record<string, string>> = {
  terminal: "I have done that: look again",
  env_var: "It is set: start again with it",
};

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
