/**
 * A turn in the cell that asked for it: drawn whole, or one line that points to the chat where a page tells
 * everything at once (an exported page, a notebook opened without its kernel, Voila) and draws the chat too.
 */
import { registry } from "./registry";

export interface Turn {
  /** Draws the whole turn; gives the way to take it away. */
  draw(el: HTMLElement): () => void;
  /** Whether the chat's own view on this page tells the turn already. */
  toldElsewhere(): boolean;
  /** Calls back after that may have changed; gives the way to unsubscribe. */
  subscribe(listener: () => void): () => void;
}

export const REFERENCE = "This turn is shown in the chat on this page.";

export function placeTurn(el: HTMLElement, turn: Turn): () => void {
  const { events } = registry();
  let pointing: boolean | null = null;
  let end: () => void = () => undefined;

  function paint(): void {
    const elsewhere = turn.toldElsewhere();
    if (elsewhere === pointing) return;
    pointing = elsewhere;
    end();
    end = elsewhere ? point(el) : turn.draw(el);
  }

  const leave = turn.subscribe(paint);
  // The chat's view may be drawn after this one.
  events.addEventListener("change", paint);
  paint();
  return () => {
    leave();
    events.removeEventListener("change", paint);
    end();
  };
}

function point(el: HTMLElement): () => void {
  const line = el.ownerDocument.createElement("div");
  line.className = "acp-notebook-reference";
  line.style.cssText = "padding: 2px 0; color: var(--jp-ui-font-color2, inherit); opacity: 0.85";
  line.textContent = REFERENCE;
  el.append(line);
  return () => line.remove();
}
