/** The raw records behind an item, over the conversation until it is closed. */

import { h, setText } from "../dom";
import { visible } from "../safe_text";
import { copyButton, iconButton, textButton } from "../views/parts";
import { count } from "../views/words";
import type { Store } from "./store";
import { clock } from "./timeline";
import type { Place, RawRecord } from "./wire";

export interface Raw {
  readonly node: HTMLElement;
  open(place: Place, title: string): void;
  close(): boolean;
}

const DIRECTIONS: Readonly<Record<string, string>> = {
  in: "from the agent",
  out: "to the agent",
  note: "note",
};

export function createRaw(store: Store, closed: () => void): Raw {
  const title = h("span", { class: "acp-records-title" });
  const list = h("div", { class: "acp-records-list", tabindex: "0" });
  const shut = iconButton("cross", "Close", () => close());
  const node = h(
    "div",
    { class: "acp-records", role: "dialog", "aria-label": "Raw records", hidden: true },
    h("div", { class: "acp-records-head" }, title, shut),
    list,
  );
  let shown = 0;

  function close(): boolean {
    if (node.hidden) return false;
    node.hidden = true;
    list.replaceChildren();
    closed();
    return true;
  }

  function block(record: RawRecord): HTMLElement {
    const left = record.left_out > 0 ? `\n… ${record.left_out.toLocaleString("en")} characters more` : "";
    return h(
      "div",
      { class: "acp-record" },
      h(
        "div",
        { class: "acp-section-label" },
        `Record ${record.index + 1}, ${DIRECTIONS[record.dir] ?? record.dir}, ${clock(record.t)}`,
        copyButton("Copy this record", () => record.text),
      ),
      h("pre", { class: "acp-pre" }, visible(record.text, { multiline: true }) + left),
    );
  }

  async function load(place: Place, first: number): Promise<void> {
    const mine = shown;
    const answer = await store.records(place, first);
    if (mine !== shown) return;
    list.querySelector(".acp-more")?.remove();
    if (answer === null) {
      list.append(h("div", { class: "acp-muted" }, "The records are in the kernel, which cannot be asked."));
      return;
    }
    setText(title, `${title.dataset["of"] ?? ""}: ${count(answer.total, "record")}`);
    for (const record of answer.records) list.append(block(record));
    const next = first + answer.records.length;
    if (next < answer.total && answer.records.length > 0) {
      const more = textButton(`Show more (${(answer.total - next).toLocaleString("en")} left)`, () => {
        void load(place, next);
      });
      more.classList.add("acp-more");
      list.append(more);
    }
    if (answer.total === 0) list.append(h("div", { class: "acp-muted" }, "No record is known for this."));
  }

  return {
    node,
    open(place, name) {
      shown += 1;
      title.dataset["of"] = name;
      setText(title, name);
      list.replaceChildren();
      node.hidden = false;
      list.focus({ preventScroll: true });
      void load(place, 0);
    },
    close,
  };
}
