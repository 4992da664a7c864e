/** The end of the agent or the chat: what happened, the end of its error output, and a way to go on. */

import { h, setText, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { Session } from "../wire";
import { holdsFocus, type ViewContext } from "./context";
import { agentTitle } from "./header";
import { icon } from "./icons";
import { outputNode } from "./output";
import { createFold, textButton } from "./parts";

export function createEnded(ctx: ViewContext, leave: () => void): View<Session | null> {
  const words = h("div", { class: "acp-notice-text" });
  const failure = h("div", { class: "acp-error-line", role: "alert", hidden: true });
  let shown: Session | null = null;
  let asked = false;
  const fold = createFold(
    ctx,
    "line acp-stderr",
    [h("span", { class: "acp-line-title" }, "End of the error output")],
    () => {
      fold.body.replaceChildren(outputNode(shown?.exit?.stderr ?? ""));
    },
  );
  const restart = textButton(
    "Restart",
    () => {
      if (asked || !ctx.live()) return;
      asked = true;
      restart.setAttribute("aria-disabled", "true");
      void ctx.request({ kind: "restart" }).then((error) => {
        asked = false;
        restart.removeAttribute("aria-disabled");
        setText(failure, error === null ? "" : `Not restarted: ${error}`);
        show(failure, error !== null);
      });
    },
    icon("restart"),
  );
  const node = h(
    "section",
    { class: "acp-ended", "aria-label": "The agent has ended", hidden: true },
    words,
    fold.node,
    failure,
    restart,
  );
  return {
    node,
    update(session) {
      shown = session;
      // A chat that was closed on purpose says so at the composer.
      const ended = session?.status === "ended" && session.exit !== null;
      // The focus would fall out of the notebook with the button that had it.
      if (!ended && holdsFocus(ctx, node)) leave();
      show(node, ended);
      if (!ended || session === null) return;
      const broken = isBroken(session);
      node.classList.toggle("acp-broken", broken);
      words.replaceChildren(icon(broken ? "warning" : "info"), h("span", {}, endSentence(session)));
      show(fold.node, broken && (session.exit?.stderr ?? "").trim() !== "");
      show(restart, ctx.live());
    },
    dispose: () => undefined,
  };
}

/** Three words for three ends: we closed, the agent finished, the agent died. */
function endSentence(session: Session): string {
  const name = visible(agentTitle(session));
  const exit = session.exit;
  if (exit === null) return "This chat is closed.";
  const reason =
    exit.reason === null || exit.reason === "" ? "" : ` ${visible(exit.reason, { multiline: true })}`;
  if (exit.signal !== null) return `${name} was ended by ${visible(exit.signal)}.${reason}`;
  if (exit.code === null) return reason === "" ? "This chat is closed." : reason.trim();
  if (exit.code === 0) return `${name} has ended.${reason}`;
  return `${name} ended with exit code ${exit.code}.${reason}`;
}

function isBroken(session: Session): boolean {
  const exit = session.exit;
  return exit !== null && (exit.signal !== null || (exit.code !== null && exit.code !== 0));
}
