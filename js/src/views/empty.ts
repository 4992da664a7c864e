/** The chat before its first message: what the agent may do here, and prompts to try. */

import { h, setText, show, type View } from "../dom";
import type { ChatInfo, Session } from "../wire";
import { agentTitle } from "./header";
import { icon } from "./icons";

export function createEmpty(info: ChatInfo | null, pick: (text: string) => void): View<Session | null> {
  const title = h("div", { class: "acp-empty-title" });
  const allowed = h(
    "ul",
    { class: "acp-allowed" },
    ...(info?.allowed ?? []).map((line) => h("li", {}, line)),
  );
  const suggestions = h(
    "div",
    { class: "acp-suggestions" },
    ...(info?.suggestions ?? []).slice(0, 3).map((text) => {
      const button = h(
        "button",
        { class: "acp-suggestion", type: "button" },
        h("span", {}, text),
        icon("chevron"),
      );
      button.addEventListener("click", () => pick(text));
      return button;
    }),
  );
  show(allowed, allowed.childElementCount > 0);
  show(suggestions, suggestions.childElementCount > 0);
  return {
    node: h(
      "div",
      { class: "acp-empty" },
      title,
      allowed,
      suggestions.childElementCount > 0 && h("div", { class: "acp-muted acp-small" }, "Try"),
      suggestions,
    ),
    update(session) {
      const name = session?.agent == null ? "The agent" : agentTitle(session);
      setText(
        title,
        session?.status === "starting"
          ? `${name} is starting`
          : `What ${name === "The agent" ? "the agent" : name} may do here`,
      );
    },
    dispose: () => undefined,
  };
}
