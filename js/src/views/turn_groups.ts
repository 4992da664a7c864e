/**
 * The turns of a chat, in groups of 32: a browser lays a growing turn out beside its neighbours in the group and
 * the other groups, not beside each of a thousand turns. A turn keeps its group when others come or go.
 */

import { h, keyedList } from "../dom";
import type { ViewContext } from "./context";
import type { Shown } from "./shown";
import { createTurn, type TurnView } from "./turn";

export interface TurnGroups {
  readonly node: HTMLElement;
  update(shown: readonly Shown[]): void;
  /** The view of the turn with that index. */
  get(index: number): TurnView | undefined;
  dispose(): void;
}

export function createTurnGroups(ctx: ViewContext): TurnGroups {
  const node = h("div", { class: "acp-turns" });
  const views = new Map<number, TurnView>();

  function createGroup() {
    const group = h("div", { class: "acp-group" });
    let held: readonly Shown[] = [];
    let wasLive: boolean | null = null;
    const turns = keyedList<Shown>(
      group,
      ({ index }) => String(index),
      ({ index }) => {
        const view = createTurn(ctx);
        views.set(index, view);
        return {
          node: view.node,
          update: ({ turn }: Shown) => view.update(turn),
          dispose: () => view.dispose(),
        };
      },
    );
    return {
      node: group,
      update(part: readonly Shown[]) {
        const live = ctx.live();
        if (live === wasLive && isSame(part, held)) return;
        [held, wasLive] = [part, live];
        turns.update(part);
      },
      dispose: turns.dispose,
    };
  }

  const groups = keyedList<readonly Shown[]>(node, (part) => String(groupOf(part)), createGroup);
  return {
    node,
    update(shown) {
      const parts: Shown[][] = [];
      let part: Shown[] = [];
      for (const one of shown) {
        if (part.length === 0 || groupOf(part) !== groupOf([one])) {
          part = [];
          parts.push(part);
        }
        part.push(one);
      }
      groups.update(parts);
    },
    get: (index) => views.get(index),
    dispose: groups.dispose,
  };
}

function isSame(part: readonly Shown[], held: readonly Shown[]): boolean {
  return (
    part.length === held.length &&
    part.every(({ turn, index }, place) => turn === held[place]?.turn && index === held[place].index)
  );
}

function groupOf([first]: readonly Shown[]): number {
  // What came before the first prompt has the index -1.
  return ((first?.index ?? 0) + 1) >> 5;
}
