/**
 * The view of one turn in the cell that asked for it (built as `static/turn.js`).
 *
 * Code and state are the chat's: this file only waits for the chat's model to be there, so that twenty
 * turns make a saved notebook longer by their text alone.
 */
import type { AnyModel, Render } from "@anywidget/types";
import { registry } from "./registry";
import { hideTwin } from "./twin";

interface Traits extends Record<string, unknown> {
  chat_id: string;
  turn: number;
}

const PATIENCE = 3_000;
const MISSING =
  "This turn belongs to a chat that is not on this page. Run the cell that shows the chat to see it.";

const render: Render<Traits> = ({ model, el, signal }) => {
  const { chats, events } = registry();
  const { chat_id: chatId, turn } = traits(model);
  const box = document.createElement("div");
  el.append(box);
  // The line beside this view is for saved notebooks (`acp_notebook/_render/turn_cell.py`).
  const showLine = hideTwin(`turn-${chatId}-${turn}`, el.ownerDocument);
  let shown: unknown = null;
  let end: (() => void) | null = null;

  const follow = () => {
    const entry = chats.get(chatId);
    if (entry === undefined || entry === shown) return;
    end?.();
    box.textContent = "";
    shown = entry;
    end = entry.mountTurn(box, turn);
  };
  const timer = setTimeout(() => {
    if (end === null) box.textContent = MISSING;
  }, PATIENCE);
  const leave = () => {
    clearTimeout(timer);
    events.removeEventListener("change", follow);
    end?.();
    end = null;
    showLine();
    box.remove();
  };
  events.addEventListener("change", follow);
  signal?.addEventListener("abort", leave, { once: true });
  follow();
  return leave;
};

function traits(model: AnyModel<Traits>): Traits {
  return { chat_id: String(model.get("chat_id")), turn: Number(model.get("turn")) };
}

export default { render };
