/** What a request is about: command, folder, text, diffs, further input. Full, not folded: the person decides on it. */

import { h } from "../dom";
import { relative, visible } from "../safe_text";
import type { Terminal } from "../wire";
import { blockNode } from "./blocks";
import type { ViewContext } from "./context";
import {
  blocksOf,
  blockText,
  commandOf,
  type Described,
  firstText,
  isEmptyInput,
  pathsOf,
  pretty,
  record,
} from "./describe";
import { createDiffReview } from "./diff_review";

/** Fills the host; returns what is to be called when it goes away. */
export function fillPreview(
  ctx: ViewContext,
  host: HTMLElement,
  what: Described,
  terminals: readonly Terminal[],
): () => void {
  const ends: (() => void)[] = [];
  const command = commandOf(what, terminals);
  const fields = record(what.raw_input);
  const description = fields?.["description"];
  if (typeof description === "string" && what.content.length === 0 && description !== what.title) {
    host.append(h("div", { class: "acp-request-text" }, visible(description, { multiline: true })));
  }
  if (command !== null) host.append(commandBlock(command));
  const folder = fields?.["cwd"];
  if (typeof folder === "string" && folder !== "" && folder !== ctx.cwd()) {
    host.append(h("div", { class: "acp-muted acp-small" }, "in ", h("code", {}, visible(folder))));
  }

  // A diff's head names its file already.
  const inDiffs = new Set(what.diffs.map((diff) => diff.path));
  const paths = pathsOf(what).filter((path) => !inDiffs.has(path));
  if (paths.length > 0) {
    const list = h("ul", { class: "acp-paths" });
    for (const path of paths) {
      list.append(h("li", {}, h("code", { title: visible(path) }, visible(relative(path, ctx.cwd())))));
    }
    host.append(list);
  }

  for (const block of blocksOf(what.content)) {
    const text = blockText(block);
    if (text === null) {
      host.append(blockNode(ctx, block));
    } else if (text.trim() !== "") {
      const place = h("div", { class: "acp-request-text acp-markdown" });
      host.append(place);
      const markdown = ctx.markdown(place);
      markdown.update(text, true);
      ends.push(() => markdown.dispose());
    }
  }
  for (const diff of what.diffs) {
    const review = createDiffReview(ctx, { folded: false });
    review.update(diff);
    host.append(review.node);
    ends.push(() => review.dispose());
  }

  const seen = pathsOf(what).flatMap((path) => [path, relative(path, ctx.cwd())]);
  const rest = furtherInput(what, command, seen);
  if (rest !== null) {
    host.append(
      h("pre", { class: "acp-pre acp-input", tabindex: "0", "aria-label": "Input of the call" }, rest),
    );
  }
  return () => {
    for (const end of ends) end();
  };
}

export function commandBlock(command: string): HTMLElement {
  return h(
    "pre",
    { class: "acp-command", tabindex: "0", "aria-label": "Command" },
    h("span", { class: "acp-prompt-sign", "aria-hidden": "true" }, "$ "),
    h("code", {}, visible(command, { multiline: true })),
  );
}

/** Input that command, paths and diffs have not shown yet: nothing may be decided unseen. */
function furtherInput(what: Described, command: string | null, seen: readonly string[]): string | null {
  if (isEmptyInput(what.raw_input)) return null;
  const fields = record(what.raw_input);
  if (fields === null) {
    const text = typeof what.raw_input === "string" ? what.raw_input : pretty(what.raw_input);
    return text === command ? null : visible(text, { multiline: true });
  }
  const shown = new Set(["cwd", "description"]);
  if (what.diffs.length > 0) {
    for (const key of [
      "old_string",
      "new_string",
      "oldString",
      "newString",
      "content",
      "diff",
      "patch",
      "replace_all",
    ]) {
      shown.add(key);
    }
  }
  const lines = Object.entries(fields)
    .filter(([key, value]) => !shown.has(key) && value !== null)
    // By what it says, not by its name: a second command, or a path that stands nowhere else, is shown.
    .filter(([key]) => ![command, ...seen].includes(firstText(fields, [key]) ?? ""))
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : pretty(value)}`);
  return lines.length === 0 ? null : visible(lines.join("\n"), { multiline: true });
}
