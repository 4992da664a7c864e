/** Sessions that the agent has opened for its subagents: a line each, that opens what was said there. */

import { h, type KeyedList, keyedList, setText, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { Session, Turn } from "../wire";
import type { ViewContext } from "./context";
import { icon } from "./icons";
import { createFold } from "./parts";
import { shownTurns } from "./shown";
import { createTurn } from "./turn";
import { count } from "./words";

interface Child {
  readonly id: string;
  readonly session: Session;
}

export function createChildren(ctx: ViewContext): View<Session | null> {
  const node = h("div", { class: "acp-children" });
  const list = keyedList<Child>(
    node,
    (child) => child.id,
    () => createChild(ctx),
  );
  let shown: Session["children"] | null = null;
  return {
    node,
    update(session) {
      const children = session?.children ?? null;
      if (children === shown) return;
      shown = children;
      const all = Object.entries(children ?? {}).map(([id, one]) => ({ id, session: one }));
      list.update(all.filter(({ session: one }) => turnsOf(one).length > 0));
    },
    dispose: () => list.dispose(),
  };
}

function turnsOf(session: Session): readonly Turn[] {
  return shownTurns(session, 0).map(({ turn }) => turn);
}

function createChild(ctx: ViewContext): View<Child> {
  const title = h("span", { class: "acp-line-title" });
  const steps = h("span", { class: "acp-muted acp-small" });
  const fold = createFold(ctx, "line acp-child", [icon("steps"), title, steps], () => paint());
  let shown: Child | null = null;
  let turns: KeyedList<Turn> | null = null;

  function paint(): void {
    if (shown === null) return;
    turns ??= keyedList<Turn>(
      fold.body,
      (_turn, index) => String(index),
      () => createTurn(ctx),
    );
    turns.update(turnsOf(shown.session));
  }

  return {
    node: fold.node,
    update(child) {
      if (shown?.session === child.session) return;
      shown = child;
      setText(title, `Subagent: ${visible(child.session.title ?? child.id)}`);
      const items = turnsOf(child.session).reduce((sum, turn) => sum + turn.items.length, 0);
      setText(steps, items === 0 ? "" : count(items, "step"));
      show(steps, items > 0);
      if (fold.open) paint();
    },
    dispose: () => turns?.dispose(),
  };
}
