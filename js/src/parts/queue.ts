/** Part "queue": a waiting message can be changed in place, and moved up. */
import { adopt } from "../adopt";
import { h, show } from "../dom";
import { iconButton } from "../views/parts";
import type { QueueEntry, QueueRow } from "../views/queue";
import css from "./queue.css";

/** Adds the tools to a row; gives what has to be told of each new state. */
export function create({ node, text, remove, ask, at, words }: QueueRow): (entry: QueueEntry) => void {
  adopt(node.getRootNode(), css);
  const box = h("textarea", {
    class: "acp-queue-box",
    rows: "1",
    "aria-label": "Text of the waiting message",
    hidden: true,
  });
  const up = iconButton("send", "Move up", () => {
    const { index } = at();
    ask({ kind: "move", turn: index, to: index - 1 });
  });
  const edit = iconButton("edit", "Change", () => {
    box.value = words();
    editing(true);
    box.focus({ preventScroll: true });
  });

  function editing(is: boolean): void {
    show(box, is);
    show(text, !is);
  }

  box.addEventListener("keydown", (event) => {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape") || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") ask({ kind: "edit", turn: at().index, text: box.value });
    editing(false);
    edit.focus({ preventScroll: true });
  });
  remove.before(box, up, edit);
  return (entry) => show(up, entry.movable);
}
