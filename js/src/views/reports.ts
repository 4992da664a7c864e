/** What the agent will be told with the next message about reviews of its edits; each can be taken out. */

import { h, keyedList, setText, show, type View } from "../dom";
import { readable } from "../safe_text";
import type { Session } from "../wire";
import type { ViewContext } from "./context";
import { iconButton } from "./parts";

type Report = NonNullable<Session["reports"]>[number];

export function createReports(ctx: ViewContext): View<readonly Report[]> {
  const rows = h("ul", { class: "acp-queue-rows" });
  const node = h(
    "section",
    { class: "acp-queue", "aria-label": "Told with the next message", hidden: true },
    h("div", { class: "acp-muted acp-small" }, "Told with the next message"),
    rows,
  );
  const list = keyedList<Report>(
    rows,
    (report) => report.key,
    () => createRow(ctx),
  );
  return {
    node,
    update(reports) {
      list.update(reports);
      show(node, reports.length > 0);
    },
    dispose: () => list.dispose(),
  };
}

function createRow(ctx: ViewContext): View<Report> {
  const head = h("summary", { class: "acp-queue-text" });
  const whole = h("div", { class: "acp-pre-line acp-small" });
  const failure = h("span", { class: "acp-error-text", role: "alert" });
  let key = "";
  const remove = iconButton("cross", "Do not tell", () => {
    if (ctx.live())
      void ctx.request({ kind: "untell", report: key }).then((error) => setText(failure, error ?? ""));
  });
  const details = h("details", { class: "acp-report" }, head, whole);
  return {
    node: h("li", { class: "acp-queue-row" }, details, failure, remove),
    update(report) {
      key = report.key;
      const text = readable(report.text);
      // The second line names the first file and what was kept of it.
      setText(head, (text.split("\n")[1] ?? text).replace(/^- /, ""));
      setText(whole, text);
    },
    dispose: () => undefined,
  };
}
