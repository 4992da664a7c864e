/** DiffReview: one file's change, `path +3 −1` and the lines below. Reading only; hunks are drawn by `diff.ts`. */

import { renderDiff } from "../diff_view";
import { h, type View } from "../dom";
import type { Diff } from "../wire";
import type { ViewContext } from "./context";

export function createDiffReview(ctx: ViewContext, options: { readonly folded: boolean }): View<Diff> {
  const node = h("div", { class: "acp-diff-review" });
  let shown: Diff | null = null;
  let end: (() => void) | null = null;
  node.addEventListener("click", (event) => {
    const head =
      event.target instanceof Element ? event.target.closest<HTMLElement>("summary, button") : null;
    if (head !== null) ctx.reading.hold(head);
  });
  return {
    node,
    update(diff) {
      if (shown !== null && sameDiff(shown, diff)) return;
      end?.();
      node.replaceChildren();
      shown = diff;
      end = renderDiff(node, diff, { cwd: ctx.cwd(), folded: options.folded });
    },
    dispose() {
      end?.();
      end = null;
    },
  };
}

/** Agents repeat a diff with each update; drawing it again would lose what the person has opened in it. */
function sameDiff(a: Diff, b: Diff): boolean {
  return a === b || (a.path === b.path && a.old_text === b.old_text && a.new_text === b.new_text);
}
