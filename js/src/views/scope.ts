/** A turn with its requests by key, so that a call finds its own without a search. */

import type { Item, Permission, Terminal, ToolCall, Turn } from "../wire";
import { record } from "./describe";

export interface Scope {
  readonly turn: Turn;
  readonly permissions: ReadonlyMap<string, Permission>;
}

export function scopeOf(turn: Turn, old: Scope | null): Scope {
  if (old?.turn === turn) return old;
  if (old !== null && old.turn.permissions === turn.permissions)
    return { turn, permissions: old.permissions };
  return { turn, permissions: new Map(turn.permissions.map((one) => [one.key, one])) };
}

export function permissionsOf(scope: Scope, call: ToolCall): readonly Permission[] {
  return call.permissions.map((key) => scope.permissions.get(key)).filter((one) => one !== undefined);
}

export function terminalsOf(scope: Scope, call: ToolCall): readonly Terminal[] {
  return call.terminals.map((id) => scope.turn.terminals[id]).filter((one) => one !== undefined);
}

/** Requests that no call of this turn shows; they must not get lost. */
export function loosePermissions(scope: Scope): readonly Permission[] {
  const shown = new Set<string>();
  for (const item of [...scope.turn.items, ...scope.turn.after]) {
    if (item.kind === "tool_call") for (const key of item.call.permissions) shown.add(key);
  }
  return scope.turn.permissions.filter((one) => !shown.has(one.key));
}

/** What an item's view gets. */
export interface ItemInTurn<I extends Item = Item> {
  readonly item: I;
  readonly scope: Scope;
  /** Whether more of it may come: the last item of a turn that runs. */
  readonly growing: boolean;
}

/** Whether a person is waited for: a request for permission, or a question. */
export function asksIn(turn: Turn): boolean {
  return (
    waitingIn(turn).length > 0 ||
    [...turn.items, ...turn.after].some(
      (item) =>
        (item.kind === "elicitation" && record(item.raw)?.["response"] === null) ||
        (item.kind === "review" && item.review.outcome === null),
    )
  );
}

export function waitingIn(turn: Turn): readonly Permission[] {
  return turn.permissions.filter((one) => one.outcome === null);
}
