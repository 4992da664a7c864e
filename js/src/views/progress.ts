/** One line below the conversation while nothing seems to happen: what a start waits for, how long the agent is silent. */

import { h, setText, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { Session } from "../wire";
import type { ViewContext } from "./context";
import { duration } from "./words";

/** Seconds that a start, or silence in a turn, takes before it is worth a word. */
const SLOW = 3;
const SILENT = 20;

export function createProgress(ctx: ViewContext): View<Session | null> {
  const node = h("div", { class: "acp-reason acp-progress acp-muted", hidden: true });
  let shown: Session | null = null;
  let stop: (() => void) | null = null;

  function paint(): void {
    const starts = shown?.status === "starting";
    const passed = ctx.now() - ((starts ? shown?.since : null) ?? ctx.heard());
    setText(
      node,
      starts
        ? startWords(ctx, shown, passed)
        : `Nothing heard from ${ctx.agentName()} for ${duration(passed)}.`,
    );
    show(node, passed >= (starts ? SLOW : SILENT));
  }

  return {
    node,
    update(session) {
      shown = session;
      const counts = ctx.live() && (session?.status === "starting" || session?.status === "working");
      if (counts) {
        stop ??= ctx.ticker.start(paint);
        return paint();
      }
      stop?.();
      stop = null;
      show(node, false);
    },
    dispose: () => stop?.(),
  };
}

function startWords(ctx: ViewContext, session: Session | null, passed: number): string {
  const method = session?.waits_for ?? "spawn";
  const name = ctx.agentName();
  const what =
    method === "spawn" ? `${name} is being started` : `${name} has not answered ${visible(method)} yet`;
  return `${what}: ${duration(passed)}. The first start of an agent can take minutes.`;
}
