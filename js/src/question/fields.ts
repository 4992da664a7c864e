/** The fields of a form, one for each kind of property that the protocol's schema of forms knows. */
import { append, h, show } from "../dom";
import { readable, visible } from "../safe_text";
import type { Answers } from "../views/question";

type Fields = Readonly<Record<string, unknown>>;
export type Value = Answers[string];

export interface Field {
  readonly node: HTMLElement;
  /** The answer, or a sentence that says what is wrong; neither: none was given. */
  read(): { readonly value?: Value; readonly problem?: string };
  focus(): void;
  complain(problem: string | null): void;
}

interface Choice {
  readonly value: string;
  readonly title: string;
  readonly description: string;
}

/** As many as the kernel looks at. */
const MOST_CHOICES = 1_000;
/** More choices than this are a list to pull down, and several of more scroll. */
const FEW = 6;

let serial = 0;

/** The field of one property of a form. */
export function createField(name: string, property: Fields, required: boolean): Field {
  const choices = choicesOf(property);
  switch (property["type"]) {
    case "string":
      if (choices === null) return lineField(name, property, required);
      return choices.length <= FEW
        ? choiceField(name, property, required, choices, "radio")
        : pullField(name, property, required, choices);
    case "number":
    case "integer":
      return lineField(name, property, required);
    case "boolean":
      return checkField(name, property);
    case "array":
      return choiceField(name, property, required, choicesOf(object(property["items"])) ?? [], "checkbox");
    default:
      return unknownField(name, property, required);
  }
}

/** What all fields have: name, description, a place for what is wrong. */
function frame(tag: "div" | "fieldset", name: string, property: Fields, required: boolean) {
  serial += 1;
  const id = `acp-field-${serial}`;
  const title = visible(text(property["title"]) || name) + (required ? "" : " (optional)");
  const problem = h("div", { class: "acp-field-problem", id: `${id}-problem`, hidden: true });
  const about = hint(readable(text(property["description"])));
  about.id = `${id}-about`;
  show(about, about.textContent !== "");
  const label =
    tag === "fieldset"
      ? h("legend", { class: "acp-field-name" }, title)
      : h("label", { class: "acp-field-name", for: id }, title);
  const node = h(tag, { class: "acp-field" }, label, about, problem);
  const described = `${id}-about ${id}-problem`;
  const complain =
    (...inputs: readonly Element[]) =>
    (sentence: string | null) => {
      problem.textContent = sentence ?? "";
      show(problem, sentence !== null);
      for (const input of inputs) input.setAttribute("aria-invalid", String(sentence !== null));
    };
  return { id, node, problem, described, complain };
}

const KINDS: Readonly<Record<string, string>> = { email: "email", uri: "url", date: "date" };
const EXAMPLES: Readonly<Record<string, string>> = { "date-time": "2024-12-31T23:59:00Z" };

function lineField(name: string, property: Fields, required: boolean): Field {
  const { id, node, problem, described, complain } = frame("div", name, property, required);
  const form = text(property["format"]);
  const isNumber = property["type"] !== "string";
  const most = number(property["maxLength"]);
  const props = { id, class: "acp-input", required, "aria-describedby": described };
  const line = h("input", {
    ...props,
    type: isNumber ? "number" : (KINDS[form] ?? "text"),
    step: isNumber ? (property["type"] === "integer" ? 1 : "any") : null,
    min: isNumber ? number(property["minimum"]) : null,
    max: isNumber ? number(property["maximum"]) : null,
    placeholder: EXAMPLES[form],
    autocomplete: "off",
  });
  const input = !isNumber && most !== null && most > 200 ? h("textarea", { ...props, rows: 4 }) : line;
  const { default: given } = property;
  if (typeof given === (isNumber ? "number" : "string")) input.value = String(given);
  node.insertBefore(input, problem);
  const pattern = text(property["pattern"]);
  if (pattern !== "") node.insertBefore(hint(`Pattern: ${visible(pattern)}`), problem);
  return {
    node,
    focus: () => input.focus(),
    complain: complain(input),
    read() {
      const { value } = input;
      const characters = [...value].length;
      const least = number(property["minLength"]) ?? 0;
      if (value === "" && !input.validity.badInput)
        return required ? { problem: "An answer is required." } : {};
      if (!input.checkValidity()) return { problem: input.validationMessage || "This does not fit." };
      if (isNumber) {
        const entered = Number(value);
        if (property["type"] === "integer" && !Number.isSafeInteger(entered))
          return { problem: "A whole number is needed, of at most 15 digits." };
        return { value: entered };
      }
      if (characters < least) return { problem: `At least ${least} characters are needed.` };
      if (most !== null && characters > most) return { problem: `At most ${most} characters fit.` };
      return { value };
    },
  };
}

function choiceField(
  name: string,
  property: Fields,
  required: boolean,
  choices: readonly Choice[],
  type: "radio" | "checkbox",
): Field {
  const { id, node, problem, described, complain } = frame("fieldset", name, property, required);
  const given = type === "radio" ? [property["default"]] : list(property["default"]);
  const inputs = choices.map((choice) =>
    h("input", { type, name: id, "aria-describedby": described, checked: given.includes(choice.value) }),
  );
  const rows = choices.map((choice, index) => choiceNode(inputs[index], choice));
  if (type === "radio" && !required) {
    const none = h("input", { type, name: id, checked: !inputs.some((input) => input.checked) });
    rows.push(choiceNode(none, { value: "", title: "No answer", description: "" }));
  }
  const box = h("div", { class: choices.length > FEW ? "acp-field-many" : null }, ...rows);
  node.insertBefore(box, problem);
  return {
    node,
    focus: () => inputs[0]?.focus(),
    complain: complain(),
    read() {
      const chosen = choices.filter((_, index) => inputs[index]?.checked).map((choice) => choice.value);
      if (type === "radio") {
        const [value] = chosen;
        return value !== undefined ? { value } : required ? { problem: "Choose one." } : {};
      }
      const least = number(property["minItems"]) ?? 0;
      const most = number(property["maxItems"]) ?? choices.length;
      if (chosen.length === 0 && !required) return {};
      if (chosen.length < least) return { problem: `Choose at least ${least}.` };
      if (chosen.length > most) return { problem: `Choose at most ${most}.` };
      return { value: chosen };
    },
  };
}

function choiceNode(input: Node | undefined, { title, description }: Choice): HTMLElement {
  const words = h("span", {}, readable(title));
  if (description !== "") words.append(hint(readable(description)));
  const node = h("label", { class: "acp-choice" });
  append(node, [input, words]);
  return node;
}

function pullField(name: string, property: Fields, required: boolean, choices: readonly Choice[]): Field {
  const { id, node, problem, described, complain } = frame("div", name, property, required);
  const select = h(
    "select",
    { id, class: "acp-input", "aria-describedby": described },
    h("option", { value: "" }, required ? "Choose" : "No answer"),
    ...choices.map(({ value, title }, index) =>
      h("option", { value: String(index), selected: property["default"] === value }, readable(title)),
    ),
  );
  node.insertBefore(select, problem);
  return {
    node,
    focus: () => select.focus(),
    complain: complain(select),
    read() {
      const choice = select.value === "" ? undefined : choices[Number(select.value)];
      return choice !== undefined ? { value: choice.value } : required ? { problem: "Choose one." } : {};
    },
  };
}

function checkField(name: string, property: Fields): Field {
  // Yes or no is an answer either way.
  const { node, problem, complain } = frame("fieldset", name, property, true);
  const input = h("input", { type: "checkbox", checked: property["default"] === true });
  node.insertBefore(choiceNode(input, { value: "", title: "Yes", description: "" }), problem);
  return {
    node,
    focus: () => input.focus(),
    complain: complain(input),
    read: () => ({ value: input.checked }),
  };
}

function unknownField(name: string, property: Fields, required: boolean): Field {
  const { node, problem, complain } = frame("fieldset", name, property, required);
  const kind = visible(text(property["type"]) || "?");
  node.insertBefore(hint(`Fields of the type ${kind} cannot be filled in here.`), problem);
  node.tabIndex = -1;
  return {
    node,
    focus: () => node.focus(),
    complain: complain(),
    read: () => (required ? { problem: "This field is required; the form can only be declined." } : {}),
  };
}

function choicesOf(property: Fields): readonly Choice[] | null {
  const plain = property["enum"];
  if (Array.isArray(plain))
    return list(plain.slice(0, MOST_CHOICES)).map((value) => ({ value, title: value, description: "" }));
  const titled = property["oneOf"] ?? property["anyOf"];
  if (!Array.isArray(titled)) return null;
  return titled.slice(0, MOST_CHOICES).flatMap((entry) => {
    const { const: value, title, description } = object(entry);
    return typeof value === "string"
      ? [{ value, title: text(title) || value, description: text(description) }]
      : [];
  });
}

export function object(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export function hint(sentence: string): HTMLElement {
  return h("div", { class: "acp-field-hint" }, sentence);
}
