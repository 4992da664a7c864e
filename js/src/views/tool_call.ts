/**
 * ToolCall: one line (icon by kind, title, what matters of the input, duration, state), its command always
 * visible, the rest folded; below it a card for each request the call has made.
 */

import { diffLines } from "../diff";
import { h, keyedList, setText, show, type View } from "../dom";
import { relative, visible } from "../safe_text";
import type { Diff, Item, Permission, Terminal, ToolCall } from "../wire";
import { type ApprovalInput, createApprovalCard } from "./approval_card";
import type { ViewContext } from "./context";
import { commandOf, diffsOf, gistOf, titleOf } from "./describe";
import { icon, kindIcon } from "./icons";
import { createFold, sameValues } from "./parts";
import { commandBlock } from "./request_preview";
import { type ItemInTurn, permissionsOf, terminalsOf } from "./scope";
import { createDetails, type DetailsInput } from "./tool_details";
import { callWord, duration, passed } from "./words";

type CallItem = Extract<Item, { readonly kind: "tool_call" }>;

export interface ToolCallView extends View<ItemInTurn<CallItem>> {
  /** Opens the details, e.g. to show what a search has found in them. */
  open(): void;
}

const RUNNING = new Set(["input-available", "approval-responded", "approval-requested"]);

export function createToolCall(ctx: ViewContext): ToolCallView {
  const sign = h("span", { class: "acp-line-sign" });
  const title = h("span", { class: "acp-line-title" });
  const gist = h("span", { class: "acp-line-gist" });
  const stat = h("span", { class: "acp-diff-stat" });
  const seconds = h("span", { class: "acp-line-time", "aria-hidden": "true" });
  const state = h("span", { class: "acp-line-state" });
  const fold = createFold(
    ctx,
    "line acp-call",
    [sign, h("span", { class: "acp-line-text" }, title, gist, stat), seconds, state],
    () => paint(),
  );
  const command = h("div", { class: "acp-call-command", hidden: true });
  fold.node.insertBefore(command, fold.body);
  const details = createDetails(ctx, fold.body);
  const cards = h("div", { class: "acp-cards" });
  const list = keyedList<ApprovalInput>(
    cards,
    (input) => input.permission.key,
    () => createApprovalCard(ctx),
  );
  // The request came before what the call did: its card stands above the output.
  fold.node.insertBefore(cards, fold.body);
  const node = h("div", { class: "acp-tool" }, fold.node);

  let shown: readonly unknown[] = [];
  let current: DetailsInput | null = null;
  let stop: (() => void) | null = null;
  let callOff: (() => void) | null = null;
  let wasRunning = false;
  let lineShown: string | null = null;

  function paint(): void {
    if (current !== null) details.update(current);
  }

  function paintLine(
    item: CallItem,
    permissions: readonly Permission[],
    terminals: readonly Terminal[],
  ): void {
    const { call } = item;
    const running = RUNNING.has(call.state);
    const line = commandOf(call, terminals);
    const bare = line !== null && line === call.title;
    const short = line !== null && !line.includes("\n");
    sign.replaceChildren(icon(kindIcon(call.kind)));
    // A call whose title is its command says it once, as a command.
    setText(title, bare ? (short ? visible(line) : "Run") : titleOf(call, ctx.cwd()));
    title.classList.toggle("acp-is-command", bare && short);
    title.title = visible(call.title ?? "");
    setText(gist, line === null ? gistOf(call, ctx.cwd()) : "");
    paintStat(stat, diffsOf(call, permissions), title.textContent ?? "", ctx.cwd());
    // A waiting card below shows the command as well, in full.
    const said = line === null || (short && (call.title ?? "").includes(line)) || waits(permissions);
    if (line !== lineShown) command.replaceChildren(...(line === null ? [] : [commandBlock(line)]));
    lineShown = line;
    show(command, !said);
    setText(state, callWord(call.state, call.status, ctx.live()));
    for (const name of STATES) fold.node.classList.toggle(`acp-is-${name}`, call.state === name);
    if (running && call.state !== "approval-requested" && ctx.live()) {
      stop ??= ctx.ticker.start(() => setText(seconds, passed(ctx.now() - item.started)));
    } else {
      stop?.();
      stop = null;
      const took = item.ended === null ? 0 : item.ended - item.started;
      setText(seconds, took >= 1 && !running ? duration(took) : "");
    }
  }

  /** A running terminal and a failure are open; what was opened for a run closes when nobody looks. */
  function autoFold(call: ToolCall, terminals: readonly Terminal[], first: boolean): void {
    if (fold.touched) return;
    const running = RUNNING.has(call.state);
    const failed = call.state === "output-error";
    const writes = running && terminals.some((terminal) => terminal.output !== "");
    if (failed || writes) {
      callOff?.();
      callOff = null;
      fold.set(true);
    } else if (fold.open && !running && callOff === null) {
      callOff = ctx.reading.later(node, () => {
        callOff = null;
        if (!fold.touched) fold.set(false);
      });
    }
    if (first && !failed && !writes) fold.set(false);
  }

  return {
    node,
    open: () => fold.set(true),
    update({ item, scope }) {
      const { call } = item;
      const permissions = permissionsOf(scope, call);
      const terminals = terminalsOf(scope, call);
      const inputs = [item, ctx.live(), ...permissions, ...terminals];
      if (sameValues(shown, inputs)) return;
      const first = shown.length === 0;
      shown = inputs;
      current = { call, permissions, terminals, turn: scope.turn };
      paintLine(item, permissions, terminals);
      autoFold(call, terminals, first);
      if (fold.open) paint();
      list.update(
        permissions.map((permission) => ({ permission, call, terminals, session: scope.turn.session_id })),
      );
      const running = RUNNING.has(call.state) && call.state !== "approval-requested" && ctx.live();
      if (wasRunning !== running) node.classList.toggle("acp-running", running);
      wasRunning = running;
    },
    dispose() {
      stop?.();
      callOff?.();
      details.dispose();
      list.dispose();
    },
  };
}

const STATES = [
  "approval-requested",
  "output-denied",
  "output-available",
  "output-error",
  "stopped",
  "approval-responded",
  "input-available",
] as const;

function waits(permissions: readonly Permission[]): boolean {
  return permissions.some((permission) => permission.outcome === null);
}

const counted = new WeakMap<Diff, readonly [number, number]>();

function countsOf(diff: Diff): readonly [number, number] {
  let counts = counted.get(diff);
  if (counts === undefined) {
    const { added, removed } = diffLines(diff.old_text, diff.new_text);
    counts = [added, removed];
    counted.set(diff, counts);
  }
  return counts;
}

/** `path +3 −1`; the path only where the title has not named it. */
function paintStat(node: HTMLElement, diffs: readonly Diff[], said: string, cwd: string | null): void {
  if (diffs.length === 0) {
    node.replaceChildren();
    return;
  }
  let added = 0;
  let removed = 0;
  for (const diff of diffs) {
    const counts = countsOf(diff);
    added += counts[0];
    removed += counts[1];
  }
  const first = diffs[0];
  const path = first === undefined ? "" : visible(relative(first.path, cwd));
  const where = diffs.length > 1 ? `${diffs.length} files` : said.includes(path) ? "" : path;
  node.replaceChildren(
    where === "" ? "" : h("span", { class: "acp-diff-path" }, `${where} `),
    h("span", { class: "acp-added" }, `+${added}`),
    " ",
    h("span", { class: "acp-removed" }, `−${removed}`),
  );
}
