/** One turn: the prompt, what the agent did in order, how it ended, and what came after. */

import { h, keyedList, setText, show, type View } from "../dom";
import type { Item, Permission, Turn } from "../wire";
import { type ApprovalInput, createApprovalCard } from "./approval_card";
import { turnMarkdown } from "./as_markdown";
import type { ViewContext } from "./context";
import { createItem, type ItemView } from "./item";
import { createLine } from "./notice";
import { copyButton } from "./parts";
import { createPrompt } from "./prompt";
import { createRuns } from "./run_heads";
import { type ItemInTurn, loosePermissions, type Scope, scopeOf, waitingIn } from "./scope";
import { count, duration, endWord, money } from "./words";

export interface TurnView extends View<Turn> {
  /** Brings an item's content out of the folds, and gives its element. */
  open(item: number, after: boolean): HTMLElement | null;
}

interface Items {
  readonly node: HTMLElement;
  update(items: readonly Item[], scope: Scope, open: boolean): void;
  open(index: number): HTMLElement | null;
  dispose(): void;
}

export function createTurn(ctx: ViewContext): TurnView {
  const prompt = createPrompt(ctx);
  const items = createItems(ctx);
  const loose = h("div", { class: "acp-cards" });
  const looseList = keyedList<ApprovalInput>(
    loose,
    (input) => input.permission.key,
    () => createApprovalCard(ctx),
  );
  const wait = h("div", { class: "acp-wait acp-muted", hidden: true }, "Waiting for the agent");
  const error = createLine("error");
  const ending = createLine("info");
  const afterLabel = h("div", { class: "acp-after-label" }, "After the turn");
  const after = createItems(ctx);
  const afterNode = h(
    "section",
    { class: "acp-after", "aria-label": "After the turn", hidden: true },
    afterLabel,
    after.node,
  );
  const facts = h("span", { class: "acp-muted" });
  let shown: Turn | null = null;
  let scope: Scope | null = null;
  let wasLive: boolean | null = null;
  const copy = copyButton("Copy this turn as Markdown", () =>
    shown === null ? "" : turnMarkdown(shown, ctx.cwd()),
  );
  const foot = h("div", { class: "acp-turn-foot", hidden: true }, facts, copy);
  const node = h(
    "article",
    { class: "acp-turn" },
    prompt.node,
    items.node,
    loose,
    wait,
    error.node,
    ending.node,
    foot,
    afterNode,
  );

  return {
    node,
    open: (index, late) => (late ? after : items).open(index),
    update(turn) {
      const live = ctx.live();
      if (shown === turn && wasLive === live) return;
      shown = turn;
      wasLive = live;
      scope = scopeOf(turn, scope);
      const unfinished = turn.active || turn.status === "submitted" || turn.status === "streaming";
      // Without a kernel nothing more will come, and no second passes.
      const moving = unfinished && live;
      prompt.update(turn.prompt);
      show(prompt.node, turn.prompt.length > 0);
      items.update(turn.items, scope, moving);
      const rest = turn.permissions.length === 0 ? NONE : loosePermissions(scope);
      looseList.update(
        rest.map((permission) => ({ permission, call: null, terminals: [], session: turn.session_id })),
      );
      show(wait, turn.status === "submitted" && turn.active && waitingIn(turn).length === 0);
      error.update(
        turn.error ?? (turn.status === "error" ? "The turn ended in an error that says nothing." : null),
      );
      ending.update(endWord(turn));
      after.update(turn.after, scope, false);
      show(afterNode, turn.after.length > 0);
      setText(facts, factsOf(turn));
      show(foot, !unfinished && turn.status !== "queued" && (turn.items.length > 0 || turn.ended !== null));
      node.classList.toggle("acp-active", moving);
    },
    dispose() {
      items.dispose();
      after.dispose();
      looseList.dispose();
    },
  };
}

const NONE: readonly Permission[] = [];

function createItems(ctx: ViewContext): Items {
  const node = h("div", { class: "acp-items" });
  const views: { kind: string; view: ItemView }[] = [];
  const runs = createRuns(ctx, node);
  return {
    node,
    update(items, scope, open) {
      items.forEach((item, index) => {
        const key = item.kind === "tool_call" ? `call ${item.call.id}` : item.kind;
        let entry = views[index];
        if (entry?.kind !== key) {
          const view = createItem(ctx, item);
          if (entry === undefined) {
            node.append(view.node);
          } else {
            entry.view.node.replaceWith(view.node);
            entry.view.dispose();
          }
          entry = { kind: key, view };
          views[index] = entry;
        }
        entry.view.update({ item, scope, growing: open && index === items.length - 1 } as ItemInTurn);
      });
      for (const gone of views.splice(items.length)) {
        gone.view.node.remove();
        gone.view.dispose();
      }
      runs.update(
        items,
        views.map((entry) => entry.view.node),
        open,
      );
    },
    open(index) {
      const view = views[index]?.view;
      if (view === undefined) return null;
      runs.open(index);
      view.open?.();
      return view.node;
    },
    dispose() {
      runs.dispose();
      for (const entry of views) entry.view.dispose();
    },
  };
}

function factsOf(turn: Turn): string {
  const parts: string[] = [];
  if (turn.started !== null && turn.ended !== null && turn.ended - turn.started >= 1 && !turn.replayed) {
    parts.push(duration(turn.ended - turn.started));
  }
  const tokens = turn.usage?.["total_tokens"] ?? sum(turn.usage);
  if (tokens > 0) parts.push(count(tokens, "token"));
  if (turn.cost !== null && turn.cost.amount > 0) parts.push(money(turn.cost.amount, turn.cost.currency));
  return parts.join(" · ");
}

function sum(usage: Turn["usage"]): number {
  return (usage?.["input_tokens"] ?? 0) + (usage?.["output_tokens"] ?? 0);
}
