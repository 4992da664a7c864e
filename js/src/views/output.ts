/** Output as an agent or a command wrote it. */

import { ansiNodes } from "../ansi";
import { h } from "../dom";

/** Characters of an output that are drawn at once; the rest comes when asked for. */
const FIRST = 20_000;

/** Text that may colour itself; long text shows its end, where a command says how it went. */
export function outputNode(text: string): HTMLElement {
  const box = h("pre", { class: "acp-pre acp-output", tabindex: "0", "aria-label": "Output" });
  if (text.length <= FIRST) {
    box.append(ansiNodes(text));
    return box;
  }
  const cut = text.indexOf("\n", text.length - FIRST) + 1 || text.length - FIRST;
  box.append(ansiNodes(text.slice(cut)));
  const button = h(
    "button",
    { class: "acp-link", type: "button" },
    `Show ${(cut / 1000).toFixed(0)} kB more above`,
  );
  button.addEventListener("click", () => {
    button.remove();
    box.replaceChildren(ansiNodes(text));
    box.focus({ preventScroll: true });
  });
  return h("div", {}, button, box);
}
