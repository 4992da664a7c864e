/** What a tool call's line opens: its files, diffs, output and input, each built when it is first seen. */

import { h, type KeyedList, keyedList, setText, show } from "../dom";
import { relative, visible } from "../safe_text";
import type { Permission, Terminal, ToolCall, Turn } from "../wire";
import { blockNode } from "./blocks";
import type { ViewContext } from "./context";
import {
  blocksOf,
  blockText,
  commandOf,
  diffsOf,
  isEmptyInput,
  outputOf,
  pathsOf,
  pretty,
  record,
  textOf,
  unfence,
} from "./describe";
import { createDiffReview } from "./diff_review";
import { outputNode } from "./output";
import { createSlots, section } from "./parts";
import { takeBack } from "./review";
import { createTerminal } from "./terminal";

export interface DetailsInput {
  readonly call: ToolCall;
  readonly permissions: readonly Permission[];
  readonly terminals: readonly Terminal[];
  readonly turn: Turn;
}

const NOTHING = "The agent has sent nothing more about this step.";

export function createDetails(
  ctx: ViewContext,
  host: HTMLElement,
): { update(input: DetailsInput): void; dispose(): void } {
  const slots = createSlots(host);
  let shells: KeyedList<Terminal> | null = null;
  let shellPlace: HTMLElement | null = null;
  let current: DetailsInput | null = null;
  return {
    update(input) {
      const { call, permissions, terminals } = input;
      current = input;
      const paths = pathsOf(call);
      slots.set("paths", [call.locations, call.diffs], (place) => {
        if (paths.length < 2) return undefined;
        const list = h("ul", { class: "acp-paths" });
        for (const { path, line } of call.locations) {
          const shown = `${visible(relative(path, ctx.cwd()))}${line === null ? "" : `:${line}`}`;
          list.append(h("li", {}, h("code", { title: visible(path) }, shown)));
        }
        if (list.childElementCount > 0) place.append(list);
        return undefined;
      });
      const diffs = diffsOf(call, permissions);
      slots.set("diffs", diffs, (place) => {
        const reviews = diffs.map((diff) => {
          const review = createDiffReview(ctx, { folded: diffs.length > 1 });
          review.update(diff);
          place.append(review.node);
          return review;
        });
        return () => {
          for (const review of reviews) review.dispose();
        };
      });
      const undoable = call.status === "completed" && diffs.length > 0 && ctx.live();
      slots.set("back", [undoable], (place) => {
        if (undoable) place.append(backButton(ctx, () => current));
        return undefined;
      });
      const inBlocks = blocksOf(call.content).filter((block) => blockText(block) === null);
      slots.set("blocks", inBlocks, (place) => {
        for (const block of inBlocks) place.append(h("div", { class: "acp-block" }, blockNode(ctx, block)));
        return undefined;
      });
      slots.set("terminals", [], (place) => {
        shellPlace = place;
        shells = keyedList<Terminal>(place, (terminal) => terminal.id, createTerminal);
        return () => shells?.dispose();
      });
      shells?.update(terminals);
      if (shellPlace !== null)
        show(shellPlace, terminals.some(hasEnd) || terminals.some((one) => one.output !== ""));
      // A terminal's text often comes a second time as content; one copy is enough.
      const text = terminals.some((terminal) => terminal.output !== "") ? "" : unfence(textOf(call.content));
      slots.set("text", [text], (place) => {
        if (text.trim() !== "") place.append(section("Output", outputNode(text)));
        return undefined;
      });
      const bare =
        text.trim() === "" && inBlocks.length === 0 && terminals.every((terminal) => terminal.output === "");
      slots.set("raw", [call.raw_output, bare], (place) => {
        const raw = bare ? outputOf(call.raw_output) : null;
        if (raw !== null && raw.trim() !== "") place.append(section("Output", outputNode(raw)));
        return undefined;
      });
      slots.set("input", [call.raw_input], (place) => {
        if (!isEmptyInput(call.raw_input) && !onlyCommand(call)) place.append(inputNode(call.raw_input));
        return undefined;
      });
      const empty = host.querySelector(":scope > .acp-slot:not([hidden], .acp-slot-nothing)") === null;
      slots.set("nothing", [empty], (place) => {
        if (empty) place.append(h("div", { class: "acp-muted acp-small" }, NOTHING));
        return undefined;
      });
    },
    dispose: () => slots.dispose(),
  };
}

function backButton(ctx: ViewContext, current: () => DetailsInput | null): HTMLElement {
  const failure = h("span", { class: "acp-error-text", role: "alert" });
  const button = h("button", { class: "acp-link", type: "button" }, "Take back…");
  button.addEventListener("click", () => {
    const input = current();
    if (input === null) return;
    void takeBack(ctx, ctx.turnIndex?.(input.turn) ?? -1, input.call.id).then((error) =>
      setText(failure, error ?? ""),
    );
  });
  return h("div", { class: "acp-section" }, button, " ", failure);
}

function hasEnd(terminal: Terminal): boolean {
  return terminal.exit_code !== null || terminal.signal !== null;
}

/** The line above shows the command already. */
function onlyCommand(call: ToolCall): boolean {
  const fields = record(call.raw_input);
  return fields !== null && Object.keys(fields).length === 1 && commandOf({ ...call, kind: null }) !== null;
}

function inputNode(input: unknown): HTMLElement {
  const body = h("pre", { class: "acp-pre acp-input", tabindex: "0", hidden: true, "aria-label": "Input" });
  const button = h("button", { class: "acp-link", type: "button", "aria-expanded": "false" }, "Input");
  button.addEventListener("click", () => {
    body.hidden = !body.hidden;
    if (!body.hidden)
      body.textContent = visible(typeof input === "string" ? input : pretty(input), { multiline: true });
    button.setAttribute("aria-expanded", String(!body.hidden));
  });
  return h("div", { class: "acp-section" }, button, body);
}
