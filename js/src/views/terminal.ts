/** A terminal's output, read at its end while it runs unless the person has scrolled up in it. */

import { h, setText, show, type View } from "../dom";
import { visible } from "../safe_text";
import type { Terminal } from "../wire";
import { outputNode } from "./output";

export function createTerminal(): View<Terminal> {
  const label = h("div", { class: "acp-section-label" });
  const cut = h(
    "div",
    { class: "acp-muted acp-small", hidden: true },
    "Only the end of the output was kept.",
  );
  const place = h("div");
  const node = h("div", { class: "acp-section" }, label, cut, place);
  let shown: string | null = null;

  function paint(output: string): void {
    const old = place.querySelector("pre");
    const top = old?.scrollTop ?? 0;
    const atEnd = old === null || old.scrollHeight - old.clientHeight - top < 8;
    place.replaceChildren(
      output === "" ? h("div", { class: "acp-muted acp-small" }, "No output.") : outputNode(output),
    );
    const box = place.querySelector("pre");
    if (box !== null) box.scrollTop = atEnd ? box.scrollHeight : top;
  }

  return {
    node,
    update(terminal) {
      const how = endOf(terminal);
      setText(label, how === null || terminal.exit_code === 0 ? "Terminal" : `Terminal, ${how}`);
      show(cut, terminal.truncated);
      show(node, terminal.output !== "" || how !== null);
      if (shown === terminal.output) return;
      shown = terminal.output;
      paint(terminal.output);
    },
    dispose: () => undefined,
  };
}

function endOf(terminal: Terminal): string | null {
  if (terminal.signal !== null) return `ended by ${visible(terminal.signal)}`;
  return terminal.exit_code === null ? null : `exit code ${terminal.exit_code}`;
}
