/** What a tool call's line opens: its files, diffs, output and input, each built when it is first seen. */

import { ansiNodes } from "../ansi";
import { h } from "../dom";
import { relative, visible } from "../safe_text";
import type { Permission, Terminal, ToolCall } from "../wire";
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
import { createSlots, section } from "./parts";

export interface DetailsInput {
  readonly call: ToolCall;
  readonly permissions: readonly Permission[];
  readonly terminals: readonly Terminal[];
}

/** Characters of an output that are drawn at once; the rest comes when asked for. */
const FIRST = 20_000;

export function createDetails(
  ctx: ViewContext,
  host: HTMLElement,
): { update(input: DetailsInput): void; dispose(): void } {
  const slots = createSlots(host);
  return {
    update({ call, permissions, terminals }) {
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
          const review = createDiffReview(ctx, { folded: true });
          review.update(diff);
          place.append(review.node);
          return review;
        });
        return () => {
          for (const review of reviews) review.dispose();
        };
      });
      const inBlocks = blocksOf(call.content).filter((block) => blockText(block) === null);
      slots.set("blocks", inBlocks, (place) => {
        for (const block of inBlocks) place.append(h("div", { class: "acp-block" }, blockNode(ctx, block)));
        return undefined;
      });
      terminals.forEach((terminal, index) => {
        slots.set(`terminal-${index}`, [terminal], (place) => terminalNode(place, terminal));
      });
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
      slots.set("nothing", [host.querySelector(":scope > .acp-slot:not([hidden])") === null], (place) => {
        if (host.querySelector(":scope > .acp-slot:not([hidden])") === null) {
          place.append(
            h("div", { class: "acp-muted acp-small" }, "The agent has sent nothing more about this step."),
          );
        }
        return undefined;
      });
    },
    dispose: () => slots.dispose(),
  };
}

/** The line above shows the command already. */
function onlyCommand(call: ToolCall): boolean {
  const fields = record(call.raw_input);
  return fields !== null && Object.keys(fields).length === 1 && commandOf({ ...call, kind: null }) !== null;
}

/** Text that may colour itself; long text shows its end, where a command says how it went. */
export function outputNode(text: string): HTMLElement {
  const box = h("pre", { class: "acp-pre acp-output", tabindex: "0", "aria-label": "Output" });
  if (text.length <= FIRST) {
    box.append(ansiNodes(text));
    return box;
  }
  const cut = text.indexOf("\n", text.length - FIRST) + 1 || text.length - FIRST;
  box.append(ansiNodes(text.slice(cut)));
  const button = h(
    "button",
    { class: "acp-link", type: "button" },
    `Show ${(cut / 1000).toFixed(0)} kB more above`,
  );
  button.addEventListener("click", () => {
    button.remove();
    box.replaceChildren(ansiNodes(text));
    box.focus({ preventScroll: true });
  });
  return h("div", {}, button, box);
}

function terminalNode(place: HTMLElement, terminal: Terminal): undefined {
  const old = terminal.output;
  const how =
    terminal.signal !== null
      ? `ended by ${visible(terminal.signal)}`
      : terminal.exit_code !== null
        ? `exit code ${terminal.exit_code}`
        : null;
  const label = how === null || terminal.exit_code === 0 ? "Terminal" : `Terminal, ${how}`;
  if (old === "" && how === null) return undefined;
  const body = old === "" ? h("div", { class: "acp-muted acp-small" }, "No output.") : outputNode(old);
  place.append(
    section(
      label,
      terminal.truncated &&
        h("div", { class: "acp-muted acp-small" }, "Only the end of the output was kept."),
      body,
    ),
  );
  const box = body.querySelector("pre") ?? body;
  // A running terminal is read at its end.
  if (box instanceof HTMLElement) box.scrollTop = box.scrollHeight;
  return undefined;
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
