/** What the agent will be told with the next message about reviews of its edits; drawn by the part "hunks". */

import { h, show, type View } from "../dom";
import type { Session } from "../wire";
import type { ViewContext } from "./context";
import type { HunksPart } from "./review";

export type Reports = NonNullable<Session["reports"]>;

export function createReports(ctx: ViewContext): View<Reports> {
  const node = h("section", { class: "acp-queue", "aria-label": "Told with the next message" });
  let shown: Reports = [];
  return {
    node,
    update(reports) {
      show(node, reports.length > 0);
      if (reports === shown) return;
      shown = reports;
      if (reports.length > 0)
        void ctx.hooks.load("hunks").then((part) => {
          if (shown === reports) (part as HunksPart | null)?.reports(node, ctx, reports);
        });
    },
    dispose: () => undefined,
  };
}
