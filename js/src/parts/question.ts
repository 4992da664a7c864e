/** Part "question": the fields of a form, drawn from its schema, or a link with its host marked. */
import { h } from "../dom";
import { createField, type Field, hint, list, object, text, type Value } from "../question/fields";
import { readable, visible } from "../safe_text";
import type { Answers } from "../views/question";
import css from "./question.css";

type Fields = Readonly<Record<string, unknown>>;

/** As many as the kernel looks at. */
const MOST_FIELDS = 100;

/** Draws the request into the place; its way to accept goes before the other buttons. */
export function fill(
  place: HTMLElement,
  row: HTMLElement,
  request: Fields,
  accept: (answers?: Answers) => void,
): void {
  adopt(place.getRootNode());
  place.replaceChildren();
  if (request["mode"] === "url") fillLink(place, row, String(request["url"]), accept);
  else fillForm(place, row, object(request["requestedSchema"]), accept);
}

// ---------------------------------------------------------------------------------------------- links

function fillLink(place: HTMLElement, row: HTMLElement, sent: string, accept: () => void): void {
  const url = addressOf(sent);
  if (url === null) {
    place.append(
      h("div", { class: "acp-address" }, visible(sent)),
      hint("This address cannot be opened from here."),
    );
    return;
  }
  // As it will be opened: a host in other letters shows its real name, and what stands before an @ is no host.
  const [before = "", after = ""] = split(url.href, url.host);
  place.append(
    h("div", { class: "acp-address" }, visible(before), h("strong", {}, visible(url.host)), visible(after)),
    hint(`Opens ${visible(url.host)} in a new tab. Nothing is opened before you click.`),
  );
  const open = button("Open", () => {
    globalThis.open(url.href, "_blank", "noopener,noreferrer");
    accept();
  });
  row.prepend(open);
}

function addressOf(sent: string): URL | null {
  try {
    const url = new URL(sent);
    // The kernel's rule, too: no spaces and no backslashes, which browsers read in their own way.
    const plain = !/[\\\s]/.test(sent) && ![...sent].some((one) => one <= " ");
    return plain && (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== ""
      ? url
      : null;
  } catch {
    return null;
  }
}

function split(href: string, host: string): readonly [string, string] {
  const from = href.indexOf("//") + 2;
  const end = href.slice(from).search(/[/?#]|$/) + from;
  const at = href.lastIndexOf(host, end);
  return [href.slice(0, at), href.slice(at + host.length)];
}

// ---------------------------------------------------------------------------------------------- forms

function fillForm(
  place: HTMLElement,
  row: HTMLElement,
  schema: Fields,
  accept: (answers: Answers) => void,
): void {
  const required = new Set(list(schema["required"]));
  const fields = new Map<string, Field>();
  for (const [name, property] of Object.entries(object(schema["properties"])).slice(0, MOST_FIELDS))
    if (typeof property === "object" && property !== null)
      fields.set(name, createField(name, property as Fields, required.has(name)));
  const form = h("form", { novalidate: true }, ...[...fields.values()].map((field) => field.node));
  if (text(schema["description"]) !== "") form.prepend(hint(readable(text(schema["description"]))));

  function submit(): void {
    const answers: Record<string, Value> = {};
    let wrong: Field | null = null;
    for (const [name, field] of fields) {
      const { value, problem } = field.read();
      field.complain(problem ?? null);
      if (problem !== undefined) wrong ??= field;
      // `__proto__` is a name like any other.
      else if (value !== undefined) Object.defineProperty(answers, name, { value, enumerable: true });
    }
    if (wrong === null) accept(answers);
    else wrong.focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  // Enter in a line of text sends a form that has a button; the visible one stands outside.
  form.append(h("input", { type: "submit", hidden: true, tabindex: "-1" }));
  place.append(form);
  row.prepend(button("Answer", submit));
}

function button(label: string, run: () => void): HTMLButtonElement {
  const node = h("button", { class: "acp-button acp-main", type: "button" }, label);
  node.addEventListener("click", run);
  return node;
}

let sheet: CSSStyleSheet | null = null;

function adopt(root: Node): void {
  if (!(root instanceof ShadowRoot) && !(root instanceof Document)) return;
  try {
    if (sheet === null) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
    }
    if (!root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  } catch {
    // A form is readable without it.
  }
}
