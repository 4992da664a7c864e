/**
 * A question of the agent: a form or a link, answered once. What is filled in comes with a part of the bundle;
 * declining works without it, and so does reading what was answered.
 */

import { h, setText, show, type View } from "../dom";
import { readable, visible } from "../safe_text";
import type { Item, ToKernel } from "../wire";
import { holdsFocus, type ViewContext } from "./context";
import { record } from "./describe";
import { textButton } from "./parts";
import type { ItemInTurn } from "./scope";

type QuestionItem = Extract<Item, { readonly raw: unknown }>;
type Reply = Extract<ToKernel, { readonly kind: "answer_question" }>;
export type Answers = NonNullable<Reply["content"]>;

/** What the part "question" gives. */
export interface QuestionPart {
  /** Draws the request into the place; its way to accept goes before the other buttons. */
  fill(place: HTMLElement, row: HTMLElement, request: Fields, accept: (answers?: Answers) => void): void;
}

type Fields = Readonly<Record<string, unknown>>;

export function createQuestion(ctx: ViewContext): View<ItemInTurn<QuestionItem>> {
  const title = h("div", { class: "acp-card-title acp-pre-line" });
  const place = h("div", { class: "acp-question acp-pre-line" });
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  const row = h(
    "div",
    { class: "acp-answer-row" },
    textButton("Decline", () => send("decline")),
    textButton("Cancel", () => send("cancel")),
  );
  const body = h("div", { class: "acp-card-body" }, title, place, row, failure);
  const node = h("div", { class: "acp-card", tabindex: "-1", role: "group" }, body);
  let shown: QuestionItem | null = null;
  let sending = false;

  function send(action: Reply["action"], content?: Answers): void {
    const raw = record(shown?.raw);
    if (sending || raw?.["response"] !== null || !ctx.live()) return;
    sending = true;
    show(failure, false);
    const question = String(raw["key"]);
    void ctx
      .request({ kind: "answer_question", question, action, ...(content && { content }) })
      .then((error) => {
        sending = false;
        setText(failure, `Not answered: ${error}`);
        show(failure, error !== null);
      });
  }

  return {
    node,
    update({ item }) {
      if (shown === item) return;
      const first = shown === null;
      shown = item;
      const raw = record(item.raw) ?? {};
      const request = record(raw["request"]) ?? {};
      const waits = raw["response"] === null;
      const message = readable(String(request["message"] ?? item.name));
      if (first) {
        setText(title, message);
        setText(place, visible(String(request["url"] ?? "")));
        node.setAttribute("aria-label", `Question: ${message}`);
      }
      if (waits && first && ctx.live()) {
        ctx.announce(`The agent asks: ${message}`);
        void ctx.hooks.load("question").then((part) => {
          if (record(shown?.raw)?.["response"] === null)
            (part as QuestionPart | null)?.fill(place, row, request, (answers) => send("accept", answers));
          ctx.reading.settle();
        });
      }
      if (waits) return;
      const hadFocus = holdsFocus(ctx, node);
      node.classList.add("acp-answered");
      show(row, false);
      setText(place, answerOf(raw, request));
      if (hadFocus) ctx.focusNext();
    },
    dispose: () => undefined,
  };
}

const WORDS: Readonly<Record<string, string>> = { decline: "Declined", cancel: "Withdrawn unanswered" };
const HANDS: Readonly<Record<string, string>> = { person: " by you", policy: ": nobody could be asked" };

/** The answer in words: a line for each field, under its title. */
function answerOf(raw: Fields, request: Fields): string {
  const response = record(raw["response"]) ?? {};
  const problem = record(response["error"])?.["message"];
  const action = String(response["action"] ?? (problem === undefined ? "" : `Not asked: ${problem}`));
  const fields = record(record(request["requestedSchema"])?.["properties"]) ?? {};
  const answers = Object.entries(record(response["content"]) ?? {}).map(
    ([name, value]) =>
      `${record(fields[name])?.["title"] ?? name}: ${Array.isArray(value) ? value.join(", ") : value}`,
  );
  if (action !== "accept")
    answers.push(`${WORDS[action] ?? action}${HANDS[String(raw["decided_by"])] ?? ""}`);
  else if (request["mode"] === "url")
    answers.push(visible(String(request["url"])), raw["complete"] === true ? "Done" : "Opened by you");
  return readable(answers.join("\n"));
}
